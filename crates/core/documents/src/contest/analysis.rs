//! How a contest goes, in numbers.

use super::RelTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a contest goes, for the jury: of the submissions in its time that are not ignored, of teams that are not hidden.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// How long each step of contest time is in `sent` and `solved`.
    pub step: RelTime,
    pub submissions: u32,
    /// How many of them have no verdict yet.
    pub pending: u32,
    pub verdicts: BTreeMap<String, u32>,
    pub teams: u32,
    /// How many of them have sent something.
    pub teams_tried: u32,
    /// How many of them have solved something.
    pub teams_solved: u32,
    pub problems: Vec<ProblemAnalysis>,
    pub languages: Vec<LanguageAnalysis>,
}

/// How a problem goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemAnalysis {
    pub problem_id: String,
    pub submissions: u32,
    /// How many of them have no verdict yet.
    pub pending: u32,
    pub verdicts: BTreeMap<String, u32>,
    pub teams_tried: u32,
    pub teams_solved: u32,
    /// The earliest solution; `null` while there is none.
    pub first_solve: Option<FirstSolve>,
    /// How many teams solved it at the first attempt, the second, and so on, as the board counts attempts; the 20th stands for all later
    /// ones.
    pub attempts: Vec<u32>,
    /// Submissions in each step of contest time, from the start to the end: at most 100.
    pub sent: Vec<u32>,
    /// Teams that solved it in each step.
    pub solved: Vec<u32>,
    /// The limit on CPU time in seconds; `null` until it is known.
    pub time_limit: Option<f64>,
    /// How the times of the slowest cases are distributed; `null` until the limit is known.
    pub run_times: Option<RunTimes>,
}

/// How many judgements have their slowest case in each part of the limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunTimes {
    /// The length of a part, in time limits. The last one has all times above the others.
    pub step: f64,
    /// Accepted judgements in each part.
    pub accepted: Vec<u32>,
    pub others: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstSolve {
    pub team_id: String,
    pub submission_id: String,
    pub contest_time: RelTime,
}

/// How a language goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageAnalysis {
    pub language_id: String,
    /// How many submissions are in it.
    pub submissions: u32,
    /// How many of them have no verdict yet.
    pub pending: u32,
    pub verdicts: BTreeMap<String, u32>,
    pub teams: u32,
}
