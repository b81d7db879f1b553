//! The cost of a run in system calls and memory, without times. Needs root, gcc and strace; otherwise the test reports
//! that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::{command, folder, sandbox_folder};
use rustix::process::{Pid, WaitIdOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Few and many cases: the difference is the cost of the cases.
const CASES: [u64; 2] = [5, 105];
/// A quarter more than in November 2026: 676 for one case in an unoptimised build, of which 190 move the kernel's counters
/// on, 85 drop capabilities and 60 reset signals.
const CALLS_A_CASE_MAX: u64 = 845;
/// The judge's maximum resident memory. SPECIFICATION.md promises 40 MiB of the release build; an unoptimised one has more
/// code and relocations, 44 MiB in all.
const RESIDENT_KIB_MAX: u64 = 56 << 10;
/// Page faults of a start, and of a start with a run, all its processes together. A quarter more than in November 2026 in an
/// unoptimised build, at random addresses: 1,773 and 2,039.
const START_FAULTS_MAX: u64 = 2220;
const RUN_FAULTS_MAX: u64 = 2600;

/// Makes a problem with this many cases, and a submission that does nothing.
fn problem(folder: &Path, cases: u64) -> PathBuf {
    let problem = folder.join(format!("problem-{cases}"));
    fs::create_dir_all(problem.join("data/secret")).unwrap();
    fs::create_dir_all(problem.join("submissions/accepted")).unwrap();
    let head = "problem_format_version: 2025-09\nname: Nothing\nuuid: 1e0ff2f1-6f0f-4e46-9f1c-3cf1a1b4cf32\n\
                limits:\n  time_limit: 10\n";
    fs::write(problem.join("problem.yaml"), head).unwrap();
    fs::write(problem.join("submissions/accepted/nothing.c"), "int main(void) { return 0; }\n").unwrap();
    for case in 0..cases {
        for kind in ["in", "ans"] {
            fs::write(problem.join(format!("data/secret/{case:03}.{kind}")), "").unwrap();
        }
    }
    problem
}

/// Judges it while counting each system call of the judge, its launcher and each program before its start.
fn calls(folder: &Path, problem: &Path) -> u64 {
    let judge = command(folder, &["judge", "--quiet"]);
    let counts = folder.join("counts");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-c", "-U", "calls", "-o"]).arg(&counts).arg(judge.get_program());
    strace.args(judge.get_args()).arg(problem).current_dir(folder);
    let ended = strace.stdout(Stdio::null()).status().unwrap();
    assert!(ended.success(), "{ended}");
    let counts = fs::read_to_string(&counts).unwrap();
    counts.lines().last().and_then(|line| line.split_whitespace().next()).unwrap().parse().unwrap()
}

#[test]
fn a_case_costs_few_system_calls() {
    if !test_support::needs_root() || !test_support::needs_program("strace", "strace") {
        return;
    }
    let folder = folder();
    let [few, many] = CASES.map(|cases| calls(folder.path(), &problem(folder.path(), cases)));
    let each = (many - few) / (CASES[1] - CASES[0]);
    assert!(each <= CALLS_A_CASE_MAX, "{each} system calls a case, more than {CALLS_A_CASE_MAX}");
}

#[test]
fn the_judge_stays_small() {
    let Some(folder) = sandbox_folder() else { return };
    let problem = problem(folder.path(), CASES[1]);
    let mut judge = command(folder.path(), &["judge", "--quiet"]);
    let mut judge = judge.arg(&problem).stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", judge.id());
    let mut highest = 0;
    while judge.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = resident.and_then(|line| line.split_whitespace().next()?.parse().ok());
        highest = highest.max(kib.unwrap_or(0));
        // The high-water mark includes peaks between two samples.
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(judge.wait().unwrap().success());
    assert!(highest > 0, "it was never seen");
    assert!(highest <= RESIDENT_KIB_MAX, "{highest} KiB resident, more than {RESIDENT_KIB_MAX}");
}

/// Starts a command and returns the page faults of its processes that needed no reading. `TAUTO` names another binary.
fn faults(folder: &Path, arguments: &[&str]) -> u64 {
    let binary = std::env::var_os("TAUTO").unwrap_or_else(|| env!("CARGO_BIN_EXE_tauto").into());
    let mut command = Command::new(binary);
    let mut child = command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let ended = rustix::process::WaitId::Pid(Pid::from_child(&child));
    rustix::process::waitid(ended, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    // Until it is waited for, its counts are there: proc(5), fields 10 and 11, the second one of its children.
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    assert!(child.wait().unwrap().success(), "{arguments:?}");
    fields[7].parse::<u64>().unwrap() + fields[8].parse::<u64>().unwrap()
}

#[test]
fn a_start_touches_few_pages() {
    let folder = folder();
    let check = |arguments: &[&str], faults_max: u64| {
        // Pages that must be read count otherwise: the least of some starts.
        let least = (0..5).map(|_| faults(folder.path(), arguments)).min().unwrap();
        println!("{arguments:?}: {least} page faults");
        assert!(least <= faults_max, "{arguments:?}: {least} page faults, more than {faults_max}");
    };
    check(&["--version"], START_FAULTS_MAX);
    if test_support::needs_root() {
        check(&["run", "--", "/bin/true"], RUN_FAULTS_MAX);
    }
}
