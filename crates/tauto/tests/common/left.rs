//! Finds leftovers of a command's slots.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder of the slots' locks.
const SLOTS: &str = "/run/tauto";
/// The first user of the first slot.
pub const FIRST_USER: u32 = 0x7000_0000;
pub const USERS_PER_SLOT: u32 = 4;

/// Lists the slots that a process has locked, by name; empty for one that has ended.
pub fn slots_of(pid: u32) -> Vec<String> {
    let locked = |entry: fs::DirEntry| {
        let target = fs::read_link(entry.path()).ok()?;
        let name = target.file_name()?.to_str()?.strip_suffix(".lock")?.to_owned();
        (target.starts_with(SLOTS) && name.starts_with("slot-")).then_some(name)
    };
    fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten().filter_map(locked).collect()
}

/// Lists the control groups of a slot in all hierarchies.
pub fn groups_of(slot: &str) -> Vec<PathBuf> {
    let mounted = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let hierarchies = mounted.lines().filter(|line| line.contains(" - cgroup"));
    let places = hierarchies.filter_map(|line| line.split(' ').nth(4));
    places.map(|place| Path::new(place).join(format!("tauto-{slot}"))).filter(|path| path.is_dir()).collect()
}

/// Lists leftovers of a slot: groups, and processes of its users. A slot in use has none.
pub fn left_of(slot: &str) -> Vec<String> {
    let lock = fs::File::open(Path::new(SLOTS).join(format!("{slot}.lock"))).unwrap();
    // The slot's next owner makes its groups again; while this process holds the lock, there is none.
    if rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_err() {
        return Vec::new();
    }
    let groups = groups_of(slot).into_iter().map(|group| format!("control group {}", group.display()));
    groups.chain(processes_of(slot)).collect()
}

/// Lists the processes of a slot's users. Processes whose first thread has ended can only be found by their user.
pub fn processes_of(slot: &str) -> Vec<String> {
    let number: u32 = slot.trim_start_matches("slot-").parse().unwrap();
    let first = FIRST_USER + number * USERS_PER_SLOT;
    let is_its = |entry: &fs::DirEntry| {
        entry.metadata().is_ok_and(|data| (first..first + USERS_PER_SLOT).contains(&data.uid()))
    };
    let processes = fs::read_dir("/proc").unwrap().flatten().filter(is_its);
    processes.map(|entry| format!("process {} of {slot}", entry.file_name().to_string_lossy())).collect()
}
