//! A client that applies the event feed has what the endpoints answer, and every reference resolves after each line: in random
//! histories of a contest, for every role, also for clients that connect again with a token or begin in the middle.

#![allow(clippy::unwrap_used)]

mod client;
mod package;
#[path = "../hidden/random.rs"]
mod random;
#[path = "../resolver/show.rs"]
mod show;
#[path = "../hidden/world.rs"]
#[allow(dead_code, reason = "shared with another test")]
mod world;

use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use client::Client;
use contest_rules::Caller;
use follower::Copy;
use random::Random;
use serde_json::{Value, json};
use world::{START_MS, World};

const MINUTE: i64 = 60_000;
const LENGTH: i64 = 300 * MINUTE;
const STEPS: usize = 40;
const TEAMS: [&str; 5] = ["t0", "t1", "t2", "t3", "t4"];
const PROBLEMS: [&str; 4] = ["a", "b", "c", "d"];
const GROUPS: [&str; 3] = ["g", "h", "i"];
const OBSERVERS: [&str; 9] =
    ["public", "t0", "t1", "spectator", "staff", "balloon", "analyst", "judge", "admin"];
const VERDICTS: [&str; 6] = ["AC", "WA", "TLE", "RTE", "CE", "AC"];

/// A history: what happens, and what was there.
struct History {
    world: World,
    random: Random,
    package: String,
    now: i64,
    submissions: usize,
    rejudgings: usize,
    held: Vec<Value>,
}

