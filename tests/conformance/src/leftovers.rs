//! After the whole suite: no process, mount, control group, file or memory is left behind.
//!
//! Others use the machine too, also with slots. What belongs to them, or disappears before it is checked again, does
//! not come from the suite.

use crate::table::{Row, check};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Users of slots are above this number (see the sandbox's slots).
const FIRST_USER: u32 = 0x7000_0000;
const USERS_PER_SLOT: u32 = 4;
/// Memory may differ by this much: the suite's own table, and activity on the rest of the machine.
const MEMORY_SLACK_KIB: u64 = 256 << 10;
/// How often apparent leftovers are checked: temporary files of others will not be there each time.
const LOOKS: usize = 5;
/// Folders where a run could have left a file, if it escaped.
const PLACES: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"];
/// The folder of tauto's locks, mount points and records.
const RUN: &str = "/run/tauto";

pub struct Snapshot {
    things: BTreeSet<String>,
    memory_kib: u64,
}

impl Snapshot {
    pub fn take() -> Result<Self> {
        let mut things = BTreeSet::new();
        let others = Others::read();
        processes(&others, &mut things)?;
        for (kind, file) in [("mount", "/proc/self/mountinfo"), ("mount of init", "/proc/1/mountinfo")] {
            let mounts = fs::read_to_string(file).with_context(|| file.to_owned())?;
            let points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
            // Others may mount file systems for everyone, but not in tauto's folder.
            let points = points.filter(|point| kind == "mount" || point.contains("tauto"));
            things.extend(points.map(|point| format!("{kind} {point}")));
        }
        for file in ["/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg"] {
            // Missing if the kernel has no System V IPC; then nothing can be left.
            let table = fs::read_to_string(file).unwrap_or_default();
            let is_a_slots = |line: &&str| {
                line.split_whitespace()
                    .filter_map(|word| word.parse().ok())
                    .any(|user| slot_of(user).is_some())
            };
            things.extend(table.lines().skip(1).filter(is_a_slots).map(|line| format!("{file}: {line}")));
        }
        let layout = cgroup::Layout::detect()?;
        let roots = layout.v1.values().chain(layout.unified.iter().map(|(root, _)| root));
        for root in roots {
            things.extend(
                names(root)
                    .into_iter()
                    .filter(|name| name.starts_with("tauto") && !others.have_group(name))
                    .map(|name| format!("control group {}/{name}", root.display())),
            );
        }
        for place in PLACES {
            let is_a_slots = |name: &String| {
                let metadata = fs::symlink_metadata(Path::new(place).join(name));
                let slot = metadata.ok().and_then(|metadata| slot_of(metadata.uid()));
                slot.is_some_and(|slot| !others.slots.contains(&slot))
            };
            let names = names(Path::new(place)).into_iter().filter(is_a_slots);
            things.extend(names.map(|name| format!("file {place}/{name}")));
        }
        things.extend(names(Path::new(RUN)).into_iter().map(|name| format!("file {RUN}/{name}")));
        // Temporary files of this process.
        things.extend(
            names(&std::env::temp_dir().join(scratch_name()))
                .into_iter()
                .map(|name| format!("scratch {name}")),
        );
        Ok(Self { things, memory_kib: memory_in_use_kib()? })
    }

    /// Reads everything again and makes a row for each kind of check.
    pub fn compare_with_now(&self) -> Result<Vec<Row>> {
        let now = Self::take()?;
        let lock = |thing: &String| {
            // A lock file that is not locked is only a name, kept for the next slot.
            thing.starts_with("file /run/tauto/") && thing.ends_with(".lock")
        };
        let mut left: Vec<String> = now.things.difference(&self.things).cloned().collect();
        left.retain(|thing| !lock(thing));
        for _ in 0..LOOKS {
            if !left.is_empty() {
                let again = Self::take()?.things;
                left.retain(|thing| again.contains(thing));
            }
        }
        let grown = now.memory_kib.saturating_sub(self.memory_kib);
        let memory = (grown > MEMORY_SLACK_KIB).then(|| format!("{grown} KiB more in use"));
        let things = (!left.is_empty()).then(|| left.join("\n"));
        Ok(vec![check("nothing-left-behind", things), check("no-memory-left-behind", memory)])
    }
}

/// Makes a folder for all temporary files of the suite, so that what is left in it comes from the suite.
pub fn scratch() -> Result<TempDir> {
    let folder = tempfile::Builder::new().prefix(&scratch_name()).rand_bytes(0).tempdir()?;
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755))?;
    if tempfile::env::override_temp_dir(folder.path()).is_err() {
        bail!("the suite's folder for temporary files cannot be changed twice");
    }
    Ok(folder)
}

