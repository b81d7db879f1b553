//! A run sends no descriptor over a socket, whatever it may have open. Needs root and Python.

#![allow(clippy::unwrap_used)]

use sandbox::{InitProcess, Ran, Role, RootView, RunIo, RunPlan, SingleRun, Slot, SlotOptions};

/// Sends a socket over itself, and standard input to another process, and prints the errors; messages without descriptors
/// are as usual.
const SEND: &str = "
import array, os, socket, time
one, other = socket.socketpair()
one.send(b'-')
assert other.recv(9) == b'-'
# By now the init only waits.
time.sleep(0.1)
for sent in (one.fileno(), 0):
    try:
        one.sendmsg([b'-'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [sent]))])
        print('sent')
    except OSError as error:
        print(error.strerror)
";
const REFUSED: &str = "Too many references: cannot splice\nToo many references: cannot splice\n";

/// Growing, so that what was enough for one run is not for the next, and shrinking.
const OPEN_FILES: [Option<u32>; 5] = [Some(64), None, Some(4096), Some(10_000), Some(32)];

fn main() {
    sandbox::become_launcher_if_asked();
    if !test_support::needs_root() {
        return;
    }
    let view = RootView::Host { extra: Vec::new() };
    let mut slot = Slot::open(SlotOptions::new(view.clone())).unwrap();
    let launcher = slot.launcher();
    for open_files in OPEN_FILES {
        check("slot", open_files, slot.run(&plan(open_files), io()).unwrap());
        // What is on its way is not charged to a run, so no new container is needed.
        let is_usual = open_files.is_none_or(|count| (64..=4096).contains(&count));
        assert!(!is_usual || slot.launcher() == launcher, "another launcher after {open_files:?}");
    }
    drop(slot);
    for open_files in OPEN_FILES {
        let init = InitProcess::start().unwrap();
        let options = SlotOptions { roles: vec![Role::Contestant], ..SlotOptions::new(view.clone()) };
        let single = SingleRun::open(options, Some(init)).unwrap();
        check("single run", open_files, single.run(&plan(open_files), io()).unwrap());
    }
}

fn plan(open_files: Option<u32>) -> RunPlan {
    let mut plan = RunPlan::new(["python3", "-c", SEND].map(str::to_owned).to_vec());
    plan.limits.open_files = open_files;
    plan
}

fn io() -> RunIo {
    RunIo::captured(sandbox::input_in_memory(b"").unwrap().open().unwrap())
}

fn check(place: &str, open_files: Option<u32>, ran: Ran) {
    println!("{place}, {open_files:?} open files");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!((text(&ran.stdout), text(&ran.stderr)), (REFUSED.to_owned(), String::new()));
}
