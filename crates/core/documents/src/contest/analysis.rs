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
    /// How many submissions there are.
    pub submissions: u32,
    /// How many of them have no verdict yet.
    pub pending: u32,
    /// How often each verdict came.
    pub verdicts: BTreeMap<String, u32>,
    /// How many teams there are.
    pub teams: u32,
    /// How many of them have sent something.
    pub teams_tried: u32,
    /// How many of them have solved something.
    pub teams_solved: u32,
    /// The problems, in their order.
    pub problems: Vec<ProblemAnalysis>,
    /// The languages that were used.
    pub languages: Vec<LanguageAnalysis>,
}

/// How a problem goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemAnalysis {
    /// The problem.
    pub problem_id: String,
    /// How many submissions it has.
    pub submissions: u32,
    /// How many of them have no verdict yet.
    pub pending: u32,
    /// How often each verdict came.
    pub verdicts: BTreeMap<String, u32>,
    /// How many teams have tried it.
    pub teams_tried: u32,
    /// How many of them have solved it.
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
    /// The others.
    pub others: Vec<u32>,
}

/// Who solved a problem first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstSolve {
    /// The team.
    pub team_id: String,
    /// Its submission.
    pub submission_id: String,
    /// When it was sent.
    pub contest_time: RelTime,
}

/// How a language goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageAnalysis {
    /// The language.
    pub language_id: String,
    /// How many submissions are in it.
    pub submissions: u32,
    /// How many of them have no verdict yet.
    pub pending: u32,
    /// How often each verdict came.
    pub verdicts: BTreeMap<String, u32>,
    /// How many teams used it.
    pub teams: u32,
}
