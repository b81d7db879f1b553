//! What a run will do, as data.

use crate::counted_by::Counter;
use cgroup::Counting;
use model::{Bytes, CpuSet, Limits};
use std::fmt;
use std::path::{Path, PathBuf};

/// A run's own files inside: the root of its private tmpfs.
pub const BOX: &str = "/box";
/// The working directory of a run, unless the plan names another.
pub const WORK: &str = "/box/work";
pub const PROGRAM: &str = "/program";
/// In these units files in the box are counted.
const PAGE_BYTES: u64 = 4096;

/// The plan of one run: everything except the descriptors of its input and output.
///
/// What belongs to the machine that it runs on is not sent to another: its CPUs, and what is counted there.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RunPlan {
    /// The program and its arguments; the first is looked up in `PATH` when it has no slash.
    pub argv: Vec<String>,
    pub environment: Vec<(String, String)>,
    pub working_directory: String,
    pub role: Role,
    /// The mounts in addition to the slot's root and the box.
    pub mounts: Vec<Mount>,
    /// Files of the host that are copied into the box instead, so that the run may change and remove them.
    pub copies: Vec<FileCopy>,
    /// Symbolic links in [`WORK`]: name and target.
    pub links: Vec<(String, String)>,
    pub work_writable: bool,
    /// Whether files left in the box count as output, in whole pages.
    pub files_are_output: bool,
    /// The limits at which the run is killed; the rule's softer limits do not concern the sandbox.
    pub limits: Limits,
    /// The CPUs that it may use; `None` for all of this process's CPUs.
    #[serde(skip)]
    pub cpus: Option<CpuSet>,
    /// What is counted in addition to its usage; only for runs on named CPUs.
    #[serde(skip)]
    pub counting: Counting,
    /// What counts its instructions, if they are counted: the processor, or an emulator under which it runs.
    #[serde(skip)]
    pub counter: Option<Counter>,
    /// What else an emulator loads, as its option `-plugin` has it.
    pub plugins: Vec<String>,
    pub seccomp: SeccompClass,
}

/// A file or folder of the host that a run sees, without anything mounted below it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Mount {
    /// Its path for the caller.
    pub source: PathBuf,
    /// Its path in the run.
    pub target: String,
    /// Whether the run may write there; the caller makes the slot's user the owner beforehand.
    pub writable: bool,
}

/// A file of the host that is copied into the box.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FileCopy {
    /// Its path for the caller.
    pub source: PathBuf,
    /// Its path in the run.
    pub target: String,
    pub size: Bytes,
}

/// The user as which a program runs. Each has a separate host user in each slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Role {
    /// Submissions and what compiles them.
    Contestant,
    /// Checkers, validators and interactors: as untrusted as contestants, but a different user.
    Checker,
}

/// Which system calls a program may make.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum SeccompClass {
    #[default]
    Native,
    /// Virtual machines, and interpreters with their own event loops.
    Runtime,
    Compiler,
}

impl Role {
    pub const ALL: [Self; 2] = [Self::Contestant, Self::Checker];

    pub(crate) const fn index(self) -> u32 {
        match self {
            Self::Contestant => 0,
            Self::Checker => 1,
        }
    }
}

impl RunPlan {
    /// Makes the plan of a program with the standard environment and no limits.
    pub fn new(argv: Vec<String>) -> Self {
        Self {
            argv,
            environment: standard_environment(),
            working_directory: WORK.to_owned(),
            role: Role::Contestant,
            mounts: Vec::new(),
            copies: Vec::new(),
            links: Vec::new(),
            work_writable: true,
            files_are_output: false,
            limits: Limits::unlimited(),
            cpus: None,
            counting: Counting::Nothing,
            counter: None,
            plugins: Vec::new(),
            seccomp: SeccompClass::Native,
        }
    }

    /// Returns the size of the copied files in whole pages, which is not output.
    pub fn copied(&self) -> Bytes {
        let pages = self.copies.iter().map(|copy| copy.size.0.next_multiple_of(PAGE_BYTES));
        Bytes(pages.fold(0, u64::saturating_add))
    }

