//! What DOMjudge's own clients read below `/api/v4` and the standard does not have, or has in another shape.

use super::{ApiInformation, Contest, ContestState, Problem, RelTime, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeInformation {
    /// As the standard has it.
    #[serde(flatten)]
    pub information: ApiInformation,
    /// What clients of DOMjudge look for.
    pub domjudge: DomjudgeServer,
}

/// Which API of DOMjudge is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeServer {
    pub apiversion: u32,
    /// The version of this server, which is not DOMjudge.
    pub version: String,
    pub environment: String,
    pub doc_url: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeVersion {
    /// Always 4.
    pub api_version: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeUser {
    pub id: String,
    pub username: String,
    /// The person's name; the user name if it has none.
    pub name: String,
    pub enabled: bool,
    /// Its team, if it is one's.
    pub team: Option<String>,
    pub team_id: Option<String>,
    /// What it may do, in DOMjudge's words, such as `admin`, `jury`, `team`.
    pub roles: Vec<String>,
    /// What it may do, in the standard's words.
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeContest {
    /// As the standard has it, without `penalty_time`.
    #[serde(flatten)]
    pub contest: Contest,
    /// Its id again: by this or by the id a contest is chosen.
    pub shortname: String,
    /// When it ends; `null` while it has no start.
    pub end_time: Option<Time>,
    pub allow_submit: bool,
    /// The penalty time in minutes; only for `pass-fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty_time: Option<i64>,
}

/// How much of a contest is judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeStatus {
    pub num_submissions: u32,
    /// Those whose judgement has not begun.
    pub num_queued: u32,
    /// Those that are judged now.
    pub num_judging: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeProblem {
    /// As the standard has it.
    #[serde(flatten)]
    pub problem: Problem,
    /// Its label again.
    pub short_name: String,
}

/// A problem that was added from a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeAddedProblem {
    pub problem_id: String,
    /// What was noticed.
    pub messages: DomjudgeMessages,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeMessages {
    /// What is odd in it, each with its file and line.
    pub warning: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeSource {
    /// Its number in the submission.
    pub id: String,
    pub submission_id: String,
    pub filename: String,
    /// Its content in base64.
    pub source: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeBalloon {
    /// Its id, which is a text here.
    pub balloonid: String,
    /// The contest time of its submission.
    pub time: RelTime,
    /// The problem's label.
    pub problem: String,
    pub contestproblem: DomjudgeColor,
    /// The team's id and name.
    pub team: String,
    pub teamid: String,
    /// The team's label, such as its seat.
    pub location: Option<String>,
    /// The name of its organization.
    pub affiliation: Option<String>,
    pub affiliationid: Option<String>,
    /// The name of its first group.
    pub category: Option<String>,
    /// Its first group.
    pub categoryid: Option<String>,
    /// All balloons of the team, by the problems' labels.
    pub total: BTreeMap<String, DomjudgeColor>,
    pub done: bool,
}

/// A problem as balloons have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeColor {
    pub id: String,
    pub label: String,
    /// Its label again.
    pub short_name: String,
    pub rgb: Option<String>,
    pub color: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeScoreboard {
    /// When it last changed.
    pub time: Time,
    /// The same in contest time.
    pub contest_time: RelTime,
    pub state: ContestState,
    pub rows: Vec<DomjudgeRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeRow {
    /// Its rank, from 1; equal teams share one.
    pub rank: u32,
    pub team_id: String,
    pub score: DomjudgeScore,
    pub problems: Vec<DomjudgeCell>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeScore {
    /// How many problems it has solved; with points, at how many it has some.
    pub num_solved: u32,
    /// Its penalty time in minutes; only for `pass-fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_time: Option<i64>,
    /// Its points; only for `score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_score: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DomjudgeCell {
    pub label: String,
    pub problem_id: String,
    /// How many submissions were judged, up to the first correct one.
    pub num_judged: u32,
    /// How many wait for a verdict, or were sent after the freeze.
    pub num_pending: u32,
    /// Whether it is solved; with points, whether it has some.
    pub solved: bool,
    /// When it was solved, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
    /// Whether the team was the first to solve it.
    pub first_to_solve: bool,
    /// The points; only for `score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}
