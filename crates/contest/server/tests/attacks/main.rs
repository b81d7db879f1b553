//! What the public, teams, and those whose rights have ended try against a server.

#![allow(clippy::unwrap_used, reason = "a test fails where it is")]

mod feedback;
#[path = "../../../../judging/record/tests/common/marked.rs"]
mod marked;
mod names;
#[path = "../support/mod.rs"]
mod support;

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use support::{BLOCKING_THREADS, Client, Server, accepted_run, done, judge, program, registration, set_up};

/// Sends a request, and returns the status of the answer.
fn raw(server: &Server, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).expect("an answer, before the body");
    String::from_utf8_lossy(&status[9..]).into_owned()
}

fn files(server: &Server) -> usize {
    let folders = std::fs::read_dir(server.data.path().join("blobs")).unwrap();
    folders.map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap().count()).sum()
}

fn hash(content: &[u8]) -> String {
    store::BlobHash::of(content).to_string()
}

#[test]
fn anonymous_bodies_are_bounded() {
    let server = Server::with_demo();
    server.judgehost().put("/api/judgehosts/h1", &registration("1", &["cpu: x"])).expect(200);
    for (path, method, length) in [
        ("/api/contests/import", "POST", 30 << 20),
        ("/api/judgehosts/h1/reports", "POST", 60 << 20),
        ("/api/accounts", "PUT", 8 << 20),
        ("/api/contests/demo/teams", "PUT", 8 << 20),
        ("/api/contests/demo/groups", "PUT", 8 << 20),
        ("/api/contests/demo/organizations", "PUT", 8 << 20),
        ("/api/contests/demo/submissions", "POST", 200 << 10),
    ] {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        );
        assert_eq!(raw(&server, &request), "401", "{path}");
    }
    let long = json!({"username": "x".repeat(20_000), "password": "y"});
    server.public().post("/api/login", &long).expect(413);
    let ants = server.by_name("ants");
    let long = json!({"note": "x".repeat(20_000)});
    ants.post("/api/tokens", &long).expect(400);
}

#[test]
fn long_bodies_fit_into_a_part_of_the_memory() {
    let server = Server::start_with(|config| config.limits.body_bytes = 100_000);
    let contest = json!({"files": {"contest.yaml": "x".repeat(90_000)}});
    server.admin().post("/api/contests/import", &contest).expect(422);
    let contest = json!({"files": {"contest.yaml": "x".repeat(110_000)}});
    server.admin().post("/api/contests/import", &contest).expect(503);
}

#[test]
fn asking_at_once_gives_no_more_guesses() {
    let server = Server::with_demo();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let guess = |number: usize| {
            let login = json!({"username": "ants", "password": format!("guess {number}")});
            server.public().post("/api/login", &login).status
        };
        let guesses: Vec<_> = (0..40).map(|number| scope.spawn(move || guess(number))).collect();
        guesses.into_iter().map(|guess| guess.join().unwrap()).collect()
    });
    let checked = statuses.iter().filter(|status| **status == 401).count();
    assert_eq!(checked, 10, "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 401 | 429)));
    server.by_name("bees").get("/api/account").expect(200);
}

#[test]
fn refused_uploads_are_not_kept() {
    let server = Server::with_demo();
    let before = files(&server);
    let path = "/api/contests/demo/submissions";
    server.by_name("spectator").post(path, &program("a spectator's")).expect(403);
    let ants = server.by_name("ants");
    let mut of_bees = program("for others");
    of_bees["team_id"] = json!("bees");
    ants.post(path, &of_bees).expect(403);
    let mut binary = program("in no language of the contest");
    binary["files"][0]["filename"] = json!("a\u{202e}ppc.b");
    ants.post(path, &binary).expect(400);
    assert_eq!(files(&server), before);
    for number in 0..10 {
        ants.post(path, &program(&number.to_string())).expect(201);
    }
    let kept = files(&server);
    ants.post(path, &program("too many")).expect(429);
    assert_eq!(files(&server), kept);
}