impl History {
    async fn new(seed: u64) -> Self {
        let mut world = World::new().await;
        let mut random = Random::new(seed);
        let settings = json!({
            "id": "c", "name": "C", "feedback": "cases", "start_time": time(0), "duration": "5:00:00",
            "scoreboard_freeze_duration": "1:00:00", "is_public": true, "practice": random.below(2) == 0,
            "submission_limits": { "per_minute": 1000, "in_all": 10_000 },
        });
        world.post("admin", "/api/contests", settings).await;
        let package = world.send_bytes("admin", "/api/packages?name=p.zip", world::package()).await;
        let package = package.json()["package"].as_str().unwrap().to_owned();
        world.put("admin", "/api/contests/c/groups", json!([{ "id": "g", "name": "G" }])).await;
        let teams: Vec<Value> = TEAMS[..3].iter().map(|id| json!({ "id": id, "name": id })).collect();
        world.put("admin", "/api/contests/c/teams", json!(teams)).await;
        let mut accounts: Vec<Value> = TEAMS[..3]
            .iter()
            .map(|id| json!({ "username": id, "type": "team", "team_id": id, "contest_ids": ["c"] }))
            .collect();
        for kind in ["spectator", "staff", "balloon", "analyst", "judge", "judgehost"] {
            accounts.push(json!({ "username": kind, "type": kind }));
        }
        world.put("admin", "/api/accounts", json!(accounts)).await;
        for account in TEAMS[..3].iter().chain(&OBSERVERS[3..8]).chain(&["judgehost"]) {
            world.add_token(account).await;
        }
        let hello = json!({
            "protocol": 1, "tauto_version": "test", "instance": "1", "pool": null, "identity": ["cpu: x"],
            "compilers": [], "places": 4, "jobs_max": 256, "is_shared": false,
            "self_test": { "programs": [], "languages": [] },
        });
        world.put("judgehost", "/api/judgehosts/h", hello).await;
        Self { world, random, package, now: -10 * MINUTE, submissions: 0, rejudgings: 0, held: Vec::new() }
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.below(of.len())]
    }

    fn flag(&mut self) -> bool {
        self.random.below(2) == 0
    }

    /// Asks for something that may be refused.
    async fn may(&self, by: &str, method: Method, path: &str, body: Value) -> bool {
        let answer =
            self.world.ask(by, method.clone(), &format!("/api/contests/c{path}"), body.clone()).await;
        assert!(answer.status.as_u16() < 500, "{method} {path} by {by}: {answer:?}");
        answer.status.is_success()
    }

    async fn happen(&mut self) {
        let number = self.random.below(34);
        let (flag, other) = (self.flag(), self.flag());
        let (team, problem, group) = (self.one(&TEAMS), self.one(&PROBLEMS), self.one(&GROUPS));
        let submission = 1 + self.random.below(self.submissions.max(1));
        match number {
            0..=6 => {
                let sender = self.one(&TEAMS[..3]);
                let files =
                    json!([{ "filename": "a.py", "data": STANDARD.encode(self.random.next().to_string()) }]);
                let language = "python3";
                let body = json!({ "problem_id": problem, "language_id": language, "files": files });
                self.submissions += usize::from(self.may(sender, Method::POST, "/submissions", body).await);
            }
            7..=11 => self.judge().await,
            12 => {
                let members: Vec<&str> = GROUPS.into_iter().filter(|_| self.random.below(3) == 0).collect();
                let organization = flag.then_some("o");
                let body = json!([{ "id": team, "name": format!("{team}{}", self.random.below(9)), "group_ids": members,
                    "organization_id": organization, "is_hidden": other }]);
                self.may("admin", Method::PUT, "/teams", body).await;
            }
            13 => {
                let body = json!([{ "id": group, "name": format!("{group}{other}"), "is_hidden": flag }]);
                self.may("admin", Method::PUT, "/groups", body).await;
            }
            14 => {
                self.may(
                    "admin",
                    Method::PUT,
                    "/organizations",
                    json!([{ "id": "o", "name": format!("O{flag}") }]),
                )
                .await;
            }
            15 => {
                let path = match self.random.below(4) {
                    0 => format!("/teams/{team}"),
                    1 => format!("/groups/{group}"),
                    2 => "/organizations/o".to_owned(),
                    _ => format!("/problems/{problem}"),
                };
                self.may("admin", Method::DELETE, &path, Value::Null).await;
            }
            16 => {
                let body = json!({ "id": problem, "package": self.package, "time_limit": 1.0, "name": format!("P{flag}") });
                self.may("admin", Method::POST, "/problems", body).await;
            }
            17 => {
                let groups: Vec<&str> = if other { vec![group] } else { vec![] };
                let teams: Vec<&str> = if flag { vec![team] } else { vec![] };
                let about = self.flag().then_some(problem);
                let body = json!({ "text": "x", "to_team_ids": teams, "to_group_ids": groups, "problem_id": about, "again": true });
                self.may("judge", Method::POST, "/clarifications", body).await;
            }
            18 => {
                let asker = self.one(&TEAMS[..3]);
                let about = flag.then_some(problem);
                self.may(
                    asker,
                    Method::POST,
                    "/clarifications",
                    json!({ "text": "why?", "problem_id": about }),
                )
                .await;
            }
            19 => {
                let parent = 1 + self.random.below(8);
                let to: Vec<&str> = if flag { vec![team] } else { vec![] };
                let body = json!({ "text": "so", "reply_to_id": parent.to_string(), "to_team_ids": to, "again": true });
                self.may("judge", Method::POST, "/clarifications", body).await;
            }
            20 => {
                let body = json!({ "is_ignored": flag, "reason": "a test" });
                self.may("judge", Method::POST, &format!("/submissions/{submission}/ignore"), body).await;
            }
            21 => {
                self.may("judge", Method::POST, &format!("/submissions/{submission}/judge"), Value::Null)
                    .await;
            }
            22 => {
                let body = json!({ "reason": "again", "problem_ids": [problem], "repeat": 1 + self.random.below(2) });
                self.rejudgings += usize::from(self.may("judge", Method::POST, "/rejudgings", body).await);
            }
            23 => {
                let rejudging = 1 + self.random.below(self.rejudgings.max(1));
                let verb = if flag { "apply" } else { "cancel" };
                self.may("judge", Method::POST, &format!("/rejudgings/{rejudging}/{verb}"), Value::Null)
                    .await;
            }
            24 => {
                let freeze = if flag { "1:00:00" } else { "2:00:00" };
                let body = json!({ "scoreboard_freeze_duration": freeze, "languages": if other { vec!["python3"] } else { vec![] },
                    "compile_penalty": flag, "main_scoreboard_group_id": Value::Null });
                self.may("admin", Method::PATCH, "/settings", body).await;
            }
            25 => {
                let (begin, end) = (self.now / 2, self.now / 2 + MINUTE);
                let removed =
                    if flag { json!([{ "begin": time(begin), "end": time(end) }]) } else { json!([]) };
                self.may("admin", Method::PUT, "/removed-intervals", removed).await;
            }
            26 => {
                let award = self.one(&["winner", "own", "solved-a"]);
                let teams: Option<Vec<&str>> = flag.then(|| vec![team]);
                self.may(
                    "admin",
                    Method::PUT,
                    &format!("/awards/{award}"),
                    json!({ "citation": "Well done", "team_ids": teams }),
                )
                .await;
            }
            27 if self.now > LENGTH => {
                let path = self.one(&["/thaw", "/finalize", "/unfinalize"]);
                self.may("admin", Method::POST, path, json!({ "reason": "a test" })).await;
            }
            27 => {
                let verb = self.one(&["/freeze", "/pause", "/resume"]);
                self.may("admin", Method::POST, verb, Value::Null).await;
            }
            28 => {
                let key = format!("{submission}-{}", 1 + self.random.below(2));
                self.may(
                    "judge",
                    Method::POST,
                    &format!("/judgements/{key}/verify"),
                    json!({ "comment": "" }),
                )
                .await;
            }
            29 => {
                let members: Vec<&str> = TEAMS.into_iter().filter(|_| self.random.below(3) == 0).collect();
                let role = if members.is_empty() { "staff" } else { "contestant" };
                let body = json!([{ "id": self.one(&["p", "q"]), "name": format!("N{flag}"), "role": role, "team_ids": members }]);
                self.may("admin", Method::PUT, "/persons", body).await;
            }
            30 => {
                let path = format!("/persons/{}", self.one(&["p", "q"]));
                self.may("admin", Method::DELETE, &path, Value::Null).await;
            }
            31 => {
                let about: Vec<String> = if other { vec![submission.to_string()] } else { vec![] };
                let teams: Vec<&str> = if flag { vec![team] } else { vec![] };
                let body = json!({ "message": "well", "tags": ["submission"], "submission_ids": about, "team_ids": teams });
                self.may("admin", Method::POST, "/commentary", body).await;
            }
            32 => {
                let person = flag.then_some("p");
                let contests: Vec<&str> = if other { vec!["c"] } else { vec![] };
                let body = json!([{ "username": "x", "type": "analyst", "person_id": person, "contest_ids": contests }]);
                let answer = self.world.ask("admin", Method::PUT, "/api/accounts", body).await;
                assert!(answer.status.as_u16() < 500, "{answer:?}");
            }
            _ => {
                let settings = json!({ "main_scoreboard_group_id": flag.then_some(group) });
                self.may("admin", Method::PATCH, "/settings", settings).await;
            }
        }
    }

    /// Takes jobs, and reports some of those that it has, or a part of them.
    async fn judge(&mut self) {
        let wish = json!({ "max": 3, "wait_s": 0 });
        let claimed = self.world.post("judgehost", "/api/judgehosts/h/claim", wish).await;
        self.held.extend(claimed["jobs"].as_array().unwrap().iter().cloned());
        let due = self.random.below(self.held.len() + 1);
        for job in self.held.drain(..due).collect::<Vec<_>>() {
            let (id, fence) = (&job["job"], &job["fence"]);
            let verdict = VERDICTS[self.random.below(VERDICTS.len())];
            let run = |ordinal: usize| {
                json!({ "ordinal": ordinal, "verdict": "AC", "cpu_time_ns": 1000,
                "memory_peak_bytes": null, "at_ms": 5 })
            };
            // An acceptance needs an accepted run.
            let count = self.random.below(3).max(usize::from(verdict == "AC"));
            let mut reports = vec![
                json!({ "job": id, "fence": fence, "number": 1, "kind": "begun" }),
                json!({ "job": id, "fence": fence, "number": 2, "kind": "runs",
                    "runs": (1..=count).map(run).collect::<Vec<_>>() }),
            ];
            reports.push(match self.random.below(8) {
                0 => json!({ "job": id, "fence": fence, "number": 3, "kind": "given-back", "reason": "a test" }),
                _ => json!({ "job": id, "fence": fence, "number": 3, "kind": "done", "verdict": verdict, "score": null,
                    "subtasks": [], "max_run_time_ns": 1000, "compile_output": "", "evidence": null,
                    "nondeterministic": [], "spent": { "fetching_us": 0, "waiting_us": 0, "compiling_us": 0,
                    "running_us": 0, "total_us": 0 } }),
            });
            let path = "/api/judgehosts/h/reports";
            let answer = self.world.ask("judgehost", Method::POST, path, json!({ "reports": reports })).await;
            assert!(answer.status.as_u16() < 500, "{answer:?}");
        }
    }

    /// Lets everything be judged and answered, and the result be final: then nothing comes any more.
    async fn end(&mut self, clients: &[Client]) {
        for number in 1..200 {
            let answer = json!({ "text": "yes", "reply_to_id": number.to_string(), "again": true });
            if !self.may("judge", Method::POST, "/clarifications", answer).await {
                break;
            }
        }
        for rejudging in 1..=self.rejudgings {
            self.may("judge", Method::POST, &format!("/rejudgings/{rejudging}/cancel"), Value::Null).await;
        }
        self.may("admin", Method::POST, "/resume", Value::Null).await;
        self.now += 2 * LENGTH;
        self.world.set_time(self.now).await;
        for _ in 0..200 {
            self.judge().await;
        }
        if self.may("admin", Method::POST, "/finalize", json!({})).await {
            println!("{} cells are resolved", package::resolve(&self.world).await);
        }
        self.may("admin", Method::POST, "/thaw", Value::Null).await;
        let state = self.world.get("admin", "/api/contests/c/state").await.json();
        if state["end_of_updates"].is_null() {
            let check = self.world.get("admin", "/api/contests/c/check").await.json();
            let settings = self.world.get("admin", "/api/contests/c/settings").await.json();
            let mut checks = check["checks"].as_array().unwrap().iter();
            assert!(
                settings["practice"] == true || checks.any(|one| one["state"] == "fail"),
                "{state} {check}"
            );
            return;
        }
        for client in clients {
            client.catch_up(&self.token(client.by)).await;
            assert!(client.copy.lock().unwrap().is_over());
        }
        for _ in 0..100 {
            self.happen().await;
        }
        // Refused, unless the result is opened again first.
        match self.world.get("admin", "/api/contests/c/state").await.json()["end_of_updates"].is_null() {
            true => self.compare(clients).await,
            false => self.compare_endpoints(clients).await,
        }
        println!("the end of updates came");
    }

    /// Returns the token that a client has when it has everything.
    fn token(&self, by: &str) -> String {
        let state = self.world.app.published.state();
        let caller = match by {
            "public" => Caller::public(None),
            _ => state.caller(&by.parse().unwrap(), None).unwrap(),
        };
        let view = state.view(&caller, &"c".parse().unwrap()).unwrap();
        let position = |audience: &contest_rules::Audience| {
            let last = view.last_notice(audience);
            match audience {
                contest_rules::Audience::Public => format!("p{last}"),
                contest_rules::Audience::Team(team) => format!("t{last}@{team}"),
                contest_rules::Audience::Staff => format!("s{last}"),
                contest_rules::Audience::Jury => format!("j{last}"),
            }
        };
        view.audiences().iter().map(position).collect()
    }

    /// Lets all clients have everything, and compares what they have with the endpoints.
    async fn compare(&self, clients: &[Client]) {
        self.world
            .post("admin", "/api/contests/c/clarifications", json!({ "text": "now", "again": true }))
            .await;
        for client in clients {
            client.catch_up(&self.token(client.by)).await;
        }
        self.compare_endpoints(clients).await;
    }

    async fn compare_endpoints(&self, clients: &[Client]) {
        for client in clients {
            for endpoint in Copy::collections().chain(["contest", "state"]) {
                let path = match endpoint {
                    "contest" => "/api/contests/c".to_owned(),
                    _ => format!("/api/contests/c/{endpoint}"),
                };
                let answer = self.world.get(client.by, &path).await;
                // Accounts belong to the server, and go on changing after a contest.
                let is_over = client.copy.lock().unwrap().is_over();
                if endpoint == "accounts" && is_over {
                    continue;
                }
                let answer = if answer.status.is_success() { answer.json() } else { json!([]) };
                let wrong = client.copy.lock().unwrap().compare(endpoint, &answer);
                assert!(wrong.is_empty(), "{}: {wrong:#?}", client.by);
            }
        }
    }
}

