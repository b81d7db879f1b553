//! DOMjudge's own clients: what its `submit`, its `export-contest` and readers of its board send, and what a hostile team might.

#![allow(clippy::unwrap_used, reason = "a test")]

mod import;
#[path = "../support/mod.rs"]
mod support;

use serde_json::{Value, json};
use support::{Answer, Client, FORM, Server, at, form, judge, registration};

const DEMO: &str = "/api/v4/contests/demo";
const CODE: (&str, &str, &str) = ("code[]", "hello.cpp", "int main() {}\n");

fn submit(client: &Client, fields: &[(&str, &str)], files: &[(&str, &str, &str)]) -> Answer {
    client.send("POST", &format!("{DEMO}/submissions"), Some(FORM), &form(fields, files))
}

/// Returns the fields of a submission, with more.
fn with<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&[("problem", "different"), ("language", "cpp")], more].concat()
}

#[test]
fn submit_finds_the_contest_the_language_and_the_problem_and_is_answered() {
    let server = Server::with_demo();
    // `submit --url http://HOST/api/v4` puts `api/` after the address.
    let ants = server.by_name("ants").with("user-agent", "domjudge-submit-client (python-requests/2.32)");
    let base = "/api/v4/api";
    let contests = ants.get(&format!("{base}/contests")).expect(200);
    let contest = &contests[0];
    assert_eq!(contests.as_array().unwrap().len(), 1);
    assert_eq!(
        (&contest["id"], &contest["shortname"], &contest["allow_submit"]),
        (&json!("demo"), &json!("demo"), &json!(true))
    );
    assert_eq!(contest["penalty_time"], 20, "in minutes");
    let languages = ants.get(&format!("{base}/contests/demo/languages")).expect(200);
    for language in languages.as_array().unwrap() {
        // It drops all languages if one has no extension.
        assert!(language["id"].is_string() && language["entry_point_required"].is_boolean(), "{language}");
        assert!(!language["extensions"].as_array().unwrap().is_empty(), "{language}");
    }
    let of = |extension: &str| {
        let has = |language: &&Value| language["extensions"].as_array().unwrap().contains(&json!(extension));
        languages.as_array().unwrap().iter().find(has).unwrap()["id"].clone()
    };
    assert_eq!([of("py"), of("cc"), of("java")], [json!("python3"), json!("cpp"), json!("java")]);
    let problems = ants.get(&format!("{base}/contests/demo/problems")).expect(200);
    assert_eq!((&problems[0]["id"], &problems[0]["label"]), (&json!("different"), &json!("A")));
    let path = format!("{base}/contests/demo/submissions");
    let files = [CODE, ("code[]", "more.h", "// nothing")];
    let sent = ants.send("POST", &path, Some(FORM), &form(&with(&[]), &files)).expect(200);
    assert_eq!(
        (&sent["id"], &sent["team_id"], &sent["language_id"]),
        (&json!("1"), &json!("ants"), &json!("cpp"))
    );
    assert!(sent["time"].as_str().unwrap().ends_with("+00:00"), "Python before 3.11 reads no Z: {sent}");
    // It is an ordinary submission, with its files as they were sent.
    assert_eq!(server.admin().get("submissions/1").expect(200)["problem_id"], "different");
    let source = server.admin().get(&format!("{DEMO}/submissions/1/source-code")).expect(200);
    assert_eq!(
        (&source[0]["filename"], &source[0]["source"]),
        (&json!("hello.cpp"), &json!("aW50IG1haW4oKSB7fQo="))
    );
    assert_eq!((source.as_array().unwrap().len(), &source[1]["filename"]), (2, &json!("more.h")));
    // With the names of the standard, and with an entry point.
    let fields = [("problem_id", "different"), ("language_id", "python3"), ("entry_point", "main.py")];
    submit(&ants, &fields, &[("code[]", "main.py", "print(1)")]).expect(200);
    let second = server.admin().get("submissions/2").expect(200);
    assert_eq!((&second["entry_point"], &second["account_id"]), (&json!("main.py"), &json!("ants")));
}

