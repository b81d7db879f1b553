//! Who has leased CPUs.

use model::CpuSet;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::path::Path;

/// Somebody who has leased CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The CPUs, those that he keeps idle included.
    pub cpus: CpuSet,
    /// Who it is; none if he has not written it down yet.
    pub owner: Option<Owner>,
}

/// The process that has a lease.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Owner {
    /// Its number.
    pub pid: u32,
    /// When it began, in clock ticks since the machine did: with it the number stands for one process only.
    pub start_ticks: u64,
    /// What it is called with.
    pub command: String,
}

impl Owner {
    pub(super) fn this_process() -> Self {
        /// The kernel's name of a process is short; the arguments tell two of ours apart.
        const COMMAND_CHARS_MAX: usize = 200;
        // Without a word of his own an owner still has his number.
        let arguments = fs::read("/proc/self/cmdline").unwrap_or_default();
        let arguments = String::from_utf8_lossy(&arguments).replace('\0', " ");
        let pid = std::process::id();
        Self {
            pid,
            start_ticks: start_ticks(Path::new("/proc/self/stat")).unwrap_or(0),
            command: arguments.trim().chars().take(COMMAND_CHARS_MAX).collect(),
        }
    }
}

/// Reads when a process began: field 22 (proc_pid_stat(5)), counted after the name, which may hold anything.
fn start_ticks(stat: &Path) -> Option<u64> {
    let text = fs::read_to_string(stat).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

pub(super) fn held(holders: &[Holder]) -> String {
    if holders.is_empty() { String::new() } else { format!("; {}", list(holders)) }
}

pub(super) fn list(each: &[impl ToString]) -> String {
    each.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cpus = self.cpus.named();
        match &self.owner {
            Some(owner) => write!(f, "process {} ({}) has {cpus}", owner.pid, owner.command),
            None => write!(f, "a tauto process has {cpus}"),
        }
    }
}
