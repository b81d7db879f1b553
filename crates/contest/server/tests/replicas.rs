//! Two servers of one database: what the one that follows answers, what it passes on, and how it takes over.

#![allow(clippy::unwrap_used, reason = "a test fails where it is")]

mod support;

use serde_json::json;
use server::Config;
use std::time::{Duration, Instant};
use support::{Client, Server, program, set_up};
use test_database::{Proxy, url};

const PASSWORD: &str = "the first password of the admin";
/// Longer than the way from a server that ended to another one that writes takes under load.
const PATIENCE: Duration = Duration::from_secs(30);

/// Starts a server that is the only one to write, and one that follows it. `None` where PostgreSQL is not here.
fn pair(database: &Result<test_database::Server, String>, test: &str) -> Option<(Server, Server)> {
    let database = match database {
        Ok(database) => database,
        Err(reason) => {
            test_support::skipped(test, reason);
            return None;
        }
    };
    let address = database.url(&database.new_database().unwrap());
    let settings = |config: &mut Config| {
        config.admin_password = Some(PASSWORD.to_owned());
        // As if a proxy on this machine were in front of both.
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    };
    let writer = Server::start_replica(&address, settings);
    wait("the first server writes", || {
        writer.app.published.is_writer() && !writer.app.published.state().is_new()
    });
    let follower = Server::start_replica(&address, settings);
    assert!(!follower.app.published.is_writer());
    Some((writer, follower))
}

#[track_caller]
fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the address from which the last login came.
fn last_login(client: &Client) -> String {
    let audit = client.get("/api/audit?limit=50").expect(200);
    let entries = audit["entries"].as_array().unwrap().clone();
    let mut logins = entries.iter().filter(|entry| entry["kind"] == "login");
    logins.next().map(|entry| entry["address"].as_str().unwrap().to_owned()).unwrap_or_default()
}

#[test]
fn a_follower_answers_passes_on_and_takes_over() {
    let database = test_database::Server::start(&["fsync=off"]);
    let Some((mut writer, follower)) = pair(&database, "a_follower_answers") else { return };
    let token = follower.admin().post("/api/tokens", &json!({})).expect(201);
    let token = token["secret"].as_str().unwrap();
    let (at_writer, at_follower) = (writer.by_token(token), follower.by_token(token));
    // What changes something is seen at once at each of them, wherever it was done.
    for number in 0..5 {
        let (one, other) =
            if number % 2 == 0 { (&at_follower, &at_writer) } else { (&at_writer, &at_follower) };
        let id = format!("c{number}");
        one.post("/api/contests", &json!({"id": id, "name": "C", "duration": "5:00:00"})).expect(201);
        other.get(&format!("/api/contests/{id}")).expect(200);
    }
    // What the one that writes knows alone.
    at_writer.get("/api/judgehosts").expect(200);
    at_follower.get("/api/judgehosts").expect(200);
    at_follower.get("/api/jobs").expect(200);
    // An error of a request is the same.
    let wrong = json!({"id": "c1", "name": "C", "duration": "5:00:00"});
    let (here, there) = (at_writer.post("/api/contests", &wrong), at_follower.post("/api/contests", &wrong));
    assert_eq!((here.status, here.json()), (there.status, there.json()));
    set_up(&follower);
    let sent = follower.by_name("ants").post("submissions", &program("int main() {}")).expect(201);
    writer.stop();
    wait("the other one writes", || follower.app.published.is_writer());
    let found = at_follower.get("/api/contests/demo/submissions").expect(200);
    assert_eq!(found[0]["id"], sent["id"]);
    follower.by_name("ants").post("submissions", &program("int main() { return 0; }")).expect(201);
}

#[test]
fn a_client_chooses_neither_its_address_nor_the_way() {
    let database = test_database::Server::start(&["fsync=off"]);
    let Some((writer, follower)) = pair(&database, "a_client_chooses") else { return };
    let login = json!({"username": "admin", "password": PASSWORD});
    let token = writer.admin().post("/api/tokens", &json!({})).expect(201);
    let reader = |server: &Server| server.by_token(token["secret"].as_str().unwrap());
    for server in [&writer, &follower] {
        // The header that says where a request came from counts with the secret only.
        let public = server.public().with("x-tautochrone-peer", "10.1.2.3");
        public.post("/api/login", &login).expect(200);
        assert_eq!(last_login(&reader(server)), "127.0.0.1");
        // The address that a proxy names is that of the client at both.
        let public = server.public().with("x-forwarded-for", "10.9.8.7");
        public.post("/api/login", &login).expect(200);
        assert_eq!(last_login(&reader(server)), "10.9.8.7");
        // With a wrong secret nothing is done.
        let forged = server
            .public()
            .with("x-tautochrone-replica", &server::random_secret())
            .with("x-tautochrone-peer", "10.1.2.3");
        let answer = forged.post("/api/login", &login);
        assert_eq!((answer.status, answer.header("retry-after").is_some()), (503, true));
        // Another name that leads here (DNS rebinding).
        assert_eq!(server.public().with("host", "evil.example").post("/api/login", &login).status, 421);
        // A page of another origin.
        assert_eq!(
            server.public().with("origin", "http://evil.example").post("/api/login", &login).status,
            403
        );
    }
    // What servers say to each other is not said to clients.
    for server in [&writer, &follower] {
        let answer = reader(server).get("/api/judgehosts");
        assert!(
            answer.headers.iter().all(|(name, _)| !name.starts_with("x-tautochrone-")),
            "{:?}",
            answer.headers
        );
    }
}

#[test]
fn a_server_that_is_cut_off_believes_no_rights() {
    let database = match test_database::Server::start(&["fsync=off"]) {
        Ok(database) => database,
        Err(reason) => return test_support::skipped("a_server_that_is_cut_off", &reason),
    };
    let name = database.new_database().unwrap();
    let proxy = Proxy::start(database.socket_folder()).unwrap();
    let settings = |config: &mut Config| config.admin_password = Some(PASSWORD.to_owned());
    let writer = Server::start_replica(&database.url(&name), settings);
    wait("the first server writes", || !writer.app.published.state().is_new());
    let follower = Server::start_replica(&url(proxy.folder(), &name), |config| {
        settings(config);
        config.limits.confirmed_within = Duration::from_secs(1);
    });
    set_up(&writer);
    let token = writer.admin().post("/api/tokens", &json!({})).expect(201);
    let admin = follower.by_token(token["secret"].as_str().unwrap());
    admin.get("/api/accounts").expect(200);
    proxy.away(true);
    wait("rights are not believed", || admin.get("/api/accounts").status == 503);
    assert!(admin.get("/api/accounts").header("retry-after").is_some());
    follower.public().get("/api/contests/demo/scoreboard").expect(200);
    proxy.away(false);
    wait("they are again", || admin.get("/api/accounts").status == 200);
}
