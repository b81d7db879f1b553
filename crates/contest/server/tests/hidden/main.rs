//! Hidden verdicts change nothing that the public or another team can see: two servers get the same requests under the same
//! clock, and their judgehosts report different verdicts of one team's submissions during the freeze, at different times.
//! Every answer and every stream of events must be the same, to the byte.

#![allow(clippy::unwrap_used)]

mod random;
mod world;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use random::Random;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use world::{Answer, START_MS, World};

const MINUTE: i64 = 60_000;
/// The whole contest, and when it freezes.
const LENGTH: i64 = 300 * MINUTE;
const FREEZE: i64 = 240 * MINUTE;
const TEAMS: [&str; 4] = ["t0", "t1", "t2", "t3"];
const PROBLEMS: [&str; 3] = ["a", "b", "c"];
/// Whose hidden verdicts differ between the two servers.
const HIDDEN: &str = "t0";
/// Who must not notice.
const OBSERVERS: [&str; 5] = ["public", "t1", "t3", "spectator", "staff"];
const VERDICTS: [&str; 6] = ["AC", "WA", "TLE", "RTE", "CE", "MLE"];
/// What is random by itself: ids of tokens.
const RANDOM_PATHS: [&str; 1] = ["/api/tokens"];

/// A job that a judgehost has.
struct Held {
    job: Value,
    is_hidden: bool,
}

/// One server and its judgehost.
struct Side {
    world: World,
    /// For hidden verdicts only; another one on the other server.
    random: Random,
    held: Vec<Held>,
}

async fn set_up() -> World {
    let mut world = World::new().await;
    world
        .post(
            "admin",
            "/api/contests",
            json!({
                "id": "c", "name": "C", "feedback": "cases", "start_time": time(0), "duration": "5:00:00",
                "scoreboard_freeze_duration": "1:00:00", "is_public": true,
                "submission_limits": { "per_minute": 1000, "in_all": 10_000 },
            }),
        )
        .await;
    world.put("admin", "/api/contests/c/groups", json!([{ "id": "g", "name": "G" }])).await;
    let teams: Vec<Value> =
        TEAMS.iter().map(|id| json!({ "id": id, "name": id.to_uppercase(), "group_ids": ["g"] })).collect();
    world.put("admin", "/api/contests/c/teams", json!(teams)).await;
    let package = world.send_bytes("admin", "/api/packages?name=p.zip", world::package()).await;
    let package = package.json()["package"].as_str().unwrap_or_else(|| panic!("{package:?}")).to_owned();
    for id in PROBLEMS {
        let problem = json!({ "id": id, "package": package, "time_limit": 1.0 });
        world.post("admin", "/api/contests/c/problems", problem).await;
    }
    let mut accounts: Vec<Value> = TEAMS
        .iter()
        .map(|id| json!({ "username": id, "type": "team", "team_id": id, "contest_ids": ["c"] }))
        .collect();
    for kind in ["spectator", "staff", "judgehost"] {
        accounts.push(json!({ "username": kind, "type": kind }));
    }
    world.put("admin", "/api/accounts", json!(accounts)).await;
    for account in TEAMS.iter().chain(&["spectator", "staff", "judgehost"]) {
        world.add_token(account).await;
    }
    world
        .put(
            "judgehost",
            "/api/judgehosts/h",
            json!({
                "protocol": 1, "tauto_version": "test", "instance": "1", "pool": null, "identity": ["cpu: x"],
                "compilers": [], "places": 4, "jobs_max": 256, "is_shared": false,
                "self_test": { "programs": [], "languages": [] },
            }),
        )
        .await;
    world
}

fn time(ms: i64) -> Value {
    json!(documents::contest::Time(START_MS + ms))
}

impl Side {
    async fn submit(&self, team: &str, problem: &str, number: usize) {
        let files = json!([{ "filename": "a.py", "data": STANDARD.encode(format!("print({number})\n")) }]);
        let body = json!({ "problem_id": problem, "language_id": "python3", "files": files });
        self.world.post(team, "/api/contests/c/submissions", body).await;
    }

    /// Takes all jobs that wait. Of the hidden ones it loses some, so that they are judged in a later step, another one on each
    /// server.
    async fn claim(&mut self, is_frozen: bool, loses: bool) {
        let claimed =
            self.world.post("judgehost", "/api/judgehosts/h/claim", json!({ "max": 256, "wait_s": 0 })).await;
        for job in claimed["jobs"].as_array().unwrap() {
            let id = job["job"].as_str().unwrap().rsplit('/').next().unwrap();
            let number = id.split('-').next().unwrap();
            let path = format!("/api/contests/c/submissions/{number}");
            let submission = self.world.get("admin", &path).await.json();
            let is_hidden = is_frozen && submission["team_id"] == HIDDEN;
            if !(is_hidden && loses && self.random.below(3) == 0) {
                self.held.push(Held { job: job.clone(), is_hidden });
            }
        }
    }

