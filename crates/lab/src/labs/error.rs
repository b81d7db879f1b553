//! What can go wrong in an experiment.

use cgroup::CgroupError;
use std::io;

/// Why an experiment ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// We were asked to stop.
    #[error("the experiment was stopped")]
    Stopped,
    /// A program that is measured could not be started or moved.
    #[error("cannot start the {what}")]
    Start {
        /// What it is.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// It ended, or said what it should not.
    #[error("the {what} {why}")]
    Child {
        /// What it is.
        what: &'static str,
        /// What it did.
        why: String,
    },
    /// A control group could not be made, entered or read.
    #[error("{0}")]
    Group(#[from] CgroupError),
    /// A thread could not be put where it should run.
    #[error("cannot stay on CPU {cpu}")]
    Move {
        /// Where to.
        cpu: model::CpuId,
        /// Why.
        source: io::Error,
    },
    /// There are fewer CPUs than it takes.
    #[error("{what} needs {needed} CPUs, and this process may use {allowed}")]
    TooFewCpus {
        /// Which experiment.
        what: &'static str,
        /// How many.
        needed: usize,
        /// Which there are.
        allowed: model::CpuSet,
    },
}