#[test]
fn a_form_gives_a_team_no_more_than_the_standard_does() {
    let server = Server::with_demo();
    let admin = server.admin();
    let secret = json!({"id": "secret", "name": "Secret", "duration": "5:00:00", "is_public": false});
    admin.post("/api/contests", &secret).expect(201);
    let ants = server.by_name("ants");
    let refused = |fields: &[(&str, &str)], files: &[(&str, &str, &str)]| submit(&ants, fields, files).status;
    for (field, value, status) in [
        ("team_id", "bees", 403),
        ("user_id", "bees", 403),
        ("user_id", "admin", 403),
        ("time", &at(-60), 403),
        ("id", "1", 400),
        ("time", "yesterday", 400),
        ("problem", "different", 400),
        ("problem_id", "different", 400),
        ("rank", "1", 400),
        ("entry_point", "../a.c", 400),
        ("entry_point", &"x".repeat(5000), 400),
    ] {
        assert_eq!(refused(&with(&[(field, value)]), &[CODE]), status, "{field}={value:.20}");
    }
    for files in [
        &[][..],
        &[("code[]", "../a.c", "x")],
        &[("code[]", "a/b.c", "x")],
        &[("code[]", "", "x")],
        &[CODE, CODE],
        &[("file", "a.c", "x")],
        &[("code[]", "a.c", "")],
    ] {
        assert_eq!(refused(&with(&[]), files), 400, "{files:?}");
    }
    let many: Vec<String> = (0..150).map(|number| format!("{number}.c")).collect();
    let many: Vec<_> = many.iter().map(|name| ("code[]", name.as_str(), "x")).collect();
    assert_eq!(refused(&with(&[]), &many), 400);
    assert_eq!(refused(&[("problem", "nothing"), ("language", "cpp")], &[CODE]), 404);
    assert_eq!(refused(&[("problem", "different"), ("language", "x")], &[CODE]), 400);
    let post = |client: &Client, path: &str, kind: &str, body: &[u8]| {
        client.send("POST", path, Some(kind), body).status
    };
    let path = format!("{DEMO}/submissions");
    let good = form(&with(&[]), &[CODE]);
    // Longer than this contest allows: it is not kept.
    assert_eq!(post(&ants, &path, FORM, &vec![b'x'; 700 << 10]), 413);
    assert_eq!(post(&ants, &path, "application/x-www-form-urlencoded", b"problem=different"), 415);
    assert_eq!(post(&ants, &path, "multipart/form-data", &good), 400);
    assert_eq!(post(&ants, &path, FORM, &good[..good.len() - 20]), 400);
    assert_eq!(post(&ants, "/api/v4/contests/secret/submissions", FORM, &good), 404);
    assert_eq!(post(&server.public(), &path, FORM, &good), 401);
    assert_eq!(post(&server.by_password("judge", "wrong"), &path, FORM, &good), 401);
    assert_eq!(post(&server.by_name("spectator"), &path, FORM, &good), 403);
    // A form is what any page of another site may send: a browser adds the password, or the cookie.
    for (header, value) in [("origin", "https://evil.test"), ("sec-fetch-site", "cross-site")] {
        assert_eq!(post(&ants.with(header, value), &path, FORM, &good), 403);
    }
    let login = server.public().post("/api/login", &json!({"username": "ants", "password": "secret"}));
    let cookie = login.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(post(&server.public().with("cookie", &cookie), &path, FORM, &good), 403);
    assert_eq!(admin.get("submissions").expect(200), json!([]), "nothing came in");
    // An admin may say for whom and when.
    let time = at(-60);
    let fields = with(&[("team_id", "bees"), ("user_id", "bees"), ("time", &time)]);
    let sent = submit(&admin, &fields, &[CODE]).expect(200);
    assert_eq!((&sent["team_id"], &sent["account_id"]), (&json!("bees"), &json!("bees")));
}

#[test]
fn wrong_passwords_are_counted_as_at_the_login() {
    let server = Server::with_demo();
    for number in 0..10 {
        let guess = server.by_password("ants", &format!("guess {number}"));
        assert_eq!(guess.get("/api/v4/api/contests").status, 401);
    }
    let answer = server.by_name("ants").get("/api/v4/user");
    assert_eq!(answer.status, 429);
    assert!(answer.header("retry-after").is_some());
    let login = json!({"username": "ants", "password": "secret"});
    assert_eq!(server.public().post("/api/login", &login).status, 429, "there as well");
    assert_eq!(server.by_name("bees").get("/api/v4/user").status, 200);
}

