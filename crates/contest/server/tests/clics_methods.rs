//! What clients of the CLICS Contest API send: methods, filters, files, and what is refused.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use documents::contest::Time;
use serde_json::{Value, json};
use support::{Server, at, program};

const DEMO: &str = "/api/contests/demo";

#[test]
fn a_start_is_set_within_the_rules() {
    let server = Server::start();
    let admin = server.admin();
    let contest = json!({"id": "later", "name": "Later", "duration": "5:00:00", "start_time": at(3600)});
    admin.post("/api/contests", &contest).expect(201);
    let path = "/api/contests/later";
    let wanted = at(7200);
    let changed = admin.patch(path, &json!({"id": "later", "start_time": wanted})).expect(200);
    assert_eq!(changed["start_time"], json!(wanted));
    admin.patch(path, &json!({"id": "other", "start_time": at(7200)})).expect(409);
    admin.patch(path, &json!({"id": "later", "start_time": at(10)})).expect(403);
    admin.patch(path, &json!({"id": "later", "start_time": at(-10)})).expect(403);
    let paused = json!({"id": "later", "start_time": null, "countdown_pause_time": "0:10:00"});
    let paused = admin.patch(path, &paused).expect(200);
    assert_eq!(
        (&paused["start_time"], &paused["countdown_pause_time"]),
        (&Value::Null, &json!("0:10:00.000"))
    );
    admin.patch(path, &json!({"id": "later", "start_time": at(40)})).expect(200);
    admin.patch(path, &json!({"start_time": at(7200)})).expect(400);
    admin.patch(path, &json!({"id": "later", "start": at(7200)})).expect(400);
    admin.patch(path, &json!({"id": "later", "scoreboard_thaw_time": null})).expect(400);
    let both = json!({"id": "later", "start_time": at(7200), "scoreboard_thaw_time": at(90_000)});
    admin.patch(path, &both).expect(400);
    // There is no freeze to thaw, and no one else may.
    admin.patch(path, &json!({"id": "later", "scoreboard_thaw_time": at(90_000)})).expect(403);
    assert_eq!(server.public().patch(path, &json!({"id": "later"})).status, 401);
}

#[test]
fn the_start_is_by_the_clock_of_the_server() {
    let server = Server::start();
    let admin = server.admin();
    for id in ["now", "later"] {
        let contest = json!({"id": id, "name": "A contest", "duration": "5:00:00"});
        admin.post("/api/contests", &contest).expect(201);
    }
    let countdown = |body: Value| admin.post("/api/contests/later/countdown", &body);
    let start =
        |contest: &Value| -> i64 { contest["start_time"].as_str().unwrap().parse::<Time>().unwrap().0 };
    // The server's clock goes on by itself when the machine's is set, so the two differ by what was set since.
    let is_in = |time: i64, ms: i64| (time - at(0).parse::<Time>().unwrap().0 - ms).abs() < 60_000;
    let conflict = countdown(json!({}));
    assert_eq!((conflict.status, conflict.json()["type"].as_str()), (409, Some("/problems/no-start")));
    let running = countdown(json!({"remaining": "0:10:00"})).expect(200);
    assert!(is_in(start(&running), 600_000), "{running}");
    let paused = countdown(json!({"is_paused": true})).expect(200);
    assert_eq!(paused["start_time"], Value::Null);
    let left = paused["countdown_pause_time"].as_str().unwrap();
    assert!(left == "0:10:00.000" || left.starts_with("0:09:"), "{left}");
    countdown(json!({"is_paused": true, "remaining": "1:00:00"})).expect(200);
    let running = countdown(json!({})).expect(200);
    assert!(is_in(start(&running), 3_600_000), "{running}");
    countdown(json!({"at": at(600)})).expect(400);
    countdown(json!({"remaining": "0:00:10"})).expect(403);
    // A body is not read: no time of a client gets in.
    let state = admin.post("/api/contests/now/start", &json!({"start_time": at(-300)})).expect(200);
    let started = state["started"].as_str().unwrap().parse::<Time>().unwrap().0;
    assert!(is_in(started, 0), "{state}");
    assert_eq!(admin.send("POST", "/api/contests/now/start", None, b"").status, 409);
    assert_eq!(admin.post("/api/contests/now/countdown", &json!({})).status, 409);
    assert_eq!(server.public().post("/api/contests/later/start", &json!({})).status, 401);
}

#[test]
fn a_thaw_that_is_set_exactly_answers_nothing() {
    let server = Server::with_demo();
    let admin = server.admin();
    let thaw = |time: String| admin.patch(DEMO, &json!({"id": "demo", "scoreboard_thaw_time": time}));
    assert_eq!(thaw(at(90_000)).status, 204);
    admin
        .patch(&format!("{DEMO}/settings"), &json!({"start_time": at(-20_000), "scoreboard_thaw_time": null}))
        .expect(200);
    // The time is past: the board thaws now.
    assert!(thaw(at(-1000)).expect(200)["scoreboard_thaw_time"].is_string());
    assert_eq!(thaw(at(90_000)).status, 403);
}

