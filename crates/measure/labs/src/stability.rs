//! How often the same submission gets the same verdict close to its limit.
//!
//! [`run`] submits it to the real judge, alone and with neighbours, and for comparison runs it once on any CPU;
//! [`outcome`] counts the verdicts, [`versions`] compares versions of the rule on the same runs.

mod outcome;
mod run;
mod versions;

pub use outcome::{DRIFT_MAX, Outcome, Side, outcome};
pub use run::{CALIBRATION_RUNS, ROUNDS, Series, Setting, run};
pub use versions::{VersionSide, versions};

use model::{Nanos, RunResult};

/// How a submission is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// By the judge, with nothing else open.
    Alone,
    /// By the judge, while neighbours are judged on the same place.
    Among,
    /// By one run on any CPU; its CPU time is compared with the limit.
    Plain,
}

/// A series of judgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arm {
    /// How it is judged.
    pub by: By,
    /// The program's time in per cent of the limit.
    pub needs_percent: u32,
}

/// The result of a judgement.
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
    pub arm: Arm,
    pub limit: Nanos,
    /// The result.
    pub decision: Decision,
    /// Its runs, in order.
    pub runs: Vec<RunResult>,
}
