//! References between objects.

use serde_json::Value;

/// The types with a single object.
pub const SINGLETONS: [&str; 2] = ["contest", "state"];

/// The types with many objects.
pub const COLLECTIONS: [&str; 14] = [
    "judgement-types",
    "languages",
    "problems",
    "groups",
    "organizations",
    "teams",
    "persons",
    "accounts",
    "submissions",
    "judgements",
    "runs",
    "clarifications",
    "awards",
    "commentary",
];

/// Type, property, and the type that it refers to.
const REFERENCES: [(&str, &str, &str); 29] = [
    ("contest", "main_scoreboard_group_id", "groups"),
    ("judgement-types", "simplified_judgement_type_id", "judgement-types"),
    ("teams", "organization_id", "organizations"),
    ("teams", "group_ids", "groups"),
    ("persons", "team_ids", "teams"),
    ("accounts", "team_id", "teams"),
    ("accounts", "person_id", "persons"),
    ("submissions", "language_id", "languages"),
    ("submissions", "problem_id", "problems"),
    ("submissions", "team_id", "teams"),
    ("submissions", "account_id", "accounts"),
    ("judgements", "submission_id", "submissions"),
    ("judgements", "judgement_type_id", "judgement-types"),
    ("judgements", "simplified_judgement_type_id", "judgement-types"),
    ("runs", "judgement_id", "judgements"),
    ("runs", "judgement_type_id", "judgement-types"),
    ("clarifications", "from_team_id", "teams"),
    ("clarifications", "to_team_ids", "teams"),
    ("clarifications", "to_group_ids", "groups"),
    ("clarifications", "reply_to_id", "clarifications"),
    ("clarifications", "problem_id", "problems"),
    ("awards", "team_ids", "teams"),
    ("commentary", "source_id", "persons"),
    ("commentary", "team_ids", "teams"),
    ("commentary", "problem_ids", "problems"),
    ("commentary", "submission_ids", "submissions"),
    // Older versions of the standard.
    ("clarifications", "to_team_id", "teams"),
    ("persons", "team_id", "teams"),
    ("teams", "group_id", "groups"),
];

/// Returns what an object refers to: types and ids.
pub fn references(kind: &str, object: &Value) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for (_, property, target) in REFERENCES.iter().filter(|(of, ..)| *of == kind) {
        match object.get(property) {
            Some(Value::String(id)) => found.push((*target, id.clone())),
            Some(Value::Array(ids)) => {
                found.extend(ids.iter().filter_map(Value::as_str).map(|id| (*target, id.to_owned())));
            }
            _ => {}
        }
    }
    found
}