fn scratch_name() -> String {
    format!("tautochrone-suite-{}", std::process::id())
}

/// Slots and groups of other tauto processes, which do not belong to this suite.
struct Others {
    processes: BTreeSet<String>,
    slots: BTreeSet<u32>,
}

impl Others {
    fn read() -> Self {
        let mut others = Self { processes: BTreeSet::new(), slots: BTreeSet::new() };
        let me = std::process::id().to_string();
        for process in names(Path::new("/proc")) {
            if process == me || process == "self" || process == "thread-self" {
                continue;
            }
            let slots = slots_of(&process);
            if !slots.is_empty() {
                others.slots.extend(slots);
                others.processes.insert(process);
            }
        }
        others
    }

    /// Returns whether a group belongs to one of their slots (`tauto-slot-3.cpus`) or is named after an existing
    /// process (`tauto-lab-77`).
    fn have_group(&self, name: &str) -> bool {
        let number = |rest: &str| rest.split('.').next().and_then(|number| number.parse::<u32>().ok());
        match name.strip_prefix("tauto-slot-") {
            Some(rest) => number(rest).is_some_and(|slot| self.slots.contains(&slot)),
            None => {
                let process = name.rsplit('-').next().and_then(number);
                process.is_some_and(|process| {
                    process != std::process::id() && Path::new(&format!("/proc/{process}")).exists()
                })
            }
        }
    }
}

/// Lists the slots that a process has locked; empty for one that has just ended.
pub fn slots_of(process: &str) -> BTreeSet<u32> {
    let descriptors = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let slot = |target: PathBuf| {
        let name = target.strip_prefix(RUN).ok()?.to_str()?;
        name.strip_prefix("slot-")?.strip_suffix(".lock")?.parse().ok()
    };
    descriptors.filter_map(|entry| slot(fs::read_link(entry.path()).ok()?)).collect()
}

/// Returns whether a slot has control groups although no process has the slot: its owner makes and removes them under
/// its lock.
pub fn groups_are_left(slot: u32) -> Result<bool> {
    let path = Path::new(RUN).join(format!("slot-{slot}.lock"));
    let lock = fs::File::open(&path).with_context(|| path.display().to_string())?;
    match rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(cgroup::slots_with_groups(&cgroup::Layout::detect()?).contains(&slot)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error).context("lock a slot"),
    }
}

fn slot_of(user: u32) -> Option<u32> {
    // The last two numbers mean "nobody" and "no change" to the kernel.
    (FIRST_USER..u32::MAX - 1).contains(&user).then(|| (user - FIRST_USER) / USERS_PER_SLOT)
}

/// Lists processes of slots' users, launchers and guards, except those of others.
fn processes(others: &Others, things: &mut BTreeSet<String>) -> Result<()> {
    for entry in fs::read_dir("/proc")?.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let is_helper =
            command.split(|byte| *byte == 0).any(|word| word == b"__launcher" || word == b"__guard");
        let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap_or_default().trim();
        let slot = slot_of(metadata.uid());
        let is_theirs = slot.is_some_and(|slot| others.slots.contains(&slot));
        if (slot.is_some() && !is_theirs) || (is_helper && !others.processes.contains(parent)) {
            things.insert(format!("process {name} of user {}", metadata.uid()));
        }
    }
    Ok(())
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Memory of tmpfs and the kernel: that of programs is found by their processes, and the page cache varies.
fn memory_in_use_kib() -> Result<u64> {
    let text = fs::read_to_string("/proc/meminfo")?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.trim_start_matches(':').split_whitespace().next()?.parse::<u64>().ok())
    };
    let sum: Option<u64> = ["Shmem", "SUnreclaim"].into_iter().map(field).sum();
    sum.context("/proc/meminfo has no Shmem or SUnreclaim")
}
