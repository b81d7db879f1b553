//! Contests of both kinds in each state, with everything in them that CLICS has.

use crate::support::{Client, Server, at, done, zip_of};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::Path;

pub const STATES: [&str; 6] = ["before", "running", "frozen", "after", "thawed", "final"];
pub const KINDS: [&str; 2] = ["pass-fail", "score"];
const MINUTE: i64 = 60;

/// Returns how many seconds ago a contest of five hours has started.
fn offset(state: &str) -> i64 {
    match state {
        "before" => -60 * MINUTE,
        "running" => 60 * MINUTE,
        "frozen" => 270 * MINUTE,
        _ => 360 * MINUTE,
    }
}

pub fn id(kind: &str, state: &str) -> String {
    format!("{kind}-{state}")
}

pub fn png(width: u8, height: u8) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0".to_vec();
    bytes.push(width);
    bytes.extend([0, 0, 0, height, 8, 6, 0, 0, 0]);
    bytes
}

fn file(name: &str, content: &[u8]) -> Value {
    json!([{"filename": name, "data": STANDARD.encode(content), "tag": ["light"]}])
}

/// Returns a server with all contests.
pub fn server() -> Server {
    let server = Server::start();
    let admin = server.admin();
    let mut packages = Vec::new();
    for name in ["different", "harvest"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../problems").join(name);
        let path = format!("/api/packages?name={name}.zip");
        let report = admin.send("POST", &path, Some("application/zip"), &zip_of(&folder)).expect(201);
        packages.push(report["package"].clone());
    }
    server.registered_judgehost();
    for kind in KINDS {
        for state in STATES {
            prepare(&admin, kind, state, &packages[usize::from(kind == "score")]);
        }
    }
    accounts(&admin);
    for kind in KINDS {
        for state in STATES {
            play(&server, kind, state);
        }
    }
    // What stays pending comes last: the queue is one for all contests.
    for kind in KINDS {
        for (state, minute) in [("running", 50), ("frozen", 255), ("after", 255)] {
            submit(&server, &format!("/api/contests/{}", id(kind, state)), -offset(state), minute, "ants");
        }
    }
    server
}

