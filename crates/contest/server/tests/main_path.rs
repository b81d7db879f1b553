//! A contest by HTTP alone, with a judgehost that is played by the test.

mod support;

use serde_json::{Value, json};
use support::{Server, done, judge, program, registration, stream_report};

#[test]
fn a_submission_is_judged_and_on_the_board() {
    let server = Server::with_demo();
    let (ants, public, host) = (server.by_name("ants"), server.public(), server.registered_judgehost());

    let sent = ants.post("submissions", &program("int main() {}"));
    assert_eq!(sent.header("location"), Some("/api/contests/demo/submissions/1"));
    let submission = sent.expect(201);
    assert_eq!((&submission["id"], &submission["team_id"]), (&json!("1"), &json!("ants")));
    let board = public.get("scoreboard").expect(200);
    assert_eq!(board["rows"][0]["problems"][0]["num_pending"], 1);

    judge(&host, "h1", "AC");
    let judgements = ants.get("judgements?submission_id=1").expect(200);
    assert_eq!((&judgements[0]["id"], &judgements[0]["judgement_type_id"]), (&json!("1-1"), &json!("AC")));
    let details = ants.get("judgements/1-1/details").expect(200);
    assert_eq!((&details["compile_output"], &details["judgehost"]), (&json!("a warning"), &json!(null)));
    let answer = public.get("scoreboard");
    let board = answer.expect(200);
    let row = &board["rows"][0];
    assert_eq!(
        (&row["team_id"], &row["rank"], &row["score"]["num_solved"]),
        (&json!("ants"), &json!(1), &json!(1))
    );
    assert_eq!(row["problems"][0]["first_to_solve"], true);
    let tag = answer.header("etag").unwrap();
    let again = public.with("if-none-match", tag).get("scoreboard");
    assert_eq!((again.status, again.body.len()), (304, 0));

    let files = ants.get("submissions/1/files");
    assert_eq!((files.status, files.header("content-type")), (200, Some("application/zip")));
    let bees = server.by_name("bees");
    bees.get("submissions/1/files").expect(403);
    bees.get("judgements/1-1").expect(200);
}

#[test]
fn everything_is_there_after_a_restart() {
    let server = Server::with_demo();
    let host = server.registered_judgehost();
    let ants = server.by_name("ants");
    ants.post("submissions", &program("1")).expect(201);
    judge(&host, "h1", "AC");
    ants.post("submissions", &program("2")).expect(201);
    let before = server.public().get("scoreboard");
    let server = server.restart();
    let after = server.public().get("scoreboard");
    assert_eq!(before.json(), after.json());
    assert_eq!(before.header("etag"), after.header("etag"));
    let host = server.judgehost();
    let unknown = host.post("/api/judgehosts/h2/claim", &json!({"max": 1, "wait_s": 0}));
    unknown.expect(409);
    judge(&host, "h1", "WA");
}

#[test]
fn a_judgehost_that_is_not_like_its_pool_is_refused() {
    let server = Server::start();
    let host = server.judgehost();
    host.put("/api/judgehosts/h1", &registration("1", &["cpu: x", "turbo: off"])).expect(200);
    let refused = host.put("/api/judgehosts/h2", &registration("1", &["cpu: y", "turbo: off"])).expect(409);
    assert_eq!(refused["differences"], json!([{"pool": "cpu: x", "judgehost": "cpu: y"}]));
    server.public().put("/api/judgehosts/h3", &registration("1", &["cpu: x"])).expect(401);
}

