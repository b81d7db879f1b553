//! Errors of experiments.

use crate::load::LoadError;
use cgroup::CgroupError;
use judge::JudgeError;
use model::{RunEnd, Verdict};
use sandbox::SandboxError;
use std::io;
use std::path::PathBuf;
use timing::PlaceError;

/// Why an experiment ended early.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The caller requested a stop.
    #[error("the experiment was stopped")]
    Stopped,
    /// A program that is measured could not be started or moved.
    #[error("cannot start the {what}")]
    Start {
        /// The program.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// It ended, or its output is invalid.
    #[error("the {what} {why}")]
    Child {
        /// The program.
        what: &'static str,
        /// What happened.
        why: String,
    },
    /// A control group could not be made, entered or read.
    #[error("{0}")]
    Group(#[from] CgroupError),
    /// A thread could not be put on its CPU.
    #[error("cannot stay on CPU {cpu}")]
    Move {
        cpu: model::CpuId,
        /// Why.
        source: io::Error,
    },
    #[error("{what} needs {needed} CPUs, and this process may use {allowed}")]
    TooFewCpus {
        /// The experiment.
        what: &'static str,
        needed: usize,
        allowed: model::CpuSet,
    },
    /// There are no CPUs for measurements.
    #[error("{0}")]
    Place(#[from] PlaceError),
    /// A run failed by an internal error, or was stopped.
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
        end: RunEnd,
        /// Its message, after a colon.
        complaint: String,
    },
    /// The judge failed.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// A program of the experiment was judged, and was not accepted.
    #[error("the program {program} was judged {verdict}: {why}")]
    NotSolved {
        /// Its name.
        program: String,
        verdict: Verdict,
        /// The judge's reasons.
        why: String,
    },
    /// Settings of the machine could not be restored.
    #[error("settings could not be brought back: {0}; 'tauto machine restore' tries again")]
    Restore(String),
    /// A file could not be written.
    #[error("cannot write {path}")]
    File {
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}