#[test]
fn awards_are_added_changed_and_removed() {
    let server = Server::with_demo();
    let (admin, path) = (server.admin(), format!("{DEMO}/awards"));
    let added = admin.post(&path, &json!({"citation": "Best hat", "team_ids": ["ants"]}));
    assert_eq!(added.header("location"), Some(format!("{path}/award-1").as_str()));
    assert_eq!(added.expect(201)["id"], "award-1");
    admin.post(&path, &json!({"id": "x", "citation": "Best hat", "team_ids": []})).expect(400);
    admin.post(&path, &json!({"citation": "Best hat"})).expect(400);
    let one = format!("{path}/award-1");
    let changed = admin.patch(&one, &json!({"team_ids": []})).expect(200);
    assert_eq!(changed, json!({"id": "award-1", "citation": "Best hat", "team_ids": []}));
    admin.patch(&one, &json!({"citation": null})).expect(400);
    admin.patch(&one, &json!({"id": "other"})).expect(409);
    admin.put(&one, &json!({"id": "award-1", "team_ids": []})).expect(400);
    admin.put(&format!("{path}/rank-77"), &json!({"citation": "77", "team_ids": []})).expect(400);
    admin.send("DELETE", &format!("{path}/winner"), None, b"").expect(409);
    assert_eq!(admin.send("DELETE", &one, None, b"").status, 204);
    assert_eq!(admin.send("DELETE", &one, None, b"").status, 404);
    server.by_name("judge").post(&path, &json!({"citation": "x", "team_ids": []})).expect(403);
}

#[test]
fn objects_carry_their_files() {
    let server = Server::with_demo();
    let (admin, path) = (server.admin(), format!("{DEMO}/teams/ants"));
    let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let photo = json!({"photo": [{"filename": "p.png", "data": png, "tag": ["dark"]}]});
    let team = admin.patch(&path, &photo).expect(200);
    let file = &team["photo"][0];
    assert_eq!(
        (&file["mime"], &file["width"], &file["tag"]),
        (&json!("image/png"), &json!(1), &json!(["dark"]))
    );
    assert_eq!((&team["name"], &team["organization_id"]), (&json!("Ants"), &json!("uni")));
    // A list of teams without photos, and the object as it was read, leave it.
    admin.put(&format!("{DEMO}/teams"), &json!([{"id": "ants", "name": "Ants!"}])).expect(204);
    let team = admin.get(&path).expect(200);
    assert_eq!(team["photo"][0]["hash"], file["hash"]);
    assert_eq!(admin.put(&path, &team).expect(200), team);
    let href = format!("/api/{}", file["href"].as_str().unwrap());
    let answer = server.public().get(&href);
    let tag = answer.header("etag").unwrap().to_owned();
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("image/png")));
    assert_eq!(server.public().with("if-none-match", &tag).get(&href).status, 304);
    // What would run in a browser is not served, nor what is not what it says.
    let page = b"<html><script>alert(1)</script></html>";
    let put = |name: &str, kind: &str, content: &[u8]| {
        admin.send("PUT", &format!("{path}/files/photo/{name}"), Some(kind), content).status
    };
    assert_eq!(put("x.html", "text/html", page), 400);
    assert_eq!(put("x.svg", "image/svg+xml", page), 400);
    assert_eq!(put("x.png", "image/png", b"nothing"), 400);
    let svg = br#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"/>"#;
    assert_eq!(put("x.svg", "image/svg+xml", svg), 204);
    let drawing = server.public().get(&format!("{path}/files/photo/x.svg"));
    let policy = drawing.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("sandbox"), "{policy}");
    assert_eq!(admin.get(&path).expect(200)["photo"].as_array().unwrap().len(), 2);
    assert!(admin.patch(&path, &json!({"photo": null})).expect(200).get("photo").is_none());
    assert_eq!(server.public().get(&href).status, 404);
    // The id is the server's choice in POST, and the path's otherwise.
    let added = admin.post(&format!("{DEMO}/teams"), &json!({"name": "New"})).expect(201);
    assert_eq!(added["id"], "1");
    admin.post(&format!("{DEMO}/teams"), &json!({"id": "x", "name": "New"})).expect(400);
    admin.put(&path, &json!({"id": "bees", "name": "Bees"})).expect(409);
    admin.patch(&format!("{DEMO}/teams/nobody"), &json!({"name": "x"})).expect(404);
    admin.put(&path, &json!({"id": "ants"})).expect(400);
}