    /// Reports: visible verdicts by `visible`, hidden ones by this server's own draws.
    async fn report(&mut self, now: i64, visible: &mut Random) {
        let due = std::mem::take(&mut self.held);
        for held in due.iter().filter(|held| !held.is_hidden) {
            self.report_one(held, visible.below(VERDICTS.len()), visible.below(3)).await;
        }
        for held in due.iter().filter(|held| held.is_hidden) {
            // Within the step: only the order and the distance to what is visible differ.
            self.world.set_time(now + self.random.below(900) as i64).await;
            let (verdict, runs) = (self.random.below(VERDICTS.len()), self.random.below(3));
            self.report_one(held, verdict, runs).await;
        }
    }

    async fn report_one(&self, held: &Held, verdict: usize, runs: usize) {
        let verdict = VERDICTS[verdict];
        let (job, fence) = (&held.job["job"], &held.job["fence"]);
        let run = |ordinal: usize| json!({ "ordinal": ordinal, "verdict": "AC", "cpu_time_ns": 1000, "memory_peak_bytes": null, "at_ms": 5 });
        // An acceptance needs an accepted run.
        let runs = runs.max(usize::from(verdict == "AC"));
        let runs: Vec<Value> = if verdict == "CE" { Vec::new() } else { (1..=runs).map(run).collect() };
        let reports = json!({ "reports": [
            { "job": job, "fence": fence, "number": 1, "kind": "begun" },
            { "job": job, "fence": fence, "number": 2, "kind": "runs", "runs": runs },
            { "job": job, "fence": fence, "number": 3, "kind": "done", "verdict": verdict, "score": null,
              "subtasks": [], "max_run_time_ns": 1000, "compile_output": format!("about {verdict}"),
              "evidence": null, "nondeterministic": [],
              "spent": { "fetching_us": 0, "waiting_us": 0, "compiling_us": 0, "running_us": 0, "total_us": 0 } },
        ]});
        let answer = self.world.post("judgehost", "/api/judgehosts/h/reports", reports).await;
        let states: Vec<&Value> =
            answer["answers"].as_array().unwrap().iter().map(|one| &one["state"]).collect();
        assert_eq!(states, ["taken"; 3], "{}", held.job);
    }
}

/// Returns all paths that can be read, with the ids that exist, and some that do not.
fn paths(submissions: usize) -> Vec<String> {
    let mut paths = Vec::new();
    let document = server::document();
    for (path, operations) in document["paths"].as_object().unwrap() {
        if operations.get("get").is_none() || path.ends_with("/events") || path.ends_with("/event-feed") {
            continue;
        }
        if RANDOM_PATHS.iter().any(|random| path.starts_with(random)) {
            continue;
        }
        // Below `/api/v4` most are the standard's handlers again.
        let is_again =
            path.starts_with("/api/v4/") && document["paths"].get(path.replacen("/v4", "", 1)).is_some();
        if is_again
            && !["/contests", "/scoreboard", "/balloons", "/problems"].iter().any(|end| path.ends_with(end))
        {
            continue;
        }
        let mut filled = vec![path.clone()];
        while let Some(begin) = filled[0].find('{') {
            let end = filled[0].find('}').unwrap();
            let values = values(&filled[0][begin + 1..end], submissions);
            let fill = |path: &String| {
                values.iter().map(|value| path.replacen(&path[begin..=end], value, 1)).collect::<Vec<_>>()
            };
            filled = filled.iter().flat_map(fill).collect();
        }
        paths.append(&mut filled);
    }
    for query in ["category=g", "public=false", "allteams=true"] {
        paths.push(format!("/api/v4/contests/c/scoreboard?{query}"));
    }
    for query in [
        "scoreboard?group_id=g",
        "scoreboard?public=true",
        "scoreboard?public=false",
        "results?format=tsv",
        "submissions?team_id=t0",
        "judgements?submission_id=1",
        "judgements?judgement_type_id=AC",
        "runs?judgement_id=1-1",
        "runs?judgement_type_id=WA",
    ] {
        paths.push(format!("/api/contests/c/{query}"));
    }
    paths
}

fn values(parameter: &str, submissions: usize) -> Vec<String> {
    let list = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let numbers = 1..=submissions + 1;
    match parameter {
        "contest" => list(&["c"]),
        "problem" => list(&PROBLEMS),
        "team" => list(&TEAMS),
        "submission" => numbers.map(|number| number.to_string()).collect(),
        "judgement" => numbers.flat_map(|number| [format!("{number}-1"), format!("{number}-2")]).collect(),
        "account" => list(&["t0", "t1", "admin", "public"]),
        "group" => list(&["g"]),
        "language" => list(&["python3"]),
        "judgehost" | "host" => list(&["h"]),
        "award" => list(&["winner", "gold-medal", "first-to-solve-a", "first-to-solve-b", "solved-c"]),
        _ => list(&["1", "default"]),
    }
}

