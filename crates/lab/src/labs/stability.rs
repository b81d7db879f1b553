//! How often the same submission gets the same verdict close to its limit.
//!
//! [`run`] hands it in to the real judge, alone and among neighbours, and runs it once anywhere as a comparison;
//! [`outcome`] counts what that comes to.

mod outcome;
mod run;

pub use outcome::{DRIFT_MAX, Outcome, Side, outcome};
pub use run::{CALIBRATION_RUNS, ROUNDS, Series, Setting, run};

use model::{Nanos, RunResult};

/// By whom a submission is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// By the judge, with nothing else open.
    Alone,
    /// By the judge, while neighbours are judged on the same place.
    Among,
    /// By one run wherever the kernel puts it; its CPU time against the limit.
    Plain,
}

/// What is judged again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arm {
    /// By whom.
    pub by: By,
    /// What of the limit the program needs, in per cent.
    pub needs_percent: u32,
}

/// What a judgement came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The time is within the limit.
    Within,
    /// The time is over the limit.
    Over,
    /// There is no verdict.
    Undecided(String),
}

/// One judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Of which arm.
    pub arm: Arm,
    /// The limit.
    pub limit: Nanos,
    /// What it came to.
    pub decision: Decision,
    /// Its runs, in order.
    pub runs: Vec<RunResult>,
}
