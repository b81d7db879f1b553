//! Errors of the sandbox itself.

use crate::protocol::Step;
use cgroup::CgroupError;
use model::Nanos;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// An internal failure; it has no bearing on the verdict.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error(
        "the sandbox needs root (or the capabilities {0}); run with sudo, or see what is missing with 'tauto doctor'"
    )]
    MissingRights(String),
    #[error(transparent)]
    Cgroup(#[from] CgroupError),
    #[error("cannot {what} {path}")]
    File { what: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "tauto was started with a limit on {resource} ({held} {unit}), which would limit what it runs as well"
    )]
    OwnLimit { resource: &'static str, held: u64, unit: &'static str, letter: char },
    #[error(
        "other processes of this machine have been removing tauto's control groups (tauto-slot-*) for {} s", .0.as_secs()
    )]
    KeepsBeingRemoved(Duration, #[source] Box<SandboxError>),
    #[error("cannot use the device {path}")]
    Device { path: PathBuf, minor: u32, source: io::Error },
    /// `/proc` shows the processes of another PID namespace, so that their numbers mean others there.
    #[error("/proc does not show this process: it is of another PID namespace")]
    ForeignProc,
    #[error("all {0} slots of this machine are in use by other tauto processes")]
    NoFreeSlot(u32),
    #[error("cannot {what}")]
    System { what: &'static str, source: io::Error },
    #[error("cannot start {path} as a helper")]
    StartHelper { path: PathBuf, source: io::Error },
    #[error("the slot's launcher ended unexpectedly ({0})")]
    LauncherDied(String),
    #[error("the launcher sent an invalid message")]
    Protocol(#[source] postcard::Error),
    #[error("the sandbox could not {step}: {source}")]
    Step { step: Step, source: io::Error },
    #[error(
        "a program could not be ended: its processes on this machine ({}) are still there, 5 s or more after they were \
         killed by all means, so they are frozen or wait in the kernel; see /proc/PID/status and /proc/PID/stack",
        numbers(.processes)
    )]
    NotEnded { processes: Vec<u32> },
    #[error(
        "a program was not executed within {} s: its processes are frozen, or this machine is far too busy",
        .after.0 / 1_000_000_000
    )]
    NotBegun { after: Nanos },
    #[error("cannot execute '{program}' in the sandbox: {source}")]
    Exec { program: String, source: io::Error },
    #[error("the plan's {field} is not usable: {why}")]
    Plan { field: &'static str, why: String },
    /// What a program left in a folder that it may write cannot be taken over: the program's own failure.
    #[error("what it left cannot be taken over: {0}")]
    LeftBehind(String),
    #[error("the virtual machine {0}")]
    Machine(String),
    #[error("interrupted")]
    Interrupted,
}

/// More than tauto itself has at once for one place: its threads, launchers, a guard, and inits of runs.
const PROCESSES_OF_TAUTO: u32 = 32;

/// How many PIDs a message lists: enough for an investigation.
const PROCESSES_LISTED: usize = 5;

fn numbers(processes: &[u32]) -> String {
    let mut words: Vec<_> = processes.iter().take(PROCESSES_LISTED).map(u32::to_string).collect();
    match processes.len().saturating_sub(PROCESSES_LISTED) {
        _ if processes.is_empty() => words.push("numbers unknown".to_owned()),
        0 => {}
        more => words.push(format!("{more} more")),
    }
    words.join(", ")
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENODEV | libc::ENOENT))
}

impl SandboxError {
    /// Returns whether the place of a run was lost: others have removed its control groups or killed its launcher. A slot
    /// makes them again before its next run.
    pub fn is_lost_place(&self) -> bool {
        match self {
            Self::LauncherDied(_) => true,
            // A group was removed, before or after it was opened.
            Self::Step { step: Step::Clone | Step::ForkMain | Step::ControlGroups, source } => {
                is_missing(source)
            }
            Self::Cgroup(error) => {
                !matches!(error, CgroupError::StillPopulated { .. } | CgroupError::NoController(_))
            }
            _ => false,
        }
    }

    /// Returns whether a place that is just made was lost. Other failures of control groups have other causes then, such
    /// as missing rights.
    pub(crate) fn is_lost_at_once(&self) -> bool {
        match self {
            Self::Cgroup(
                CgroupError::Make { source, .. }
                | CgroupError::Read { source, .. }
                | CgroupError::Write { source, .. },
            ) => is_missing(source),
            Self::Cgroup(_) => false,
            error => error.is_lost_place(),
        }
    }

    /// Returns whether the kernel allows no further process.
    fn is_for_want_of_processes(&self) -> bool {
        let source = match self {
            Self::StartHelper { source, .. } | Self::System { source, .. } => source,
            Self::Step { step: Step::Clone | Step::ForkMain | Step::UserNamespace, source } => source,
            _ => return false,
        };
        source.raw_os_error() == Some(libc::EAGAIN)
    }

    /// Returns what to do about it, as far as the machine or the way in which tauto was started is the cause.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::MissingRights(_) => "run it with sudo; 'tauto doctor' shows what else is missing".to_owned(),
            Self::OwnLimit { letter, .. } => {
                format!("start it without that limit ('ulimit -H -{letter}' shows it)")
            }
            Self::Device { path, minor, .. } => format!(
                "a container needs the usual devices; as root: 'rm -rf {0}; mknod -m 666 {0} c 1 {minor}'",
                path.display()
            ),
            Self::ForeignProc => {
                "mount this namespace's own: 'mount -t proc proc /proc', or start it with 'unshare --mount-proc'".to_owned()
            }
            Self::KeepsBeingRemoved(..) => {
                "find the process that removes groups that it did not make, and let it leave out tauto-slot-*"
                    .to_owned()
            }
            error if error.is_for_want_of_processes() => format!(
                "a limit on processes is reached: allow {PROCESSES_OF_TAUTO} more than programs use, by 'ulimit -u' and by \
                 pids.max of tauto's control group (docker: --pids-limit, systemd: TasksMax)"
            ),
            Self::Step { .. } | Self::Cgroup(_) => {
                "'tauto doctor' shows what this machine cannot do".to_owned()
            }
            _ => return None,
        })
    }

    pub(crate) fn file(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { what, path, source }
    }

    pub(crate) fn system<E: Into<io::Error>>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |source| Self::System { what, source: source.into() }
    }
}