#[test]
fn a_lease_that_was_lost_reports_nothing() {
    let server = Server::with_demo();
    let (ants, host) = (server.by_name("ants"), server.registered_judgehost());
    ants.post("submissions", &program("1")).expect(201);
    let claim = |id: &str| {
        let path = format!("/api/judgehosts/{id}/claim");
        host.post(&path, &json!({"max": 1, "wait_s": 0})).expect(200)["jobs"][0].clone()
    };
    let job = claim("h1");
    // Started again: the old lease ends at once.
    host.put("/api/judgehosts/h1", &registration("2", &["cpu: x"])).expect(200);
    let old = host.post("/api/judgehosts/h1/reports", &json!({"reports": [done(&job, 1, "AC")]})).expect(200);
    assert_eq!(old["answers"][0]["state"], "stale");
    let again = claim("h1");
    assert_eq!(again["job"], job["job"]);
    assert!(again["fence"].as_u64() > job["fence"].as_u64());
    let held = json!({"jobs": [{"job": job["job"], "fence": job["fence"]}], "state": "working"});
    let beat = host.post("/api/judgehosts/h1/heartbeat", &held).expect(200);
    assert_eq!(beat["stale"], json!([job["job"]]));
}

#[test]
fn a_claim_waits_for_a_submission() {
    let server = Server::with_demo();
    let (ants, host) = (server.by_name("ants"), server.registered_judgehost());
    let waiting = {
        let host = host.clone();
        std::thread::spawn(move || {
            host.post("/api/judgehosts/h1/claim", &json!({"max": 5, "wait_s": 20})).expect(200)
        })
    };
    ants.post("submissions", &program("1")).expect(201);
    let claim = waiting.join().unwrap();
    assert_eq!(claim["jobs"][0]["job"], "demo/1-1");
    assert_eq!(claim["jobs"][0]["language"], "cpp");
    let package = claim["jobs"][0]["package"].clone();
    let blob = host.get(&format!("/api/blobs/{}", package["hash"].as_str().unwrap()));
    assert_eq!((blob.status, blob.body.len() as u64), (200, package["size_bytes"].as_u64().unwrap()));
    assert_eq!(
        host.with("range", "bytes=0-1")
            .get(&format!("/api/blobs/{}", package["hash"].as_str().unwrap()))
            .body,
        b"PK"
    );
}

#[test]
fn a_short_file_of_a_contest_makes_nothing_more_visible() {
    let server = Server::with_demo();
    let admin = server.admin();
    let settings = json!({
        "is_public": false, "shows_compiler_output": false, "verification_required": true,
        "scoreboard_freeze_duration": "1:00:00", "languages": ["cpp"], "duration": "5:00:00",
    });
    admin.patch("settings", &settings).expect(200);
    let read = || {
        let all = admin.get("settings").expect(200);
        settings.as_object().unwrap().keys().map(|key| all[key].clone()).collect::<Vec<_>>()
    };
    let import = |text: &str| {
        admin.post("/api/contests/import", &json!({"files": {"contest.yaml": text}})).expect(200);
    };
    let before = read();
    import("id: demo\nname: Demo\nduration: 5:00:00\n");
    assert_eq!(read(), before);
    import(
        "id: demo\nname: Demo\nduration: 5:00:00\npublic: true\nshows_compiler_output: true\nlanguages: [c]\n",
    );
    assert_ne!(read(), before);
}

#[test]
fn settings_are_all_known_or_refused() {
    let server = Server::start();
    let admin = server.admin();
    let new = |more: serde_json::Value| {
        let mut all = json!({"id": "c", "name": "C", "duration": "5:00:00"});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        admin.post("/api/contests", &all)
    };
    assert_eq!(new(json!({"is_publik": true})).expect(400)["field"], "is_publik");
    assert_eq!(new(json!({"medals": {"gold": 1}})).expect(400)["field"], "medals.bronze");
    assert_eq!(new(json!({"name": "x".repeat(256)})).expect(400)["field"], "name");
    new(json!({"scoreboard_freeze_duration": "1:00:00", "languages": ["cpp"]})).expect(201);
    let settings = || admin.get("/api/contests/c/settings").expect(200);
    assert_eq!(settings()["is_public"], true, "as in a file");
    let change = json!({"scoreboard_freeze_duration": null, "languages": [], "scoreboard_type": "score"});
    let before = settings();
    let after = admin.patch("/api/contests/c/settings", &change).expect(200);
    assert_eq!(after, settings());
    for (name, value) in before.as_object().unwrap() {
        assert_eq!(&after[name], change.get(name).unwrap_or(value), "{name}");
    }
    assert_eq!(admin.patch("/api/contests/c/settings", &json!({"freeze_after": 1})).status, 400);
    assert_eq!(admin.patch("/api/contests/c/settings", &json!({"id": "d"})).status, 409);
}