async fn look(side: &Side, observer: &str, paths: &[String]) -> Vec<Answer> {
    let mut answers = Vec::with_capacity(paths.len());
    for path in paths {
        answers.push(side.world.get(observer, path).await);
    }
    answers
}

async fn compare(sides: &[Side; 2], submissions: usize, at: &str) -> BTreeSet<u16> {
    let paths = paths(submissions);
    let mut statuses = BTreeSet::new();
    for observer in OBSERVERS {
        let answers = [look(&sides[0], observer, &paths).await, look(&sides[1], observer, &paths).await];
        for ((path, one), other) in paths.iter().zip(&answers[0]).zip(&answers[1]) {
            assert_eq!(one, other, "{at}: {observer} can tell by {path}");
            assert_ne!(one.status.as_u16(), 500, "{path}: {one:?}");
            statuses.insert(one.status.as_u16());
        }
    }
    statuses
}

/// Runs one contest on two servers.
async fn contest(seed: u64) {
    let mut script = Random::new(seed);
    let mut sides = [1, 2]
        .map(|side| Random::new(seed.wrapping_mul(31).wrapping_add(side)))
        .map(|random| (random, None::<World>));
    for side in &mut sides {
        side.1 = Some(set_up().await);
    }
    let mut sides = sides.map(|(random, world)| Side { world: world.unwrap(), random, held: Vec::new() });
    let mut streams = Vec::new();
    for side in &sides {
        for observer in OBSERVERS {
            streams.push(side.world.stream(observer, "/api/contests/c/events").await);
        }
    }
    let mut submissions = 0;
    const STEPS: usize = 24;
    for step in 0..STEPS {
        let now = LENGTH * (step as i64 + 1) / (STEPS as i64 + 2);
        let is_frozen = now >= FREEZE;
        let count = 1 + script.below(if is_frozen { 4 } else { 3 });
        let sent: Vec<_> =
            (0..count).map(|_| (TEAMS[script.below(TEAMS.len())], PROBLEMS[script.below(3)])).collect();
        let (visible_seed, clarifies) = (script.next(), script.below(4) == 0);
        for side in &mut sides {
            side.world.set_time(now).await;
            for (index, (team, problem)) in sent.iter().enumerate() {
                side.submit(team, problem, submissions + index).await;
            }
            if clarifies {
                let text = json!({ "text": format!("step {step}") });
                side.world.post("admin", "/api/contests/c/clarifications", text).await;
            }
            side.claim(is_frozen, true).await;
            side.report(now, &mut Random::new(visible_seed)).await;
            side.world.set_time(now + 1000).await;
        }
        submissions += count;
        if is_frozen || step % 8 == 0 {
            compare(&sides, submissions, &format!("seed {seed}, step {step}")).await;
        }
    }
    for side in &mut sides {
        side.world.set_time(LENGTH - MINUTE).await;
        side.claim(true, false).await;
        side.report(LENGTH - MINUTE, &mut Random::new(0)).await;
        side.world.set_time(LENGTH + MINUTE).await;
    }
    let statuses = compare(&sides, submissions, &format!("seed {seed}, after the end")).await;
    assert!(statuses.contains(&200) && statuses.contains(&404) && statuses.len() > 2, "{statuses:?}");
    let mut last = Value::Null;
    for side in &sides {
        last = side.world.post("admin", "/api/contests/c/clarifications", json!({ "text": "the end" })).await;
    }
    let words = format!("\"clarifications\",\"id\":{}", last["id"]);
    for stream in &streams {
        stream.wait_for(&words).await;
    }
    for side in &sides {
        side.world.app.end_streams();
    }
    let mut events = Vec::new();
    for stream in streams {
        events.push(stream.end().await);
    }
    let (one, other) = events.split_at(OBSERVERS.len());
    for ((observer, one), other) in OBSERVERS.iter().zip(one).zip(other) {
        assert_eq!(one, other, "seed {seed}: {observer} can tell by the events");
        assert!(one[&'p'].len() > 20, "{one:?}");
    }
    differ(&sides, submissions).await;
}

/// Checks that there was something to hide: the jury and the team itself see different things.
async fn differ(sides: &[Side; 2], submissions: usize) {
    let mut differences = 0;
    for number in 1..=submissions {
        let path = format!("/api/contests/c/judgements/{number}-1");
        differences +=
            usize::from(sides[0].world.get(HIDDEN, &path).await != sides[1].world.get(HIDDEN, &path).await);
    }
    assert!(differences > 0, "no hidden verdict differed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_verdicts_change_nothing_that_others_see() {
    let begin = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let count = std::env::var("SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(3);
    for seed in begin..begin + count {
        println!("seed {seed}");
        contest(seed).await;
    }
}
