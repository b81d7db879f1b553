//! Contest packages: out, in, and out again.

#![allow(clippy::unwrap_used)]

mod foreign;
#[path = "../support/mod.rs"]
mod support;

use base64::Engine;
use foreign::{PNG, of_another_system, with_hidden_team};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Cursor;
use support::{Server, judge, program, set_up};
use test_support::{Files, unzip, zip};

/// Judges some submissions of the contest `demo`.
fn play(server: &Server) {
    set_up(server);
    let host = server.registered_judgehost();
    for (team, text, verdict) in
        [("ants", "1", "WA"), ("bees", "2", "AC"), ("ants", "3", "AC"), ("bees", "4", "CE")]
    {
        server.by_name(team).post("submissions", &program(text)).expect(201);
        judge(&host, "h1", verdict);
    }
    let (ants, admin) = (server.by_name("ants"), server.admin());
    ants.post("clarifications", &json!({"text": "Why?"})).expect(201);
    let answer = json!({"text": "So.", "reply_to_id": "1", "to_team_ids": ["ants"]});
    admin.post("clarifications", &answer).expect(201);
    let person =
        json!([{"id": "ada", "name": "Ada", "role": "contestant", "team_ids": ["ants"], "sex": "female"}]);
    admin.put("persons", &person).expect(204);
    admin.post("commentary", &json!({"message": "{teams:ants} leads", "tags": ["accepted"]})).expect(201);
    let award = json!({"citation": "Best hat", "team_ids": ["bees"]});
    admin.put("awards/best-hat", &award);
    admin.post("submissions/4/ignore", &json!({"is_ignored": true, "reason": "a test"})).expect(204);
    let hand = json!({"judgement_type_id": "AC", "reason": "a test", "password": server.admin_password});
    admin.post("submissions/1/override", &hand).expect(204);
}

fn json_of(files: &Files, name: &str) -> Value {
    serde_json::from_slice(files.get(name).unwrap_or_else(|| panic!("no {name}"))).unwrap()
}