#[test]
fn files_are_imported_whole_or_not_at_all() {
    let server = Server::with_demo();
    let admin = server.admin();
    let teams = |text: &str| json!({"contest_id": "demo", "files": {"teams.yaml": text}});
    let good = teams("- {id: cats, name: Cats}\n- {id: dogs, name: Dogs}\n");
    let report = admin.post("/api/contests/import?dry_run=true", &good).expect(200);
    assert_eq!((&report["dry_run"], &report["changes"]), (&json!(true), &json!(["teams: 2"])));
    let count = || admin.get("teams").expect(200).as_array().unwrap().len();
    assert_eq!(count(), 2, "a dry run changes nothing");
    let wrong =
        admin.post("/api/contests/import", &teams("- {id: cats, name: Cats}\n- {id: dogs}\n")).expect(422);
    assert_eq!((&wrong["errors"][0]["file"], &wrong["errors"][0]["line"]), (&json!("teams.yaml"), &json!(2)));
    // What is there shows what a spreadsheet of other columns changes.
    let table = json!({"contest_id": "demo", "files": {"list.csv": "Team;University\r\nCats;TU Berlin\r\n"}});
    let report = admin.post("/api/contests/import?dry_run=true", &table).expect(200);
    let fields = json!([{"name": "organization_id", "before": null, "after": "tuberlin"}]);
    let added = |id: &str, name: &str, fields: Value| {
        let change = json!({"id": id, "name": name, "is_new": true, "fields": fields});
        json!({"added": 1, "changed": 0, "unchanged": 0, "changes": [change]})
    };
    let mut expect = [added("tuberlin", "TU Berlin", json!([])), added("1", "Cats", fields)];
    expect[0]["kind"] = json!("organizations");
    expect[1]["kind"] = json!("teams");
    assert_eq!(report["objects"], json!(expect));
    // The second team is refused by the server's state: the first is taken back.
    let dangling = teams("- {id: cats, name: Cats}\n- {id: dogs, name: Dogs, organization_id: nowhere}\n");
    assert_eq!(admin.post("/api/contests/import", &dangling).status, 400);
    assert_eq!(count(), 2);
    admin.post("/api/contests/import", &good).expect(200);
    assert_eq!(count(), 4);
}

#[test]
fn early_refusals_reach_the_client() {
    let server = Server::start();
    for _ in 0..50 {
        let answer = server.public().send(
            "PUT",
            &format!("/api/blobs/{}", "0".repeat(64)),
            Some("a/b"),
            &[0; 500_000],
        );
        assert_eq!(answer.status, 401);
    }
}

#[test]
fn a_machine_is_shown_and_asked_for_after_a_restart() {
    let server = Server::start();
    let machine = json!({
        "tauto_version": "1", "self_test": {"programs": [], "languages": []}, "topology": null, "places": ["1"],
        "helper_cpus": "0", "check": null, "settings_passed": 3, "noise": [], "unavailable": {"noise": "not asked for"},
    });
    let mut register = registration("1", &["cpu: x"]);
    register["machine"] = machine.clone();
    server.judgehost().put("/api/judgehosts/h1", &register).expect(200);
    let work = json!([{"job": "demo/1-1", "step": "running", "for_ms": 5, "case": "secret/1", "attempt": 2}]);
    let places = json!([{"cpus": "1", "work": work}]);
    let reference = json!([{"cpu_time_ns": 1_000, "at_unix_ms": 7}]);
    let held = json!({"jobs": [], "state": "working", "places": places, "reference": reference});
    let beat = |server: &Server, body: &Value| {
        server.judgehost().post("/api/judgehosts/h1/heartbeat", body).expect(200)
    };
    assert_eq!(beat(&server, &held)["wants_machine"], false);
    let path = "/api/judgehosts/h1/machine";
    let shown = server.admin().get(path).expect(200);
    assert_eq!(shown, json!({"machine": machine, "places": places, "references": reference}));
    server.admin().get("/api/judgehosts/h2/machine").expect(404);

    let server = server.restart();
    let empty = json!({"machine": null, "places": [], "references": []});
    assert_eq!(server.admin().get(path).expect(200), empty);
    let mut next = json!({"jobs": [], "state": "working"});
    assert_eq!(beat(&server, &next)["wants_machine"], true);
    next["machine"] = machine.clone();
    assert_eq!(beat(&server, &next)["wants_machine"], false);
    assert_eq!(server.admin().get(path).expect(200)["machine"], machine);
}

