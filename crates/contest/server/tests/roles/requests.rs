//! A request to each endpoint.

use crate::support::{self, Answer, Client, program, registration};
use serde_json::{Value, json};

/// Sends something to an endpoint.
pub fn send(client: &Client, method: &str, path: &str) -> Answer {
    let concrete = concrete(method, path);
    if let Some(form) = form(method, path) {
        return client.send(method, &concrete, Some(support::FORM), &form);
    }
    match (is_bytes(method, path), body(method, path)) {
        (Some(content_type), _) => client.send(method, &concrete, Some(content_type), b"nothing"),
        (None, Some(Value::Null)) | (None, None) => client.send(method, &concrete, None, b""),
        (None, Some(body)) => client.json(method, &concrete, &body),
    }
}

const PICTURES: [(&str, &str); 3] = [("/banner", "banner"), ("/logo", "logo"), ("/photo", "photo")];

/// Returns the form that an endpoint of DOMjudge's API takes.
fn form(method: &str, path: &str) -> Option<Vec<u8>> {
    let code = ("code[]", "a.cpp", "int main() { return 2; }");
    Some(match (method, path) {
        ("POST", "/api/v4/contests/{contest}/submissions") => {
            support::form(&[("problem", "different"), ("language", "cpp")], &[code])
        }
        ("PUT", "/api/v4/contests/{contest}/submissions/{submission}") => {
            let now = support::at(0);
            let fields = [("problem", "different"), ("language", "cpp"), ("id", "3"), ("time", &now)];
            support::form(&fields, &[code])
        }
        ("POST", "/api/v4/contests") => {
            let text = "id: third\nname: Third\nduration: 1:00:00\n";
            support::form(&[], &[("yaml", "contest.yaml", text)])
        }
        ("POST", "/api/v4/contests/{contest}/problems/add-data") => {
            support::form(&[], &[("data", "problems.yaml", "- {id: different, label: A}\n")])
        }
        ("POST", "/api/v4/contests/{contest}/problems") => support::form(&[], &[("zip", "a.zip", "no zip")]),
        ("POST", path)
            if path.starts_with("/api/v4/") && PICTURES.iter().any(|(end, _)| path.ends_with(end)) =>
        {
            let (_, field) = PICTURES.iter().find(|(end, _)| path.ends_with(end))?;
            support::form(&[], &[(field, "a.txt", "a text")])
        }
        ("POST", "/api/v4/users/{objects}") => {
            support::form(&[], &[("json", "groups.json", r#"[{"id": "site", "name": "Site"}]"#)])
        }
        _ => return None,
    })
}

/// Returns what to send to an endpoint: a body that would do nothing harmful if it was taken, and is valid for everybody.
fn body(method: &str, path: &str) -> Option<Value> {
    let because = json!({"reason": "a test"});
    Some(match (method, path) {
        ("GET" | "DELETE", _) => return None,
        (_, "/api/login") => json!({"username": "ants", "password": "wrong"}),
        ("POST", "/api/accounts") => json!({"username": "new", "type": "spectator"}),
        ("PUT", "/api/accounts") => json!([]),
        ("PATCH", "/api/accounts/{account}") => json!({"name": "Ants"}),
        (_, "/api/tokens") => json!({"note": "a test"}),
        (_, "/api/uploads") => json!({"sha256": "0".repeat(64), "size_bytes": 1}),
        ("POST", "/api/contests") => json!({"id": "other", "name": "Other", "duration": "1:00:00"}),
        (_, "/api/contests/import") => {
            json!({"contest_id": "demo", "files": {"teams.json": r#"[{"id": "ants", "name": "Ants", "organization_id": "uni"}]"#}})
        }
        ("PATCH", "/api/contests/{contest}") => {
            json!({"id": "demo", "scoreboard_thaw_time": support::at(90_000)})
        }
        (_, "/api/contests/{contest}/settings") => json!({"formal_name": "The demo"}),
        (_, "/api/contests/{contest}/credentials") => json!({}),
        (_, "/api/contests/{contest}/registration") => {
            json!({"team": "Bees", "username": "bees", "password": "a long password"})
        }
        (_, "/api/contests/{contest}/countdown") => json!({"remaining": "0:10:00"}),
        (_, "/api/contests/{contest}/extend") => json!({"by": "0:01:00"}),
        (_, "/api/contests/{contest}/removed-intervals") => json!([]),
        (_, "/api/contests/{contest}/finalize") => json!({}),
        (_, "/api/contests/{contest}/unfinalize") => because,
        ("POST", "/api/contests/{contest}/awards") => json!({"citation": "Best hat", "team_ids": ["ants"]}),
        (_, "/api/contests/{contest}/awards/{award}") => {
            json!({"citation": "Best hat", "team_ids": ["ants"]})
        }
        ("PUT", "/api/contests/{contest}/groups") => json!([{"id": "site", "name": "Site"}]),
        ("PUT", "/api/contests/{contest}/organizations") => json!([{"id": "uni", "name": "Uni"}]),
        ("PUT", "/api/contests/{contest}/teams") => json!([{"id": "cats", "name": "Cats"}]),
        ("POST", "/api/contests/{contest}/groups") => json!({"name": "Site"}),
        ("POST", "/api/contests/{contest}/organizations") => json!({"name": "Uni"}),
        ("POST", "/api/contests/{contest}/teams") => json!({"name": "Cats"}),
        ("POST", "/api/contests/{contest}/persons") => json!({"name": "Kim", "role": "staff"}),
        ("PUT", "/api/contests/{contest}/groups/{group}") => json!({"id": "site", "name": "Site"}),
        ("PUT", "/api/contests/{contest}/organizations/{organization}") => {
            json!({"id": "uni", "name": "Uni"})
        }
        ("PUT", "/api/contests/{contest}/teams/{team}") => json!({"id": "ants", "name": "Ants"}),
        ("PUT", "/api/contests/{contest}/persons/{person}") => {
            json!({"id": "lee", "name": "Lee", "role": "other"})
        }
        ("PATCH", "/api/contests/{contest}/groups/{group}") => json!({"name": "The site"}),
        ("PATCH", "/api/contests/{contest}/organizations/{organization}") => json!({"name": "Uni"}),
        ("PATCH", "/api/contests/{contest}/teams/{team}") => json!({"photo": null}),
        ("PATCH", "/api/contests/{contest}/persons/{person}") => json!({"title": "Dr"}),
        ("PUT", "/api/contests/{contest}/submissions/{submission}") => {
            let mut sent = program("int main() { return 1; }");
            sent["id"] = json!("2");
            sent["time"] = json!(support::at(0));
            sent
        }
        ("PUT", "/api/contests/{contest}/clarifications/{clarification}") => {
            json!({"id": "2", "time": support::at(0), "text": "A note"})
        }
        ("PUT", "/api/contests/{contest}/persons") => {
            json!([{"id": "kim", "name": "Kim", "role": "coach", "team_ids": ["ants"]}])
        }
        (_, "/api/contests/{contest}/commentary") => json!({"message": "{teams:ants} leads"}),
        (_, "/api/contests/{contest}/clarifications") => json!({"text": "Why?"}),
        ("POST", "/api/v4/contests/{contest}/clarifications") => json!({"text": "Who?"}),
        (_, "/api/contests/{contest}/clarifications/{clarification}/claim") => json!({"is_claimed": true}),
        (_, "/api/contests/{contest}/balloons") => json!({"team_id": "ants", "problem_id": "different"}),
        ("POST", "/api/contests/{contest}/problems") => json!({"package": "0".repeat(64)}),
        ("PATCH", "/api/contests/{contest}/problems/{problem}") => json!({"is_paused": false}),
        (_, "/api/contests/{contest}/submissions") => program("int main() { return 0; }"),
        (_, "/api/contests/{contest}/submissions/{submission}/ignore") => {
            json!({"is_ignored": false, "reason": "a test"})
        }
        (_, "/api/contests/{contest}/submissions/{submission}/override") => {
            json!({"judgement_type_id": null, "reason": "a test"})
        }
        (_, "/api/contests/{contest}/judgements/{judgement}/verify") => json!({}),
        ("POST", "/api/contests/{contest}/rejudgings") => {
            json!({"reason": "a test", "submission_ids": ["1"]})
        }
        (_, "/api/pauses/resume") => json!({"package": "0".repeat(64)}),
        ("POST", "/api/pools") => json!({"id": "new"}),
        (_, "/api/pools/{pool}/ratios") => {
            json!({"fast": "new", "language": "cpp", "upper_permille": 1000, "programs": 1})
        }
        ("PATCH", "/api/judgehosts/{judgehost}") => json!({"state": "enabled", "reason": ""}),
        ("PUT", "/api/judgehosts/{judgehost}") => registration("1", &["cpu: x"]),
        (_, "/api/judgehosts/{judgehost}/claim") => json!({"max": 1, "wait_s": 0}),
        (_, "/api/judgehosts/{judgehost}/reports") => json!({"reports": []}),
        (_, "/api/judgehosts/{judgehost}/statement") => json!({"task": 1, "outcome": "returned"}),
        (_, "/api/judgehosts/{judgehost}/heartbeat") => json!({"jobs": [], "state": "working"}),
        ("PUT", path) if path.ends_with("/files/{property}/{filename}") => Value::Null,
        ("PUT", "/api/contests/{contest}/problems/{problem}/statement") => Value::Null,
        ("PUT", "/api/contests/{contest}/stream") => support::stream_report(json!({"ants": "pw"})),
        ("POST", _) | ("PUT", "/api/blobs/{hash}") | ("PATCH", "/api/uploads/{upload}") => Value::Null,
        _ => panic!("write down what to send by {method} {path}"),
    })
}

fn concrete(method: &str, path: &str) -> String {
    // What is deleted is not there: nothing else depends on the order.
    let is_deleted = method == "DELETE";
    if method == "PUT" && matches!(path, "/api/contests/{contest}/submissions/{submission}") {
        return "/api/contests/demo/submissions/2".to_owned();
    }
    if method == "PUT" && matches!(path, "/api/contests/{contest}/clarifications/{clarification}") {
        return "/api/contests/demo/clarifications/2".to_owned();
    }
    if method == "PUT" && matches!(path, "/api/contests/{contest}/problems/{problem}/statement") {
        return "/api/contests/demo/problems/different/statement?language=en&format=html".to_owned();
    }
    if method == "PUT" && matches!(path, "/api/v4/contests/{contest}/submissions/{submission}") {
        return "/api/v4/contests/demo/submissions/3".to_owned();
    }
    let mut path = path.to_owned();
    for (name, value) in [
        ("objects", "groups"),
        ("account", if is_deleted { "nobody" } else { "ants" }),
        ("token", "nothing"),
        ("contest", "demo"),
        ("award", "best-hat"),
        ("group", "site"),
        ("organization", "uni"),
        ("team", "ants"),
        ("person", if is_deleted { "nobody" } else { "lee" }),
        ("commentary", "1"),
        ("clarification", "1"),
        ("type", "AC"),
        ("language", "cpp"),
        ("problem", if is_deleted { "nothing" } else { "different" }),
        ("submission", "1"),
        ("judgement", "1-1"),
        ("run", "1-1-1"),
        ("rejudging", "1"),
        ("pool", if is_deleted { "nothing" } else { "default" }),
        ("judgehost", "h1"),
        ("filename", "nothing"),
        ("hash", &"0".repeat(64)),
        ("upload", "nothing"),
        ("endpoint", "teams"),
        ("id", "ants"),
        ("property", "key_log"),
        ("filename", "typed.txt"),
    ] {
        path = path.replace(&format!("{{{name}}}"), value);
    }
    if is_deleted && path == "/api/contests/demo" { "/api/contests/nothing".to_owned() } else { path }
}

fn is_bytes(method: &str, path: &str) -> Option<&'static str> {
    match (method, path) {
        ("POST", "/api/packages" | "/api/contests/import/package") => Some("application/zip"),
        ("PUT", "/api/blobs/{hash}" | "/api/contests/{contest}/files/{property}/{filename}")
        | ("PUT", "/api/contests/{contest}/{endpoint}/{id}/files/{property}/{filename}")
        | ("PUT", "/api/contests/{contest}/problems/{problem}/statement")
        | ("PATCH", "/api/uploads/{upload}") => Some("application/octet-stream"),
        _ => None,
    }
}
