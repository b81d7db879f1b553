//! A slot whose control groups are removed, or whose launcher is killed, makes them again. Needs root.

#![allow(clippy::unwrap_used)]

use cgroup::Layout;
use model::{Bytes, CpuSet, LimitKind, Nanos, RunEnd};
use rustix::process::{Pid, Signal, kill_process};
use sandbox::{Input, Ran, RootView, RunIo, RunPlan, SandboxError, Slot, SlotOptions};
use std::fs;
use std::path::{Path, PathBuf};

/// What others do to a slot.
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
    if !rustix::process::geteuid().is_root() {
        return println!("skipped: the sandbox needs root");
    }
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
    Slot::open(SlotOptions::new(RootView::Host { extra: Vec::new() })).unwrap()
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
