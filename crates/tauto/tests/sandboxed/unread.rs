//! `tauto run` with output that is not read.

use super::assert_nothing_left;
use super::left::{processes_of, slots_of};
use crate::common::real::{command, sandbox_folder};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;
use test_support::until;

#[test]
fn a_reader_that_goes_ends_the_program() {
    let Some(folder) = sandbox_folder() else { return };
    let mut child = command(folder.path(), &["run", "--", "yes"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "y\n");
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// More than the caller's pipe holds, and less than the program's.
const UNREAD_BYTES: usize = 300_000;

/// Starts a program that writes more than is read and then uses CPU time for ever; returns the command and its slot
/// once everything is written.
fn unread(folder: &Path, limits: &[&str]) -> (std::process::Child, String) {
    let script = format!("head -c {UNREAD_BYTES} /dev/zero; touch written; while :; do :; done");
    let run =
        ["run", "--output", "report.json", "--json", "--mount", ".:/box/here:rw", "--directory", "/box/here"];
    let arguments = [&run[..], limits, &["--", "sh", "-c", &script]].concat();
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let child = command(folder, &arguments).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
    until("all is written", || folder.join("written").exists());
    let slots = slots_of(child.id());
    (child, slots[0].clone())
}

#[test]
fn limit_ends_a_program_whose_output_is_not_read() {
    let Some(folder) = sandbox_folder() else { return };
    let (mut child, slot) = unread(folder.path(), &["--cpu", "2s"]);
    until("its CPU time ends the program", || processes_of(&slot).is_empty());
    assert!(child.try_wait().unwrap().is_none(), "what it wrote is not passed on yet");
    let mut output = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    assert_eq!(output.len(), UNREAD_BYTES);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let report = fs::read_to_string(folder.path().join("report.json")).unwrap();
    let report: documents::RunReport = documents::from_json(&report).unwrap();
    assert_eq!(report.status, documents::RunStatus::TimeLimitExceeded);
}

#[test]
fn signal_ends_a_program_whose_output_is_not_read() {
    let Some(folder) = sandbox_folder() else { return };
    for limits in [&[][..], &["--cpu", "1s"]] {
        let _ = fs::remove_file(folder.path().join("written"));
        let (mut child, slot) = unread(folder.path(), limits);
        if !limits.is_empty() {
            until("its CPU time ends the program", || processes_of(&slot).is_empty());
        }
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        until("the signal ends it", || child.try_wait().unwrap().is_some());
        assert_eq!(child.wait().unwrap().code(), Some(143));
        assert_nothing_left(&slot);
    }
}