#[test]
fn admins_set_the_time_of_a_submission() {
    let server = Server::with_demo();
    let admin = server.admin();
    let sent = |time: Value, id: Option<&str>| {
        let mut sent = program("int main() { return 7; }");
        (sent["team_id"], sent["time"]) = (json!("ants"), time);
        if let Some(id) = id {
            sent["id"] = json!(id);
        }
        sent
    };
    let path = format!("{DEMO}/submissions");
    let time = at(-30);
    let first = admin.post(&path, &sent(json!(time), None)).expect(201);
    assert_eq!((&first["id"], &first["time"]), (&json!("1"), &json!(time)));
    admin.post(&path, &sent(json!(at(-40)), None)).expect(400);
    admin.post(&path, &sent(json!(at(60)), None)).expect(400);
    admin.post(&path, &sent(json!(at(-20)), Some("2"))).expect(400);
    admin.put(&format!("{path}/1"), &sent(json!(at(-20)), Some("1"))).expect(409);
    admin.put(&format!("{path}/2"), &sent(json!(at(-20)), Some("3"))).expect(409);
    admin.put(&format!("{path}/9"), &sent(json!(at(-20)), Some("9"))).expect(400);
    admin.put(&format!("{path}/2"), &sent(Value::Null, Some("2"))).expect(400);
    admin.put(&format!("{path}/2"), &sent(json!(at(-20)), Some("2"))).expect(201);
    server.by_name("ants").post(&path, &sent(json!(at(-10)), None)).expect(403);
    server.by_name("judge").post(&path, &sent(json!(at(-10)), None)).expect(403);
    let mut third = sent(json!(at(-10)), Some("3"));
    for (field, wrong) in [("account_id", "nobody"), ("account_id", "bees"), ("contest_time", "77:00:00")] {
        let mut wrong_one = third.clone();
        wrong_one[field] = json!(wrong);
        admin.put(&format!("{path}/3"), &wrong_one).expect(400);
    }
    let second = admin.get(&format!("{path}/2")).expect(200);
    (third["account_id"], third["time"], third["contest_time"]) =
        (json!("ants"), second["time"].clone(), second["contest_time"].clone());
    assert_eq!(admin.put(&format!("{path}/3"), &third).expect(201)["account_id"], "ants");
    let mut own = program("int main() { return 8; }");
    own["entry_point"] = json!("../a.c");
    server.by_name("ants").post(&path, &own).expect(400);
    let path = format!("{DEMO}/clarifications");
    let note = json!({"id": "1", "text": "It was said", "time": at(-30)});
    admin.put(&format!("{path}/1"), &note).expect(201);
    admin.post(&path, &json!({"text": "before that", "time": at(-40)})).expect(400);
}

#[test]
fn collections_are_filtered_by_ids() {
    let server = Server::with_demo();
    let (admin, ants) = (server.admin(), server.by_name("ants"));
    ants.post(&format!("{DEMO}/submissions"), &program("int main() {}")).expect(201);
    let count = |path: &str| admin.get(&format!("{DEMO}/{path}")).expect(200).as_array().unwrap().len();
    assert_eq!(count("submissions?team_id=ants&problem_id=different"), 1);
    assert_eq!(count("submissions?team_id=ants&problem_id=other"), 0);
    assert_eq!(count("submissions?team_id="), 0);
    assert_eq!(count("submissions?account_id=ants"), 1);
    assert_eq!((count("teams?organization_id=uni"), count("teams?organization_id=")), (1, 1));
    assert_eq!((count("judgements?submission_id=1"), count("judgements?judgement_type_id=")), (1, 1));
    assert_eq!((count("runs?judgement_id=none"), count("runs?judgement_id=")), (0, 0));
    assert_eq!(count("accounts?team_id=ants"), 1);
    let contests =
        |query: &str| admin.get(&format!("/api/contests?main_scoreboard_group_id={query}")).expect(200);
    assert_eq!((contests("site"), contests("").as_array().unwrap().len()), (json!([]), 1));
    admin.get(&format!("{DEMO}/teams?name=Ants")).expect(400);
    admin.get(&format!("{DEMO}/scoreboard?group_id=nothing")).expect(404);
}

#[test]
fn pages_of_other_origins_have_no_session() {
    let server = Server::with_demo();
    let stranger = server.public().with("origin", "https://example.org");
    let answer = stranger.get(&format!("{DEMO}/teams"));
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some("*")));
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    let tag = answer.header("etag").unwrap().to_owned();
    let again = server.public().with("if-none-match", &tag).get(&format!("{DEMO}/teams"));
    assert_eq!((again.status, again.body.len()), (304, 0));
    let ask = stranger.with("access-control-request-method", "PATCH");
    let preflight = ask.send("OPTIONS", DEMO, None, b"");
    assert_eq!(preflight.status, 204);
    assert!(preflight.header("access-control-allow-methods").unwrap().contains("PATCH"));
    assert_eq!(preflight.header("access-control-allow-credentials"), None);
    // Logging in is for pages of the server's own origin.
    let login = ask.send("OPTIONS", "/api/login", None, b"");
    assert_eq!((login.status, login.header("access-control-allow-origin")), (405, None));
}