/// Judges a submission of ants, which is the next job, with a record.
fn judge_with_record(server: &Server, record: &[u8]) {
    let (ants, host) = (server.by_name("ants"), server.registered_judgehost());
    let program = program(&format!("int main() {{}} // {}", hash(record)));
    ants.post("submissions", &program).expect(201);
    let claim = host.post("/api/judgehosts/h1/claim", &json!({"max": 1, "wait_s": 10})).expect(200);
    let path = format!("/api/blobs/{}", hash(record));
    assert_eq!(host.send("PUT", &path, Some("application/octet-stream"), record).status, 201);
    let begun = json!({"job": claim["jobs"][0]["job"], "fence": claim["jobs"][0]["fence"], "number": 1, "kind": "begun"});
    let mut last = done(&claim["jobs"][0], 2, "WA");
    last["evidence"] = json!({"hash": hash(record), "size_bytes": record.len()});
    host.post("/api/judgehosts/h1/reports", &json!({"reports": [begun, last]})).expect(200);
}

#[test]
fn a_team_gets_its_own_record_without_the_test_data() {
    let server = Server::with_demo();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../judging/record/tests/records/pass-fail.jsonl");
    let record = std::fs::read(path).unwrap();
    judge_with_record(&server, &record);
    let path = "/api/contests/demo/judgements/1-1/evidence";
    assert_eq!(server.admin().get(path).body, record);
    let own = server.by_name("ants").get(path);
    assert_eq!(own.status, 200);
    let own = String::from_utf8(own.body).unwrap();
    let whole = String::from_utf8(record).unwrap();
    assert!(whole.contains("secret/09-longest") && !own.contains("longest"));
    assert!(record::verify(own.as_bytes(), "own").unwrap().holds);
    assert_eq!(server.by_name("bees").get(path).status, 404);
    assert_eq!(server.public().get(path).status, 404);
}

#[test]
fn a_team_gets_no_text_of_a_record_that_is_not_listed() {
    let server = Server::with_demo();
    for (number, is_graded) in [(1, false), (2, true)] {
        let whole = marked::record(is_graded);
        judge_with_record(&server, &whole);
        let path = format!("/api/contests/demo/judgements/{number}-1/evidence");
        assert_eq!(server.admin().get(&path).body, whole);
        let own = server.by_name("ants").get(&path);
        assert_eq!(own.status, 200);
        assert!(!own.body.is_empty());
        assert_eq!(marked::secrets(&own.body, is_graded), Vec::<String>::new());
    }
}

#[test]
fn a_browser_asks_for_no_password_in_the_place_of_the_page() {
    let server = Server::start();
    let refused = server.public().get("/api/accounts");
    assert!(refused.status == 401 && refused.header("www-authenticate").is_some());
    let refused = server.public().with("x-tautochrone", "1").get("/api/accounts");
    assert!(refused.status == 401 && refused.header("www-authenticate").is_none());
}

#[test]
fn unused_contents_are_deleted() {
    let server = Server::with_demo();
    let (admin, host) = (server.admin(), server.registered_judgehost());
    let ants = server.by_name("ants");
    ants.post("submissions", &program("int main() {}")).expect(201);
    let record = b"a record".as_slice();
    let claim = host.post("/api/judgehosts/h1/claim", &json!({"max": 1, "wait_s": 10})).expect(200);
    let path = format!("/api/blobs/{}", hash(record));
    assert_eq!(host.send("PUT", &path, Some("application/octet-stream"), record).status, 201);
    let begun = json!({"job": claim["jobs"][0]["job"], "fence": claim["jobs"][0]["fence"], "number": 1, "kind": "begun"});
    let run = accepted_run(&claim["jobs"][0], 2);
    let mut last = done(&claim["jobs"][0], 3, "AC");
    last["evidence"] = json!({"hash": hash(record), "size_bytes": record.len()});
    let reports = json!({"reports": [begun, run, last]});
    let answer = host.post("/api/judgehosts/h1/reports", &reports).expect(200);
    assert_eq!(answer["answers"][2]["state"], "taken", "{answer}");
    let used = files(&server);
    let unused = format!("/api/blobs/{}", hash(b"nothing"));
    assert_eq!(host.send("PUT", &unused, Some("application/octet-stream"), b"nothing").status, 201);

    let collect = |age| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(server.app.clone().collect_unused(age)).unwrap()
    };
    assert_eq!(collect(Duration::from_secs(3600)).blobs, 0, "it may be used yet");
    assert_eq!(collect(Duration::ZERO).blobs, 1);
    assert_eq!(files(&server), used);
    host.get(&unused).expect(404);
    for path in ["problems/different/package", "submissions/1/files", "judgements/1-1/evidence"] {
        assert_eq!(admin.get(path).status, 200, "{path}");
    }
    let details = ants.get("judgements/1-1/details").expect(200);
    assert_eq!(details["compile_output"], "a warning");
}

