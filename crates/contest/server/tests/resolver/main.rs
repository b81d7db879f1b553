//! From the frozen board to the final one by the package that `tauto contest export --resolver` makes, and by nothing else.

#![allow(clippy::unwrap_used)]

#[path = "../hidden/random.rs"]
mod random;
mod show;
#[path = "../hidden/world.rs"]
#[allow(dead_code, reason = "shared with another test")]
mod world;

use random::Random;
use serde_json::{Value, json};
use show::Show;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use world::{START_MS, World};

const TEAMS: usize = 24;
const PROBLEMS: usize = 8;
const SUBMISSIONS: usize = 400;
const MINUTE_MS: i64 = 60_000;
const VERDICTS: [&str; 6] = ["AC", "WA", "TLE", "RTE", "CE", "AC"];

fn time(at_ms: i64) -> Value {
    json!(documents::contest::Time(START_MS + at_ms))
}

/// Returns a package of a contest that has ended and is frozen.
fn package(random: &mut Random) -> Vec<u8> {
    let reltime = |ms: i64| json!(documents::contest::RelTime(ms));
    let contest = json!({
        "id": "c", "name": "C", "feedback": "cases", "start_time": time(0), "duration": "5:00:00", "scoreboard_freeze_duration": "1:00:00",
        "penalty_time": if random.below(2) == 0 { "0:20:00" } else { "0:00:00" }, "compile_penalty": random.below(2) == 0,
        "medals": {"gold": 1 + random.below(4), "silver": random.below(4), "bronze": 2},
    });
    let problems: Vec<Value> = (0..PROBLEMS)
        .map(|at| {
            let label = char::from(b'A' + at as u8).to_string();
            json!({"id": format!("p{at}"), "label": label, "name": label, "ordinal": PROBLEMS - at, "time_limit": 1})
        })
        .collect();
    let teams: Vec<Value> = (0..TEAMS)
        .map(|at| json!({"id": format!("t{at}"), "name": format!("Team {at}"), "is_hidden": at == 7}))
        .collect();
    let mut times: Vec<i64> =
        (0..SUBMISSIONS).map(|_| random.below(300 * MINUTE_MS as usize) as i64).collect();
    times.sort_unstable();
    let (mut submissions, mut judgements) = (Vec::new(), Vec::new());
    for (number, at_ms) in (1..).zip(times) {
        // The first teams are better, and everybody tries the first problems most.
        let (team, problem) = (random.below(TEAMS), random.below(PROBLEMS).min(random.below(PROBLEMS)));
        let verdict = VERDICTS[random.below(VERDICTS.len()) * usize::from(random.below(TEAMS) < team + 4)];
        let (time, contest_time) = (time(at_ms), reltime(at_ms));
        submissions.push(
            json!({"id": number.to_string(), "language_id": "cpp", "problem_id": format!("p{problem}"),
            "team_id": format!("t{team}"), "time": time, "contest_time": contest_time}),
        );
        judgements.push(json!({"id": format!("{number}-1"), "submission_id": number.to_string(),
            "judgement_type_id": verdict, "start_time": time, "start_contest_time": contest_time,
            "end_time": time, "end_contest_time": contest_time}));
    }
    let documents = [
        ("contest.json", contest),
        ("problems.json", json!(problems)),
        ("teams.json", json!(teams)),
        ("submissions.json", json!(submissions)),
        ("judgements.json", json!(judgements)),
    ];
    test_support::zip(documents.map(|(name, document)| (name, document.to_string())))
}

async fn steps(seed: u64) -> usize {
    let mut random = Random::new(seed);
    let world = World::new().await;
    world.set_time(301 * MINUTE_MS).await;
    let answer = world.send_bytes("admin", "/api/contests/import/package", package(&mut random)).await;
    assert!(answer.status.is_success(), "{answer:?}");
    let frozen = world.get("public", "/api/contests/c/scoreboard").await.json();
    assert!(frozen["state"]["frozen"].is_string() && frozen["state"]["thawed"].is_null(), "{frozen}");
    world.post("admin", "/api/contests/c/finalize", json!({"extra_bronze": random.below(3)})).await;
    assert_eq!(
        world.get("public", "/api/contests/c/scoreboard").await.json()["rows"],
        frozen["rows"],
        "what is final is not shown before the thaw"
    );
    let bytes = world.get("admin", "/api/contests/c/package.zip?resolver=true").await.body;
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut archive = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
    for name in ["event-feed.ndjson", "scoreboard.json", "awards.json"] {
        archive.by_name(name).unwrap().read_to_string(files.entry(name.to_owned()).or_default()).unwrap();
    }
    let document = |name: &str| serde_json::from_str::<Value>(&files[name]).unwrap();
    let mut show = Show::new(&files["event-feed.ndjson"]);
    show.assert_is(&frozen, "the board that is frozen");
    show.resolve();
    show.assert_is(&document("scoreboard.json"), "the final board");
    show.assert_awards(&document("awards.json"), |_| false);
    world.post("admin", "/api/contests/c/thaw", json!({})).await;
    show.assert_is(
        &world.get("public", "/api/contests/c/scoreboard").await.json(),
        "the board that everybody sees",
    );
    show.assert_awards(&world.get("public", "/api/contests/c/awards").await.json(), |_| false);
    let cells = frozen["rows"].as_array().unwrap().iter().flat_map(|row| row["problems"].as_array().unwrap());
    assert_eq!(show.steps, cells.filter(|cell| cell["num_pending"] != 0).count(), "each cell once");
    show.steps
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_resolver_arrives_at_the_final_board() {
    for seed in 1..=4 {
        let steps = steps(seed).await;
        println!("seed {seed}: {steps} cells are resolved");
        assert!(steps > 9, "seed {seed}: next to nothing was hidden");
    }
}
