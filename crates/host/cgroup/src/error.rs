//! What can go wrong with control groups.

use crate::Controller;
use std::io;
use std::path::PathBuf;

/// A failed operation on a control group, with its file.
#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    /// A controller that is needed for a limit is not mounted.
    #[error(
        "the {0} controller is mounted neither in cgroup v2 nor in v1; mount cgroup2 or run with --cgroupns=host"
    )]
    NoController(Controller),
    /// The list of mounts could not be read.
    #[error("cannot read the list of mounts {path}")]
    ReadMounts {
        /// The list.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A group could not be made.
    #[error("cannot make the control group {path}; this needs root and a writable cgroup tree")]
    Make {
        /// The group.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A controller could not be enabled for the children of a group.
    #[error(
        "cannot enable '{controllers}' below {path}; a group that holds processes itself cannot hand controllers down"
    )]
    Enable {
        /// The file.
        path: PathBuf,
        /// What was written.
        controllers: String,
        /// Why.
        source: io::Error,
    },
    /// A control file could not be written.
    #[error("cannot write '{value}' to {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What was written.
        value: String,
        /// Why.
        source: io::Error,
    },
    /// What exists once on the machine could not be claimed.
    #[error(
        "cannot lock {path}, by which processes with different folders at /run exclude each other; this needs root and a writable cgroup tree"
    )]
    Claim {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another group has the CPUs for itself.
    #[error(
        "{} cannot be given to the control group {path}: another group has some of them for itself, as that \
         of a tauto that times runs has; try again when it has ended",
        cpus.named()
    )]
    CpusTaken {
        /// The group.
        path: PathBuf,
        /// The CPUs.
        cpus: model::CpuSet,
        /// Why.
        source: io::Error,
    },
    /// A control file could not be read.
    #[error("cannot read {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A control file has an unexpected content.
    #[error("{path} holds '{content}', expected {expected}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// What was read.
        content: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A control file lacks a line that it always has.
    #[error("{path} has no number '{key}'")]
    NoKey {
        /// The file.
        path: PathBuf,
        /// The missing key.
        key: &'static str,
    },
    /// Memory of an earlier run is still charged to the group.
    #[error("the control group {path} still holds {held} of an earlier run")]
    StillCharged {
        /// The group.
        path: PathBuf,
        /// How much.
        held: model::Bytes,
    },
    /// Processes of an earlier run are still in the group.
    #[error("the control group {path} still holds processes that do not die")]
    StillPopulated {
        /// The group.
        path: PathBuf,
    },
}