fn prepare(admin: &Client, kind: &str, state: &str, package: &Value) {
    let id = id(kind, state);
    let c = format!("/api/contests/{id}");
    let mut contest = json!({
        "id": id, "name": "Demo", "feedback": "cases", "formal_name": "The demo", "duration": "5:00:00",
        "scoreboard_freeze_duration": "1:00:00", "start_time": at(-offset(state)), "is_public": true,
        "scoreboard_type": kind, "location": {"latitude": 51.5, "longitude": -0.12},
        "clarification_categories": ["general"], "clock": "cpu_time",
    });
    if id == "pass-fail-before" {
        contest["start_time"] = Value::Null;
        contest["countdown_pause_time"] = json!("0:30:00");
    }
    admin.post("/api/contests", &contest).expect(201);
    let (banner, logo) = (file("banner.png", &png(240, 30)), file("logo.png", &png(56, 56)));
    admin.patch(&c, &json!({"id": id, "banner": banner, "logo": logo})).expect(200);
    let problem = json!({
        "package": package, "id": "sums", "label": "A", "rgb": "#AC00FF", "color": "purple", "time_limit": 2.0,
    });
    admin.post(&format!("{c}/problems"), &problem).expect(201);
    let place = json!({"latitude": 1.0, "longitude": 2.5});
    let group = json!({"id": "site", "name": "Site", "icpc_id": "7", "type": "site", "location": place});
    admin.put(&format!("{c}/groups/site"), &group).expect(200);
    admin
        .put(&format!("{c}/groups/ghosts"), &json!({"id": "ghosts", "name": "G", "is_hidden": true}))
        .expect(200);
    admin.patch(&format!("{c}/settings"), &json!({"main_scoreboard_group_id": "site"})).expect(200);
    let svg = br#"<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><script>1</script></svg>"#;
    let uni = json!({
        "id": "uni", "name": "Uni", "formal_name": "The University", "icpc_id": "8", "country": "DEU",
        "country_subdivision": "DE-BY", "url": "https://example.org", "twitter_hashtag": "#uni",
        "twitter_account": "uni", "location": place, "logo": file("logo.160.png", &png(160, 160)),
        "country_flag": file("deu.svg", svg), "country_subdivision_flag": file("by.svg", svg),
    });
    admin.put(&format!("{c}/organizations/uni"), &uni).expect(200);
    let mp4 = b"\0\0\0\x18ftypmp42";
    let stream = json!([{"filename": "screen", "href": "https://example.org/ants", "mime": "video/mp4"}]);
    let ants = json!({
        "id": "ants", "name": "Ants", "label": "1", "display_name": "The Ants", "icpc_id": "9",
        "organization_id": "uni", "group_ids": ["site"], "location": {"x": 1.5, "y": -2.0, "rotation": 90.0},
        "photo": file("photo.png", &png(64, 48)), "video": file("video.mp4", mp4), "desktop": stream,
        "webcam": file("webcam.mp4", mp4), "audio": file("audio.mp4", mp4), "backup": file("b.zip", b"PK\x05\x06"),
        "key_log": file("keys.txt", b"typed"), "tool_data": file("tools.txt", b"vim"),
    });
    admin.put(&format!("{c}/teams/ants"), &ants).expect(200);
    let teams = json!([
        {"id": "bees", "name": "Bees", "group_ids": ["site"]},
        {"id": "ghosts", "name": "Ghosts", "group_ids": ["site", "ghosts"]},
    ]);
    admin.put(&format!("{c}/teams"), &teams).expect(204);
    let lee = json!({
        "id": "lee", "name": "Lee", "role": "contestant", "team_ids": ["ants", "ghosts"], "icpc_id": "10",
        "title": "Captain", "email": "lee@example.org", "sex": "female", "photo": file("lee.png", &png(20, 30)),
    });
    admin.put(&format!("{c}/persons/lee"), &lee).expect(200);
    admin
        .put(
            &format!("{c}/persons/gus"),
            &json!({"id": "gus", "name": "Gus", "role": "coach", "team_ids": ["ghosts"]}),
        )
        .expect(200);
    admin.put(&format!("{c}/persons/pat"), &json!({"id": "pat", "name": "Pat", "role": "staff"})).expect(200);
}

fn accounts(admin: &Client) {
    let all: Vec<String> = KINDS.iter().flat_map(|kind| STATES.map(|state| id(kind, state))).collect();
    let team = |name: &str| json!({"username": name, "password": "secret", "type": "team", "team_id": name, "contest_ids": all});
    let staff = |name: &str| json!({"username": name, "password": "secret", "type": name});
    let mut accounts = vec![team("ants"), team("bees")];
    accounts.extend(["staff", "balloon", "spectator", "judge"].map(staff));
    accounts.push(json!({
        "username": "analyst", "password": "secret", "type": "analyst", "name": "Pat", "person_id": "pat",
        "contest_ids": all,
    }));
    admin.put("/api/accounts", &json!(accounts)).expect(204);
}

/// Sends a submission that was made this many minutes after the start.
fn submit(server: &Server, c: &str, start: i64, minute: i64, team: &str) -> Value {
    let data = STANDARD.encode(format!("int main() {{ return {minute}; }}"));
    let sent = json!({
        "language_id": "cpp", "problem_id": "sums", "team_id": team, "time": at(start + minute * MINUTE),
        "entry_point": "main", "files": [{"filename": "a.cpp", "data": data}],
    });
    server.admin().post(&format!("{c}/submissions"), &sent).expect(201)
}