#[test]
fn languages_that_wait_for_their_test_and_those_that_fail_are_shown() {
    let server = Server::with_demo();
    let host = server.judgehost();
    let mut register = registration("1", &["cpp: x", "java: y", "rust: z"]);
    let language = |id: &str, error: Value, is_tested: bool| json!({"id": id, "version": null, "error": error, "is_tested": is_tested});
    register["self_test"]["languages"] = json!([
        language("cpp", Value::Null, true),
        language("java", Value::Null, false),
        language("rust", json!("no linker"), true),
    ]);
    host.put("/api/judgehosts/h1", &register).expect(200);
    let shown = || {
        let host = server.admin().get("/api/judgehosts/h1").expect(200);
        (host["untested_languages"].clone(), host["broken_languages"].clone())
    };
    assert_eq!(shown(), (json!(["java"]), json!([])));
    let checks = || {
        let report = server.admin().get("check").expect(200);
        let checks = report["checks"].as_array().unwrap().clone();
        checks.iter().filter(|one| one["id"] == "languages-tested").cloned().collect::<Vec<_>>()
    };
    assert_eq!(checks()[0]["text"], "h1 has not tested language java yet");
    host.post("/api/judgehosts/h1/claim", &json!({"max": 1, "wait_s": 0, "except_languages": ["rust"]}))
        .expect(200);
    let beat = json!({"jobs": [], "state": "working", "untested_languages": ["java", "kotlin"]});
    host.post("/api/judgehosts/h1/heartbeat", &beat).expect(200);
    assert_eq!(shown(), (json!(["java", "kotlin"]), json!(["rust"])));
    host.post("/api/judgehosts/h1/heartbeat", &json!({"jobs": [], "state": "working"})).expect(200);
    assert_eq!((shown().0, checks().len()), (json!([]), 0));
}