#[test]
fn an_empty_log_loses_nothing() {
    let server = Server::start();
    let host = server.judgehost();
    let path = format!("/api/blobs/{}", hash(b"nothing"));
    assert_eq!(host.send("PUT", &path, Some("application/octet-stream"), b"nothing").status, 201);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert_eq!(runtime.block_on(server.app.clone().collect_unused(Duration::ZERO)).unwrap().blobs, 0);
}

fn second_admin(server: &Server) -> Client {
    let other = json!({"username": "other", "password": "secret", "type": "admin"});
    server.admin().post("/api/accounts", &other).expect(201);
    server.by_name("other")
}

#[test]
fn uploads_belong_to_an_account() {
    let server = Server::start_with(|config| {
        config.limits.uploads_per_account = 2;
        config.limits.unused_bytes_per_account = 1000;
    });
    let (admin, other) = (server.admin(), second_admin(&server));
    let begin = |client: &Client, content: &[u8], size_bytes: usize| {
        client.post("/api/uploads", &json!({"sha256": hash(content), "size_bytes": size_bytes}))
    };
    let first = begin(&admin, b"first", 5).expect(201);
    let path = format!("/api/uploads/{}", first["id"].as_str().unwrap());
    let send = |client: &Client, path: &str, offset: usize, part: &[u8]| {
        let path = format!("{path}?offset_bytes={offset}");
        client.send("PATCH", &path, Some("application/octet-stream"), part)
    };
    send(&admin, &path, 0, b"fi").expect(200);
    other.get(&path).expect(404);
    send(&other, &path, 2, b"xxx").expect(404);
    other.send("DELETE", &path, None, b"").expect(404);
    let again = begin(&admin, b"first", 5).expect(201);
    assert_eq!((&again["id"], &again["received_bytes"]), (&first["id"], &json!(2)), "it goes on");

    begin(&admin, b"large", 996).expect(429);
    begin(&admin, b"second", 6).expect(201);
    let refused = begin(&admin, b"third", 5).expect(429);
    assert_eq!(refused["detail"], "2 of your uploads are open, with 11 bytes: finish or delete one");
    begin(&other, b"third", 5).expect(201);
    assert_eq!(admin.send("DELETE", &path, None, b"").status, 204);
    admin.get(&path).expect(404);
    begin(&admin, b"third", 5).expect(201);
}

#[test]
fn unused_contents_of_an_account_are_limited() {
    let server = Server::start_with(|config| config.limits.unused_bytes_per_account = 20);
    let host = server.judgehost();
    let put = |content: &[u8]| {
        host.send("PUT", &format!("/api/blobs/{}", hash(content)), Some("application/octet-stream"), content)
    };
    put(b"ten bytes.").expect(201);
    put(b"ten bytes.").expect(201);
    put(b"ten others").expect(201);
    put(b"one more").expect(429);
}

#[test]
fn files_of_packages_count_for_their_sender() {
    let server = Server::start_with(|config| config.limits.unused_per_account = 2);
    let admin = second_admin(&server);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../problems/different");
    let sent = admin.send("POST", "/api/packages", Some("application/zip"), &support::zip_of(&folder));
    let sent = sent.expect(201);
    let contest = json!({"id": "spring", "name": "Spring", "duration": "5:00:00"});
    admin.post("/api/contests", &contest).expect(201);
    // It is refused after its samples are stored, since the label is too long.
    let problem = json!({"id": "x", "package": sent["package"], "label": "A".repeat(20)});
    admin.post("/api/contests/none/problems", &problem).expect(404);
    assert_eq!(files(&server), 1, "the package");
    admin.post("/api/contests/spring/problems", &problem).expect(400);
    assert_eq!(files(&server), 2, "the package and its samples");
    admin.post("/api/contests/spring/problems", &problem).expect(429);
}

