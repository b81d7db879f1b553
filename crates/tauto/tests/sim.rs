//! `tauto sim` from end to end: import, run, stop and go on, report, explain, compare. Needs no privileges.

#![allow(clippy::unwrap_used)]

mod common;

use common::{all_refused, refused, tauto, text};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = tauto(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Makes up a fleet that is busy enough to have hot hosts.
fn fleet() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let generate = ["sim", "generate", "--hosts", "20", "--jobs", "1500", "-o", "fleet.trace"];
    let printed = done(folder.path(), &generate);
    assert!(printed.contains("fleet.trace: 20 hosts, 1500 jobs"), "{printed}");
    folder
}

#[test]
fn a_run_is_reported_and_each_job_explained() {
    let folder = fleet();
    let here = folder.path();
    let ran = done(here, &["sim", "run", "fleet.trace", "--until", "1d", "-o", "fleet.sim"]);
    assert!(ran.contains("fleet under load-aware: 24.0 h"), "{ran}");
    assert!(ran.contains("Next: tauto sim report fleet.sim"), "{ran}");
    let again = done(here, &["sim", "run", "fleet.trace", "--until", "1d", "-o", "again.sim"]);
    assert!(again.contains("utilisation"));
    assert_eq!(fs::read(here.join("fleet.sim")).unwrap(), fs::read(here.join("again.sim")).unwrap());
    let reported = done(here, &["sim", "report", "fleet.sim", "--html", "fleet.html"]);
    assert!(reported.contains("fleet.html has the pictures"), "{reported}");
    let page = fs::read_to_string(here.join("fleet.html")).unwrap();
    assert!(page.contains("CPUs over time") && page.contains("policy: load-aware"));
    let rows = fs::read_to_string(here.join("fleet.sim")).unwrap();
    let mut jobs = rows.lines().filter_map(|line| match serde_json::from_str(line).unwrap() {
        documents::SimLine::Job(job) => Some(job),
        _ => None,
    });
    let job = jobs.rfind(|job| job.start_ms.is_some()).unwrap();
    let explained = done(here, &["sim", "explain", "fleet.sim", "--job", &job.name]);
    let went = format!("{} went to {} under load-aware", job.name, job.host.unwrap());
    assert!(explained.contains(&went), "{explained}");
    fs::rename(here.join("fleet.trace"), here.join("moved.trace")).unwrap();
    let explain = ["sim", "explain", "fleet.sim", "--job", &job.name];
    refused(here, &explain, "cannot read the trace fleet.trace");
    done(here, &[&explain[..], &["--trace", "moved.trace"]].concat());
    refused(here, &["sim", "explain", "fleet.sim", "--job", "nobody"], "no job 'nobody' is in fleet.sim");
}

#[test]
fn policies_are_compared_on_draws_of_the_trace() {
    let folder = fleet();
    let here = folder.path();
    let policies = ["--policy", "spread", "--policy", "load-aware", "--seeds", "5", "--until", "6h"];
    let compare = [&["sim", "compare", "fleet.trace"][..], &policies].concat();
    let printed = done(here, &compare);
    assert!(
        printed.contains("5 draws of 20 groups of jobs") && printed.contains("\nhot in use "),
        "{printed}"
    );
    assert_eq!(printed, done(here, &compare), "the draws follow from the seed, whichever thread is first");
    refused(here, &["sim", "compare", "fleet.trace", "--policy", "pack"], "give --policy at least twice");
}

