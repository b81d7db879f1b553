//! `tauto noise exchange` over real MPI, in its shortest form. Without Open MPI the test reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::{document, failed, text, words};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A separate lease folder, so that other processes' leases do not matter: times are not tested here.
fn command(scratch: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tauto"));
    command.args(["noise", "exchange", "--leases"]).arg(scratch.join("leases")).args(arguments);
    command.env("TMPDIR", scratch.join("tmp")).stdin(Stdio::null());
    std::fs::create_dir_all(scratch.join("tmp")).unwrap();
    command
}

fn exchange(scratch: &Path, arguments: &[&str]) -> Output {
    command(scratch, arguments).output().unwrap()
}

/// Makes a folder, if Open MPI is here.
fn scratch() -> Option<tempfile::TempDir> {
    let can = test_support::needs_program("mpicc", "libopenmpi-dev")
        && test_support::needs_program("mpirun", "openmpi-bin");
    can.then(|| tempfile::tempdir().unwrap())
}

/// Lists the processes whose command line contains this.
fn processes(part: &str) -> Vec<String> {
    let entries =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let holds = |pid: &String| {
        // A process that has ended has no command line.
        fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(part))
    };
    entries.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).filter(holds).collect()
}

#[test]
fn ranks_exchange_and_leave_nothing() {
    let Some(scratch) = scratch() else { return };
    let line = "-np 3 --tc 20us --iterations 120 --block 40 --bytes 64 --json --inject 2000Hz:5us --inject 500Hz:9us@1";
    let output = exchange(scratch.path(), &words(line));
    let report: documents::NoiseExchangeReport = document(&output);
    assert!(report.complete && report.library.contains("Open MPI") && report.call_steps > 0, "{report:?}");
    assert_eq!(report.warm_up.unwrap().calls_ns.len(), 20);
    let ranks: Vec<u32> = report.sizes.iter().map(|size| size.ranks).collect();
    assert_eq!(ranks, [1, 2, 3]);
    for size in &report.sizes {
        assert_eq!(size.arms.len(), if size.ranks == 1 { 2 } else { 7 });
        assert_eq!(size.added.len(), if size.ranks == 1 { 1 } else { 3 });
        assert!(size.added.iter().all(|added| added.measured.is_none() == size.cpus_shared), "{size:?}");
        for arm in &size.arms {
            assert_eq!(arm.times_ns.len(), 3);
            assert!(arm.injected || arm.detours == 0, "{arm:?}");
            assert!(arm.detour_mean_ns.is_none_or(|mean| mean >= 5_000.0), "{arm:?}");
        }
    }
    assert_eq!(fs::read_dir(scratch.path().join("tmp")).unwrap().count(), 0, "files are left");
    assert_eq!(processes(scratch.path().to_str().unwrap()), [""; 0]);
}

#[test]
fn no_process_outlives_a_killed_tauto() {
    let Some(scratch) = scratch() else { return };
    let mark = &scratch.path().join("tmp").display().to_string();
    let mut child = command(scratch.path(), &["--np", "2", "--iterations", "1e6", "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // mpirun (or before that the process that executes it), and two ranks.
    while processes(mark).len() < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its time");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    while !processes(mark).is_empty() {
        std::thread::yield_now();
    }
}

#[test]
fn missing_mpi_is_named_with_its_remedy() {
    let scratch = tempfile::tempdir().unwrap();
    let output = command(scratch.path(), &[]).env("PATH", scratch.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        text(&output.stderr),
        "error: mpicc is not installed here\nhint: apt-get install openmpi-bin libopenmpi-dev\n"
    );
}

#[test]
fn wrong_input_is_refused_before_anything_is_measured() {
    let scratch = tempfile::tempdir().unwrap();
    for (arguments, words) in [
        (["--np", "0"].as_slice(), "0 is not in 1..=256"),
        (&["-np", "1000000000"], "is not in 1..=256"),
        (&["--tc", "2ms"], "a call must take from 1us to 1ms"),
        (&["--bytes", "0"], "a message must have from 1 byte to 16MiB"),
        (&["--iterations", "1e9"], "expected a whole number from 10 to 1e6"),
        (&["--inject", "1000Hz:2ms"], "all detours together less than all time"),
        (&["--inject", "1000Hz:13us@2"], "--inject names rank 2, and ranks are from 0 to 1; raise --np"),
        (&["--inject", "1000Hz:500us", "--inject", "1000Hz:450us@1"], "takes 95 % of all time of rank 1"),
    ] {
        let output = exchange(scratch.path(), arguments);
        failed(&output, 2, words);
    }
}
