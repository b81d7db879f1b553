//! Why a run cannot go on.

use crate::trace::TraceError;

/// The version of a run's file, and of checkpoints.
pub const VERSION: u32 = 1;

/// Why a run did not end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error("cannot write the run's file")]
    Write(#[source] std::io::Error),
    /// The trace has hosts or jobs that contradict each other.
    #[error("line {line}: {what}")]
    Contradiction {
        line: u64,
        /// What contradicts what.
        what: String,
    },
    #[error("{what} is {ms} ms, expected {expected}")]
    Option {
        what: &'static str,
        /// Its value, in milliseconds.
        ms: u64,
        /// What it may be.
        expected: &'static str,
    },
    /// A checkpoint is none, or damaged.
    #[error("this is no checkpoint of this version of tauto, or it is damaged")]
    NoCheckpoint,
    #[error("the checkpoint was made with another {0}")]
    OtherRun(&'static str),
}