/// Kills a run after its first checkpoints, again and again, and lets it go on: the file comes out the same.
#[test]
fn a_run_that_is_killed_goes_on_from_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(here, &["sim", "generate", "--hosts", "100", "--jobs", "20000", "-o", "large.trace"]);
    done(here, &["sim", "run", "large.trace", "-o", "whole.sim"]);
    let kept = ["--checkpoint", "kept", "--checkpoint-every", "1h"];
    let run = [&["sim", "run", "large.trace", "-o", "parts.sim"][..], &kept].concat();
    let mut kills = 0;
    while kills < 6 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tauto"))
            .args(&run)
            .current_dir(here)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let changed = |before: &Option<Vec<u8>>| fs::read(here.join("kept")).ok() != *before;
        let before = fs::read(here.join("kept")).ok();
        let deadline = Instant::now() + Duration::from_secs(120);
        while !changed(&before) && child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "no checkpoint comes");
            std::thread::sleep(Duration::from_millis(2));
        }
        // Some kills hit the middle of a line, some a checkpoint that is being written.
        std::thread::sleep(Duration::from_millis(7 * kills));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    if here.join("kept").exists() {
        let other = |arguments: &[&'static str]| [&run[..], arguments].concat();
        refused(here, &other(&["--policy", "pack"]), "the checkpoint was made with another policy");
        refused(here, &other(&["--seed", "2"]), "another seed");
        let whole = fs::read(here.join("kept")).unwrap();
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 4;
        fs::write(here.join("kept"), damaged).unwrap();
        refused(here, &run, "or it is damaged");
        fs::write(here.join("kept"), whole).unwrap();
        let parts = fs::read(here.join("parts.sim")).unwrap();
        fs::write(here.join("parts.sim"), "something else that is precious").unwrap();
        refused(here, &run, "parts.sim does not begin with what the run had written");
        let longer = [&parts[..], b"and what came after the checkpoint"].concat();
        fs::write(here.join("parts.sim"), &longer).unwrap();
        refused(here, &other(&["--policy", "pack"]), "another policy");
        assert!(fs::read(here.join("parts.sim")).unwrap() == longer, "a refused run shortens nothing");
        fs::write(here.join("parts.sim"), "something else that is precious").unwrap();
        let kept = fs::read_to_string(here.join("parts.sim")).unwrap();
        assert_eq!(kept, "something else that is precious");
        fs::write(here.join("parts.sim"), parts).unwrap();
    }
    done(here, &run);
    let [whole, parts] = ["whole.sim", "parts.sim"].map(|name| fs::read(here.join(name)).unwrap());
    assert!(whole == parts, "the files differ");
    assert!(!here.join("kept").exists(), "a checkpoint is of no use any more");
}

