//! A slot whose control groups are removed, or whose launcher is killed, makes them again; where the process that has the
//! slot is killed, its run ends before another can have its CPU. Needs root.

#![allow(clippy::unwrap_used)]

use cgroup::{ClaimPlace, Claimable, Layout};
use model::{Bytes, CpuSet, LimitKind, Nanos, RunEnd};
use rustix::process::{Pid, Signal, kill_process};
use sandbox::{
    Input, Output, Ran, Role, RootView, RunIo, RunPlan, SandboxError, SingleRun, Slot, SlotCpus, SlotOptions,
};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

type Harm = fn(&Slot);

const HARMS: [(&str, Harm); 4] = [
    ("a removed group", remove_run_group),
    ("all groups removed", remove_all_groups),
    ("a killed launcher", kill_launcher),
    ("all of it", |slot| {
        remove_all_groups(slot);
        kill_launcher(slot);
    }),
];

fn main() {
    sandbox::become_launcher_if_asked();
    if !test_support::needs_root() {
        return;
    }
    if let [_, kind, folder] = &std::env::args().collect::<Vec<_>>()[..] {
        return supervise(kind, Path::new(folder));
    }
    for kind in ["slot", "single"] {
        println!("a killed supervisor with a stopped process: {kind}");
        run_ends_before_its_cpu_is_free(kind);
    }
    println!("groups that are removed while they are made");
    groups_that_are_removed_for_a_while_are_made_again();
    for (name, harm) in HARMS {
        println!("between two runs: {name}");
        next_run_is_as_usual(harm);
        println!("before an errand: {name}");
        next_errand_is_as_usual(harm);
    }
    println!("during a run: a killed launcher");
    lost_run_is_an_error_once();
}

fn open() -> Slot {
    Slot::open(options()).unwrap()
}

fn options() -> SlotOptions {
    SlotOptions::new(RootView::Host { extra: Vec::new() })
}

/// What is claimed in a folder of the test's own, as if it were a CPU of this machine.
const CPU: Claimable = Claimable::Cpu(7);

/// Runs a program that does not end, in another process than the test.
fn supervise(kind: &str, folder: &Path) {
    let claim = ClaimPlace::at(folder).unwrap().open().unwrap();
    assert!(claim.take(CPU).unwrap());
    let cpus = SlotCpus { own: None, claim: Some(Arc::new(claim)) };
    let plan = plan(&["bash", "-c", "echo begun; exec sleep 1000"]);
    let stdout = Output::Descriptor(std::io::stdout().as_fd().try_clone_to_owned().unwrap());
    let io = RunIo { stdout, ..RunIo::captured(Input::Empty) };
    let (options, place) = (SlotOptions { cpus, ..options() }, |user: u32, process: u32| {
        // The first user of a slot shows its number.
        println!("{} {process}", (user - 0x7000_0000) / 4);
    });
    if kind == "slot" {
        let mut slot = Slot::open(options).unwrap();
        place(slot.user(Role::Contestant), slot.launcher());
        slot.run(&plan, io).unwrap();
    } else {
        let single = SingleRun::open(options, None).unwrap();
        place(single.user(Role::Contestant), single.init());
        single.run(&plan, io).unwrap();
    }
}

/// The process that starts the run is stopped, so that it cannot see the supervisor's end.
fn run_ends_before_its_cpu_is_free(kind: &str) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cgroup.procs"), "").unwrap();
    let mut command = Command::new("/proc/self/exe");
    let mut supervisor = command.arg(kind).arg(folder.path()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(supervisor.stdout.take().unwrap()).lines().map(Result::unwrap);
    let place = lines.next().unwrap();
    let (slot, process) = place.split_once(' ').unwrap();
    assert_eq!(lines.next().unwrap(), "begun");
    let (root, _) = Layout::detect().unwrap().unified.unwrap();
    let group = root.join(format!("tauto-slot-{slot}/cgroup.procs"));
    let [program] = [fs::read_to_string(&group).unwrap().trim().parse::<u32>().unwrap()];
    let claim = ClaimPlace::at(folder.path()).unwrap().open().unwrap();
    assert!(!claim.take(CPU).unwrap(), "it is the supervisor's");

    let process = process.parse::<u32>().unwrap();
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), Signal::STOP).unwrap();
    while state(process) != Some('T') {
        std::thread::yield_now();
    }
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    claim.wait_for(CPU).unwrap();
    if kind == "slot" {
        assert!(matches!(state(program), None | Some('Z' | 'X')), "the CPU is free and the program runs");
    }
    // The next slot ends what a killed process has left; here it has been killed already.
    while !matches!(state(program), None | Some('Z' | 'X')) {
        std::thread::yield_now();
    }
}

