//! A judgehost that compiles and runs programs, with a server that is played by the test. Needs root and a C compiler;
//! without root the test reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::{command, sandbox_folder, tauto};
use common::text;
use documents::judgehost::{BlobRef, Job, JobCases, JobFile, JobMode, ReportKind};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use test_jobs::{Server, is_ended, reported};
use test_support::zip;
use walkdir::WalkDir;

/// A package without a time limit, which is derived; in a folder, as most are packed.
const PACKAGE: &[(&str, &str)] = &[
    ("one/problem.yaml", "name: One\n"),
    ("one/problem_statement/problem.en.md", "Say 1.\n"),
    ("one/data/sample/1.in", "\n"),
    ("one/data/sample/1.ans", "1\n"),
    ("one/data/secret/2.in", "\n"),
    ("one/data/secret/2.ans", "1\n"),
    ("one/submissions/accepted/a.c", RIGHT),
];
const RIGHT: &str = "#include <stdio.h>\nint main(void) { puts(\"1\"); }\n";
const WRONG: &str = "#include <stdio.h>\nint main(void) { puts(\"2\"); }\n";
const CRASH: &str = "#include <stdlib.h>\nint main(void) { abort(); }\n";
const NO_PROGRAM: &str = "int main(void) { return none; }\n";
const ENDLESS: &str = "int main(void) { for (volatile unsigned i = 0;; i++) {} }\n";

fn job(server: &Server, number: u32, package: &BlobRef, source: &str) -> Job {
    let blob = server.put(source.as_bytes());
    let file = JobFile { name: "a.c".to_owned(), hash: blob.hash, size_bytes: blob.size_bytes };
    Job { files: vec![file], mode: JobMode::Fast, cases: JobCases::Lazy, ..server.job(number, package) }
}

/// Returns the control groups of sandboxes that are left.
fn groups() -> BTreeSet<PathBuf> {
    let entries = WalkDir::new("/sys/fs/cgroup").max_depth(2).into_iter().filter_map(Result::ok);
    let of_sandboxes = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("tauto-slot-"));
    of_sandboxes.map(walkdir::DirEntry::into_path).collect()
}

/// Ends it when the test does.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn programs_get_their_verdicts_and_records_that_hold() {
    let Some(folder) = sandbox_folder() else { return };
    let (server, groups_before) = (Server::start(), groups());
    let good = server.put(&zip(PACKAGE.iter().copied()));
    let bad = server.put(&zip(PACKAGE[1..].iter().copied()));
    let jobs = [
        (job(&server, 1, &good, RIGHT), "AC"),
        (job(&server, 2, &good, WRONG), "WA"),
        (job(&server, 3, &good, CRASH), "RTE"),
        (job(&server, 4, &good, NO_PROGRAM), "CE"),
        (job(&server, 5, &good, ENDLESS), "TLE"),
        (Job { mode: JobMode::Strict, ..job(&server, 6, &good, RIGHT) }, "AC"),
    ];
    let broken = job(&server, 7, &bad, RIGHT);
    let none = Job { language: Some("none".to_owned()), ..job(&server, 8, &good, RIGHT) };
    server.change(|state| {
        state.jobs.extend(jobs.iter().map(|(job, _)| job.clone()));
        state.jobs.extend([broken.clone(), none.clone()]);
    });
    std::fs::write(folder.path().join("token"), "secret\n").unwrap();
    let arguments = ["judgehost", "--json", "--server", &server.url, "--token", "token", "--cache", "cache"];
    let mut host = command(folder.path(), &arguments);
    // Shared, so that it waits for no other lease.
    let host = host.args(["--shared", "--cpu-list", "0"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut host = Running(host);
    let all = || jobs.iter().map(|(job, _)| job).chain([&broken, &none]);
    server.wait("all jobs", |state| all().all(|job| is_ended(state, job)));
    assert!(groups().len() > groups_before.len(), "{groups_before:?}");
    {
        let state = server.lock();
        for (job, verdict) in &jobs {
            assert!(reported(&state, job).ends_with(&format!("done {verdict}")), "{}", reported(&state, job));
        }
        assert_eq!(reported(&state, &broken), "failed Package");
        assert_eq!(reported(&state, &none), "failed Language");
        let limits = |report: &&documents::judgehost::Report| matches!(report.what, ReportKind::TimeLimit(_));
        assert_eq!(state.taken.iter().filter(limits).count(), 2, "once for each mode");
        let done = state.taken.iter().find_map(|report| match &report.what {
            ReportKind::Done(done) if report.job == jobs[0].0.job => Some(done.clone()),
            _ => None,
        });
        let done = done.unwrap();
        assert!(done.spent.compiling_us > 0 && done.spent.total_us >= done.spent.compiling_us);
        std::fs::write(folder.path().join("r.jsonl"), &state.blobs[&done.evidence.unwrap().hash]).unwrap();
        assert!(state.registered[0].identity.iter().any(|line| line == "timed CPUs: shared"));
    }
    let verified = tauto(folder.path(), &["judge", "--verify", "r.jsonl"]);
    assert!(text(&verified.stdout).contains("The record holds"), "{}", text(&verified.stderr));
    let pid = rustix::process::Pid::from_raw(i32::try_from(host.0.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(host.0.wait().unwrap().code(), Some(0));
    assert_eq!(groups().difference(&groups_before).collect::<Vec<_>>(), Vec::<&PathBuf>::new());
}
