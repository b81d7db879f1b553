//! A contest's settings as files. The same settings are the same bytes.

use super::{AccountEntry, ContestFiles};
use crate::{Account, GroupSettings, OrganizationSettings, PersonSettings, ProblemEntry, TeamSettings};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns the files of a contest package: JSON as the CLICS Contest API writes it, and fields of our own beside. Entries are
/// sorted by id, problems by place. No file has a password.
pub fn write(files: &ContestFiles) -> BTreeMap<String, Vec<u8>> {
    let mut written = BTreeMap::new();
    if let Some((id, settings)) = &files.contest {
        written.insert("contest.json".to_owned(), bytes(&entry(id, &settings.file(id)).1));
    }
    let mut add = |name: &str, mut entries: Vec<(String, Value)>| {
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        if !entries.is_empty() {
            let entries = Value::Array(entries.into_iter().map(|(_, entry)| entry).collect());
            written.insert(format!("{name}.json"), bytes(&entries));
        }
    };
    let place = |one: &ProblemEntry| format!("{:06} {}", one.ordinal, one.id);
    add("problems", files.problems.iter().map(|one| (place(one), one.object())).collect());
    let group = |one: &GroupSettings| entry(&one.id, &one.object(true));
    add("groups", files.groups.iter().map(group).collect());
    let organization = |one: &OrganizationSettings| entry(&one.id, &one.object());
    add("organizations", files.organizations.iter().map(organization).collect());
    let team = |one: &TeamSettings| entry(&one.id, &one.object(true));
    add("teams", files.teams.iter().map(team).collect());
    let person = |one: &PersonSettings| entry(&one.id, &one.object(true));
    add("persons", files.persons.iter().map(person).collect());
    // Of this contest only.
    let account = |one: &AccountEntry| {
        entry(&one.settings.id, &Account { contest_ids: None, ..one.settings.object_for_admins() })
    };
    add("accounts", files.accounts.iter().map(account).collect());
    written
}

fn entry(id: &impl ToString, object: &impl Serialize) -> (String, Value) {
    (id.to_string(), serde_json::to_value(object).unwrap_or_default())
}

/// Prints a document without what is null. An empty list stays: it differs from a missing one.
fn bytes(value: &Value) -> Vec<u8> {
    let text = serde_json::to_string_pretty(&without_null(value)).unwrap_or_default();
    (text + "\n").into_bytes()
}

fn without_null(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key.clone(), without_null(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_null).collect()),
        other => other.clone(),
    }
}
