//! What can go wrong with control groups.

use crate::Controller;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    #[error(
        "the {0} controller is mounted neither in cgroup v2 nor in v1; mount cgroup2 or run with --cgroupns=host"
    )]
    NoController(Controller),
    #[error("cannot read the list of mounts {path}")]
    ReadMounts { path: PathBuf, source: io::Error },
    #[error("cannot make the control group {path}; this needs root and a writable cgroup tree")]
    Make { path: PathBuf, source: io::Error },
    #[error(
        "cannot enable '{controllers}' below {path}; a group that holds processes itself cannot hand controllers down"
    )]
    Enable { path: PathBuf, controllers: String, source: io::Error },
    #[error("cannot write '{value}' to {path}")]
    Write { path: PathBuf, value: String, source: io::Error },
    #[error(
        "cannot lock {path}, by which processes with different folders at /run exclude each other; this needs root and a writable cgroup tree"
    )]
    Claim { path: PathBuf, source: io::Error },
    #[error(
        "{} cannot be given to the control group {path}: another group has some of them for itself, as that \
         of a tauto that times runs has; try again when it has ended",
        cpus.named()
    )]
    CpusTaken { path: PathBuf, cpus: model::CpuSet, source: io::Error },
    #[error("cannot read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path} holds '{content}', expected {expected}")]
    Parse { path: PathBuf, content: String, expected: &'static str },
    #[error("{path} has no number '{key}'")]
    NoKey { path: PathBuf, key: &'static str },
    #[error("the control group {path} still holds {held} of an earlier run")]
    StillCharged { path: PathBuf, held: model::Bytes },
    #[error("the control group {path} still holds processes that do not die")]
    StillPopulated { path: PathBuf },
}
