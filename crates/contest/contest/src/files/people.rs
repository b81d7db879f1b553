//! Languages, groups, organizations, teams and accounts.

use super::AccountEntry;
use super::contest_file::span;
use super::object::{Field, Report};
use crate::{AccountSettings, GroupSettings, LanguageId, OrganizationSettings, Role, TeamSettings};
use located::Value;

/// Longer texts are mistakes, such as a missing quote.
pub const NAME_CHARACTERS_MAX: usize = 300;

/// The types of accounts, first their CLICS names, then those of other systems.
const ROLES: [(&str, Role); 11] = [
    ("admin", Role::Admin),
    ("judge", Role::Judge),
    ("analyst", Role::Analyst),
    ("staff", Role::Staff),
    ("balloon", Role::Balloon),
    ("team", Role::Team),
    ("spectator", Role::Spectator),
    ("judgehost", Role::Judgehost),
    ("administrator", Role::Admin),
    ("jury", Role::Judge),
    ("public", Role::Spectator),
];

/// Reads a type of account.
pub fn role(text: &str) -> Option<Role> {
    ROLES.iter().find(|(name, _)| *name == text.trim().to_ascii_lowercase()).map(|(_, role)| *role)
}

/// Lists the types of accounts.
pub fn role_names() -> String {
    ROLES[..8].iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Reads a language: its id, or a map with its id.
pub fn language(report: &Report, field: &Field<'_>) -> Option<LanguageId> {
    if !matches!(field.node.value, Value::Map(_)) {
        return field.parse(report);
    }
    let mut object = field.object(report)?;
    match object.take(&["id"]) {
        Some(id) => id.parse(report),
        None => {
            object.error(
                report,
                "id",
                "is missing, expected a language's id, such as cpp; 'tauto languages' lists them",
            );
            None
        }
    }
}

/// Reads a group.
pub fn group(report: &Report, field: &Field<'_>) -> Option<GroupSettings> {
    let mut object = field.object(report)?;
    let id = object.require(report, &["id"]).and_then(|field| field.parse(report));
    let name = object.require(report, &["name"]).and_then(|field| name(report, &field));
    let icpc_id = object.text(report, &["icpc_id"]);
    let kind = object.text(report, &["type"]);
    let is_hidden = object.boolean(report, &["is_hidden", "hidden"]).unwrap_or(false);
    object.finish(report, &["location"]);
    Some(GroupSettings { id: id?, name: name?, icpc_id, kind, is_hidden, location: None })
}

/// Reads an organization.
pub fn organization(report: &Report, field: &Field<'_>) -> Option<OrganizationSettings> {
    let mut object = field.object(report)?;
    let id = object.require(report, &["id"]).and_then(|field| field.parse(report));
    let short = object
        .take(&["name", "shortname", "short_name", "short-name"])
        .and_then(|field| name(report, &field));
    let formal_name = object.take(&["formal_name", "formal-name"]);
    let is_empty =
        |field: &Field<'_>| matches!(&field.node.value, Value::Text(text) if text.trim().is_empty());
    let formal_name = formal_name.filter(|field| !is_empty(field)).and_then(|field| name(report, &field));
    if short.is_none() && formal_name.is_none() {
        object.error(report, "name", "is missing");
    }
    let country = object.take(&["country"]).and_then(|field| {
        let text = field.text(report)?;
        let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        if !is_code {
            field.wrong(report, "three capitals of ISO 3166-1, such as DEU");
        }
        is_code.then_some(text)
    });
    let icpc_id = object.text(report, &["icpc_id"]);
    object.finish(report, &ORGANIZATION_NOT_KEPT);
    Some(OrganizationSettings {
        id: id?,
        name: short.or_else(|| formal_name.clone())?,
        formal_name,
        country,
        country_subdivision: None,
        icpc_id,
        url: None,
        twitter_hashtag: None,
        twitter_account: None,
        location: None,
    })
}

const ORGANIZATION_NOT_KEPT: [&str; 8] = [
    "country_flag",
    "country_subdivision",
    "country_subdivision_flag",
    "url",
    "twitter_hashtag",
    "twitter_account",
    "location",
    "logo",
];

/// Reads a team.
pub fn team(report: &Report, field: &Field<'_>) -> Option<TeamSettings> {
    let mut object = field.object(report)?;
    let id = object.require(report, &["id"]).and_then(|field| field.parse(report));
    let team_name = object.require(report, &["name"]).and_then(|field| name(report, &field));
    let display_name = object.take(&["display_name"]).and_then(|field| name(report, &field));
    let label = object.text(report, &["label"]);
    let icpc_id = object.text(report, &["icpc_id"]);
    let organization = object.parse(report, &["organization_id"]);
    let groups = object.list(report, &["group_ids", "group_id"]);
    let is_hidden = object.boolean(report, &["is_hidden", "hidden"]).unwrap_or(false);
    let penalty = object.take(&["penalty_adjustment"]).and_then(|field| span(report, &field));
    object.finish(report, &TEAM_NOT_KEPT);
    Some(TeamSettings {
        id: id?,
        name: team_name?,
        display_name,
        label,
        icpc_id,
        organization,
        groups,
        is_hidden,
        penalty_adjustment: penalty.unwrap_or_default(),
        location: None,
    })
}

const TEAM_NOT_KEPT: [&str; 9] =
    ["location", "photo", "video", "desktop", "webcam", "audio", "backup", "key_log", "tool_data"];

/// Reads an account.
pub fn account(report: &Report, field: &Field<'_>) -> Option<AccountEntry> {
    let mut object = field.object(report)?;
    let own_id = object.take(&["id"]);
    let id = object.take(&["username"]).or_else(|| own_id.clone());
    if id.is_none() {
        object.error(report, "username", "is missing");
    }
    let id = id.and_then(|field| field.parse(report));
    let kind = object.require(report, &["type", "role"]);
    let role = kind.and_then(|field| {
        let text = field.text(report)?;
        let found = role(&text);
        if found.is_none() {
            field.wrong(report, format!("one of {}", role_names()));
        }
        found
    });
    let person = object.take(&["name"]).and_then(|field| name(report, &field));
    let team = object.parse(report, &["team_id"]);
    match (role, &team) {
        (Some(Role::Team), None) => {
            object.error(report, "team_id", "is missing: an account of type team needs it")
        }
        (Some(role), Some(_)) if role != Role::Team => {
            object.error(report, "team_id", "is only for accounts of type team");
        }
        _ => {}
    }
    let password = object.text(report, &["password"]);
    let ip: Vec<String> = object.list(report, &["ip"]);
    let ip = addresses(&ip);
    let is_enabled = object.boolean(report, &["is_enabled", "enabled"]).unwrap_or(true);
    object.finish(report, &["person_id"]);
    let settings = AccountSettings {
        id: id?,
        name: person,
        role: role?,
        contests: Default::default(),
        team,
        person: None,
        ip,
        is_enabled,
    };
    Some(AccountEntry { settings, password })
}

/// Reads a name: one line that can be shown.
fn name(report: &Report, field: &Field<'_>) -> Option<String> {
    let text = field.text(report)?;
    let is_name = is_name(&text);
    if !is_name {
        field.wrong(report, format!("one line of 1 to {NAME_CHARACTERS_MAX} characters"));
    }
    is_name.then_some(text)
}

/// Returns addresses one by one; the API has one text for all.
pub fn addresses(texts: &[String]) -> Vec<String> {
    texts.iter().flat_map(|one| one.split(',')).map(|one| one.trim().to_owned()).collect()
}

/// Returns whether a text can be a name.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= NAME_CHARACTERS_MAX && !text.chars().any(char::is_control)
}
