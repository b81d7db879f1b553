//! Processes with different folders at `/run`, as in containers, on one machine. Needs root and `unshare`; without them
//! each test reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::{failed, text};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A run that goes on until its input ends.
const GOES_ON: [&str; 7] = ["run", "--shared", "--", "bash", "-c", "echo here; cat", "-"];

fn is_possible() -> bool {
    if !test_support::needs_root() {
        return false;
    }
    let tried = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "tmpfs", "/run"]).output();
    let is_possible = tried.is_ok_and(|output| output.status.success());
    test_support::needs(is_possible, "another file system at /run, mounted with unshare(1)")
}

/// Makes the command with a folder of its own at `/run`.
fn elsewhere(arguments: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", "mount -t tmpfs tmpfs /run && exec \"$@\"", "sh"]);
    command.arg(env!("CARGO_BIN_EXE_tauto")).args(arguments).current_dir("/");
    command
}

#[test]
fn where_proc_shows_other_processes_nothing_is_run() {
    if !is_possible() {
        return;
    }
    for arguments in [&["run", "--", "true"][..], &["judge", "."]] {
        let mut command = Command::new("unshare");
        command.args(["-p", "-f", "--kill-child"]).arg(env!("CARGO_BIN_EXE_tauto")).args(arguments);
        let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems/different");
        let output = command.current_dir(package).stdin(Stdio::null()).output().unwrap();
        let printed = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{printed}");
        assert!(printed.contains("/proc does not show this process"), "{printed}");
        assert!(printed.contains("mount -t proc proc /proc"), "{printed}");
    }
}

/// A command whose program has begun.
struct Running {
    child: Child,
    slot: u32,
}

fn running(mut command: Command) -> Running {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    if line != "here\n" {
        panic!("it did not begin: {}", text(&child.wait_with_output().unwrap().stderr));
    }
    let slot = slot_of(child.id());
    Running { child, slot }
}

/// Returns the slot that a process has locked; the folder of its lock is mounted elsewhere.
fn slot_of(process: u32) -> u32 {
    let locks = fs::read_dir(format!("/proc/{process}/fd")).unwrap().flatten().filter_map(|entry| {
        let target = fs::read_link(entry.path()).ok()?;
        target.file_name()?.to_str()?.strip_prefix("slot-")?.strip_suffix(".lock")?.parse().ok()
    });
    let locks: Vec<u32> = locks.collect();
    assert_eq!(locks.len(), 1, "process {process}");
    locks[0]
}

impl Running {
    fn end(mut self) {
        drop(self.child.stdin.take());
        let output = self.child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }

    /// Kills it, and waits until the kernel has removed everything that ran in it.
    fn kill(mut self) -> u32 {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let is_populated = |group: &PathBuf| {
            fs::read_to_string(group.join("cgroup.procs")).is_ok_and(|processes| !processes.is_empty())
        };
        while groups_of(self.slot).iter().any(is_populated) {
            std::thread::yield_now();
        }
        self.slot
    }
}

/// Lists the control groups of a slot.
fn groups_of(slot: u32) -> Vec<PathBuf> {
    let mounted = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let places = mounted.lines().filter(|line| line.contains(" - cgroup"));
    let groups = places.filter_map(|line| line.split(' ').nth(4)).flat_map(|place| {
        ["", ".cpus"].map(|suffix| Path::new(place).join(format!("tauto-slot-{slot}{suffix}")))
    });
    groups.filter(|group| group.is_dir()).collect()
}

#[test]
fn a_run_ends_no_run_of_another_container() {
    if !is_possible() {
        return;
    }
    let here = {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tauto"));
        command.args(GOES_ON).current_dir("/");
        running(command)
    };
    let output = elsewhere(&["run", "--shared", "--", "true"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    here.end();
}

#[test]
fn twenty_containers_that_start_at_once_have_twenty_slots() {
    if !is_possible() {
        return;
    }
    let all: Vec<Running> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..20).map(|_| scope.spawn(|| running(elsewhere(&GOES_ON)))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let slots: BTreeSet<u32> = all.iter().map(|running| running.slot).collect();
    assert_eq!(slots.len(), all.len(), "{slots:?}");
    all.into_iter().for_each(Running::end);
}

#[test]
fn only_groups_of_the_dead_are_removed_across_containers() {
    if !is_possible() {
        return;
    }
    let living = running(elsewhere(&GOES_ON));
    let dead = running(elsewhere(&GOES_ON)).kill();
    assert!(!groups_of(dead).is_empty(), "a killed process leaves groups");
    // It removes what others left, since that could have CPUs that this run is to have for itself.
    let sweeps = ["run", "--isolate", "--wait", "--", "true"];
    let output = elsewhere(&sweeps).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // Meanwhile another test may have taken the number.
    let left = groups_of(dead);
    let is_taken = || {
        let claims = cgroup::ClaimPlace::of_machine(&cgroup::Layout::detect().unwrap()).unwrap();
        claims.open_to_read().unwrap().is_held(cgroup::Claimable::Slot(dead)).unwrap()
    };
    assert!(left.is_empty() || is_taken(), "{left:?}");
    assert!(!groups_of(living.slot).is_empty());
    living.end();
}

#[test]
fn a_cpu_is_leased_to_one_container() {
    if !is_possible() {
        return;
    }
    let all = std::thread::available_parallelism().unwrap().to_string();
    let lease_all = [&["run", "--wait", "--cpus", &all], &GOES_ON[2..]].concat();
    let first = running(elsewhere(&lease_all));
    let output = elsewhere(&["run", "--cpus", "1", "--", "true"]).output().unwrap();
    failed(&output, 3, "a tauto process has CPU");
    first.end();
}
