//! Processes that have leased CPUs.

use model::CpuSet;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::{fmt, fs};
use system::task::Stat;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The CPUs, including those that it keeps idle.
    pub cpus: CpuSet,
    /// The owner; `None` if it has not written its entry yet, or writes it in another folder.
    pub owner: Option<Owner>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Owner {
    pub pid: u32,
    /// Its start time in clock ticks since boot. With it a PID identifies one process.
    pub start_ticks: u64,
    pub command: String,
}

impl Owner {
    pub(super) fn this_process() -> Self {
        /// The kernel's name of a process is short; the arguments distinguish two processes of tauto's.
        const COMMAND_CHARS_MAX: usize = 200;
        // Without a command line an owner still has its PID.
        let arguments = fs::read("/proc/self/cmdline").unwrap_or_default();
        let arguments = String::from_utf8_lossy(&arguments).replace('\0', " ");
        let pid = std::process::id();
        Self {
            pid,
            start_ticks: Stat::read(Path::new("/proc/self")).and_then(|stat| stat.start_ticks()).unwrap_or(0),
            command: arguments.trim().chars().take(COMMAND_CHARS_MAX).collect(),
        }
    }
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
