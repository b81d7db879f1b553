//! After the whole suite: no process, mount, control group, file or memory left behind.

use crate::table::Row;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Users of slots are above this number (see the sandbox's slots).
const FIRST_USER: u32 = 0x7000_0000;
/// Memory may differ by this much: the suite's own table, and what the rest of the machine does.
const MEMORY_SLACK_KIB: u64 = 256 << 10;
/// Where a run could have left a file, if it got out.
const PLACES: [&str; 5] = ["/tmp", "/var/tmp", "/dev/shm", "/run/tauto", "/dev/mqueue"];

/// What a suite could leave, before it runs.
pub struct Snapshot {
    things: BTreeSet<String>,
    memory_kib: u64,
}

impl Snapshot {
    /// Looks at everything once.
    pub fn take() -> Result<Self> {
        let mut things = BTreeSet::new();
        processes(&mut things)?;
        for (kind, file) in [("mount", "/proc/self/mountinfo"), ("mount of init", "/proc/1/mountinfo")] {
            let mounts = fs::read_to_string(file).with_context(|| file.to_owned())?;
            things.extend(
                mounts
                    .lines()
                    .filter_map(|line| line.split(' ').nth(4))
                    .map(|point| format!("{kind} {point}")),
            );
        }
        for file in ["/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg"] {
            // Absent where the kernel has no System V IPC, and then nothing can be left.
            let table = fs::read_to_string(file).unwrap_or_default();
            things.extend(table.lines().skip(1).map(|line| format!("{file}: {line}")));
        }
        let layout = cgroup::Layout::detect()?;
        let roots = layout.v1.values().chain(layout.unified.iter().map(|(root, _)| root));
        for root in roots {
            things.extend(
                names(root)
                    .into_iter()
                    .filter(|name| name.starts_with("tauto"))
                    .map(|name| format!("control group {}/{name}", root.display())),
            );
        }
        for place in PLACES {
            things.extend(names(Path::new(place)).into_iter().map(|name| format!("file {place}/{name}")));
        }
        Ok(Self { things, memory_kib: memory_in_use_kib()? })
    }

    /// Looks again and makes a row for each kind of check.
    pub fn compare_with_now(&self) -> Result<Vec<Row>> {
        let now = Self::take()?;
        let lock = |thing: &&String| {
            // A lock file without its lock is only a name, kept for the next slot.
            thing.starts_with("file /run/tauto/") && thing.ends_with(".lock")
        };
        let left: Vec<String> =
            now.things.difference(&self.things).filter(|thing| !lock(thing)).cloned().collect();
        let grown = now.memory_kib.saturating_sub(self.memory_kib);
        let memory = (grown > MEMORY_SLACK_KIB).then(|| format!("{grown} KiB more in use"));
        let things = (!left.is_empty()).then(|| left.join("\n"));
        Ok(vec![row("nothing-left-behind", things), row("no-memory-left-behind", memory)])
    }
}

fn row(name: &str, complaint: Option<String>) -> Row {
    let row = Row::of_check(name, complaint);
    row.print();
    row
}

/// Lists processes of slots' users, launchers and guards.
fn processes(things: &mut BTreeSet<String>) -> Result<()> {
    for entry in fs::read_dir("/proc")?.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let is_helper =
            command.split(|byte| *byte == 0).any(|word| word == b"__launcher" || word == b"__guard");
        if metadata.uid() >= FIRST_USER && metadata.uid() < u32::MAX - 1 || is_helper {
            things.insert(format!("process {name} of user {}", metadata.uid()));
        }
    }
    Ok(())
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Memory that programs and tmpfs hold; page cache comes and goes.
fn memory_in_use_kib() -> Result<u64> {
    let text = fs::read_to_string("/proc/meminfo")?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.trim_start_matches(':').split_whitespace().next()?.parse::<u64>().ok())
    };
    let sum: Option<u64> = ["AnonPages", "Shmem", "SUnreclaim"].into_iter().map(field).sum();
    sum.context("/proc/meminfo has no AnonPages, Shmem or SUnreclaim")
}