#[test]
fn readers_find_the_board_and_what_they_ask_first() {
    let server = Server::with_demo();
    let (ants, admin, public, host) =
        (server.by_name("ants"), server.admin(), server.public(), server.registered_judgehost());
    submit(&ants, &with(&[]), &[CODE]).expect(200);
    assert_eq!(
        admin.get(&format!("{DEMO}/status")).expect(200),
        json!({"num_submissions": 1, "num_queued": 1, "num_judging": 0})
    );
    assert_eq!(ants.get(&format!("{DEMO}/status")).status, 403);
    judge(&host, "h1", "AC");
    let board = public.get(&format!("{DEMO}/scoreboard?strict=false")).expect(200);
    let row = &board["rows"][0];
    assert_eq!(
        (&row["rank"], &row["team_id"], &row["score"]["num_solved"]),
        (&json!(1), &json!("ants"), &json!(1))
    );
    let cell = &row["problems"][0];
    assert_eq!(
        (&cell["label"], &cell["solved"], &cell["first_to_solve"], &cell["num_judged"]),
        (&json!("A"), &json!(true), &json!(true), &json!(1))
    );
    assert!(cell["time"].is_i64() && row["score"]["total_time"] == cell["time"], "minutes: {row}");
    assert_eq!(public.get(&format!("{DEMO}/scoreboard?category=site")).expect(200)["rows"], board["rows"]);
    assert_eq!(public.get(&format!("{DEMO}/scoreboard?country=DEU")).status, 400);
    let hidden = json!({"id": "bees", "name": "Bees", "is_hidden": true});
    admin.put("teams/bees", &hidden).expect(200);
    let rows = |query: &str| {
        admin.get(&format!("{DEMO}/scoreboard{query}")).expect(200)["rows"].as_array().unwrap().len()
    };
    assert_eq!((rows(""), rows("?allteams=true"), rows("?allteams=true&public=true")), (1, 2, 1));
    assert_eq!(
        (rows("?allteams=1"), rows("?allteams=on&public=yes"), rows("?allteams=0&category=")),
        (2, 1, 1)
    );
    let of_public = public.get(&format!("{DEMO}/scoreboard?allteams=1&public=false")).expect(200);
    assert_eq!(of_public["rows"].as_array().unwrap().len(), 1, "hidden teams are for the jury");
    assert_eq!(admin.get(&format!("{DEMO}/scoreboard?allteams=maybe")).status, 400);
    let balloon = &server.by_name("balloon").get(&format!("{DEMO}/balloons?todo=true")).expect(200)[0];
    assert_eq!(
        (&balloon["balloonid"], &balloon["problem"], &balloon["team"], &balloon["done"]),
        (&json!("ants.different"), &json!("A"), &json!("ants: Ants"), &json!(false))
    );
    assert_eq!((&balloon["affiliation"], &balloon["category"]), (&json!("Uni"), &json!("Site")));
    for path in ["/api/v4", "/api/v4/", "/api/v4/info", "/api/v4/api/info"] {
        assert_eq!(public.get(path).expect(200)["domjudge"]["apiversion"], 4, "{path}");
    }
    assert_eq!(public.get("/api/v4/version").expect(200), json!({"api_version": 4}));
    assert_eq!(public.get("/api/v4/user").status, 401);
    let user = ants.get("/api/v4/user").expect(200);
    assert_eq!((&user["roles"], &user["team_id"]), (&json!(["team"]), &json!("ants")));
    assert!(admin.get("/api/v4/user").expect(200)["roles"].as_array().unwrap().contains(&json!("admin")));
    let over = json!({"id": "over", "name": "Over", "duration": "1:00:00", "start_time": at(-90_000)});
    admin.post("/api/contests", &over).expect(201);
    let count =
        |query: &str| admin.get(&format!("/api/v4/contests{query}")).expect(200).as_array().unwrap().len();
    assert_eq!((count(""), count("?onlyActive=false")), (1, 2));
    // What `export-contest` reads, each with the same answer as the standard's.
    for name in [
        "accounts",
        "awards",
        "clarifications",
        "groups",
        "judgements",
        "organizations",
        "submissions",
        "teams",
    ] {
        let answer = admin.get(&format!("{DEMO}/{name}")).expect(200);
        assert_eq!(answer, admin.get(name).expect(200), "{name}");
    }
    let href = admin.get(&format!("{DEMO}/submissions")).expect(200)[0]["files"][0]["href"].clone();
    assert_eq!(admin.get(&format!("/api/v4/{}", href.as_str().unwrap())).status, 200);
    let feed = admin.get(&format!("{DEMO}/event-feed?stream=0"));
    assert!(feed.status == 200 && feed.body.ends_with(b"}\n"));
    // What is not there says so.
    for (method, path, status) in [
        ("POST", "/api/v4/api/printing/team", 404),
        ("GET", "/api/v4/judgehosts", 404),
        ("DELETE", "/api/v4/contests/demo", 405),
        ("GET", "/api/v4x", 404),
    ] {
        let answer = admin.send(method, path, None, b"");
        assert_eq!(answer.status, status, "{method} {path}");
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert_eq!(detail.contains("docs/domjudge.md"), status == 404 && !path.ends_with('x'), "{detail}");
    }
}