    /// Returns the emulator under which it runs, if it does.
    pub(crate) fn emulator(&self) -> Option<&Path> {
        self.counter.as_ref()?.emulator()
    }

    /// Returns on how many CPUs at most it can be at once.
    pub fn parallel(&self) -> u64 {
        match &self.cpus {
            Some(cpus) => cpus.len().max(1) as u64,
            None => std::thread::available_parallelism().map_or(1, |count| count.get() as u64),
        }
    }
}

/// Returns the environment of every run. It is the same for all, since its size shifts the stack and thus affects
/// times.
pub fn standard_environment() -> Vec<(String, String)> {
    [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/box/home"),
        ("TMPDIR", "/tmp"),
        ("LANG", "C.UTF-8"),
        ("LC_ALL", "C.UTF-8"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec()
}

/// Prints the plan with one fact per line, for `--dry-run` and snapshots.
impl fmt::Display for RunPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "run      {}", self.argv.join(" "))?;
        match &self.counter {
            Some(Counter::Emulated(emulator)) => writeln!(f, "under    {}", emulator.path.display())?,
            Some(counter) => writeln!(f, "counted  by {counter}, with fixed addresses")?,
            None => {}
        }
        writeln!(f, "as       {:?}, seccomp class {:?}", self.role, self.seccomp)?;
        let writable = if self.work_writable { "writable" } else { "read-only" };
        writeln!(f, "in       {} ({WORK} {writable})", self.working_directory)?;
        for (name, value) in &self.environment {
            writeln!(f, "env      {name}={value}")?;
        }
        for mount in &self.mounts {
            let mode = if mount.writable { "rw" } else { "ro" };
            writeln!(f, "mount    {} on {} ({mode})", mount.source.display(), mount.target)?;
        }
        for copy in &self.copies {
            writeln!(f, "copy     {} to {}", copy.source.display(), copy.target)?;
        }
        for (name, target) in &self.links {
            writeln!(f, "link     {WORK}/{name} -> {target}")?;
        }
        match &self.cpus {
            Some(cpus) => writeln!(f, "cpus     {cpus}")?,
            None => writeln!(f, "cpus     all that we may use")?,
        }
        let Limits {
            cpu_time,
            wall_time,
            instructions,
            memory,
            processes,
            output,
            file_size,
            open_files,
            stack,
            ..
        } = &self.limits;
        let mut limit = |name: &str, value: Option<String>| match value {
            Some(value) => writeln!(f, "limit    {name} {value}"),
            None => Ok(()),
        };
        limit("cpu time", cpu_time.map(|time| time.to_string()))?;
        limit("wall time", wall_time.map(|time| time.to_string()))?;
        limit("instructions", instructions.map(|count| count.to_string()))?;
        limit("memory", memory.map(|bytes| bytes.to_string()))?;
        limit("processes", processes.map(|count| count.to_string()))?;
        let counted = if self.files_are_output { ", files in the box included" } else { "" };
        limit("output", output.map(|bytes| format!("{bytes}{counted}")))?;
        limit("file size", file_size.map(|bytes| bytes.to_string()))?;
        limit("open files", open_files.map(|count| count.to_string()))?;
        limit("stack", stack.map(|bytes: Bytes| bytes.to_string()))?;
        write!(f, "box      {}, {} files", self.limits.box_size, self.limits.box_files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    #[test]
    fn a_plan_prints_every_fact() {
        let mut plan = RunPlan::new(vec!["/program/a.out".to_owned(), "7".to_owned()]);
        plan.environment.truncate(1);
        plan.limits.cpu_time = Some(Nanos::from_millis(2000));
        plan.cpus = Some("1-2".parse().unwrap());
        plan.mounts.push(Mount { source: "/srv/p".into(), target: PROGRAM.to_owned(), writable: false });
        assert_eq!(
            plan.to_string(),
            "run      /program/a.out 7\n\
             as       Contestant, seccomp class Native\n\
             in       /box/work (/box/work writable)\n\
             env      PATH=/usr/local/bin:/usr/bin:/bin\n\
             mount    /srv/p on /program (ro)\n\
             cpus     1-2\n\
             limit    cpu time 2.000 s\n\
             box      256.0 MiB, 65536 files"
        );
    }
}
