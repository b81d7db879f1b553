//! The contest of a history as a package: its feed follows the rules, and an empty server makes the same bytes of it.

use crate::show::Show;
use crate::world::World;
use follower::Copy;
use serde_json::Value;
use test_support::{Files, unzip};

const PACKAGE: &str = "/api/contests/c/package.zip";

fn json_of(files: &Files, name: &str) -> Value {
    serde_json::from_slice(&files[name]).unwrap()
}

/// Exports the contest, imports it into an empty server at the same time, and exports it again.
pub async fn comes_back(world: &World, now: i64) {
    let first = world.get("admin", PACKAGE).await.body;
    assert_eq!(world.get("admin", PACKAGE).await.body, first, "the same contest is the same bytes");
    let before = unzip(&first);
    let mut copy = Copy::default();
    let feed = std::str::from_utf8(&before["event-feed.ndjson"]).unwrap();
    assert_eq!(feed.lines().flat_map(|line| copy.apply(line)).collect::<Vec<_>>(), Vec::<String>::new());
    for endpoint in Copy::collections().chain(["contest", "state"]) {
        let wrong = copy.compare(endpoint, &json_of(&before, &format!("{endpoint}.json")));
        assert_eq!(wrong, Vec::<String>::new());
    }
    let other = World::new().await;
    other.set_time(now).await;
    let answer = other.send_bytes("admin", "/api/contests/import/package", first.clone()).await;
    assert!(answer.status.is_success(), "{answer:?}");
    let second = other.get("admin", PACKAGE).await.body;
    let after = unzip(&second);
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (name, bytes) in &before {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(*bytes == after[name], "{name}:\n{}\n{}", text(bytes), text(&after[name]));
    }
    assert_eq!(first, second);
}

/// Resolves the final result, which the public sees frozen, and returns how many cells were hidden.
pub async fn resolve(world: &World) -> usize {
    let frozen = world.get("public", "/api/contests/c/scoreboard").await.json();
    let files = unzip(&world.get("admin", &format!("{PACKAGE}?resolver=true")).await.body);
    let mut show = Show::new(std::str::from_utf8(&files["event-feed.ndjson"]).unwrap());
    if frozen["state"]["frozen"].is_string() && frozen["state"]["thawed"].is_null() {
        show.assert_is(&frozen, "the board that is frozen");
    }
    show.resolve();
    show.assert_is(&json_of(&files, "scoreboard.json"), "the final board");
    let edits = json_of(&files, "tautochrone.json")["awards"].clone();
    let is_edited = |id: &str| edits.as_array().unwrap().iter().any(|edit| edit["id"] == id);
    show.assert_awards(&json_of(&files, "awards.json"), is_edited);
    show.steps
}
