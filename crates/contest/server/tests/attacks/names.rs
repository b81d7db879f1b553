//! Pages of other sites: by a name that leads to the server, and by a login; and texts that look like others.

use super::raw;
use super::support::{Server, set_up};
use serde_json::json;

/// Asks by a name, and returns the status of the answer.
fn by_name(server: &Server, host: &str, request: &str, more: &str) -> String {
    raw(server, &format!("{request} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 0\r\n{more}\r\n"))
}

#[test]
fn a_page_whose_name_leads_here_reads_nothing() {
    let server = Server::start_with(|config| {
        config.names =
            server::Names::new(vec!["https://contest.example".parse().unwrap()], ["machine".to_owned()]);
        config.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    });
    set_up(&server);
    let token = format!("authorization: Bearer {}\r\n", server.judgehost_token);
    for request in ["GET /", "GET /api/contests", "POST /api/login", "OPTIONS /api/contests", "GET /nothing"]
    {
        for host in ["evil.example", "evil.example:8080", "contest.example.evil.test", "x"] {
            assert_eq!(by_name(&server, host, request, ""), "421", "{request} at {host}");
        }
        let forwarded = "x-forwarded-host: evil.example\r\n";
        assert_eq!(by_name(&server, "127.0.0.1", request, forwarded), "421", "{request} by a proxy");
    }
    assert_eq!(by_name(&server, "localhost", "GET http://evil.example/api/contests", ""), "421");
    for host in ["contest.example", "machine:8080", "localhost", "[::1]", "192.0.2.1"] {
        assert_eq!(by_name(&server, host, "GET /api/contests", ""), "200", "{host}");
    }
    // A token that was never given opens nothing either.
    let path = "GET /api/contests";
    assert_eq!(by_name(&server, "judging.internal", path, &token), "200");
    assert_eq!(by_name(&server, "evil.example", path, "authorization: Bearer x\r\n"), "401");
    assert_eq!(by_name(&server, "evil.example", path, "authorization: Basic eDp5\r\n"), "421");
    let problem = server.public().with("x-forwarded-host", "evil.example").get("/api/contests").expect(421);
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("'evil.example'") && detail.contains("--public-url http://evil.example"),
        "{detail}"
    );
}

#[test]
fn a_page_of_another_origin_cannot_log_in() {
    let server = Server::with_demo();
    let login = json!({"username": "ants", "password": "secret"});
    let own = format!("http://{}", server.address);
    for (name, value, expected) in [
        ("origin", own.as_str(), 200),
        ("origin", "http://evil.example", 403),
        ("origin", "null", 403),
        ("sec-fetch-site", "same-origin", 200),
        ("sec-fetch-site", "cross-site", 403),
        ("sec-fetch-site", "same-site", 403),
    ] {
        let answer = server.public().with(name, value).post("/api/login", &login);
        assert_eq!(
            (answer.status, answer.header("set-cookie").is_some()),
            (expected, expected == 200),
            "{name}: {value}"
        );
    }
    server.public().post("/api/login", &login).expect(200);
}

#[test]
fn texts_that_deceive_are_refused() {
    let server = Server::with_demo();
    let (admin, ants) = (server.admin(), server.by_name("ants"));
    let demo = "/api/contests/demo";
    for wrong in ["a\u{0}b", "a\u{202e}b", "a\u{2066}b", "a\u{1b}[2J"] {
        let (text, reason, name) = (json!({"text": wrong}), json!({"reason": wrong}), json!({"name": wrong}));
        let refused = ants.post(&format!("{demo}/clarifications"), &text).expect(400);
        assert!(refused["detail"].as_str().unwrap().contains("U+"), "{refused}");
        admin.post(&format!("{demo}/clarifications"), &text).expect(400);
        admin.patch(&format!("{demo}/settings"), &json!({"canned_answers": [wrong]})).expect(400);
        admin.patch(&format!("{demo}/settings"), &json!({"formal_name": wrong})).expect(400);
        admin.post(&format!("{demo}/commentary"), &json!({"message": wrong})).expect(400);
        admin.post(&format!("{demo}/unfinalize"), &reason).expect(400);
        admin.post(&format!("{demo}/teams"), &name).expect(400);
        ants.post("/api/tokens", &json!({"note": wrong})).expect(400);
    }
    ants.post(&format!("{demo}/clarifications"), &json!({"text": "Is N > 0?\n\nשלום\u{200f}!"})).expect(201);
}
