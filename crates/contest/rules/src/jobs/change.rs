//! What becomes of a job.

use crate::{Instant, PoolId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobChange {
    /// A judgement waits for a judgehost.
    Add(JobSpec),
    /// A judgement waits no more, done or not. The job may be gone already.
    Remove(String),
    /// A judgement that a judgehost had waits again.
    GiveBack {
        id: String,
        /// No judgehost gets it earlier.
        not_before: Instant,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSpec {
    /// Its id: `<contest>/<submission>-<n>`.
    pub id: String,
    pub pool: PoolId,
    /// Lower ones go first.
    pub class: u8,
    /// Within a class, lower ones go first.
    pub turn: i64,
    /// For whom it is: `<contest>/<team>`, or `<contest>/` for the jury.
    pub owner: String,
}