fn send(client: &Client, path: &str, fields: &[(&str, &str)], file: (&str, &str, &str)) -> Answer {
    client.send("POST", path, Some(FORM), &form(fields, &[file]))
}

fn zip_form(fields: &[(&str, &str)], name: &str, zip: &[u8]) -> Vec<u8> {
    let text = form(fields, &[("zip", name, "ZIP")]);
    let at = text.windows(5).position(|part| part == b"\nZIP\r").unwrap() + 1;
    [&text[..at], zip, &text[at + 3..]].concat()
}

/// Returns the package of a sample problem.
fn package() -> Vec<u8> {
    support::zip_of(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../problems/different"))
}

#[test]
fn a_person_with_the_link_of_submit_finds_the_submission() {
    let server = Server::with_demo();
    let ants = server.by_name("ants");
    let go = |client: &Client, path: &str| {
        let answer = client.get(path);
        (answer.status, answer.header("location").unwrap_or("").to_owned())
    };
    let path = "/api/v4/team/submission/1";
    assert_eq!(go(&ants, path), (303, "/".to_owned()), "there is none");
    submit(&ants, &with(&[]), &[CODE]).expect(200);
    let found = (303, "/contests/demo/submissions/1".to_owned());
    for client in [&ants, &server.public(), &server.admin()] {
        assert_eq!(go(client, path), found);
    }
    // Another contest has one with this number: it depends on who asks.
    let admin = server.admin();
    let other = json!({"id": "other", "name": "Other", "duration": "5:00:00", "start_time": at(-60), "is_public": true});
    admin.post("/api/contests", &other).expect(201);
    admin.put("/api/contests/other/teams", &json!([{"id": "cats", "name": "Cats"}])).expect(204);
    post_problem(&admin, "other");
    let fields = with(&[("team_id", "cats")]);
    admin.send("POST", "/api/v4/contests/other/submissions", Some(FORM), &form(&fields, &[CODE])).expect(200);
    assert_eq!(go(&ants, path), found);
    assert_eq!(go(&server.public(), path), (303, "/".to_owned()));
    for odd in ["/api/v4/team/submission/x", "/api/v4/team/submission/99999999999999999999"] {
        assert_eq!(go(&ants, odd), (303, "/".to_owned()));
    }
    assert_eq!(ants.get("/api/v4/team/other").status, 404, "no other page");
}

fn post_problem(admin: &Client, contest: &str) {
    let body = zip_form(&[("problem", "different")], "different.zip", &package());
    admin.send("POST", &format!("/api/v4/contests/{contest}/problems"), Some(FORM), &body).expect(200);
}

#[test]
fn each_balloon_has_all_of_its_team() {
    let server = Server::with_demo();
    let (admin, host) = (server.admin(), server.judgehost());
    let hello = zip_form(&[("problem", "hello")], "hello.zip", &package());
    admin.send("POST", &format!("{DEMO}/problems"), Some(FORM), &hello).expect(200);
    host.put("/api/judgehosts/h1", &registration("1", &["cpu: x"])).expect(200);
    for (team, problem) in [("ants", "hello"), ("bees", "hello"), ("ants", "different")] {
        let sent = submit(&server.by_name(team), &[("problem", problem), ("language", "cpp")], &[CODE]);
        sent.expect(200);
        judge(&host, "h1", "AC");
    }
    // A hidden team has its balloons as well, and staff reads nothing of it but the id.
    admin.put("teams/bees", &json!({"id": "bees", "name": "Bees", "hidden": true})).expect(200);
    let read = |client: &Client| -> Vec<(String, String, Vec<String>)> {
        let all = client.get(&format!("{DEMO}/balloons?todo=1")).expect(200);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let total = |one: &Value| one["total"].as_object().unwrap().keys().cloned().collect();
        all.as_array()
            .unwrap()
            .iter()
            .map(|one| (text(&one["team"]), text(&one["problem"]), total(one)))
            .collect()
    };
    let expect = |bees: &str| {
        let row = |team: &str, problem: &str, total: &[&str]| {
            (team.to_owned(), problem.to_owned(), total.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        [row("ants: Ants", "B", &["A", "B"]), row(bees, "B", &["B"]), row("ants: Ants", "A", &["A", "B"])]
    };
    assert_eq!(read(&admin), expect("bees: Bees"));
    assert_eq!(read(&server.by_name("balloon")), expect("bees"));
}
