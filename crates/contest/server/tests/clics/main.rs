//! The CLICS Contest API for every role, before, during, frozen, after, thawed and finalised, with and without points: by the
//! published schemas, by `access`, by its references and by its files.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "a test")]

#[path = "../support/mod.rs"]
mod support;

mod schemas;
mod world;

use md5::{Digest, Md5};
use schemas::Schemas;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use support::Client;

/// Each collection with the schema of its answer.
const COLLECTIONS: [(&str, &str); 14] = [
    ("judgement-types", "judgement-types"),
    ("languages", "languages"),
    ("problems", "problems"),
    ("groups", "groups"),
    ("organizations", "organizations"),
    ("teams", "teams"),
    ("persons", "persons"),
    ("accounts", "accounts"),
    ("submissions", "submissions"),
    ("judgements", "judgements"),
    ("runs", "runs"),
    ("clarifications", "clarifications"),
    ("awards", "awards"),
    ("commentary", "commentaries"),
];

/// Which endpoint a property with an id refers to.
fn target(property: &str) -> Option<&'static str> {
    Some(match property {
        "language_id" => "languages",
        "problem_id" | "problem_ids" => "problems",
        "group_ids" | "to_group_ids" | "main_scoreboard_group_id" => "groups",
        "organization_id" => "organizations",
        "team_id" | "team_ids" | "from_team_id" | "to_team_ids" => "teams",
        "person_id" | "source_id" => "persons",
        "account_id" => "accounts",
        "submission_id" | "submission_ids" => "submissions",
        "judgement_id" => "judgements",
        "judgement_type_id" => "judgement-types",
        "reply_to_id" => "clarifications",
        _ => return None,
    })
}

/// Adds the properties of a value, those of objects and lists of objects inside with dots, except inside FILE and LOCATION.
fn properties(value: &Value, prefix: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                let inside =
                    matches!(name.as_str(), "compiler" | "runner" | "state" | "rows" | "score" | "problems");
                let has_members = value.is_object() || value.get(0).is_some_and(Value::is_object);
                if inside && (has_members || value.as_array().is_some_and(Vec::is_empty)) {
                    properties(value, &path, found);
                } else {
                    found.insert(path);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| properties(item, prefix, found)),
        _ => {}
    }
}

/// Walks through all members of a value.
fn walk<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a str, &'a Value)) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                visit(name, value);
                walk(value, visit);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
        _ => {}
    }
}

fn is_id(text: &str) -> bool {
    (1..=36).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
        && !text.starts_with(['-', '.'])
        && !text.ends_with('.')
}

/// What is checked, and what is wrong.
struct Check {
    plain: Schemas,
    strict: Schemas,
    wrong: Vec<String>,
    seen: BTreeMap<(String, String), BTreeSet<String>>,
    listed: BTreeMap<(String, String), BTreeSet<String>>,
    files: BTreeSet<String>,
}

impl Check {
    fn schema(&mut self, what: &str, schema: &str, value: &Value) {
        for (kind, schemas) in [("", &mut self.plain), (" strictly", &mut self.strict)] {
            for error in schemas.errors(schema, value) {
                self.wrong.push(format!("{what}{kind}: {error}"));
            }
        }
    }