/// Ends the contest, and makes its result final.
fn finish(server: &Server) {
    let admin = server.admin();
    let settings = json!({
        "start_time": support::at(-100), "duration": "0:01:41", "scoreboard_freeze_duration": "0:00:10",
        "penalty_time": "0:00:20", "medals": {"gold": 1, "silver": 1, "bronze": 0},
    });
    admin.patch("settings", &settings).expect(200);
    let last = json!({"extra_bronze": 1, "comment": "done"});
    // It ends within two seconds.
    while admin.post("finalize", &last).status != 200 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_package_has_what_the_api_has() {
    let server = Server::start();
    play(&server);
    let analyst = server.by_name("analyst");
    let answer = analyst.get("package.zip");
    assert_eq!(answer.status, 200);
    let files = unzip(&answer.body);
    for name in
        ["submissions", "runs", "clarifications", "awards", "commentary", "state", "languages", "groups"]
    {
        let api = analyst.get(name).expect(200);
        let packaged = json_of(&files, &format!("{name}.json"));
        if name == "submissions" {
            let ids =
                |all: &Value| all.as_array().unwrap().iter().map(|one| one["id"].clone()).collect::<Vec<_>>();
            assert_eq!(ids(&packaged), ids(&api));
            assert_eq!(
                (&packaged[0]["files"][0]["filename"], &packaged[0]["files"][0]["href"]),
                (&json!("submission-1.zip"), &Value::Null)
            );
        } else if name == "languages" {
            // The API has those that this server's pool can compile.
            let packaged = packaged.as_array().unwrap();
            assert!(api.as_array().unwrap().iter().all(|language| packaged.contains(language)));
        } else {
            assert_eq!(packaged, api, "{name}");
        }
    }
    // What counts is what was set by hand.
    assert_eq!(json_of(&files, "judgements.json")[0]["judgement_type_id"], "AC");
    assert_eq!(json_of(&files, "contest.json")["penalty_time"], "0:20:00.000");
    let source = unzip(&files["submissions/3/submission-3.zip"]);
    assert_eq!(source["a.cpp"], b"3");
    assert_eq!(files["problems/different/different.zip"], analyst.get("problems/different/package").body);
    let text = answer.body.windows(6).any(|bytes| bytes == b"argon2");
    assert!(!text && !files.contains_key("access.json"));

    let feed = String::from_utf8(files["event-feed.ndjson"].clone()).unwrap();
    let mut copy = follower::Copy::default();
    assert_eq!(feed.lines().flat_map(|line| copy.apply(line)).collect::<Vec<_>>(), Vec::<String>::new());
    for name in follower::Copy::collections() {
        assert_eq!(copy.compare(name, &json_of(&files, &format!("{name}.json"))), Vec::<String>::new());
    }
    assert_eq!(analyst.get("package.zip").body, answer.body, "the same contest is the same bytes");
    server.by_name("ants").get("package.zip").expect(403);
    analyst.get("package.zip?resolver=true").expect(409);
    finish(&server);
    let files = unzip(&analyst.get("package.zip?resolver=true").body);
    let last: Value =
        serde_json::from_slice(files["event-feed.ndjson"].split(|byte| *byte == b'\n').rev().nth(1).unwrap())
            .unwrap();
    assert_eq!((&last["type"], last["data"]["end_of_updates"].is_string()), (&json!("state"), true));
}

fn import(server: &Server, package: &[u8]) -> Value {
    server.admin().send("POST", "/api/contests/import/package", Some("application/zip"), package).expect(200)
}

#[test]
fn a_contest_that_was_imported_is_exported_as_the_same_bytes() {
    let server = Server::start();
    play(&server);
    finish(&server);
    let analyst = server.by_name("analyst");
    let first = analyst.get("package.zip").body;
    let board = analyst.get("scoreboard").expect(200);

    let other = Server::start();
    let tried = other.admin().send(
        "POST",
        "/api/contests/import/package?dry_run=true",
        Some("application/zip"),
        &first,
    );
    assert_eq!(tried.expect(200)["dry_run"], true);
    other.admin().get("/api/contests/demo").expect(404);
    let report = import(&other, &first);
    assert!(report["changes"].to_string().contains("judgements: 4"), "{report}");
    let admin = other.admin();
    assert_eq!(admin.get("scoreboard").expect(200), board);
    let (before, after) = (unzip(&first), unzip(&admin.get("package.zip").body));
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (name, bytes) in &before {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(bytes), text(&after[name]), "{name}");
    }
    assert_eq!(admin.get("package.zip").body, first);
    // Nothing is judged by it, and the audit says so.
    let counts = admin.get("/api/jobs").expect(200);
    assert!(!counts.to_string().contains("demo/"), "{counts}");
    let audit = admin.get("/api/audit?kind=import&text=none%20started").expect(200);
    assert_eq!(audit["entries"].as_array().map_or(0, Vec::len), 4, "{audit}");
    // It is final.
    let again = admin.send("POST", "/api/contests/import/package", Some("application/zip"), &first);
    assert!(again.expect(409)["detail"].as_str().unwrap().contains("the result is final"));
}

