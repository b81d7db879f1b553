//! Health, metrics, TLS and the OpenID provider of a server, over its sockets.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod oidc;
#[path = "../support/mod.rs"]
mod support;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::json;
use server::{Certificate, Tls};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use support::{Server, program, set_up};
use test_support::until;
use ureq::tls::{RootCerts, TlsConfig};

const PATIENCE: Duration = Duration::from_secs(60);

fn agent(tls: TlsConfig) -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None).tls_config(tls);
    config.timeout_global(Some(PATIENCE)).build().into()
}

fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let mut answer = agent(TlsConfig::default()).get(format!("http://{address}{path}")).call().unwrap();
    (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
}

#[test]
fn metrics_are_on_a_listener_of_their_own() {
    let listener = Arc::new(TcpListener::bind("127.0.0.1:0").unwrap());
    let beside = listener.local_addr().unwrap();
    let server = Server::start_with(|config| config.operations.listener = Some(listener));
    server.admin().get("/api/account").expect(200);
    server.by_password("admin", "wrong").get("/api/account").expect(401);
    assert_eq!(get(beside, "/healthz"), (200, "ok\n".to_owned()));
    until("readiness", || get(beside, "/readyz").0 == 200 && get(server.address, "/readyz").0 == 200);
    let (status, text) = get(beside, "/metrics");
    assert_eq!(status, 200);
    for line in [
        r#"tautochrone_http_requests_total{route="/api/account",method="GET",status="200"} 1"#,
        r#"tautochrone_http_requests_total{route="/api/account",method="GET",status="401"} 1"#,
        "tautochrone_logins_failed_total 1",
        "tautochrone_ready 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    assert_eq!(get(server.address, "/metrics").0, 404, "not for everybody");
    assert_eq!(get(beside, "/api/").0, 404, "no API beside it");
}

#[test]
fn metrics_can_be_public() {
    let server = Server::start_with(|config| config.operations.are_metrics_public = true);
    assert_eq!(get(server.address, "/metrics").0, 200);
}

#[test]
fn a_full_disk_is_a_reason() {
    let server = Server::start_with(|config| config.operations.disk_free_min_bytes = u64::MAX);
    until("the first checks", || get(server.address, "/readyz").1.contains("disk"));
    let (status, text) = get(server.address, "/readyz");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let failed: Vec<_> =
        report["checks"].as_array().unwrap().iter().filter(|c| c["is_ok"] == false).collect();
    assert_eq!((status, &report["is_ready"]), (503, &serde_json::Value::Bool(false)));
    assert_eq!(failed.len(), 1, "{text}");
    assert_eq!(failed[0]["name"], "disk");
    assert!(failed[0]["reason"].as_str().unwrap().ends_with("MiB are the least"), "{text}");
    assert_eq!(get(server.address, "/healthz").0, 200);
}

#[test]
fn server_without_a_store_of_contents_is_not_ready() {
    let server = Server::start();
    until("readiness", || get(server.address, "/readyz").0 == 200);
    let incoming = server.data.path().join("incoming");
    std::fs::remove_dir_all(&incoming).unwrap();
    until("the reason", || get(server.address, "/readyz").1.contains(r#""name":"blobs","is_ok":false"#));
    std::fs::create_dir(&incoming).unwrap();
    until("readiness again", || get(server.address, "/readyz").0 == 200);
}

#[test]
fn each_answer_has_an_id() {
    let server = Server::start();
    let id = |path| server.public().get(path).header("x-request-id").map(ToOwned::to_owned);
    let ids = [id("/api/"), id("/api/"), id("/nothing")];
    assert!(ids.iter().all(Option::is_some), "{ids:?}");
    assert!(ids[0] != ids[1] && ids[1] != ids[2], "{ids:?}");
}

fn certificate() -> (Certificate, RootCerts) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let roots = RootCerts::from(vec![ureq::tls::Certificate::from_der(cert.der()).to_owned()]);
    let certificate =
        Certificate { chain: cert.pem().into_bytes(), key: signing_key.serialize_pem().into_bytes() };
    (certificate, roots)
}

fn status_with(roots: &RootCerts, port: u16) -> Option<u16> {
    let agent = agent(TlsConfig::builder().root_certs(roots.clone()).build());
    let answer = agent.get(format!("https://localhost:{port}/api/")).call().ok()?;
    Some(answer.status().as_u16())
}

#[test]
fn connections_have_the_certificate_of_now() {
    let (first, first_roots) = certificate();
    let (second, second_roots) = certificate();
    let tls = Arc::new(Tls::new(&first).unwrap());
    let local = Arc::new(TcpListener::bind("127.0.0.1:0").unwrap());
    let without = local.local_addr().unwrap();
    let server = Server::start_with(|config| {
        config.tls = Some(tls.clone());
        config.local = Some(local);
    });
    let port = server.address.port();
    assert_eq!(status_with(&first_roots, port), Some(200));
    assert_eq!(status_with(&second_roots, port), None);
    tls.replace(&second).unwrap();
    assert_eq!(status_with(&first_roots, port), None);
    assert_eq!(status_with(&second_roots, port), Some(200));
    let mixed = Certificate { key: first.key.clone(), ..second.clone() };
    assert!(tls.replace(&mixed).is_err() && !format!("{mixed:?}").contains("PRIVATE"));
    assert_eq!(status_with(&second_roots, port), Some(200), "the one of before stays");
    assert_eq!(get(without, "/api/").0, 200, "for judgehosts of this machine");
    // A client without TLS gets no answer, and keeps no other client from one.
    let mut plain = std::net::TcpStream::connect(server.address).unwrap();
    std::io::Write::write_all(&mut plain, b"GET /api/ HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = std::io::Read::read_to_end(&mut plain, &mut answer);
    assert!(!answer.starts_with(b"HTTP/1.1 200"));
    assert_eq!(status_with(&second_roots, port), Some(200));
}

/// Returns what comes on a connection until it ends.
fn rest(mut connection: TcpStream) -> String {
    let mut text = String::new();
    connection.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_stop_answers_what_has_begun_and_loses_nothing() {
    let mut server = Server::start_with(|config| config.limits.end_within = PATIENCE);
    set_up(&server);
    let token = server.by_name("ants").post("/api/tokens", &json!({})).expect(201);
    let (token, address) = (token["secret"].as_str().unwrap(), server.address);
    let ask = |method: &str, path: &str, more: &str, expect: &str| {
        let mut connection = TcpStream::connect(address).unwrap();
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {token}\r\n{more}\r\n");
        connection.write_all(head.as_bytes()).unwrap();
        let mut begin = vec![0; expect.len()];
        connection.read_exact(&mut begin).unwrap();
        assert_eq!(String::from_utf8_lossy(&begin), expect);
        connection
    };
    let body = program("int main() {}").to_string();
    let length = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    // The server asks for a body once it reads it.
    let more = format!("{length}Expect: 100-continue\r\n");
    let mut submitting =
        ask("POST", "/api/contests/demo/submissions", &more, "HTTP/1.1 100 Continue\r\n\r\n");
    let feed = ask("GET", "/api/contests/demo/event-feed", "", "HTTP/1.1 200");
    let idle = ask("GET", "/api/", "", "HTTP/1.1 200");
    server.stop();
    // Clients that follow or wait are disconnected at once, and connect again to the next server.
    assert!(rest(feed).contains("\"type\":\"teams\""));
    rest(idle);
    until("the end of listening", || TcpStream::connect(address).is_err());
    submitting.write_all(body.as_bytes()).unwrap();
    let answer = rest(submitting);
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let again = server.restart();
    let kept = again.admin().get("submissions").expect(200);
    assert_eq!(kept.as_array().unwrap().len(), 1);
}