#[test]
fn languages_that_no_judgehost_has_are_not_offered_and_what_nothing_judges_says_so() {
    let server = Server::with_demo();
    let (admin, ants, host) = (server.admin(), server.by_name("ants"), server.judgehost());
    let ids = |list: Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert!(ids(ants.get("languages").expect(200)).len() > 20, "no machine has joined");
    let mut register = registration("1", &["cpu: x"]);
    register["compilers"] = json!(["cpp: x", "rust: z"]);
    host.put("/api/judgehosts/h1", &register).expect(200);
    assert_eq!(ids(ants.get("languages").expect(200)), ["cpp", "rust"]);
    let known = admin.get("/api/languages").expect(200);
    let pools =
        |id: &str| known.as_array().unwrap().iter().find(|one| one["id"] == id).unwrap()["pools"].clone();
    assert_eq!((pools("cpp"), pools("java")), (json!(["default"]), json!([])));
    assert_eq!(ants.get("/api/languages").status, 403);
    let in_language = |language: &str, text: &str| {
        let mut program = program(text);
        program["language_id"] = json!(language);
        ants.post("submissions", &program)
    };
    let mut bare = registration("1", &["cpu: x"]);
    bare["compilers"] = json!([]);
    bare["pool"] = json!("bare");
    host.put("/api/judgehosts/h2", &bare).expect(200);
    admin.patch("/api/contests/demo/settings", &json!({"strict_pool": "bare"})).expect(200);
    assert!(ids(ants.get("languages").expect(200)).len() > 20, "it named no compiler");
    let check = admin.get("check").expect(200);
    let of_languages =
        check["checks"].as_array().unwrap().iter().find(|one| one["id"] == "languages").unwrap();
    assert_eq!(of_languages["state"], "fail", "{of_languages}");
    admin.patch("/api/contests/demo/settings", &json!({"strict_pool": "default"})).expect(200);
    let refused = in_language("java", "1").expect(400);
    assert!(refused["detail"].as_str().unwrap().contains("use one of cpp, rust"), "{refused}");
    in_language("rust", "1").expect(201);
    let waits_for = || ants.get("judgements/1-1/details").expect(200)["waits_for"].clone();
    assert_eq!(waits_for(), Value::Null, "it only waits for its turn");
    host.post("/api/judgehosts/h1/claim", &json!({"max": 0, "wait_s": 0, "except_languages": ["rust"]}))
        .expect(200);
    assert_eq!(waits_for(), "no-compiler");
    let states = admin.get("/api/contests/demo/submission-states").expect(200);
    assert_eq!(states[0]["waits_for"], "no-compiler");
    let check = admin.get("check").expect(200);
    let check =
        check["checks"].as_array().unwrap().iter().find(|one| one["id"] == "languages").unwrap().clone();
    assert_eq!(
        (&check["state"], check["text"].as_str().unwrap().contains("rust")),
        (&json!("fail"), true),
        "{check}"
    );
    admin.patch("/api/judgehosts/h1", &json!({"state": "disabled", "reason": "test"})).expect(204);
    assert_eq!(waits_for(), "no-judgehost");
}