#[test]
fn a_contest_of_another_system_shows_the_same_board() {
    let server = Server::start();
    let package = of_another_system();
    let report = import(&server, &zip(&package));
    let warnings = report["warnings"].to_string();
    for text in [
        "'NO': is no verdict here",
        "'apples' has no package",
        "3 submissions came without",
        "total_time is 251 there",
    ] {
        assert!(warnings.contains(text), "{text}: {warnings}");
    }
    let (admin, public) = (server.admin(), server.public());
    let board = public.get("/api/contests/finals/scoreboard").expect(200);
    let row =
        |at: usize| (board["rows"][at]["team_id"].clone(), board["rows"][at]["score"]["total_time"].clone());
    assert_eq!((row(0), row(1)), ((json!("t1"), json!("0:50:00.000")), (json!("t2"), json!("4:10:00.000"))));
    assert_eq!(admin.get("/api/contests/finals/state").expect(200)["finalized"], "2025-03-01T15:00:00.000Z");
    // Its ids are numbers of ours, in the order of time; the audit has the others.
    let submission = admin.get("/api/contests/finals/submissions/1").expect(200);
    assert_eq!(
        (&submission["time"], &submission["contest_time"]),
        (&json!("2025-03-01T09:10:00.000Z"), &json!("0:10:00.000"))
    );
    assert_eq!(unzip(&admin.get("/api/contests/finals/submissions/1/files").body)["a.py"], b"print(1)");
    let types = admin.get("/api/contests/finals/judgement-types").expect(200);
    assert_eq!(types.as_array().unwrap().iter().find(|one| one["id"] == "CE").unwrap()["penalty"], true);
    let organization = admin.get("/api/contests/finals/organizations/uni").expect(200);
    assert_eq!(
        (&organization["logo"][0]["width"], &organization["country_subdivision"]),
        (&json!(56), &json!("DE-BY"))
    );
    let team = admin.get("/api/contests/finals/teams/t1").expect(200);
    assert_eq!((&team["photo"][0]["height"], &team["photo"][0]["tag"]), (&json!(40), &json!(["dark"])));
    assert_eq!(admin.get("/api/contests/finals/persons/p1").expect(200)["team_ids"], json!(["t2"]));
    assert!(!warnings.contains("is left out: "), "{warnings}");
    assert_eq!(admin.get("/api/contests/finals/awards/best-hat").expect(200)["team_ids"], json!(["t2"]));
    assert_eq!(admin.get("/api/contests/finals/clarifications/2").expect(200)["reply_to_id"], "1");
    server.by_name("team1").get("/api/account").expect(200);
    // And out again it is the same from then on.
    let first = admin.get("/api/contests/finals/package.zip").body;
    let other = Server::start();
    import(&other, &first);
    assert_eq!(other.admin().get("/api/contests/finals/package.zip").body, first);
}

