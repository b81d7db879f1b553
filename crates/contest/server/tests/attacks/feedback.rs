//! What a team learns of secret test data by what its program did with it.

use super::support::{Client, Server, done, program, registration};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

const DEMO: &str = "/api/contests/demo";

/// Judges the next submission: `cases` cases, the last one with the verdict, and a record of all runs.
fn judge(host: &Client, verdict: &str, cases: u32) {
    let claim = host.post("/api/judgehosts/h1/claim", &json!({"max": 1, "wait_s": 10})).expect(200);
    let job = &claim["jobs"][0];
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/../../judging/record/tests/records/pass-fail.jsonl");
    let record = std::fs::read(record).unwrap();
    let hash = store::BlobHash::of(&record).to_string();
    let path = format!("/api/blobs/{hash}");
    assert_eq!(host.send("PUT", &path, Some("application/octet-stream"), &record).status, 201);
    let run = |ordinal: u32| {
        let verdict = if ordinal == cases { verdict } else { "AC" };
        json!({"ordinal": ordinal, "verdict": verdict, "cpu_time_ns": 7_654_321, "memory_peak_bytes": 4_321_000, "at_ms": 5})
    };
    let report = |number: u32, kind: &str| json!({"job": job["job"], "fence": job["fence"], "number": number, "kind": kind});
    let mut runs = report(2, "runs");
    runs["runs"] = (1..=cases).map(run).collect();
    let mut end = done(job, 3, verdict);
    end["evidence"] = json!({"hash": hash, "size_bytes": record.len()});
    let reports = json!({"reports": [report(1, "begun"), runs, end]});
    host.post("/api/judgehosts/h1/reports", &reports).expect(200);
}

/// Returns the lines of a stream until one has these words.
fn stream(server: &Server, client: &str, path: &str, last: &str) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n{client}\r\n").unwrap();
    let mut text = String::new();
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        text.push_str(&line);
        text.push('\n');
        if line.contains(last) {
            return text;
        }
    }
    panic!("the stream ended: {text}");
}

fn contest(feedback: &str, shows_compiler_output: bool) -> Server {
    let server = Server::with_demo();
    let settings = json!({"feedback": feedback, "shows_compiler_output": shows_compiler_output});
    let kept = server.admin().patch(&format!("{DEMO}/settings"), &settings).expect(200);
    assert_eq!(
        (&kept["feedback"], &kept["shows_compiler_output"]),
        (&settings["feedback"], &settings["shows_compiler_output"])
    );
    server.judgehost().put("/api/judgehosts/h1", &registration("1", &["cpu: x"])).expect(200);
    let ants = server.by_name("ants");
    for (number, (verdict, cases)) in [("WA", 3), ("AC", 3), ("TLE", 2), ("CE", 0)].into_iter().enumerate() {
        ants.post(&format!("{DEMO}/submissions"), &program(&format!("int main() {{ return {number}; }}")))
            .expect(201);
        judge(&server.judgehost(), verdict, cases);
    }
    server
}

fn basic(name: &str) -> String {
    use base64::Engine;
    let text = base64::engine::general_purpose::STANDARD.encode(format!("{name}:secret"));
    format!("authorization: Basic {text}\r\n")
}

/// Returns which properties each of the four judgements shows.
fn shown(client: &Client) -> Vec<Vec<&'static str>> {
    let look = |number: u32| {
        let path = format!("{DEMO}/judgements/{number}-1");
        let (judgement, details) =
            (client.get(&path).expect(200), client.get(&format!("{path}/details")).expect(200));
        let mut shown = Vec::new();
        let mut add = |name, is_shown: bool| {
            if is_shown {
                shown.push(name)
            }
        };
        add("time", !judgement["max_run_time"].is_null());
        add("output", !details["compile_output"].is_null());
        add("record", !details["evidence"].is_null());
        add("runs", client.get(&format!("{DEMO}/runs?judgement_id={number}-1")).expect(200) != json!([]));
        add("run", client.get(&format!("{DEMO}/runs/{number}-1-1")).status == 200);
        add("file", client.get(&format!("{path}/evidence")).status == 200);
        shown
    };
    (1..=4).map(look).collect()
}

#[test]
fn by_default_a_team_learns_the_verdict() {
    let server = contest("verdict", true);
    let [ants, bees, judge] = ["ants", "bees", "judge"].map(|name| server.by_name(name));
    let all: Vec<&str> = vec!["time", "output", "record", "runs", "run", "file"];
    let without_cases = vec!["time", "output", "record", "file"];
    assert_eq!(shown(&ants), [vec![], vec![], vec!["time"], vec!["output"]]);
    for other in [&bees, &server.public()] {
        assert_eq!(shown(other), [vec![], vec![], vec!["time"], vec![]]);
    }
    assert_eq!(shown(&judge), [all.clone(), all.clone(), all, without_cases]);
    let types = |client: &Client| -> Vec<Value> {
        let access = client.get(&format!("{DEMO}/access")).expect(200);
        access["endpoints"].as_array().unwrap().iter().map(|one| one["type"].clone()).collect()
    };
    assert!(!types(&ants).contains(&json!("runs")) && types(&judge).contains(&json!("runs")));
    assert_eq!(ants.get(&format!("{DEMO}/runs")).expect(200), json!([]));
    // The streams tell no more: not even how many cases there were.
    for (client, who) in [(basic("ants"), "ants"), (String::new(), "public")] {
        let feed = stream(&server, &client, &format!("{DEMO}/event-feed"), "\"id\":\"4-1\"");
        assert!(feed.contains("\"judgements\"") && !feed.contains("\"runs\""), "{who}: {feed}");
    }
}

#[test]
fn case_by_case_a_team_learns_what_its_runs_did() {
    let server = contest("cases", true);
    let [ants, bees] = ["ants", "bees"].map(|name| server.by_name(name));
    let own = vec!["time", "output", "record", "runs", "run", "file"];
    assert_eq!(shown(&ants), [own.clone(), own.clone(), own, vec!["time", "output", "record", "file"]]);
    assert_eq!(shown(&bees)[0], ["time", "runs", "run"]);
    let feed = stream(&server, &basic("ants"), &format!("{DEMO}/event-feed"), "\"id\":\"3-1-2\"");
    assert!(feed.contains("\"runs\""));
}

#[test]
fn compiler_output_can_be_hidden() {
    for feedback in ["verdict", "cases"] {
        let server = contest(feedback, false);
        let [ants, judge] = ["ants", "judge"].map(|name| server.by_name(name));
        let output = |client: &Client| shown(client).iter().any(|shown| shown.contains(&"output"));
        assert_eq!((output(&ants), output(&judge)), (false, true), "{feedback}");
    }
}
