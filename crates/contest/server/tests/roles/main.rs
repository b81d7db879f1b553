//! Every endpoint by every role: the table `roles.txt` has the status of each, and has every path of the OpenAPI document.

mod away;
mod requests;
#[path = "../support/mod.rs"]
mod support;

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use support::{Client, Server, judge, program, set_up};

const ROLES: [&str; 11] = [
    "public",
    "spectator",
    "balloon",
    "staff",
    "bees",
    "ants",
    "analyst",
    "judge",
    "admin",
    "judgehost",
    "operator",
];

fn client(server: &Server, role: &str) -> Client {
    match role {
        "public" => server.public(),
        "admin" => server.admin(),
        "judgehost" => server.judgehost(),
        other => server.by_name(other),
    }
}

fn prepare(server: &Server) {
    set_up(server);
    let operator = json!({"username": "operator", "password": "secret", "type": "operator"});
    client(server, "admin").post("/api/accounts", &operator).expect(201);
    let (ants, host, judge_) =
        (client(server, "ants"), server.registered_judgehost(), client(server, "judge"));
    ants.post("submissions", &program("int main() {}")).expect(201);
    judge(&host, "h1", "AC");
    let lee = json!([{"id": "lee", "name": "Lee", "role": "contestant", "team_ids": ["ants"]}]);
    client(server, "admin").put("persons", &lee).expect(204);
    judge_.post("commentary", &json!({"message": "{teams:ants} is here"})).expect(201);
    ants.post("clarifications", &json!({"text": "What?"})).expect(201);
    judge_.post("rejudgings", &json!({"reason": "a test", "submission_ids": ["1"]})).expect(201);
}

#[test]
fn every_endpoint_answers_every_role_as_written() {
    let document = server::document();
    let paths = document["paths"].as_object().expect("paths");
    let mut found: BTreeMap<String, Vec<u16>> = BTreeMap::new();
    // A server for each role: what one changes, the next does not see.
    for role in ROLES {
        let server = Server::start();
        prepare(&server);
        let client = client(&server, role);
        for (path, methods) in paths {
            for method in methods.as_object().expect("methods").keys() {
                let method = method.to_uppercase();
                let answer = requests::send(&client, &method, path);
                check_answer(&document, &method, path, role, answer.status, &answer);
                found.entry(format!("{method:6} {path}")).or_default().push(answer.status);
            }
        }
    }
    let mut table = format!("{:75}", "");
    let _ = writeln!(table, "{}", ROLES.map(|role| format!("{role:>10}")).join(""));
    for (endpoint, statuses) in &found {
        let row: Vec<String> = statuses.iter().map(|status| format!("{status:>10}")).collect();
        let _ = writeln!(table, "{endpoint:75}{}", row.join(""));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/roles.txt");
    if std::env::var_os("UPDATE_ROLES").is_some() {
        std::fs::write(&file, &table).expect("the table can be written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let (kept, now): (BTreeSet<&str>, BTreeSet<&str>) = (kept.lines().collect(), table.lines().collect());
    let wrong: Vec<_> = kept.symmetric_difference(&now).collect();
    assert!(
        wrong.is_empty(),
        "tests/roles.txt differs; make it anew with UPDATE_ROLES=1, and look at each line that changes:\n{wrong:#?}"
    );
}

/// Checks that an answer is what the document says: of the schema of its status, or a problem.
fn check_answer(
    document: &Value,
    method: &str,
    path: &str,
    role: &str,
    status: u16,
    answer: &support::Answer,
) {
    let what = format!("{method} {path} by {role}: {status}");
    assert_ne!(status, 500, "{what}");
    if status >= 400 {
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{what}");
        let problem = answer.json();
        assert_eq!((&problem["status"], &problem["code"]), (&json!(status), &json!(status)), "{what}");
        return;
    }
    let operation = &document["paths"][path][method.to_lowercase()];
    let described = &operation["responses"][status.to_string()];
    if described.is_null() {
        assert!(matches!(status, 204 | 304), "{what} is not in the document");
        return;
    }
    let Some(schema) = described["content"].get("application/json").and_then(|content| content.get("schema"))
    else {
        return;
    };
    let mut whole = schema.clone();
    whole["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&whole).expect("the schema is one");
    let value = answer.json();
    let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{what}: {errors:?} in {value}");
}