#[test]
fn the_resolver_gets_no_hidden_team_and_nothing_of_theirs() {
    let server = Server::start();
    import(&server, &zip(&with_hidden_team()));
    let admin = server.admin();
    let state = admin.get("/api/contests/hid/state").expect(200);
    assert_eq!(
        (&state["thawed"], &state["finalized"]),
        (&json!("2026-11-20T15:00:00.000Z"), &state["thawed"])
    );
    assert!(state["end_of_updates"].is_string(), "{state}");
    let export = |query: &str| unzip(&admin.get(&format!("/api/contests/hid/package.zip{query}")).body);
    let (whole, shown) = (export(""), export("?resolver=true"));
    let ids = |files: &Files, name: &str| -> Vec<String> {
        let all = json_of(files, &format!("{name}.json"));
        all.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    for (name, of_whole, of_shown) in [
        ("teams", vec!["jury", "t1", "t2"], vec!["t1"]),
        ("groups", vec!["g", "ghosts"], vec!["g"]),
        ("organizations", vec!["secret", "u", "vault"], vec!["u"]),
        ("persons", vec!["p1", "spy"], vec!["p1"]),
        ("accounts", vec!["hidden-1", "shown-1"], vec!["shown-1"]),
        ("submissions", vec!["1", "2", "3"], vec!["3"]),
        ("clarifications", vec!["1", "2", "3"], vec!["3"]),
    ] {
        assert_eq!(
            (ids(&whole, name), ids(&shown, name)),
            (
                of_whole.iter().map(|id| (*id).to_owned()).collect(),
                of_shown.iter().map(|id| (*id).to_owned()).collect()
            ),
            "{name}"
        );
    }
    assert_eq!(json_of(&shown, "clarifications.json")[0]["to_team_ids"], json!(["t1"]));
    assert_eq!(json_of(&shown, "judgements.json").as_array().unwrap().len(), 1);
    // Not even as the group of the main board.
    let mut package = with_hidden_team();
    let mut contest = json_of(&package, "contest.json");
    contest["main_scoreboard_group_id"] = json!("ghosts");
    package.insert("contest.json".to_owned(), contest.to_string().into_bytes());
    let second = Server::start();
    import(&second, &zip(&package));
    let of_second =
        |query: &str| unzip(&second.admin().get(&format!("/api/contests/hid/package.zip{query}")).body);
    assert_eq!(json_of(&of_second(""), "contest.json")["main_scoreboard_group_id"], "ghosts");
    for (name, content) in shown.iter().chain(&of_second("?resolver=true")) {
        let text = String::from_utf8_lossy(content);
        for secret in ["\"jury\"", "ghosts", "spy", "hidden-1", "\"t2\"", "vault", "Vault"] {
            assert!(!text.contains(secret), "{name} has {secret}: {text}");
        }
    }
    let winner = |files: &Files| {
        let awards = json_of(files, "awards.json");
        awards.as_array().unwrap().iter().find(|one| one["id"] == "winner").unwrap()["team_ids"].clone()
    };
    assert_eq!((winner(&whole), winner(&shown)), (json!(["t1"]), json!(["t1"])));
    let jury = json_of(&whole, "teams.json")[0].clone();
    assert_eq!((&jury["hidden"], &jury["is_hidden"]), (&json!(true), &Value::Null));
}

#[test]
fn settings_as_files_lose_nothing() {
    let server = Server::start();
    let mut package = with_hidden_team();
    // Nothing has happened, so that it can change.
    for name in ["state", "problems", "submissions", "judgements", "clarifications"] {
        package.remove(&format!("{name}.json"));
    }
    import(&server, &zip(&package));
    let admin = server.admin();
    let logo = json!({"logo": [{"data": base64::engine::general_purpose::STANDARD.encode(PNG), "filename": "l.png", "tag": ["dark"]}]});
    admin.patch("/api/contests/hid/organizations/u", &logo).expect(200);
    let camera = json!({"webcam": [{"href": "https://cam.example/1", "filename": "c.m3u8", "mime": "application/vnd.apple.mpegurl"}]});
    admin.patch("/api/contests/hid/teams/t1", &camera).expect(200);
    let exported = admin.get("/api/contests/hid/export").expect(200);
    let file = |name: &str| serde_json::from_str::<Value>(exported["files"][name].as_str().unwrap()).unwrap();
    assert_eq!(file("teams.json")[1]["location"], json!({"x": 1.0, "y": 2.0, "rotation": 3.0}));
    assert_eq!(file("organizations.json")[1]["url"], "https://u.example");
    assert_eq!(file("contest.json")["location"], json!({"latitude": 1.0, "longitude": 2.0}));
    assert_eq!(
        (&file("persons.json")[1]["id"], &file("accounts.json")[0]["person_id"]),
        (&json!("spy"), &json!("spy"))
    );
    let answer = admin.post("/api/contests/import", &exported).expect(200);
    assert_eq!(answer["warnings"], json!([]));
    assert_eq!(admin.get("/api/contests/hid/export").expect(200), exported);
    // A copy has the same objects with the same files.
    let mut copy = exported.clone();
    copy["contest_id"] = json!("copy");
    let mut contest = file("contest.json");
    contest["id"] = json!("copy");
    copy["files"]["contest.json"] = json!(contest.to_string());
    copy["files"].as_object_mut().unwrap().remove("accounts.json");
    admin.post("/api/contests/import", &copy).expect(200);
    for (name, property) in [("organizations/u", "logo"), ("teams/t1", "webcam"), ("persons/spy", "photo")] {
        let get = |contest: &str| {
            let mut object = admin.get(&format!("/api/contests/{contest}/{name}")).expect(200);
            let hrefs = object[property].as_array_mut().into_iter().flatten();
            hrefs.for_each(|file| file["href"] = json!(file["href"].as_str().unwrap().replace(contest, "C")));
            object
        };
        assert_eq!(get("copy"), get("hid"), "{name}");
        assert!(property == "photo" || get("copy")[property][0].is_object(), "{name}");
    }
}

#[test]
fn mistakes_are_named_and_nothing_is_changed() {
    let server = Server::start();
    let admin = server.admin();
    let check = |change: &dyn Fn(&mut Files), status: u16, expect: &str| {
        let mut package = of_another_system();
        change(&mut package);
        let answer =
            admin.send("POST", "/api/contests/import/package", Some("application/zip"), &zip(&package));
        let text = answer.expect(status).to_string();
        assert!(text.contains(expect), "{expect}: {text}");
        admin.get("/api/contests/finals").expect(404);
    };
    let put = |name: &'static str, content: &'static str| {
        move |files: &mut Files| drop(files.insert(format!("finals/{name}"), content.into()))
    };
    check(&put("teams.json", "[{\"id\": \"t1\"}]"), 422, "\"file\":\"teams.json\",\"line\":1");
    check(
        &put("submissions.json", "[\n{\"id\": \"1\"}]"),
        422,
        "\"line\":2,\"message\":\"missing field `language_id`",
    );
    check(&put("event-feed.ndjson", "{}\n"), 422, "\"file\":\"event-feed.ndjson\",\"line\":1");
    let unknown =
        "[{\"id\": \"1\", \"language_id\": \"c\", \"problem_id\": \"x\", \"contest_time\": \"0:01:00\"}]";
    check(&put("submissions.json", unknown), 422, "there is no submission");
    check(&|files| drop(files.insert("../evil".to_owned(), Vec::new())), 422, "is no name of a file");
    let many = |files: &mut Files| {
        let name = |number: u32| format!("finals/problems/apples/apples.en-{number:03}.pdf");
        files.extend((0..201).map(|number| (name(number), b"%PDF-1.4".to_vec())));
    };
    check(&many, 422, "statements in more than 100 languages");
    check(&|files| drop(files.remove("finals/contest.yaml")), 400, "has no contest");
    let answer = admin.send("POST", "/api/contests/import/package", Some("application/zip"), b"PK");
    assert!(answer.expect(422).to_string().contains("the zip cannot be read"));
    // Only who may do all on the server.
    server.public().send("POST", "/api/contests/import/package", Some("application/zip"), b"PK").expect(401);
}

#[test]
fn a_package_takes_over_no_account_and_makes_no_admin() {
    let server = Server::start();
    let admin = server.admin();
    let contest = "id: ours\nname: Ours\nduration: 5:00:00\n";
    admin.post("/api/contests/import", &json!({"files": {"contest.yaml": contest}})).expect(200);
    let judge = |id: &str| json!({"id": id, "username": id, "type": "judge", "contest_ids": ["ours"]});
    admin.post("/api/accounts", &judge("chief")).expect(201);
    let before = admin.get("/api/accounts").expect(200);
    let accounts = "- {id: chief, type: judge, password: mine-mine-mine}\n\
        - {id: admin, type: judge, password: mine-mine-mine}\n\
        - {id: boss, type: admin, password: mine-mine-mine}\n\
        - {id: judgehost, type: judgehost, password: mine-mine-mine}\n\
        - {id: new, type: judge, password: mine-mine-mine, ip: 0.0.0.0/0}\n";
    let theirs = contest.replace("ours", "theirs");
    let alone = json!({"files": {"contest.yaml": theirs, "accounts.yaml": accounts}});
    let mut files: Files = BTreeMap::new();
    files.insert("contest.yaml".to_owned(), theirs.clone().into_bytes());
    files.insert("accounts.yaml".to_owned(), accounts.as_bytes().to_vec());
    let by_file = || admin.post("/api/contests/import", &alone).expect(200);
    let by_archive = || import(&server, &zip(&files));
    let paths: [&dyn Fn() -> Value; 2] = [&by_file, &by_archive];
    for (at, import) in paths.into_iter().enumerate() {
        let report = import();
        let text = report["warnings"].to_string();
        for id in ["chief", "admin", "boss", "judgehost"] {
            assert!(text.contains(&format!("account '{id}'")), "{id}: {text}");
        }
        let expect = ["new accounts of type judge: 1", "accounts that exist and are set anew: 1 (new)"][at];
        assert!(report["changes"].to_string().contains(expect), "{report}");
        let after = admin.get("/api/accounts").expect(200);
        let of = |all: &Value, id: &str| all.as_array().unwrap().iter().find(|one| one["id"] == id).cloned();
        for id in ["chief", "admin", "boss", "judgehost"] {
            assert_eq!(of(&after, id), of(&before, id));
        }
        let new = of(&after, "new").unwrap();
        assert_eq!((&new["contest_ids"], &new["ip"]), (&json!(["theirs"]), &Value::Null));
    }
}

/// Returns how many files are in a folder and those below.
fn count(folder: &std::path::Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.map(|path| if path.is_dir() { count(&path) } else { 1 }).sum()
}

#[test]
fn a_dry_run_stores_nothing() {
    let server = Server::start();
    let contents = || count(&server.data.path().join("blobs"));
    let before = contents();
    let package = zip(&of_another_system());
    let path = "/api/contests/import/package?dry_run=true";
    server.admin().send("POST", path, Some("application/zip"), &package).expect(200);
    assert_eq!(contents(), before);
    // It reads the packages of problems too, also at the top, where other systems have them.
    let mut broken = of_another_system();
    broken.insert("finals/books/problem.yaml".to_owned(), b"name: [\n".to_vec());
    let answer = server.admin().send("POST", path, Some("application/zip"), &zip(&broken)).expect(422);
    assert!(answer.to_string().contains("\"file\":\"problems/books\""), "{answer}");
    import(&server, &package);
    assert!(contents() > before);
}

#[test]
fn a_hash_alone_gives_no_package_of_another_contest() {
    let server = Server::start();
    support::set_up(&server);
    let admin = server.admin();
    let other = json!({"files": {"contest.yaml": "id: other\nname: Other\nduration: 5:00:00\n"}});
    admin.post("/api/contests/import", &other).expect(200);
    let orga = json!({"id": "orga", "username": "orga", "type": "admin", "contest_ids": ["other"], "password": "secret-secret"});
    admin.post("/api/accounts", &orga).expect(201);
    let orga = server.by_password("orga", "secret-secret");
    let problems = admin.get("problems").expect(200);
    let id = problems[0]["id"].as_str().unwrap();
    let package = admin.get(&format!("problems/{id}/package")).body;
    let hash = store::BlobHash::of(&package).to_string();
    let problem = json!({"id": "mine", "label": "A", "package": hash});
    let refused = orga.post("/api/contests/other/problems", &problem).expect(400).to_string();
    assert!(refused.contains("send it first"), "{refused}");
    let upload = json!({"sha256": hash, "size_bytes": package.len()});
    assert!(orga.post("/api/uploads", &upload).expect(201)["id"].is_string());
    assert!(admin.post("/api/uploads", &upload).expect(201)["id"].is_null());
    orga.send("POST", "/api/packages", Some("application/zip"), &package).expect(201);
    orga.post("/api/contests/other/problems", &problem).expect(201);
}

#[test]
fn public_files_of_a_problem_lead_to_no_secret() {
    let server = Server::start();
    support::set_up(&server);
    let from = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../problems/different");
    let mut writer = zip::ZipWriter::new_append(Cursor::new(support::zip_of(&from))).unwrap();
    writer.add_symlink("attachments", "data/secret", zip::write::SimpleFileOptions::default()).unwrap();
    let package = writer.finish().unwrap().into_inner();
    let admin = server.admin();
    let stored = admin.send("POST", "/api/packages", Some("application/zip"), &package).expect(201);
    let problem = json!({"id": "linked", "label": "X", "package": stored["package"]});
    let refused = admin.post("problems", &problem).expect(422).to_string();
    assert!(refused.contains("leads to 'data/secret"), "{refused}");
}
