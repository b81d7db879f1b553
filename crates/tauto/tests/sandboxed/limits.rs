//! The limits of `tauto run`, and those with which it was started.

use super::real::{command, folder, is_root, tauto, text};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Runs `ulimit ARGUMENTS && tauto run -- sh -c PROGRAM` in a shell.
fn run_under(limit: &str, program: &str) -> std::process::Output {
    let script = format!("ulimit {limit} && exec \"$0\" run -- sh -c '{program}'");
    let mut shell = Command::new("bash");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_tauto")]).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn the_limits_of_the_shell_are_not_those_of_runs() {
    if !is_root() {
        return;
    }
    let limits = "ulimit -v; ulimit -d; ulimit -t; ulimit -f";
    for soft in ["-Sv 4000000", "-Sd 200000", "-St 100", "-Sf 100000"] {
        let output = run_under(soft, limits);
        assert_eq!(output.status.code(), Some(0), "{soft}: {}", text(&output.stderr));
        assert!(
            !text(&output.stdout).lines().take(3).any(|limit| limit != "unlimited"),
            "{soft}: {output:?}"
        );
    }
    for (hard, what) in [("-v 4000000", "address space"), ("-d 200000", "data"), ("-t 100", "CPU time")] {
        let output = run_under(hard, "true");
        assert_eq!(output.status.code(), Some(3), "{hard}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(what), "{hard}: {}", text(&output.stderr));
    }
}

#[test]
fn the_limits_of_a_single_run_hold() {
    if !is_root() {
        return;
    }
    let folder = folder();
    let fork = "/bin/true; echo forked";
    let fill = "head -c 100000000 /dev/zero >/tmp/x";
    let orphan = "sleep 600 & echo left";
    for (limits, script, status, stdout) in [
        (&["--processes", "1"][..], fork, "RTE", ""),
        (&["--processes", "2"], fork, "OK", "forked\n"),
        (&["--memory", "32MiB"], fill, "MLE", ""),
        (&["--wall", "100ms"], "sleep 600", "WTL", ""),
        (&["--cpu", "50ms"], "while :; do :; done", "TLE", ""),
        (&["--cpu", "1200ms"], "ulimit -t", "OK", "3\n"),
        (&[], orphan, "OK", "left\n"),
    ] {
        let start = ["run", "--json", "--output", "r.json"];
        let output = tauto(folder.path(), &[&start, limits, &["--", "sh", "-c", script]].concat());
        let report = fs::read_to_string(folder.path().join("r.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["status"], status, "{limits:?}: {report}");
        assert_eq!(text(&output.stdout), stdout, "{limits:?}");
    }
}

#[test]
fn the_kernel_ends_a_program_that_tauto_cannot_end() {
    if !is_root() {
        return;
    }
    let folder = folder();
    let arguments = ["run", "--json", "--output", "r.json", "--cpu", "500ms", "--"];
    let program = ["sh", "-c", "echo begun >&2; while :; do :; done"];
    let mut child = command(folder.path(), &[&arguments[..], &program].concat());
    let mut child = child.stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let id = child.id();
    let init = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    let tauto = Pid::from_child(&child);
    kill_process(tauto, Signal::STOP).unwrap();
    // Nobody waits for the init yet, so it stays as a zombie.
    let has_ended = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", init.trim())).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    };
    let ended = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        has_ended()
    });
    kill_process(tauto, Signal::CONT).unwrap();
    child.wait().unwrap();
    let report = fs::read_to_string(folder.path().join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(ended, "{report}");
    assert_eq!(report["status"], "TLE", "{report}");
}
