//! Statements that judgehosts make, by HTTP: the judgehost is played by the test.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use serde_json::{Value, json};
use support::{Answer, Client, Server, program, registration};

/// Returns the answer to a claim of a judgehost that could make a statement.
fn claim(host: &Client, id: &str, lacking: &[&str]) -> Value {
    let claim = json!({"max": 1, "wait_s": 0, "statements": lacking});
    host.post(&format!("/api/judgehosts/{id}/claim"), &claim).expect(200)
}

fn send(host: &Client, id: &str, task: &Value, outcome: Value) -> Answer {
    host.post(&format!("/api/judgehosts/{id}/statement"), &json!({"task": task["task"], "outcome": outcome}))
}

/// Stores a content as judgehosts do, and returns the outcome that names it.
fn made(host: &Client, content: &[u8], lacking: &[&str]) -> Value {
    let hash = store::BlobHash::of(content).to_string();
    host.send("PUT", &format!("/api/blobs/{hash}"), Some("application/octet-stream"), content).expect(201);
    json!({"made": {"hash": hash, "text": "", "lacking": lacking}})
}

fn forms(server: &Server) -> Vec<(String, String)> {
    let state = server.admin().get("problems/different/state").expect(200);
    let text = |form: &Value, name: &str| form[name].as_str().unwrap().to_owned();
    state["statements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|form| (text(form, "format"), text(form, "state")))
        .collect()
}

fn states(html: &str, pdf: &str) -> Vec<(String, String)> {
    // PDF is before HTML.
    [("pdf", pdf), ("html", html)].map(|(format, state)| (format.to_owned(), state.to_owned())).to_vec()
}

#[test]
fn an_idle_judgehost_makes_a_statement_that_a_team_reads() {
    let server = Server::with_demo();
    let (host, ants) = (server.registered_judgehost(), server.by_name("ants"));
    assert_eq!(forms(&server), states("waiting", "waiting"));
    let check = server.admin().get("check").expect(200).to_string();
    assert!(check.contains("no judgehost has made the statement yet of problem A"), "{check}");

    ants.post("submissions", &program("1")).expect(201);
    let job = claim(&host, "h1", &[]);
    assert_eq!((job["jobs"].as_array().unwrap().len(), &job["statement"]), (1, &json!(null)));
    assert_eq!(claim(&host, "h1", &[])["statement"]["format"], "html", "nothing waits any more");
    assert_eq!(forms(&server), states("making", "waiting"));
    assert_eq!(claim(&host, "h1", &[])["statement"], json!(null), "it makes one already");
    // Without the wish, there is none, as for an older judgehost.
    let old = host.post("/api/judgehosts/h1/claim", &json!({"max": 1, "wait_s": 0})).expect(200);
    assert_eq!(old.get("statement"), None);

    let task = json!({"task": 1});
    send(&host, "h1", &task, json!("returned")).expect(204);
    assert_eq!(forms(&server), states("waiting", "waiting"));
    let task = &claim(&host, "h1", &[])["statement"];
    let package = task["package"]["hash"].as_str().unwrap();
    assert_eq!(host.get(&format!("/api/blobs/{package}")).status, 200);
    send(&host, "h1", task, made(&host, b"<p>read me</p>", &[])).expect(204);
    let answer = ants.get("problems/different/statement?language=en&format=html");
    assert_eq!((answer.status, answer.body.as_slice()), (200, &b"<p>read me</p>"[..]));
    assert!(answer.header("content-security-policy").unwrap().contains("sandbox"));
    let task = &claim(&host, "h1", &[])["statement"];
    assert_eq!(task["format"], "pdf");
    let text = "problem_statement/problem.en.tex:3: TeX knows no command \\fraq";
    send(&host, "h1", task, json!({"impossible": {"text": text, "lacking": []}})).expect(204);
    assert_eq!(forms(&server), states("ready", "impossible"));
    let state = server.admin().get("problems/different/state").expect(200);
    assert_eq!(state["statements"][0]["text"], text);
    assert_eq!(claim(&host, "h1", &[])["statement"], json!(null));

    // All of it is there after a restart, and the same package added again is made again.
    let server = server.restart();
    assert_eq!(forms(&server), states("ready", "impossible"));
    let package = server.admin().get("problems/different/state").expect(200)["package"].clone();
    server.admin().post("problems", &json!({"id": "different", "package": package})).expect(201);
    assert_eq!(forms(&server), states("waiting", "waiting"));
}

#[test]
fn what_a_judgehost_sends_is_checked() {
    let server = Server::with_demo();
    let host = server.registered_judgehost();
    host.put("/api/judgehosts/h2", &registration("1", &["cpu: x"])).expect(200);
    let task = &claim(&host, "h1", &[])["statement"];
    // Another judgehost, or one that has no lease, or people.
    send(&host, "h2", task, json!("returned")).expect(409);
    send(&host, "h1", &json!({"task": 9}), json!("returned")).expect(409);
    for name in ["ants", "judge", "analyst"] {
        send(&server.by_name(name), "h1", task, json!("returned")).expect(403);
    }
    // Nor a content that it has not sent itself, or that is none of the form.
    let foreign = store::BlobHash::of(b"not sent").to_string();
    send(&host, "h1", task, json!({"made": {"hash": foreign, "text": "", "lacking": []}})).expect(400);
    assert_eq!(forms(&server), states("waiting", "waiting"), "the lease has ended");
    let task = &claim(&host, "h1", &[])["statement"];
    send(&host, "h1", task, made(&host, b"\xff", &[])).expect(400);
    let task = &claim(&host, "h1", &[])["statement"];
    send(&host, "h1", task, json!({"failed": {"reason": "no memory"}})).expect(204);
    // Three times are enough.
    assert_eq!(claim(&host, "h1", &[])["statement"], json!(null));
    let state = server.admin().get("problems/different/state").expect(200);
    assert_eq!(state["statements"][1]["state"], "impossible");
    assert_eq!(state["statements"][1]["text"], "it was tried several times, and failed: no memory");
    assert_eq!(claim(&host, "h1", &[])["statement"]["format"], "pdf", "the other form is still made");
}

#[test]
fn only_the_pool_of_the_contest_makes_its_statements() {
    let server = Server::with_demo();
    let admin = server.admin();
    let host = server.registered_judgehost();
    admin.post("/api/pools", &json!({"id": "other"})).expect(201);
    let mut other = registration("1", &["cpu: y"]);
    other["pool"] = json!("other");
    host.put("/api/judgehosts/o1", &other).expect(200);
    assert_eq!(claim(&host, "o1", &[])["statement"], json!(null));
    let task = &claim(&host, "h1", &["pandoc", "xelatex"])["statement"];
    send(&host, "h1", task, made(&host, b"<p>plain</p>", &["pandoc", "xelatex"])).expect(204);
    assert_eq!(forms(&server), states("plain", "waiting"));
    let check = admin.get("check").expect(200).to_string();
    assert!(check.contains("rendered plainly the statement of problem A"), "{check}");
    // A judgehost that has pandoc makes it anew, but not over what a person sends.
    assert_eq!(claim(&host, "h1", &["xelatex"])["statement"]["format"], "html");
    let path = "/api/contests/demo/problems/different/statement?language=en&format=html";
    admin.send("PUT", path, Some("text/html"), b"<p>by hand</p>").expect(200);
    send(&host, "h1", &json!({"task": 2}), made(&host, b"<p>late</p>", &[])).expect(409);
    assert_eq!(admin.get(path).body, b"<p>by hand</p>");
    assert_eq!(forms(&server), states("ready", "waiting"));
}

#[test]
fn a_judgehost_that_starts_anew_makes_nothing() {
    let server = Server::with_demo();
    let host = server.registered_judgehost();
    let task = &claim(&host, "h1", &[])["statement"];
    host.put("/api/judgehosts/h1", &registration("2", &["cpu: x"])).expect(200);
    assert_eq!(forms(&server), states("waiting", "waiting"));
    send(&host, "h1", task, json!("returned")).expect(409);
    assert_eq!(claim(&host, "h1", &[])["statement"]["format"], "html");
}