#[test]
fn clients_that_take_nothing_hold_no_thread() {
    let server = Server::with_demo();
    let host = server.judgehost();
    let large = vec![7; 32 << 20];
    let path = format!("/api/blobs/{}", hash(&large));
    assert_eq!(host.send("PUT", &path, Some("application/octet-stream"), &large).status, 201);
    // Judgehosts read only what they judge.
    let token = server.admin().post("/api/tokens", &json!({})).expect(201);
    let token = token["secret"].as_str().unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n");
    let stalled: Vec<TcpStream> = (0..BLOCKING_THREADS * 2)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            // It has begun.
            stream.read_exact(&mut [0; 1000]).unwrap();
            stream
        })
        .collect();
    let ants = server.by_name("ants");
    ants.post("submissions", &program("int main() {}")).expect(201);
    drop(stalled);
}

#[test]
fn contents_are_received_by_some_threads_only() {
    let server = Server::start_with(|config| config.limits.transfers = 2);
    set_up(&server);
    let head = format!(
        "PUT /api/blobs/{} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-length: 1000\r\n\r\nbegin",
        hash(b""),
        server.judgehost_token
    );
    let slow: Vec<TcpStream> = (0..BLOCKING_THREADS * 2)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let ants = server.by_name("ants");
    ants.post("submissions", &program("int main() {}")).expect(201);
    drop(slow);
}

fn cookie(answer: &support::Answer) -> Option<String> {
    Some(answer.header("set-cookie")?.split(';').next()?.to_owned())
}

#[test]
fn a_session_by_address_ends_with_the_address() {
    let server = Server::with_demo();
    let seat = json!({"username": "seat", "type": "team", "team_id": "ants", "contest_ids": ["demo"], "ip": "127.0.0.1"});
    server.admin().post("/api/accounts", &seat).expect(201);
    let login = server.public().post("/api/login", &json!({"username": "seat"}));
    let with_cookie = server.public().with("cookie", &cookie(&login).expect("a cookie"));
    with_cookie.get("/api/account").expect(200);
    server.admin().patch("/api/accounts/seat", &json!({"ip": "192.0.2.0/24"})).expect(200);
    with_cookie.get("/api/account").expect(204);
    server.public().post("/api/login", &json!({"username": "seat"})).expect(401);
}

#[test]
fn another_page_removes_no_cookie() {
    let server = Server::with_demo();
    let cross = server.public().with("origin", "http://elsewhere").post("/api/logout", &Value::Null);
    assert_eq!((cross.status, cookie(&cross)), (204, None));
    let login = server.public().post("/api/login", &json!({"username": "ants", "password": "secret"}));
    let session =
        server.public().with("cookie", &cookie(&login).expect("a cookie")).with("x-tautochrone", "1");
    assert_eq!(cookie(&session.post("/api/logout", &Value::Null)).as_deref(), Some("tautochrone="));
    session.get("/api/account").expect(204);
}

#[test]
fn a_judgehost_reads_what_it_judges_and_nothing_else() {
    let server = Server::with_demo();
    let admin = server.admin();
    let ants = server.by_name("ants");
    let path = |content: &str| format!("/api/blobs/{content}");
    let package = admin.get("problems/different/package").body;
    let (package, source) = (path(&hash(&package)), path(&hash(b"int main() {}")));
    let host = server.registered_judgehost();
    host.get(&package).expect(404);
    ants.post("submissions", &program("int main() {}")).expect(201);
    // Another account's judgehost, of another pool, to which nothing goes.
    admin.post("/api/accounts", &json!({"username": "other", "type": "judgehost"})).expect(201);
    let token = admin.post("/api/tokens", &json!({"account_id": "other"})).expect(201);
    let other = server.by_token(token["secret"].as_str().unwrap());
    let mut elsewhere = registration("1", &["cpu: y"]);
    elsewhere["pool"] = json!("other");
    other.put("/api/judgehosts/h2", &elsewhere).expect(200);
    for path in [&package, &source] {
        assert_eq!(host.get(path).status, 200);
        other.get(path).expect(404);
    }
    judge(&host, "h1", "AC");
    host.get(&source).expect(404);
    // What a team sees of it is stored, and no judgehost has to do with it.
    let output = path(&hash(b"a warning"));
    host.get(&output).expect(404);
    assert_eq!(admin.get(&output).status, 200);
    // An admin of one contest has nothing to ask by hash.
    let orga =
        json!({"username": "orga", "type": "admin", "password": "secret-secret", "contest_ids": ["demo"]});
    admin.post("/api/accounts", &orga).expect(201);
    let orga = server.by_password("orga", "secret-secret");
    orga.get(&package).expect(403);
}