/// Returns the letter of a process's state.
fn state(process: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Returns whether a process is a child of this one, which has not been waited for.
fn is_child(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = stat.rsplit_once(") ").map_or("", |(_, after)| after);
    after_name.split(' ').nth(1) == Some(&std::process::id().to_string())
}

/// Another process removes each group as soon as it is empty. It stops when it has removed many.
fn groups_that_are_removed_for_a_while_are_made_again() {
    const REMOVED: u32 = 30;
    let mut slot = open();
    let groups = groups(slot.index());
    let removed = AtomicU32::new(0);
    let all_removed = || removed.load(Ordering::SeqCst) >= REMOVED;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !all_removed() {
                let gone = groups.iter().filter(|group| fs::remove_dir(group).is_ok()).count();
                removed.fetch_add(gone as u32, Ordering::SeqCst);
            }
        });
        while !all_removed() {
            // Making all of it again is when most groups are empty. One that did not get its groups has ended.
            if is_child(slot.launcher()) {
                kill_launcher(&slot);
            }
            let input = sandbox::input_in_memory(b"text").unwrap();
            match slot.run(&plan(&["cat"]), RunIo::captured(input.open().unwrap())) {
                Ok(ran) => assert_eq!(ran.stdout, b"text"),
                // Its group was removed when the program had ended, so it is not known what it used.
                Err(error) if error.is_lost_place() => {}
                Err(error) => {
                    removed.store(REMOVED, Ordering::SeqCst);
                    panic!("{error}: {:?}", std::error::Error::source(&error));
                }
            }
        }
    });
    assert_eq!(copied(&mut slot, "next").stdout, b"next");
}

fn plan(argv: &[&str]) -> RunPlan {
    RunPlan::new(argv.iter().map(|word| (*word).to_owned()).collect())
}

fn copied(slot: &mut Slot, text: &str) -> Ran {
    let input = sandbox::input_in_memory(text.as_bytes()).unwrap();
    slot.run(&plan(&["cat"]), RunIo::captured(input.open().unwrap())).unwrap()
}

fn next_run_is_as_usual(harm: Harm) {
    let mut slot = open();
    assert_eq!(copied(&mut slot, "one").stdout, b"one");
    harm(&slot);
    let ran = copied(&mut slot, "other");
    assert_eq!((ran.stdout.as_slice(), ran.result.end), (b"other".as_slice(), RunEnd::Exited(0)));
    // The limits are those of the new groups.
    harm(&slot);
    let mut plan = plan(&["bash", "-c", "x=$(head -c 400M /dev/zero | tr '\\0' x); echo ${#x}"]);
    plan.limits.memory = Some(Bytes::from_mib(64));
    let ran = slot.run(&plan, RunIo::captured(Input::Empty)).unwrap();
    assert_eq!(ran.result.end, RunEnd::Limit(LimitKind::Memory));
    let index = slot.index();
    drop(slot);
    assert!(groups(index).iter().all(|group| !group.exists()), "{:?}", groups(index));
}

fn next_errand_is_as_usual(harm: Harm) {
    let mut slot = open();
    let cpus: CpuSet = fs::read_to_string("/sys/devices/system/cpu/online").unwrap().trim().parse().unwrap();
    let cpu = CpuSet::from_iter(cpus.first());
    slot.pace(&cpu).unwrap();
    harm(&slot);
    assert!(slot.pace(&cpu).unwrap() > Nanos::ZERO);
}

fn lost_run_is_an_error_once() {
    let mut slot = open();
    let launcher = slot.launcher();
    let begun = tempfile::tempdir().unwrap();
    let fifo = begun.path().join("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o666),
        0,
    )
    .unwrap();
    let write_end = fs::File::options().read(true).write(true).open(&fifo).unwrap();
    let lost = std::thread::scope(|scope| {
        scope.spawn(move || {
            use std::io::Read;
            let mut read_end = fs::File::open(fifo).unwrap();
            read_end.read_exact(&mut [0; 5]).unwrap();
            kill(launcher);
        });
        let io =
            RunIo { stdout: sandbox::Output::Descriptor(write_end.into()), ..RunIo::captured(Input::Empty) };
        slot.run(&plan(&["bash", "-c", "echo here; sleep 60"]), io).unwrap_err()
    });
    assert!(lost.is_lost_place() && matches!(lost, SandboxError::LauncherDied(_)), "{lost}");
    assert_eq!(copied(&mut slot, "next").stdout, b"next");
}

fn kill_launcher(slot: &Slot) {
    kill(slot.launcher());
}

fn kill(process: u32) {
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), Signal::KILL).unwrap();
}

/// Removes the group of version 2, which contains nothing between two runs.
fn remove_run_group(slot: &Slot) {
    let (root, _) = Layout::detect().unwrap().unified.unwrap();
    let _ = fs::remove_dir(root.join(format!("tauto-slot-{}", slot.index())));
}

/// Moves what is in the slot's groups to the roots, and removes the groups.
fn remove_all_groups(slot: &Slot) {
    for group in groups(slot.index()) {
        let root = group.parent().unwrap_or(Path::new("/"));
        for process in fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default().lines() {
            fs::write(root.join("cgroup.procs"), process).unwrap();
        }
        let _ = fs::remove_dir(&group);
        assert!(!group.exists(), "{}", group.display());
    }
}

fn groups(slot: u32) -> Vec<PathBuf> {
    let layout = Layout::detect().unwrap();
    let roots = layout.v1.into_values().chain(layout.unified.into_iter().map(|(root, _)| root));
    roots.map(|root| root.join(format!("tauto-slot-{slot}"))).collect()
}
