//! What can go wrong in an experiment.

use crate::load::LoadError;
use cgroup::CgroupError;
use judge::JudgeError;
use model::{RunEnd, Verdict};
use sandbox::SandboxError;
use std::io;
use std::path::PathBuf;
use timing::PlaceError;

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
    /// There are no CPUs to measure on.
    #[error("{0}")]
    Place(#[from] PlaceError),
    /// A run failed by an internal error, or was to end.
    #[error("{0}")]
    Sandbox(#[from] SandboxError),
    /// A load failed.
    #[error("{0}")]
    Load(#[from] LoadError),
    /// A program of the experiment failed.
    #[error("the program {program} did not end as it should: {end}{complaint}")]
    Program {
        /// Its name.
        program: String,
        /// How it ended.
        end: RunEnd,
        /// What it said, with a colon before it.
        complaint: String,
    },
    /// The judge failed.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// A program of the experiment was judged, and did not solve its problem.
    #[error("the program {program} was judged {verdict}: {why}")]
    NotSolved {
        /// Its name.
        program: String,
        /// The verdict.
        verdict: Verdict,
        /// The judge's reasons.
        why: String,
    },
    /// Settings of the machine could not be brought back.
    #[error("settings could not be brought back: {0}; 'tauto machine restore' tries again")]
    Restore(String),
    /// A file could not be written.
    #[error("cannot write {path}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}