fn time(ms: i64) -> Value {
    json!(documents::contest::Time(START_MS + ms))
}

async fn history(seed: u64) -> u64 {
    let mut history = History::new(seed).await;
    let mut clients = Vec::new();
    for by in OBSERVERS {
        clients.push(Client::connect(&history.world, by).await);
    }
    for step in 0..STEPS {
        history.now = LENGTH * (step as i64 - 2) / (STEPS as i64 - 8);
        history.world.set_time(history.now).await;
        let away = (step % 5 == 1).then(|| history.random.below(clients.len()));
        if let Some(away) = away {
            clients[away].disconnect();
        }
        for _ in 0..1 + history.random.below(if away.is_some() { 60 } else { 12 }) {
            history.happen().await;
        }
        if let Some(away) = away {
            clients[away].connect_again(&history.world).await;
        }
        if step % 4 == 3 {
            history.compare(&clients).await;
        }
        if step % 13 == 7 {
            let by = OBSERVERS[history.random.below(OBSERVERS.len())];
            clients.push(Client::connect(&history.world, by).await);
        }
    }
    history.compare(&clients).await;
    package::comes_back(&history.world, history.now).await;
    history.end(&clients).await;
    package::comes_back(&history.world, history.now).await;
    assert!(history.submissions > 5, "nothing happened");
    let lines = clients.iter().map(|client| client.copy.lock().unwrap().lines()).sum();
    clients.iter().for_each(Client::disconnect);
    lines
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_the_feed_has_the_objects_of_the_endpoints() {
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (begin, count) = (number("SEED", 1), number("SEEDS", 3));
    for seed in begin..begin + count {
        println!("seed {seed}: {} lines", history(seed).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_language_comes_before_the_first_submission_in_it() {
    let history = History::new(1).await;
    let world = &history.world;
    let pool = json!({ "id": "default", "identity": null, "compilers": ["python3: 3.13"] });
    world.post("admin", "/api/pools", pool).await;
    let problem = json!({ "id": "a", "package": history.package, "time_limit": 1.0, "name": "P" });
    world.post("admin", "/api/contests/c/problems", problem).await;
    world.set_time(MINUTE).await;
    // The client is there before, and fails at a reference to what it does not have.
    let client = Client::connect(world, "judge").await;
    client.catch_up(&history.token("judge")).await;
    let languages = || client.copy.lock().unwrap().compare("languages", &json!([]));
    assert!(languages().iter().all(|wrong| !wrong.contains("cpp")), "{:?}", languages());
    // What was sent elsewhere may be in any language.
    let files = json!([{ "filename": "a.cpp", "data": STANDARD.encode("x") }]);
    let body = json!({ "id": "1", "time": time(MINUTE), "team_id": "t0", "problem_id": "a", "language_id": "cpp",
        "files": files });
    world.put("admin", "/api/contests/c/submissions/1", body).await;
    client.catch_up(&history.token("judge")).await;
    assert!(languages().iter().any(|wrong| wrong.contains("cpp")), "{:?}", languages());
    history.compare(&[client]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_feed_can_end() {
    let history = History::new(1).await;
    let answer = history.world.get("admin", "/api/contests/c/event-feed?stream=false").await;
    let mut copy = Copy::default();
    let text = String::from_utf8(answer.body).unwrap();
    let wrong: Vec<String> = text.lines().flat_map(|line| copy.apply(line)).collect();
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(copy.token(), Some(&*history.token("admin")));
    let teams = history.world.get("admin", "/api/contests/c/teams").await.json();
    assert_eq!(copy.compare("teams", &teams), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_of_a_removed_contest_is_none_of_a_new_one() {
    let world = World::new().await;
    let settings =
        json!({ "id": "d", "name": "D", "feedback": "cases", "duration": "5:00:00", "is_public": true });
    let mut copy = Copy::default();
    for group in ["a", "b"] {
        world.post("admin", "/api/contests", settings.clone()).await;
        world.put("admin", "/api/contests/d/groups", json!([{ "id": group, "name": "G" }])).await;
        let token = copy.token().map(|token| format!("&since_token={token}")).unwrap_or_default();
        let feed = world.get("public", &format!("/api/contests/d/event-feed?stream=false{token}")).await;
        let text = String::from_utf8(feed.body).unwrap();
        let wrong: Vec<String> = text.lines().flat_map(|line| copy.apply(line)).collect();
        assert_eq!(wrong, Vec::<String>::new());
        let groups = world.get("public", "/api/contests/d/groups").await.json();
        assert_eq!(groups[0]["id"], group);
        assert_eq!(copy.compare("groups", &groups), Vec::<String>::new());
        world.ask("admin", Method::DELETE, "/api/contests/d", Value::Null).await;
        world.set_time(1000).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_strange_token_is_refused() {
    let history = History::new(1).await;
    for token in ["x", "p9999999999999999999", "p999999999999999999", "j1", "p-1", "p1t1"] {
        let path = format!("/api/contests/c/event-feed?since_token={token}");
        let answer = history.world.get("public", &path).await;
        assert_eq!(answer.status.as_u16(), 400, "{token}: {answer:?}");
        assert_eq!(answer.json()["code"], 400);
    }
}