#[test]
fn teams_get_accounts_with_passwords_with_which_they_log_in() {
    let server = Server::with_demo();
    let admin = server.admin();
    // One that has not begun: what is checked then is whether it can.
    admin.post("/api/contests", &json!({"id": "next", "name": "Next", "duration": "5:00:00"})).expect(201);
    let path = |what: &str| format!("/api/contests/next/{what}");
    for (id, name, label) in [("17", "Moths, \"&\" co", "S9"), ("18", "Wasps", "S10")] {
        admin.put(&path("teams"), &json!([{"id": id, "name": name, "label": label}])).expect(204);
    }
    // An account without a password, and one of the name that a team's account would get.
    let account = |username: &str, kind: &str, team: Value| {
        let account = json!({"username": username, "type": kind, "team_id": team, "contest_ids": ["next"]});
        admin.post("/api/accounts", &account).expect(201);
    };
    account("wasps", "team", json!("18"));
    account("17", "spectator", Value::Null);
    let check = || {
        let report = admin.get(&path("check")).expect(200);
        report["checks"].as_array().unwrap().iter().find(|one| one["id"] == "accounts").unwrap().clone()
    };
    assert!(check()["text"].as_str().unwrap().contains("17, 18"), "{}", check());
    let wanted = json!({"address": "http://judge.example"});
    assert_eq!(server.by_name("judge").post(&path("credentials"), &wanted).status, 403);
    assert_eq!(admin.post(&path("credentials"), &json!({"team_ids": ["none"]})).status, 404);
    let made = admin.post(&path("credentials"), &wanted).expect(200);
    let logins: Vec<(&str, &str)> = made["accounts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["username"].as_str().unwrap(), one["password"].as_str().unwrap()))
        .collect();
    assert_eq!(logins.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["team-17", "wasps"], "S9, S10");
    assert_eq!((check()["state"].clone(), made["csv"].as_str().unwrap().lines().count()), (json!("pass"), 3));
    assert!(made["sheets"].as_str().unwrap().contains("Moths, &quot;&amp;&quot; co"));
    let log_in = |name: &str, password: &str| {
        server.public().post("/api/login", &json!({"username": name, "password": password})).status
    };
    assert!(logins.iter().all(|(name, password)| log_in(name, password) == 200));
    for address in ["judge.example".to_owned(), format!("http://{}", "a".repeat(300))] {
        let refused = admin.post(&path("credentials"), &json!({"which": "all", "address": address}));
        assert_eq!((refused.status, log_in("wasps", logins[1].1)), (400, 200), "nothing changed");
    }
    // Those that can log in keep their passwords, unless all get new ones.
    assert_eq!(admin.post(&path("credentials"), &wanted).expect(200)["accounts"], json!([]));
    let anew = json!({"which": "all", "team_ids": ["18"]});
    let again = admin.post(&path("credentials"), &anew).expect(200);
    assert_eq!(again["accounts"].as_array().unwrap().len(), 1);
    assert_eq!((log_in("wasps", logins[1].1), log_in("team-17", logins[0].1)), (401, 200));
}

#[test]
fn a_team_registers_itself_with_the_code() {
    let server = Server::start();
    let (admin, public) = (server.admin(), server.public());
    let contest = json!({"id": "c", "name": "Spring cup", "duration": "5:00:00", "is_public": false});
    admin.post("/api/contests", &contest).expect(201);
    let path = "/api/contests/c/registration";
    assert_eq!(public.get(path).status, 204, "it is closed unless opened");
    let set =
        |registration: Value| admin.patch("/api/contests/c/settings", &json!({"registration": registration}));
    assert_eq!(set(json!({"mode": "code"})).status, 400, "there is no code");
    assert_eq!(set(json!({"mode": "code", "code": "short"})).status, 400);
    set(json!({"mode": "code", "code": "spring-2026"})).expect(200);
    let open = public.get(path).expect(200);
    assert_eq!(open, json!({"contest": "Spring cup", "mode": "code"}), "and nothing else of it is shown");
    let new = |username: &str, team: &str, password: &str, code: &str| {
        let team = json!({"username": username, "team": team, "password": password, "code": code});
        public.post(path, &team)
    };
    assert_eq!(new("bees", "Bees", "a long password", "spring-2025").status, 400);
    assert_eq!(new("bees", "Bees", "short", "spring-2026").status, 400);
    assert_eq!(new("b/es", "Bees", "a long password", "spring-2026").status, 400);
    let made = new("bees", " Bees ", "a long password", "spring-2026");
    assert!(made.header("set-cookie").unwrap().contains("HttpOnly"), "it is logged in");
    assert_eq!(made.expect(201)["account"]["team_id"], "bees");
    assert_eq!(new("bees", "Others", "a long password", "spring-2026").status, 409);
    let bees = server.by_password("bees", "a long password");
    assert_eq!(bees.get("/api/contests/c/teams/bees").expect(200)["name"], "Bees");
    let audit = admin.get("/api/audit?account_id=bees").expect(200);
    assert_eq!(
        audit["entries"].as_array().unwrap().len(),
        4,
        "its team, account, password and login: {audit}"
    );
    assert!(!audit.to_string().contains("argon2"), "{audit}");
    // Guesses of the code are bounded as those of passwords are.
    let guess = || new("wasps", "Wasps", "a long password", "spring-1999").status;
    assert!((0..20).any(|_| guess() == 429));
    assert_eq!(new("wasps", "Wasps", "a long password", "spring-2026").status, 429);
    set(json!({"mode": "closed"})).expect(200);
    assert_eq!(new("ants", "Ants", "a long password", "spring-2026").status, 404);
}

#[test]
fn of_two_requests_for_passwords_at_once_one_makes_them() {
    let server = Server::with_demo();
    let admin = server.admin();
    let teams: Vec<Value> = (0..8).map(|n| json!({"id": format!("x{n}"), "name": format!("X{n}")})).collect();
    admin.put("/api/contests/demo/teams", &json!(teams)).expect(204);
    let ids: Vec<&Value> = teams.iter().map(|team| &team["id"]).collect();
    let wanted = json!({"team_ids": ids});
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let ask = || server.admin().post("/api/contests/demo/credentials", &wanted).expect(200);
        let asked = [scope.spawn(ask), scope.spawn(ask)];
        asked.map(|one| one.join().unwrap()).into()
    });
    let all: Vec<&Value> = answers.iter().flat_map(|answer| answer["accounts"].as_array().unwrap()).collect();
    assert_eq!(all.len(), 8, "the second finds that each team can log in: {answers:?}");
    for one in all {
        let login = json!({"username": one["username"], "password": one["password"]});
        server.public().post("/api/login", &login).expect(200);
    }
}

