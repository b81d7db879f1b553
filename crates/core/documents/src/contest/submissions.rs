//! Submissions, judgements, runs and rejudgings.

use super::{FileReference, FileUpload, RelTime, Time, present};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Submission {
    /// Its id: a number in the contest, from 1.
    pub id: String,
    pub language_id: String,
    pub problem_id: String,
    /// Whose it is, if a team's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<String>,
    /// By which account it was sent; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// When it arrived.
    pub time: Time,
    /// The same in contest time.
    pub contest_time: RelTime,
    /// Its main file or class, for those who may see its files; `null` if it was sent without, as in C and C++.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub entry_point: Option<Option<String>>,
    /// Its files as a zip, for those who may see them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileReference>>,
    /// The team's camera around the verdict; for the public only while the board is not frozen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reaction: Option<Vec<FileReference>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSubmission {
    /// The id that it shall have, the same as in the path: the next number. Only by PUT, from admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub language_id: String,
    pub problem_id: String,
    /// For which team; a team's own if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<String>,
    /// Which account sent it; the caller's own if absent. Another one only from admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// When it was sent, not before the last one. Only from admins; the server's clock otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// The contest time then. Only with `time`, from which it follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest_time: Option<RelTime>,
    /// Its main file or class, where the language needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_point: Option<String>,
    /// Its files, or one zip of them all.
    pub files: Vec<FileUpload>,
    /// The team's camera: put aside. It is set by PUT of a file.
    #[serde(default, skip_serializing)]
    pub reaction: Option<Vec<FileReference>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// Its id: the submission's, a hyphen, a number from 1.
    pub id: String,
    pub submission_id: String,
    /// The verdict; absent while it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement_type_id: Option<String>,
    /// The score; only for points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Whether it is the one that counts.
    pub current: bool,
    pub start_time: Time,
    /// The same in contest time.
    pub start_contest_time: RelTime,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<Time>,
    /// The same in contest time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_contest_time: Option<RelTime>,
    /// The highest CPU time of a case in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_run_time: Option<f64>,
}

/// What else is known about a judgement, as far as the caller may see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgementDetails {
    pub id: String,
    /// How far it is: `waiting`, `judging`, `done` or `cancelled`.
    pub progress: String,
    /// Why nothing judges it, while it waits; absent if it only waits for those before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Obstacle>,
    /// What the compiler printed, cut to 64 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compile_output: Option<String>,
    /// Why it was opened; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where it is judged; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// By which judgehost; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgehost: Option<String>,
    /// Failures of ours on the way; only for staff.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// Cases whose runs differed in output or exit; only for staff.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nondeterministic: Vec<u32>,
    /// Accepted cases in which a run over the limit wrote something else: until the jury verifies the judgement or sets a
    /// verdict, there is none. Only for staff; the record has both outputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub for_jury: Vec<u32>,
    /// The record of all runs, if it is kept. A team gets that of its own submission without what reveals test data or the jury's work:
    /// names of cases, outputs, first differences, messages for the jury, and its submissions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<FileReference>,
    /// The account that verified it; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_by: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Its id: the judgement's, a hyphen, the case's number.
    pub id: String,
    pub judgement_id: String,
    /// Which case, from 1.
    pub ordinal: u32,
    pub judgement_type_id: String,
    /// When it ended.
    pub time: Time,
    /// The same in contest time.
    pub contest_time: RelTime,
    /// Its CPU time in seconds.
    pub run_time: f64,
}

/// Which submissions a rejudging takes. What is empty does not restrict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRejudging {
    pub reason: String,
    #[serde(default)]
    pub submission_ids: Vec<String>,
    #[serde(default)]
    pub problem_ids: Vec<String>,
    #[serde(default)]
    pub team_ids: Vec<String>,
    #[serde(default)]
    pub language_ids: Vec<String>,
    #[serde(default)]
    pub judgement_type_ids: Vec<String>,
    #[serde(default = "crate::values::one")]
    pub repeat: u32,
}

/// A rejudging: a set of submissions that are judged again, and what would change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rejudging {
    /// Its id: a number in the contest, from 1.
    pub id: String,
    /// `open`, `applied` or `cancelled`.
    pub state: String,
    pub reason: String,
    /// When it was opened.
    pub time: Time,
    pub repeat: u32,
    pub submissions: u32,
    pub judgements: u32,
    /// How many of them are done.
    pub done: u32,
    /// What changes, or changed; only where one rejudging is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<VerdictChange>,
    /// How the repetitions of a submission differ; only where one rejudging is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<RejudgingSpread>,
}

/// A submission whose verdict a rejudging changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictChange {
    pub submission_id: String,
    pub from: Option<String>,
    pub to: Option<String>,
    /// The score before; only for points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_score: Option<f64>,
    /// The score after; only for points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_score: Option<f64>,
}

/// How a submission's judgements of one rejudging differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RejudgingSpread {
    pub submission_id: String,
    /// Each verdict with its count, such as `AC 4`.
    pub verdicts: Vec<String>,
    /// The lowest of the judgements' highest CPU times in seconds.
    pub lowest_run_time: Option<f64>,
    pub highest_run_time: Option<f64>,
}

/// A verdict that a jury sets by hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewOverride {
    /// The verdict; `null` to take an override back.
    pub judgement_type_id: Option<String>,
    /// The score; only for points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    pub reason: String,
    /// The caller's own password again, when logged in by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IgnoreSubmission {
    pub is_ignored: bool,
    pub reason: String,
}

/// A second person's word that a judgement is right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verify {
    /// What was noticed.
    #[serde(default)]
    pub comment: String,
}

/// Why no judgehost begins a judgement that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Obstacle {
    /// The judging of its problem is paused.
    Paused,
    /// No judgehost of its pool is there and enabled.
    NoJudgehost,
    /// None of those that are there has a compiler of its language that works.
    NoCompiler,
}

impl Obstacle {
    /// Returns what is wrong and who can help, for its team.
    pub fn words(self) -> &'static str {
        match self {
            Self::Paused => "it waits: the judging of its problem is paused; the jury knows",
            Self::NoJudgehost => "it waits: no judgehost is there to judge it; ask the jury",
            Self::NoCompiler => {
                "it waits: no judgehost has a compiler of its language that works; ask the jury, or use another language"
            }
        }
    }
}

/// How far a submission is, as the jury sees it: that of its judgement that counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubmissionState {
    pub submission_id: String,
    /// The judgement that counts; `null` if there is none yet.
    pub judgement_id: Option<String>,
    /// How far it is: `waiting`, `judging`, `done` or `cancelled`; `null` if there is none yet.
    pub progress: Option<String>,
    /// Why nothing judges it, while it waits; absent if it only waits for those before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Obstacle>,
    pub pool: Option<String>,
    pub judgehost: Option<String>,
    /// Which rejudging made it, if one did.
    pub rejudging_id: Option<String>,
    pub verified_by: Option<String>,
    /// Why it does not count; `null` if it counts.
    pub ignored: Option<String>,
    /// Its verdict, if that was set by hand.
    pub overridden: Option<Overridden>,
    /// Whether judgements on several judgehosts differ, so that the jury has to decide.
    pub replicas_differ: bool,
    /// Whether a run over the limit wrote something else than the accepted one, so that the jury has to verify the judgement or
    /// set a verdict.
    #[serde(default)]
    pub waits_for_jury: bool,
}

/// A verdict that was set by hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overridden {
    pub judgement_type_id: String,
    /// The score; only for points.
    pub score: Option<f64>,
    pub by: Option<String>,
    pub time: Time,
    pub reason: String,
}
