//! A judgehost that compiles and runs programs, with a server that is played by the test. Needs root and a C compiler;
//! without root the test reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/load.rs"]
mod load;

use common::real::{command, sandbox_folder, tauto};
use common::text;
use documents::judgehost::{
    BlobRef, Job, JobCases, JobFile, JobMode, ReportKind, StatementFormat, StatementOutcome, StatementTask,
};
use load::Load;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Mutex, PoisonError};
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

/// One judgehost runs at a time, since its control groups are compared with those of before.
static ALONE: Mutex<()> = Mutex::new(());

/// Ends it when the test does.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn judgehost(folder: &Path, server: &Server) -> Running {
    judgehost_with(folder, server, &[])
}

fn judgehost_with(folder: &Path, server: &Server, options: &[&str]) -> Running {
    std::fs::write(folder.join("token"), "secret\n").unwrap();
    let arguments = ["judgehost", "--json", "--server", &server.url, "--token", "token", "--cache", "cache"];
    let mut host = command(folder, &arguments);
    // Shared, so that it waits for no other lease.
    Running(host.args(options).args(["--shared", "--cpu-list", "0"]).stdout(Stdio::null()).spawn().unwrap())
}

/// Asks it to end, and waits for that.
fn end(host: &mut Running) {
    let pid = rustix::process::Pid::from_child(&host.0);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(host.0.wait().unwrap().code(), Some(0));
}

/// By counted instructions, a machine that is busy reports what a quiet one does: verdicts, times, and the limit that it derives.
#[test]
fn judgehosts_that_count_report_the_same_times() {
    let Some(folder) = sandbox_folder() else { return };
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let emulator = format!("qemu-{}", std::env::consts::ARCH);
    if !test_support::needs_program(&emulator, "qemu-user") {
        return;
    }
    let judged = |of: &str| {
        let server = Server::start();
        let package = server.put(&zip(PACKAGE.iter().copied()));
        let jobs = [RIGHT, WRONG, CRASH, ENDLESS].iter().zip(1..);
        let jobs: Vec<Job> = jobs.map(|(source, number)| job(&server, number, &package, source)).collect();
        server.change(|state| state.jobs.extend(jobs.iter().cloned()));
        let folder = folder.path().join(of);
        std::fs::create_dir(&folder).unwrap();
        let mut host = judgehost_with(&folder, &server, &["--clock", "instructions"]);
        server.wait("all jobs", |state| jobs.iter().all(|job| is_ended(state, job)));
        let state = server.lock();
        let identity = &state.registered[0].identity;
        assert_eq!(identity[0], "clock: instructions, 1 in a nanosecond");
        // The count follows from the program's machine code (canary.S of `counter`).
        let canary = if cfg!(target_arch = "x86_64") { "1,800,007" } else { "800,010" };
        assert_eq!(identity[2], format!("canary: {canary} instructions"));
        let of_job = |job: &Job| {
            let reports = state.taken.iter().filter(|report| report.job == job.job);
            let facts = reports.filter_map(|report| match &report.what {
                ReportKind::Runs { runs } => {
                    let all = runs
                        .iter()
                        .map(|run| format!("{} {} {}\n", run.ordinal, run.verdict.0, run.cpu_time_ns));
                    Some(all.collect())
                }
                ReportKind::TimeLimit(limit) => Some(format!("limit {}\n", limit.time_limit_ns)),
                ReportKind::Done(done) => {
                    let record = &state.blobs[&done.evidence.as_ref().unwrap().hash];
                    std::fs::write(folder.join("r.jsonl"), record).unwrap();
                    let verified = tauto(&folder, &["judge", "--verify", "r.jsonl"]);
                    assert!(
                        text(&verified.stdout).contains("The record holds"),
                        "{}",
                        text(&verified.stdout)
                    );
                    Some(format!("done {} {:?}", done.verdict.0, done.max_run_time_ns))
                }
                _ => None,
            });
            // Runs come in reports of any length.
            facts.collect::<String>()
        };
        let all: Vec<_> = jobs.iter().map(of_job).collect();
        drop(state);
        end(&mut host);
        all
    };
    let quiet = judged("quiet");
    assert!(quiet[0].contains("done AC") && quiet[3].contains("done TLE"), "{quiet:?}");
    let _load = Load::begin();
    assert_eq!(judged("busy"), quiet);
}

