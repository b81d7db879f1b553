//! A connection to PostgreSQL that is slow, and cut again and again.

use crate::world::{PATIENCE, ServerData, World};
use fastrand::Rng;
use serde_json::json;
use std::time::{Duration, Instant};
use test_database::{Proxy, Server, url};

pub fn cut_and_slow(cuts: u64) -> Result<(), String> {
    let database = Server::start(&["fsync=off"])?;
    let seed = test_database::seed();
    let mut random = Rng::with_seed(seed);
    let proxy = Proxy::start(database.socket_folder()).unwrap();
    let mut place = ServerData::folder();
    place.database = url(proxy.folder(), &database.new_database().unwrap());
    let mut world = World::new(place);
    world.start_host("h1");
    world.start_host("h2");
    let mut refused = 0;
    for cut in 0..cuts {
        let context = format!("seed {seed}, cut {cut}");
        proxy.delay(Duration::from_millis(if cut % 5 == 0 { 10 } else { 0 }));
        proxy.cut_after(random.u64(..20_000));
        for _ in 0..4 {
            match world.submit() {
                Ok(201) => {}
                Ok(500..=599) | Err(_) => refused += 1,
                other => panic!("{context}: {other:?}"),
            }
        }
        world.look(&context);
        assert!(!world.server.as_mut().unwrap().has_ended(), "{context}: the server has ended");
    }
    proxy.never_cut();
    proxy.delay(Duration::ZERO);
    world.check(&format!("seed {seed}, after {cuts} cuts"));
    eprintln!("{cuts} cuts: {} submissions were acknowledged, {refused} refused", world.acknowledged.len());
    world.kill_server();
    world.start_server();
    world.check(&format!("seed {seed}, after a start from the log"));
    Ok(())
}

/// While the database is away, whatever needs it is refused with the time to try again, the rest is served, and nothing waits.
pub fn away() -> Result<(), String> {
    let database = Server::start(&["fsync=off"])?;
    let proxy = Proxy::start(database.socket_folder()).unwrap();
    let mut place = ServerData::folder();
    place.database = url(proxy.folder(), &database.new_database().unwrap());
    let mut world = World::new(place);
    assert_eq!(world.submit(), Ok(201));
    let submissions = world.admin.must_get("/api/contests/c/submissions");
    let files = format!("/api/contests/c/submissions/{}/files", submissions[0]["id"].as_str().unwrap());
    let package = store::BlobHash::of(&world.packages["a"]).to_string();
    world.admin.must_get(&files);
    proxy.away(true);
    let upload = json!({ "size_bytes": 3, "sha256": store::BlobHash::of(b"new").to_string() });
    let requests = [
        ("POST", "/api/uploads".to_owned(), upload),
        ("POST", "/api/contests/c/clarifications".to_owned(), json!({ "text": "?", "problem_id": "a" })),
        ("POST", "/api/login".to_owned(), json!({ "username": "admin", "password": world.password })),
        ("GET", "/api/jobs".to_owned(), json!(null)),
        ("GET", files, json!(null)),
        ("GET", format!("/api/blobs/{package}"), json!(null)),
    ];
    let begin = Instant::now();
    for round in 0..4 {
        for (method, path, body) in &requests {
            let answer = world.admin.status(method, path, body);
            assert_eq!(answer, (503, true), "round {round}: {method} {path}");
        }
        match world.submit() {
            Ok(503) => {}
            other => panic!("round {round}: a submission got {other:?}"),
        }
        assert_eq!(world.admin.status("GET", "/api/contests/c/scoreboard", &json!(null)).0, 200);
    }
    eprintln!("{} requests took {:?}", 4 * (requests.len() + 2), begin.elapsed());
    let begin = Instant::now();
    while world.admin.status("GET", "/readyz", &json!(null)).0 == 200 {
        assert!(begin.elapsed() < PATIENCE, "it says that it is ready");
        std::thread::sleep(Duration::from_millis(100));
    }
    proxy.away(false);
    let begin = Instant::now();
    while world.submit() != Ok(201) {
        assert!(begin.elapsed() < PATIENCE, "the database is back, and nothing is taken");
        std::thread::sleep(Duration::from_millis(100));
    }
    world.start_host("h1");
    world.check("the database is back");
    Ok(())
}