#[test]
fn a_team_can_log_in_once_an_enabled_account_of_it_has_a_password() {
    let server = Server::start();
    let admin = server.admin();
    admin.post("/api/contests", &json!({"id": "c", "name": "C", "duration": "5:00:00"})).expect(201);
    admin.put("/api/contests/c/teams", &json!([{"id": "t", "name": "T"}])).expect(204);
    let amiss = || {
        let report = admin.get("/api/contests/c/check").expect(200);
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|one| one["id"] == "accounts").unwrap()["state"] != "pass"
    };
    let account = json!({"username": "t", "type": "team", "team_id": "t", "contest_ids": ["c"]});
    admin.post("/api/accounts", &account).expect(201);
    assert!(amiss(), "there is no password");
    let change = |patch: Value| admin.patch("/api/accounts/t", &patch).expect(200);
    change(json!({"password": "a long password"}));
    assert!(!amiss());
    change(json!({"is_enabled": false}));
    assert!(amiss(), "it is disabled");
}

#[test]
fn the_jury_sees_how_the_contest_goes() {
    let server = Server::with_demo();
    let (ants, host) = (server.by_name("ants"), server.registered_judgehost());
    ants.post("submissions", &program("1")).expect(201);
    judge(&host, "h1", "AC");
    let path = "/api/contests/demo/analysis";
    assert_eq!(ants.get(path).status, 403);
    let analysis = server.by_name("analyst").get(path).expect(200);
    let problem = &analysis["problems"][0];
    assert_eq!(analysis["step"], "0:05:00.000");
    assert_eq!((&problem["verdicts"], &problem["attempts"]), (&json!({"AC": 1}), &json!([1])));
    assert_eq!(problem["first_solve"]["team_id"], "ants");
    assert_eq!((&problem["sent"][0], &problem["solved"][0]), (&json!(1), &json!(1)));
    if let Some(times) = problem["run_times"]["accepted"].as_array() {
        assert_eq!((times.len(), times.iter().filter_map(Value::as_u64).sum::<u64>()), (41, 1));
    }
    assert_eq!(analysis["languages"][0]["language_id"], "cpp");
    assert_eq!(server.admin().get(&format!("{path}?group_id=nothing")).status, 404);
}

#[test]
fn a_live_stream_contest_is_shown_to_everybody_and_passwords_to_their_teams() {
    let server = Server::with_demo();
    let path = "/api/contests/demo/stream";
    assert_eq!(server.public().get(path).status, 204);
    let admin = server.admin();
    // A server that was started again asks for passwords before it shows anything.
    let reported = admin.put(path, &stream_report(Value::Null)).expect(200);
    assert_eq!((reported["needs_passwords"].clone(), server.public().get(path).status), (json!(true), 204));
    let passwords = json!({"ants": "pw-ants", "bees": "pw-bees"});
    assert_eq!(admin.put(path, &stream_report(passwords)).expect(200)["needs_passwords"], false);
    assert_eq!(admin.put(path, &stream_report(Value::Null)).expect(200)["needs_passwords"], false);

    let seen = |by: &support::Client| {
        let view = by.get(path).expect(200);
        (
            view["input"].clone(),
            view["user"].clone(),
            view["password"].clone(),
            view["board"]["digits"].clone(),
        )
    };
    let input = json!("10.0.0.1:10001");
    let ants = server.by_name("ants");
    assert_eq!(seen(&ants), (input.clone(), json!("ants"), json!("pw-ants"), json!(9)));
    assert_eq!(seen(&server.public()), (Value::Null, Value::Null, Value::Null, json!(9)));
    assert_eq!(seen(&admin), (input, Value::Null, Value::Null, json!(9)));
    ants.put(path, &stream_report(Value::Null)).expect(403);
    admin.put(path, &json!({"input": "x"})).expect(400);
}
