//! What files change in a contest, object by object.

use super::contents::ContestFiles;
use documents::contest::{ChangedField, ImportChange, ImportedObjects};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Listed changes of a kind; all are counted. A page with more is not read.
const LISTED_MAX: usize = 1000;
/// What is there once more as `id`, and what the import itself says.
const LEFT_OUT: [&str; 4] = ["id", "name", "username", "contest_ids"];

type Members = Map<String, Value>;

/// Returns what becomes of the people of a contest when files are imported over what it has.
pub fn compare(old: &ContestFiles, new: &ContestFiles) -> Vec<ImportedObjects> {
    let mut old: BTreeMap<_, BTreeMap<String, Members>> =
        objects(old).into_iter().map(|(kind, all)| (kind, all.into_iter().collect())).collect();
    let mut found = Vec::new();
    for (kind, all) in objects(new).into_iter().filter(|(_, all)| !all.is_empty()) {
        let known = old.remove(kind).unwrap_or_default();
        let mut objects = ImportedObjects {
            kind: kind.to_owned(),
            added: 0,
            changed: 0,
            unchanged: 0,
            changes: Vec::new(),
        };
        for (id, after) in all {
            let before = known.get(&id);
            let fields = fields(before, &after);
            let count = match before {
                None => &mut objects.added,
                Some(_) if fields.is_empty() => &mut objects.unchanged,
                Some(_) => &mut objects.changed,
            };
            *count += 1;
            if (before.is_none() || !fields.is_empty()) && objects.changes.len() < LISTED_MAX {
                let name = shown(after.get("name").unwrap_or(&Value::Null));
                objects.changes.push(ImportChange { id, name, is_new: before.is_none(), fields });
            }
        }
        found.push(objects);
    }
    found
}

/// Returns the members of an object that differ.
fn fields(before: Option<&Members>, after: &Members) -> Vec<ChangedField> {
    let empty = Members::new();
    let old = before.unwrap_or(&empty);
    let mut names: Vec<&String> = old.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let is_news = |name: &str| match name {
        "name" => before.is_some(),
        _ => !LEFT_OUT.contains(&name),
    };
    let text = |members: &Members, name: &str| {
        let is_usual = |value: &&Value| {
            let is_label = name == "label" && Some(*value) == members.get("id");
            let is_zero = name == "penalty_adjustment" && **value == json!("0:00:00.000");
            let is_on = name == "is_enabled" && **value == json!(true);
            is_label || is_zero || is_on
        };
        members.get(name).filter(|value| !is_usual(value)).map(shown).filter(|text| !text.is_empty())
    };
    let names = names.into_iter().filter(|name| is_news(name));
    names
        .filter_map(|name| {
            let (before, after) = (text(old, name), text(after, name));
            // A password is in the files only, and is never shown.
            let field = match name.as_str() {
                PASSWORD => ChangedField { name: name.clone(), before: None, after: None },
                _ => ChangedField { name: name.clone(), before: before.clone(), after: after.clone() },
            };
            (before != after).then_some(field)
        })
        .collect()
}

const PASSWORD: &str = "password";

/// Returns a value as people write it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(false) => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(members) => {
            let parts = members.iter().map(|(key, value)| format!("{key} {}", shown(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn objects(files: &ContestFiles) -> [(&'static str, Vec<(String, Members)>); 5] {
    fn all<T, O: Serialize>(list: &[T], object: impl Fn(&T) -> O) -> Vec<(String, Members)> {
        list.iter().map(|one| members(&object(one))).collect()
    }
    let mut accounts = all(&files.accounts, |one| one.settings.object_for_admins());
    for ((_, members), entry) in accounts.iter_mut().zip(&files.accounts) {
        members.extend(entry.password.iter().map(|_| (PASSWORD.to_owned(), json!(true))));
    }
    [
        ("groups", all(&files.groups, |one| one.object(true))),
        ("organizations", all(&files.organizations, |one| one.object())),
        ("teams", all(&files.teams, |one| one.object(true))),
        ("persons", all(&files.persons, |one| one.object(true))),
        ("accounts", accounts),
    ]
}

fn members(object: &impl Serialize) -> (String, Members) {
    let Ok(Value::Object(members)) = serde_json::to_value(object) else { return Default::default() };
    (shown(members.get("id").unwrap_or(&Value::Null)), members)
}
