//! `tauto stream`: a contest is served, solved, killed, served again, and added up.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::folder;
use common::text;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// A server that is killed at the end.
struct Serving {
    child: Child,
    started: Value,
}

impl Serving {
    fn start(arguments: &[&str]) -> Self {
        let ports = ["--input", "127.0.0.1:0", "--output", "127.0.0.1:0", "--board", "127.0.0.1:0"];
        let mut child = tauto(&[&["stream"], arguments, &ports, &["--json"]].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, started: serde_json::from_str(&line).unwrap() }
    }

    /// Returns the address of a port, as clients name it.
    fn at(&self, port: &str) -> String {
        let url = self.started[port].as_str().unwrap();
        url.trim_start_matches("http://").split('/').next().unwrap().to_owned()
    }

    fn solve(&self, more: &[&str]) -> Output {
        let (input, output) = (self.at("input"), self.at("output"));
        let ports = ["stream", "solve", "--input", &input, "--output", &output, "--json"];
        tauto(&[&ports, more].concat()).output().unwrap()
    }

    /// Ends it as a power cut would, but for the kernel's own buffers.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tauto(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tauto"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn board(record: &Path) -> Value {
    let output = tauto(&["stream", "board", record.to_str().unwrap(), "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn row(board: &Value, name: &str) -> Value {
    board["rows"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone()
}

#[test]
fn a_contestant_practises() {
    let serving = Serving::start(&["mock", "--gap", "5ms"]);
    assert_eq!(serving.started["contestants"], 1);
    let output = serving.solve(&["--chunks", "200"]);
    let solved: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.success() && solved["answers"].as_u64().unwrap() > 0, "{solved}");
    let text = ureq::get(format!("http://{}/board.txt", serving.at("board"))).call().unwrap();
    let text = text.into_body().read_to_string().unwrap();
    assert!(text.contains("user") && text.contains("M4 = hidden"), "{text}");
}

#[test]
fn a_killed_contest_goes_on_and_its_record_gives_the_board() {
    let room = folder();
    let data = room.path().join("contest");
    let rules = room.path().join("rules.json");
    std::fs::write(&rules, r#"{"chunks": {"gap_us": [4000, 5000]}}"#).unwrap();
    let (folder, file) = (data.to_str().unwrap(), rules.to_str().unwrap());
    let serve = ["serve", "--data", folder, "--contestant", "ann", "--rules", file];
    let mut serving = Serving::start(&serve);
    let password = serving.started["new"][0]["password"].as_str().unwrap().to_owned();
    let file = room.path().join("password");
    std::fs::write(&file, &password).unwrap();
    let login = ["--user", "ann", "--password-file", file.to_str().unwrap()];
    let output = serving.solve(&[&login[..], &["--chunks", "100"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serving.kill();

    let record = data.join("record.ndjson");
    let before = board(&record);
    let score = row(&before, "ann")["score"].as_i64().unwrap();
    assert!(score > 0, "{before}");
    let kept = std::fs::read_to_string(&record).unwrap();
    assert!(!kept.contains(&password));

    let serving = Serving::start(&serve);
    // Another server gets neither the contest nor a word into its accounts.
    let ports = ["--input", "127.0.0.1:0", "--output", "127.0.0.1:0", "--board", "127.0.0.1:0"];
    let other = ["stream", "serve", "--data", data.to_str().unwrap(), "--contestant", "eve"];
    let output = tauto(&[&other[..], &ports].concat()).output().unwrap();
    let printed = text(&output.stderr);
    assert!(
        output.status.code() == Some(2) && printed.contains("another server has this contest"),
        "{printed}"
    );
    let accounts = std::fs::read_to_string(data.join("accounts.yaml")).unwrap();
    assert!(accounts.contains("ann") && !accounts.contains("eve"), "{accounts}");
    assert_eq!(
        (&serving.started["goes_on"], &serving.started["new"]),
        (&true.into(), &Value::Array(Vec::new()))
    );
    let output = serving.solve(&[&login[..], &["--chunks", "100"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    drop(serving);
    let after = board(&record);
    assert!(row(&after, "ann")["score"].as_i64().unwrap() > score);
    assert!(std::fs::read_to_string(&record).unwrap().starts_with(&kept[..=kept.rfind('\n').unwrap()]));
}

#[test]
fn unusable_stream_contest_is_refused_in_a_sentence() {
    let room = folder();
    let data = room.path().join("contest");
    let rules = room.path().join("rules.json");
    let printed = |arguments: &[&str]| {
        let serve = ["stream", "serve", "--data", data.to_str().unwrap()];
        let output = tauto(&[&serve, arguments].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    assert!(printed(&[]).contains("no contestants are configured"));
    assert!(printed(&["--contestant", "a b"]).contains("'a b' is not a valid name"));
    assert!(printed(&["--contestant", "ann", "--input", "nowhere:1"]).contains("--input"));
    std::fs::write(&rules, r#"{"points": [8], "pionts": []}"#).unwrap();
    let wrong = printed(&["--contestant", "ann", "--rules", rules.to_str().unwrap()]);
    assert!(wrong.contains("rules.json") && wrong.contains("pionts"), "{wrong}");
    std::fs::write(&rules, r#"{"multiples_of": [{"value": "1"}]}"#).unwrap();
    let wrong = printed(&["--contestant", "ann", "--rules", rules.to_str().unwrap()]);
    assert!(wrong.contains("multiples_of") && wrong.contains("less than 2"), "{wrong}");
    let accounts = room.path().join("accounts.yaml");
    std::fs::write(&accounts, "- {id: ann, username: ann, type: team, team_id: ann}\n").unwrap();
    let wrong = printed(&["--contestants", accounts.to_str().unwrap()]);
    assert!(wrong.contains("'ann'") && wrong.contains("no password"), "{wrong}");
}