#[test]
fn trace_mistakes_are_named_with_file_and_line() {
    let folder = fleet();
    let here = folder.path();
    let host = r#"{"host":"h","cpu_milli":4000,"memory_mib":4096}"#;
    let job = r#"{"job":"a","at_ms":5,"cpu_milli":1000,"memory_mib":1,"level":"standard","for_ms":10}"#;
    let head = r#"{"trace":1,"name":"t","made_by":"test"}"#;
    for (name, lines, words) in [
        ("first", &["{}"][..], "it begins with '{}'"),
        ("middle", &[head, host, job, &job.replace("5", "4"), r#"{"end":3}"#], "line 4: at_ms"),
        ("torn", &[head, host, job], "line 4"),
        ("pool", &[head, &host.replace("\"cpu", "\"pool\":\"1\",\"cpu"), r#"{"end":1}"#], "'1' is no name"),
        ("negative", &[head, &host.replace("4000", "-4"), r#"{"end":1}"#], "line 2"),
    ] {
        let file = format!("{name}.trace");
        fs::write(here.join(&file), lines.join("\n") + "\n").unwrap();
        for command in ["run", "compare"] {
            let policies = ["--policy", "pack", "--policy", "spread"];
            let policies = if command == "run" { &policies[..2] } else { &policies[..] };
            let arguments = [&["sim", command, &file][..], policies].concat();
            refused(here, &arguments, words);
            refused(here, &arguments, &file);
        }
    }
    all_refused(
        here,
        &[
            ("sim run nowhere.trace", "cannot read the trace nowhere.trace"),
            ("sim run fleet.trace --repair 1000y", "--repair is 365250.0 d, expected at most 11"),
            ("sim run fleet.trace --sample 0s", "--sample is 0 ms, expected at least 1 ms"),
            ("sim run fleet.trace --sample 1us", "--sample is 0 ms"),
            ("sim run fleet.trace --policy loda-aware", "did you mean load-aware?"),
            ("sim report fleet.trace", "fleet.trace:1: "),
        ],
    );
    done(here, &["sim", "run", "fleet.trace", "--until", "1h", "-o", "fleet.sim"]);
    let rows = fs::read_to_string(here.join("fleet.sim")).unwrap();
    let hostile = r#"{"move":{"at_ms":18446744073709551615,"job":"a","from":"h","to":"i","reason":"hot","pause_ms":1}}"#;
    let (first, rest) = rows.split_once('\n').unwrap();
    fs::write(here.join("hostile.sim"), [first, hostile, rest].join("\n")).unwrap();
    refused(here, &["sim", "report", "hostile.sim"], "hostile.sim:2: at_ms is 18446744073709551615");
    fs::write(here.join("torn.sim"), rows.lines().next().unwrap()).unwrap();
    refused(here, &["sim", "report", "torn.sim"], "torn.sim has no last line");
}

#[test]
fn contests_and_service_sizes_are_simulated() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/contest-day.yaml");
    let day = fs::read_to_string(example).unwrap();
    let small = day.replace("teams: 300", "teams: 10").replace("submissions: 4500", "submissions: 60");
    fs::write(here.join("day.yaml"), &small).unwrap();
    let printed = done(here, &["sim", "contest", "day.yaml"]);
    assert!(printed.contains("strict"), "{printed}");
    fs::write(here.join("wrong.yaml"), small.replace("teams: 10", "teams: many")).unwrap();
    refused(here, &["sim", "contest", "wrong.yaml"], "wrong.yaml");
    let rows: String = (0..400).map(|at| format!("{},{}\n", at * 100, 20 + at * 37 % 150)).collect();
    fs::write(here.join("use.csv"), format!("at_ms,used_ms\n{rows}")).unwrap();
    let printed = done(here, &["sim", "right-size", "--quota", "use.csv", "--machine-cpus", "8"]);
    assert!(printed.contains("fewest CPUs"), "{printed}");
    fs::write(here.join("torn.csv"), "at_ms,used_ms\n0,5\n100,many\n").unwrap();
    refused(here, &["sim", "right-size", "--quota", "torn.csv", "--machine-cpus", "8"], "line 3");
}

/// An implementation in another language, written from the documentation, decides alike.
#[test]
fn another_implementation_agrees_with_the_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/placement.py");
    let check = |vectors: &str| {
        fs::write(folder.path().join("vectors.json"), vectors).unwrap();
        let file = folder.path().join("vectors.json");
        let output = Command::new("python3").arg(&program).arg(file).output().unwrap();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    for seed in ["1", "2", "3"] {
        let vectors = done(folder.path(), &["sim", "vectors", "--seed", seed]);
        let (code, printed) = check(&vectors);
        assert_eq!((code, printed.as_str()), (Some(0), "64 vectors checked, 0 differences\n"));
        let (code, printed) = check(&vectors.replacen("\"memory\"", "\"cpu\"", 1));
        assert!(code == Some(1) && printed.contains("1 differences"), "{printed}");
    }
}

#[test]
fn nothing_that_is_read_or_precious_is_written_over() {
    let folder = fleet();
    let here = folder.path();
    let shown = done(here, &["policy", "show", "load-aware"]);
    fs::write(here.join("mine.yaml"), shown.replace("policy: load-aware", "policy: mine")).unwrap();
    let run = ["sim", "run", "fleet.trace", "--until", "2h", "--policy", "mine.yaml"];
    done(here, &[&run[..], &["-o", "kept.sim"]].concat());
    std::os::unix::fs::symlink("fleet.trace", here.join("link")).unwrap();
    fs::hard_link(here.join("fleet.trace"), here.join("hard")).unwrap();
    fs::write(here.join("torn.trace"), "{\"trace\":1,\"name\":\"t\",\"made_by\":\"test\"}\n").unwrap();
    let files = || {
        let mut files: Vec<_> = fs::read_dir(here).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        files
            .into_iter()
            .filter(|file| file.is_file())
            .map(|file| (fs::read(&file).unwrap(), file))
            .collect::<Vec<_>>()
    };
    let before = files();
    for (arguments, words) in [
        (&["-o", "fleet.trace"][..], "--output and the trace are the same file"),
        (&["-o", "link"], "--output and the trace are the same file"),
        (&["-o", "hard"], "--output and the trace are the same file"),
        (&["-o", "mine.yaml"], "--output and the policy are the same file"),
        (&["-o", "kept.sim", "--checkpoint", "kept.sim"], "--checkpoint and --output are the same file"),
        (&["-o", "new.sim", "--checkpoint", "new.sim"], "--checkpoint and --output are the same file"),
        (&["-o", "new.sim", "--checkpoint", "fleet.trace"], "--checkpoint and the trace are the same file"),
        (&["-o", "kept.sim", "--checkpoint", "torn.trace"], "name another file, or remove it if"),
        (&["-o", "kept.sim", "--checkpoint", "none/kept"], "cannot write none/kept"),
        (&["-o", "kept.sim", "--stale", "20y"], "--stale is"),
    ] {
        refused(here, &[&run[..], arguments].concat(), words);
        assert!(files() == before, "{arguments:?}");
    }
    let log = "1 0 0 60 1 -1 -1 1 60 -1 1 1 1 1 1 -1 -1 -1\n";
    fs::write(here.join("log.swf"), log).unwrap();
    refused(
        here,
        &["sim", "import", "swf", "log.swf", "-o", "log.swf"],
        "--output and the source are the same",
    );
    fs::remove_file(here.join("log.swf")).unwrap();
    refused(here, &["sim", "run", "torn.trace", "-o", "kept.sim"], "the trace is torn");
    refused(
        here,
        &["sim", "report", "kept.sim", "--html", "kept.sim"],
        "--html and the run are the same file",
    );
    assert!(files() == before);
}