/// Statements are made in the sandbox, and only while there is nothing to judge.
#[test]
fn an_idle_judgehost_makes_statements() {
    let Some(folder) = sandbox_folder() else { return };
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let missing = statement::what_is_missing();
    let words = missing.as_ref().map(ToString::to_string).unwrap_or_default();
    if !test_support::needs(missing.is_none(), &words) {
        return;
    }
    let server = Server::start();
    let with = |name: &str, text: &str| {
        let files = PACKAGE.iter().copied().filter(|(path, _)| !path.contains("problem_statement"));
        let path = format!("one/problem_statement/{name}");
        let all: Vec<(String, String)> = files
            .chain([(path.as_str(), text)])
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .collect();
        server.put(&zip(all.iter().map(|(path, text)| (path.as_str(), text.as_str()))))
    };
    let task = |task: u64, package: &BlobRef, format: StatementFormat| StatementTask {
        task,
        contest: "demo".to_owned(),
        problem: "one".to_owned(),
        package: package.clone(),
        language: "en".to_owned(),
        format,
    };
    let markdown = with("problem.en.md", "At most $n$.\n");
    let tex = with("problem.en.tex", "\\problemname{One}\n\nAt most \\wrong.\n");
    let endless = with("problem.en.tex", "\\problemname{One}\n\n\\def\\x{\\x}\\x\n");
    let none = server.put(&zip([("one/a.txt", "no package")].iter().copied()));
    server.change(|state| {
        state.statements.extend([
            task(1, &markdown, StatementFormat::Html),
            task(2, &markdown, StatementFormat::Pdf),
            task(3, &tex, StatementFormat::Html),
            task(4, &none, StatementFormat::Html),
        ]);
    });
    let mut host = judgehost(folder.path(), &server);
    server.wait("all statements", |state| state.made.len() == 4);
    {
        let state = server.lock();
        let content = |task: u64| match &state.made[&task] {
            StatementOutcome::Made { hash, text, lacking } => {
                assert_eq!((text.as_str(), lacking.len()), ("", 0));
                &state.blobs[hash]
            }
            other => panic!("{other:?}"),
        };
        let page = text(content(1));
        assert!(
            page.contains("<span class=\"math inline\">n</span>") && page.contains("<pre>1</pre>"),
            "{page}"
        );
        assert!(content(2).starts_with(b"%PDF-"));
        let StatementOutcome::Impossible { text, lacking } = &state.made[&3] else {
            panic!("{:?}", state.made[&3])
        };
        assert_eq!(
            (text.as_str(), lacking.len()),
            ("problem_statement/problem.en.tex:3: TeX knows no command \\wrong", 0)
        );
        assert!(matches!(state.made[&4], StatementOutcome::Impossible { .. }), "{:?}", state.made[&4]);
    }
    // It stops for a job: without it, TeX would go on until its limit.
    let job = job(&server, 1, &markdown, RIGHT);
    server.change(|state| state.statements.push_back(task(5, &endless, StatementFormat::Pdf)));
    server.wait("the offer", |state| state.statements.is_empty());
    server.change(|state| state.jobs.push_back(job.clone()));
    server.wait("the job and its statement", |state| is_ended(state, &job) && state.made.contains_key(&5));
    assert_eq!(server.lock().made[&5], StatementOutcome::Returned);
    assert!(reported(&server.lock(), &job).ends_with("done AC"));
    end(&mut host);
}

#[test]
fn programs_get_their_verdicts_and_records_that_hold() {
    let Some(folder) = sandbox_folder() else { return };
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
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
    let mut host = judgehost(folder.path(), &server);
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
    end(&mut host);
    assert_eq!(groups().difference(&groups_before).collect::<Vec<_>>(), Vec::<&PathBuf>::new());
}
