//! A record in which every text says which field it is, made from the schema: also of fields that no other record has.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const SCHEMA: &str = include_str!("../../../../../docs/schemas/judge-record-2.json");
/// Begins each text; no other one has it.
const MARK: &str = "@";

/// Texts that a contestant may have: of the measurement, of the machine, of the submission itself, and for the team.
pub const MAY_PASS: &[&str] = &[
    "begin.began_at",
    "begin.helper_cpus",
    "begin.image",
    "begin.kernel_options",
    "begin.machine.*",
    "begin.package.format",
    "begin.package.hash",
    "begin.package.title",
    "begin.rule.numbers",
    "begin.tauto_version",
    "begin.time_limit.counter",
    "begin.timed_cpus",
    "begin.unavailable",
    "case.case.evidence.*",
    "case.case.repeats.*",
    "case.case.run_again.reason",
    "case.case.team_message",
    "case.case.unavailable",
    "case.earlier_passes.*",
    "case.ruling.reason",
    "case.run_again",
    "case.runs.*",
    "case.submission",
    "submission.program_hash",
    "submission.source_hash",
    "submission.submission.compile.*",
    "submission.submission.language",
    "submission.submission.name",
];

/// Returns the record. Names of cases and groups have folders, which are marked too.
pub fn record(is_graded: bool) -> Vec<u8> {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut text = String::new();
    for variant in schema["oneOf"].as_array().unwrap() {
        let kind = variant["properties"]["kind"]["const"].as_str().unwrap();
        let mut line = object(&schema, &schema, "");
        line.extend(object(&schema, variant, kind));
        line.insert("kind".to_owned(), json!(kind));
        let mut line = Value::Object(line);
        match kind {
            "begin" => line["is_graded"] = json!(is_graded),
            "case" => line["case"]["case"] = json!("secret/@case.subtask/@case.group/@case.name"),
            "submission" => {
                let group = &line["submission"]["groups"][0];
                let named = |name: &str| {
                    let mut named = group.clone();
                    named["name"] = json!(name);
                    named
                };
                let groups =
                    ["secret", "secret/@case.subtask", "secret/@case.subtask/@case.group"].map(named);
                line["submission"]["groups"] = json!(groups);
            }
            _ => {}
        }
        text.push_str(&format!("{line}\n"));
    }
    text.into_bytes()
}

fn object(schema: &Value, of: &Value, path: &str) -> Map<String, Value> {
    let of = resolved(schema, of);
    let properties = of["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, field)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            (name.clone(), value(schema, field, &path))
        })
        .collect()
}

fn resolved<'s>(schema: &'s Value, of: &'s Value) -> &'s Value {
    match of["$ref"].as_str() {
        Some(name) => schema.pointer(name.trim_start_matches('#')).unwrap(),
        None => of,
    }
}

/// Returns a value with everything that may be there.
fn value(schema: &Value, of: &Value, path: &str) -> Value {
    let of = resolved(schema, of);
    if let Some(one) = of.get("const").or_else(|| of["enum"].get(0)) {
        return one.clone();
    }
    let choices = of["anyOf"].as_array().or(of["oneOf"].as_array());
    if let Some(choice) = choices.and_then(|choices| choices.iter().find(|choice| choice["type"] != "null")) {
        return value(schema, choice, path);
    }
    let kinds = of["type"].as_array().map_or_else(|| vec![&of["type"]], |kinds| kinds.iter().collect());
    match kinds.iter().filter_map(|kind| kind.as_str()).find(|kind| *kind != "null").unwrap() {
        "object" if of["additionalProperties"].is_object() => {
            json!({format!("{MARK}{path}"): value(schema, &of["additionalProperties"], path)})
        }
        "object" => Value::Object(object(schema, of, path)),
        "array" => json!([value(schema, &of["items"], path)]),
        "string" => json!(format!("{MARK}{path}")),
        "boolean" => json!(false),
        _ => json!(1),
    }
}

/// Returns which marked texts are in a record.
pub fn marks(record: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(record).into_owned();
    let is_end = |letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '_' | '.');
    text.split(MARK).skip(1).map(|rest| rest.split(is_end).next().unwrap_or_default().to_owned()).collect()
}

/// Returns which marked texts of a record a contestant may not have.
pub fn secrets(record: &[u8], is_graded: bool) -> Vec<String> {
    let may_pass = |mark: &str| {
        let is_listed = |allowed: &str| match allowed.strip_suffix('*') {
            Some(start) => mark.starts_with(start),
            None => mark == allowed,
        };
        MAY_PASS.iter().any(|allowed| is_listed(allowed)) || (is_graded && mark == "case.subtask")
    };
    marks(record).into_iter().filter(|mark| !may_pass(mark)).collect()
}