fn judge(server: &Server, kind: &str, verdict: &str) {
    let host = server.judgehost();
    let claim = host.post("/api/judgehosts/h1/claim", &json!({"max": 1, "wait_s": 10})).expect(200);
    let job = &claim["jobs"][0];
    let report = |number: u32, kind: &str| json!({"job": job["job"], "fence": job["fence"], "number": number, "kind": kind});
    let mut runs = report(2, "runs");
    runs["runs"] = json!([
        {"ordinal": 1, "verdict": "AC", "cpu_time_ns": 1_234_567, "memory_peak_bytes": 5, "at_ms": 3},
        {"ordinal": 3, "verdict": verdict, "cpu_time_ns": 2_000_000, "memory_peak_bytes": null, "at_ms": 5},
    ]);
    let mut end = done(job, 3, verdict);
    if kind == "score" {
        end["score"] = json!(if verdict == "AC" { 100.0 } else { 0.0 });
    }
    let answer =
        host.post("/api/judgehosts/h1/reports", &json!({"reports": [report(1, "begun"), runs, end]}));
    let states: Vec<Value> =
        answer.expect(200)["answers"].as_array().unwrap().iter().map(|one| one["state"].clone()).collect();
    assert_eq!(states, ["taken", "taken", "taken"]);
}

fn play(server: &Server, kind: &str, state: &str) {
    let (admin, start) = (server.admin(), -offset(state));
    let c = format!("/api/contests/{}", id(kind, state));
    let by = |name: &str| server.by_name(name);
    let say = |message: Value| by("analyst").post(&format!("{c}/commentary"), &message).expect(201);
    say(json!({"message": "Hello {teams:ants}", "tags": ["submission"], "team_ids": ["ants"]}));
    let announce = json!({"text": "Welcome", "category": "general"});
    by("judge").post(&format!("{c}/clarifications"), &announce).expect(201);
    by("judge")
        .post(&format!("{c}/clarifications"), &json!({"text": "Read A", "problem_id": "sums"}))
        .expect(201);
    by("ants").post(&format!("{c}/clarifications"), &json!({"text": "Why?"})).expect(201);
    let reply = json!({"text": "So.", "reply_to_id": "3", "to_team_ids": ["ants"], "to_group_ids": ["site"]});
    by("judge").post(&format!("{c}/clarifications"), &reply).expect(201);
    let again = json!({"text": "Again", "reply_to_id": "1", "again": true});
    by("judge").post(&format!("{c}/clarifications"), &again).expect(201);
    let award = json!({"id": "best-hat", "citation": "Best hat", "team_ids": ["bees", "ghosts"]});
    admin.put(&format!("{c}/awards/best-hat"), &award).expect(200);
    if state == "before" {
        return;
    }
    for (minute, team, verdict) in
        [(20, "ghosts", "AC"), (30, "ants", "WA"), (40, "ants", "AC"), (45, "bees", "CE")]
    {
        submit(server, &c, start, minute, team);
        judge(server, kind, verdict);
    }
    let reaction = format!("{c}/submissions/3/files/reaction/face.mp4?tag=light");
    admin.send("PUT", &reaction, Some("video/mp4"), b"\0\0\0\x18ftypmp42").expect(204);
    say(json!({"message": "{teams:ants} solve", "submission_ids": ["3"], "problem_ids": ["sums"]}));
    if state != "running" {
        submit(server, &c, start, 250, "bees");
        judge(server, kind, "AC");
        say(json!({"message": "in the freeze", "submission_ids": ["5"]}));
    }
    if matches!(state, "thawed" | "final") {
        admin.post(&format!("{c}/thaw"), &Value::Null).expect(200);
    }
    if state == "final" {
        admin.post(&format!("{c}/finalize"), &json!({})).expect(200);
    }
}

/// Returns a client of each role.
pub fn roles(server: &Server) -> Vec<(&'static str, Client)> {
    let by = |name: &str| server.by_name(name);
    vec![
        ("public", server.public()),
        ("team", by("ants")),
        ("staff", by("staff")),
        ("balloon", by("balloon")),
        ("spectator", by("spectator")),
        ("analyst", by("analyst")),
        ("judge", by("judge")),
        ("admin", server.admin()),
    ]
}