#[test]
fn another_password_ends_the_tokens() {
    let server = Server::with_demo();
    let ants = server.by_name("ants");
    let token = || ants.post("/api/tokens", &json!({})).expect(201)["secret"].as_str().unwrap().to_owned();
    let (stolen, own) = (server.by_token(&token()), server.by_token(&token()));
    own.patch("/api/accounts/ants", &json!({"password": "other"})).expect(200);
    stolen.get("/api/account").expect(401);
    own.get("/api/account").expect(200);
    server.admin().patch("/api/accounts/ants", &json!({"password": "third"})).expect(200);
    own.get("/api/account").expect(401);
    server.judgehost().get("/api/account").expect(200);
}

#[test]
fn an_account_does_not_fill_the_log() {
    let server = Server::with_demo();
    let spectator = server.by_name("spectator");
    for _ in 0..50 {
        spectator.post("/api/tokens", &json!({})).expect(201);
        let login = json!({"username": "spectator", "password": "secret"});
        server.public().post("/api/login", &login).expect(200);
    }
    spectator.post("/api/tokens", &json!({})).expect(429);
    server.public().post("/api/login", &json!({"username": "spectator", "password": "secret"})).expect(429);
    spectator.get("/api/account").expect(200);
    server.by_name("staff").post("/api/tokens", &json!({})).expect(201);
}

#[test]
fn a_token_that_was_revoked_claims_nothing() {
    let server = Server::with_demo();
    let admin = server.admin();
    admin.post("/api/accounts", &json!({"username": "host", "type": "judgehost"})).expect(201);
    let token = admin.post("/api/tokens", &json!({"account_id": "host"})).expect(201);
    let host = server.by_token(token["secret"].as_str().unwrap());
    host.put("/api/judgehosts/h1", &registration("1", &["cpu: x"])).expect(200);
    let seen = || admin.get("/api/judgehosts").expect(200)[0]["last_seen"].as_str().unwrap().to_owned();
    let registered = seen();
    while support::at(0) <= registered {
        std::thread::yield_now();
    }
    let claim = std::thread::scope(|scope| {
        let claim =
            scope.spawn(|| host.post("/api/judgehosts/h1/claim", &json!({"max": 1, "wait_s": 20})).status);
        // A claim is seen once its token was taken, before it waits.
        let begin = std::time::Instant::now();
        while seen() == registered {
            assert!(begin.elapsed() < Duration::from_secs(60), "the claim does not come");
            std::thread::sleep(Duration::from_millis(5));
        }
        let path = format!("/api/tokens/{}", token["id"].as_str().unwrap());
        assert_eq!(admin.send("DELETE", &path, None, b"").status, 204);
        server.by_name("ants").post("submissions", &program("x")).expect(201);
        claim.join().unwrap()
    });
    assert_eq!(claim, 401);
    let other = server.judgehost();
    other.put("/api/judgehosts/h2", &registration("1", &["cpu: x"])).expect(200);
    judge(&other, "h2", "AC");
}

#[test]
fn answers_that_clients_do_not_take_are_limited() {
    let server = Server::start_with(|config| config.limits.answer_bytes = 8_000_000);
    set_up(&server);
    let long = "x".repeat(250);
    let team = |number: usize| json!({"id": format!("t{number}"), "name": long, "display_name": long, "icpc_id": long, "label": long});
    let teams: Vec<Value> = (0..5000).map(team).collect();
    server.admin().put("teams", &json!(teams)).expect(204);
    let path = "/api/contests/demo/teams";
    assert!(server.public().get(path).body.len() > 5_000_000, "more than the kernel takes for a client");
    let mut stalled = TcpStream::connect(server.address).unwrap();
    stalled.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).unwrap();
    stalled.read_exact(&mut [0; 1000]).unwrap();
    server.public().get(path).expect(503);
    server.public().get("scoreboard").expect(200);
    drop(stalled);
    let begin = std::time::Instant::now();
    while server.public().get(path).status != 200 {
        assert!(begin.elapsed() < Duration::from_secs(60), "its place is not free again");
    }
}
