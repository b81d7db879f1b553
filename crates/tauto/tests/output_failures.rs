//! If the output cannot be written, the exit code shows that. Needs no privileges.

#![allow(clippy::unwrap_used)]

use std::process::{Command, Output, Stdio};

/// Commands that print, each in its own way; most of them with and without a document.
const COMMANDS: [&[&str]; 13] = [
    &["--help"],
    &["--version"],
    &["judge", "--help"],
    &["languages", "--json"],
    &["doctor"],
    &["doctor", "--json"],
    &["machine", "topology", "--json"],
    &["machine", "check"],
    &["machine", "allocate", "--cpus", "1"],
    &["noise", "predict", "--nodes", "10", "--source", "100:10us", "--tc", "1ms", "--json"],
    &["completions", "bash"],
    &["man"],
    &["run", "--dry-run", "--", "true"],
];

fn run(command: &mut Command, arguments: &[&str], stdout: impl Into<Stdio>) -> (Option<i32>, String) {
    let command = command.args(arguments).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
    let Output { status, stderr, .. } = command.spawn().unwrap().wait_with_output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

fn tauto() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tauto"))
}

/// Returns the command, started by a shell that closes descriptors.
fn tauto_with(closed: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec \"$@\" {closed}"), "sh", env!("CARGO_BIN_EXE_tauto")]);
    shell
}

#[test]
fn a_closed_standard_output_is_an_error() {
    for arguments in COMMANDS {
        let (code, stderr) = run(&mut tauto_with(">&-"), arguments, Stdio::null());
        assert_eq!(
            (code, stderr.as_str()),
            (
                Some(3),
                "error: standard output is closed, so nothing could be written to it\n\
                 hint: give it a file, or /dev/null to discard the output\n"
            ),
            "{arguments:?}"
        );
    }
    // Without a report, a run's result cannot be reported either.
    assert_eq!(run(&mut tauto_with("2>&-"), &["run", "--", "true"], Stdio::null()).0, Some(3));
}

#[test]
fn failed_write_to_standard_output_is_an_error() {
    let read_only = || std::fs::File::open("/dev/null").unwrap();
    for arguments in COMMANDS {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        for (name, stdout) in [("No space left", full), ("Bad file descriptor", read_only())] {
            let (code, stderr) = run(&mut tauto(), arguments, stdout);
            assert_eq!(code, Some(3), "{arguments:?}: {stderr}");
            assert!(
                stderr.starts_with(&format!("error: cannot write to standard output: {name}")),
                "{arguments:?}: {stderr}"
            );
        }
    }
}

#[test]
fn closed_pipe_ends_without_a_message() {
    for arguments in COMMANDS {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        // A shell's exit code for a program that SIGPIPE ended.
        assert_eq!(run(&mut tauto(), arguments, writer), (Some(141), String::new()), "{arguments:?}");
    }
}

#[test]
fn output_to_dev_null_is_no_error() {
    let null = std::fs::File::options().read(true).write(true).open("/dev/null").unwrap();
    let (code, stderr) = run(&mut tauto(), &["languages", "--json"], null);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
}