    /// Checks all that a role sees of a contest, and returns how many objects each endpoint has.
    fn contest(&mut self, role: &str, contest: &str, client: &Client) -> BTreeMap<String, usize> {
        let base = format!("/api/contests/{contest}");
        let access = client.get(&format!("{base}/access")).expect(200);
        self.schema(&format!("access of {contest} by {role}"), "access", &access);
        let mut listed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for entry in access["endpoints"].as_array().unwrap() {
            let names =
                entry["properties"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
            listed.insert(entry["type"].as_str().unwrap().to_owned(), names.collect());
        }
        // A client that reads all that is listed must come to an end: the feed has none.
        let is_type = |kind: &String| {
            matches!(kind.as_str(), "contest" | "state") || COLLECTIONS.iter().any(|(name, _)| name == kind)
        };
        for kind in listed.keys().filter(|kind| !is_type(kind)) {
            self.wrong.push(format!("access of {contest} by {role}: '{kind}' is no type of notifications"));
        }
        let mut answers: BTreeMap<String, Value> = BTreeMap::new();
        let mut counts = BTreeMap::new();
        for (endpoint, path, schema) in [
            ("contest", "", "contest"),
            ("state", "/state", "state"),
            ("scoreboard", "/scoreboard", "scoreboard"),
        ] {
            let value = client.get(&format!("{base}{path}")).expect(200);
            self.schema(&format!("{endpoint} of {contest} by {role}"), schema, &value);
            counts.insert(endpoint.to_owned(), value["rows"].as_array().map_or(1, Vec::len));
            answers.insert(endpoint.to_owned(), value);
        }
        for (endpoint, schema) in COLLECTIONS {
            let what = format!("{endpoint} of {contest} by {role}");
            let answer = client.get(&format!("{base}/{endpoint}"));
            if !listed.contains_key(endpoint) {
                assert!(matches!(answer.status, 401 | 403 | 404), "{what}: {}", answer.status);
                continue;
            }
            let all = answer.expect(200);
            self.schema(&what, schema, &all);
            let items = all.as_array().unwrap();
            counts.insert(endpoint.to_owned(), items.len());
            // The same for everybody, always: one contest is enough.
            let is_fixed =
                matches!(endpoint, "languages" | "judgement-types") && !contest.ends_with("running");
            for item in items.iter().filter(|_| !is_fixed) {
                let id = item["id"].as_str().unwrap();
                let single = client.get(&format!("{base}/{endpoint}/{id}")).expect(200);
                assert_eq!(single, *item, "{what}");
            }
            answers.insert(endpoint.to_owned(), all);
        }
        let ids: BTreeMap<&str, BTreeSet<&str>> = answers
            .iter()
            .map(|(endpoint, all)| {
                let items = all.as_array().map(Vec::as_slice).unwrap_or_default();
                (endpoint.as_str(), items.iter().map(|item| item["id"].as_str().unwrap()).collect())
            })
            .collect();
        for (endpoint, value) in &answers {
            let what = format!("{endpoint} of {contest} by {role}");
            let mut found = BTreeSet::new();
            properties(value, "", &mut found);
            let known = listed.get(endpoint).cloned().unwrap_or_default();
            if endpoint == "submissions" {
                // Null where there is none, and absent for those who may not see it.
                let is_there = known.contains("entry_point");
                if value.as_array().unwrap().iter().any(|one| one.get("entry_point").is_some() != is_there) {
                    self.wrong.push(format!("{what}: 'entry_point' is listed: {is_there}"));
                }
            }
            for name in found.difference(&known).filter(|_| endpoint != "scoreboard") {
                self.wrong.push(format!("{what}: access does not list '{name}'"));
            }
            self.seen.entry((role.to_owned(), endpoint.clone())).or_default().extend(found);
            let mut wrong = Vec::new();
            let mut files = Vec::new();
            walk(value, &mut |name, value| {
                let texts: Vec<&str> = match value {
                    Value::String(text) => vec![text],
                    Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
                    _ => Vec::new(),
                };
                for text in texts {
                    if let Some(target) = target(name)
                        && !ids.get(target).is_some_and(|ids| ids.contains(text))
                    {
                        wrong.push(format!("{what}: '{name}' names '{text}', which is not in {target}"));
                    }
                    if (name == "id" || target(name).is_some()) && !is_id(text) {
                        wrong.push(format!("{what}: '{text}' is no id"));
                    }
                    let is_time =
                        name.contains("time") || ["started", "frozen", "ended", "thawed"].contains(&name);
                    if is_time
                        && text.contains(':')
                        && text.trim_end_matches('Z').rsplit('.').next().is_none_or(|ms| ms.len() != 3)
                    {
                        wrong.push(format!("{what}: '{name}' is {text}, without milliseconds"));
                    }
                }
                if name == "href" {
                    files.push(value.as_str().unwrap().to_owned());
                }
            });
            self.wrong.extend(wrong);
            let mut hashes = Vec::new();
            collect_files(value, &mut hashes);
            for (href, hash) in hashes {
                // Each file once for each role: they are the same in all states.
                if href.starts_with("https://") || !self.files.insert(format!("{role} {href}")) {
                    continue;
                }
                let answer = client.get(&format!("/api/{href}"));
                assert_eq!(answer.status, 200, "{what}: {href}");
                if let Some(hash) = hash {
                    let of: String =
                        Md5::digest(&answer.body).iter().map(|byte| format!("{byte:02x}")).collect();
                    assert_eq!(of, hash, "{what}: {href}");
                    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
                    assert!(
                        answer.header("cache-control").is_some_and(|value| value.contains("max-age"))
                            || href.contains("/problems/")
                    );
                }
            }
        }
        for (endpoint, names) in listed {
            self.listed.entry((role.to_owned(), endpoint)).or_default().extend(names);
        }
        counts
    }
}

fn collect_files(value: &Value, found: &mut Vec<(String, Option<String>)>) {
    if let Some(href) = value.get("href").and_then(Value::as_str) {
        found.push((href.to_owned(), value["hash"].as_str().map(ToOwned::to_owned)));
    }
    match value {
        Value::Object(members) => members.values().for_each(|value| collect_files(value, found)),
        Value::Array(items) => items.iter().for_each(|value| collect_files(value, found)),
        _ => {}
    }
}

#[test]
fn every_answer_is_as_the_standard_has_it() {
    let Some(folder) = schemas::folder() else {
        eprintln!("the schemas are not here: set CLICS_SCHEMAS to their folder");
        return;
    };
    let overlay: Value = serde_json::from_str(include_str!("overlay.json")).unwrap();
    let server = world::server();
    let mut check = Check {
        plain: Schemas::read(&folder, &overlay, false),
        strict: Schemas::read(&folder, &overlay, true),
        wrong: Vec::new(),
        seen: BTreeMap::new(),
        listed: BTreeMap::new(),
        files: BTreeSet::new(),
    };
    let roles = world::roles(&server);
    let mut counts: BTreeMap<(String, &str), Vec<String>> = BTreeMap::new();
    for (role, client) in &roles {
        check.schema(&format!("the API by {role}"), "api_information", &client.get("/api/").expect(200));
        check.schema(&format!("contests by {role}"), "contests", &client.get("/api/contests").expect(200));
        for kind in world::KINDS {
            for state in world::STATES {
                let found = check.contest(role, &world::id(kind, state), client);
                if *role != "public" {
                    let path = format!("/api/contests/{}/account", world::id(kind, state));
                    check.schema(&format!("account of {role}"), "account", &client.get(&path).expect(200));
                }
                for (endpoint, count) in found.iter().filter(|_| kind == "pass-fail") {
                    counts.entry((endpoint.clone(), *role)).or_default().push(count.to_string());
                }
            }
        }
    }
    for ((role, endpoint), listed) in &check.listed {
        let seen = check.seen.get(&(role.clone(), endpoint.clone())).cloned().unwrap_or_default();
        let is_excused = |name: &String| {
            let unseen = overlay["unseen"].as_array().unwrap();
            unseen.iter().any(|line| {
                line["endpoint"] == *endpoint && (line["property"] == *name || line["property"] == "*")
            })
        };
        for name in listed.difference(&seen).filter(|name| !is_excused(name)) {
            check.wrong.push(format!("access of {role} lists '{name}' of {endpoint}, which it never sees"));
        }
    }
    check.wrong.sort();
    check.wrong.dedup();
    assert!(check.wrong.is_empty(), "{} faults:\n{}", check.wrong.len(), check.wrong.join("\n"));
    compare_table(&table(&overlay, &roles, &counts));
}

/// Returns the table of results for the documentation.
fn table(
    overlay: &Value,
    roles: &[(&'static str, Client)],
    counts: &BTreeMap<(String, &str), Vec<String>>,
) -> String {
    let mut text = "| endpoint |".to_owned();
    for (role, _) in roles {
        let _ = write!(text, " {role} |");
    }
    text.push_str("\n|---|");
    roles.iter().for_each(|_| text.push_str("---|"));
    text.push('\n');
    let endpoints: BTreeSet<&String> = counts.keys().map(|(endpoint, _)| endpoint).collect();
    for endpoint in endpoints {
        let _ = write!(text, "| `{endpoint}` |");
        for (role, _) in roles {
            let cell =
                counts.get(&(endpoint.clone(), *role)).map_or("not listed".to_owned(), |all| all.join(" "));
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    for (list, title) in
        [("lag", "Where the published schemas lag their text"), ("ours", "Properties of our own")]
    {
        let _ = writeln!(text, "\n### {title}\n\n| schema | place | why |\n|---|---|---|");
        for line in overlay[list].as_array().unwrap() {
            let part = |name: &str| line[name].as_str().unwrap().to_owned();
            let _ = writeln!(text, "| {} | `{}` | {} |", part("schema"), part("at"), part("why"));
        }
    }
    text
}

/// Compares the table with the one in the documentation, between two marks.
fn compare_table(table: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/clics.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let (begin, end) = ("<!-- made by the test: begin -->\n", "<!-- made by the test: end -->\n");
    let (before, rest) = text.split_once(begin).unwrap();
    let (kept, after) = rest.split_once(end).unwrap();
    let now = format!("\n{table}\n");
    if kept != now && std::env::var_os("UPDATE_CLICS").is_some() {
        return std::fs::write(&file, format!("{before}{begin}{now}{end}{after}")).unwrap();
    }
    assert_eq!(kept, now, "docs/clics.md is made anew with UPDATE_CLICS=1");
}
