//! Submissions, judgements, runs and rejudgings.

use super::{FileReference, FileUpload, RelTime, Time, present};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Submission {
    /// Its id: a number in the contest, from 1.
    pub id: String,
    /// Its language.
    pub language_id: String,
    /// Its problem.
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

/// A submission that is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSubmission {
    /// The id that it shall have, the same as in the path: the next number. Only by PUT, from admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its language.
    pub language_id: String,
    /// Its problem.
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
    /// The contest time then. Only beside `time`, from which it follows.
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

/// A judgement of a submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// Its id: the submission's, a hyphen, a number from 1.
    pub id: String,
    /// The submission.
    pub submission_id: String,
    /// The verdict; absent while it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement_type_id: Option<String>,
    /// The score; only for points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Whether it is the one that counts.
    pub current: bool,
    /// When it began.
    pub start_time: Time,
    /// The same in contest time.
    pub start_contest_time: RelTime,
    /// When it ended.
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
    /// Its id.
    pub id: String,
    /// How far it is: `waiting`, `judging`, `done` or `cancelled`.
    pub progress: String,
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
    /// The record of all runs, if it is kept. A team gets that of its own submission without what tells of the test data or of the jury:
    /// names of cases, outputs, first differences, messages for the jury, and its submissions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<FileReference>,
    /// Who verified it; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_by: Option<String>,
}

/// One case of a judgement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Its id: the judgement's, a hyphen, the case's number.
    pub id: String,
    /// The judgement.
    pub judgement_id: String,
    /// Which case, from 1.
    pub ordinal: u32,
    /// Its verdict.
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
    /// Why.
    pub reason: String,
    /// Only these submissions.
    #[serde(default)]
    pub submission_ids: Vec<String>,
    /// Only of these problems.
    #[serde(default)]
    pub problem_ids: Vec<String>,
    /// Only of these teams.
    #[serde(default)]
    pub team_ids: Vec<String>,
    /// Only in these languages.
    #[serde(default)]
    pub language_ids: Vec<String>,
    /// Only with these verdicts.
    #[serde(default)]
    pub judgement_type_ids: Vec<String>,
    /// How often each is judged.
    #[serde(default = "once")]
    pub repeat: u32,
}

fn once() -> u32 {
    1
}

/// A rejudging: a set of submissions that are judged again, and what would change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rejudging {
    /// Its id: a number in the contest, from 1.
    pub id: String,
    /// `open`, `applied` or `cancelled`.
    pub state: String,
    /// Why.
    pub reason: String,
    /// When it was opened.
    pub time: Time,
    /// How often each submission is judged.
    pub repeat: u32,
    /// How many submissions it has.
    pub submissions: u32,
    /// How many of its judgements there are.
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
    /// The submission.
    pub submission_id: String,
    /// The verdict before.
    pub from: Option<String>,
    /// The verdict after.
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
    /// The submission.
    pub submission_id: String,
    /// Each verdict with its count, such as `AC 4`.
    pub verdicts: Vec<String>,
    /// The lowest of the judgements' highest CPU times in seconds.
    pub lowest_run_time: Option<f64>,
    /// The highest of them.
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
    /// Why.
    pub reason: String,
    /// The caller's own password again, when logged in by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

/// Whether a submission counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IgnoreSubmission {
    /// Whether it is ignored.
    pub is_ignored: bool,
    /// Why.
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

/// How far a submission is, as the jury sees it: that of its judgement that counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubmissionState {
    /// The submission.
    pub submission_id: String,
    /// The judgement that counts; `null` if there is none yet.
    pub judgement_id: Option<String>,
    /// How far it is: `waiting`, `judging`, `done` or `cancelled`; `null` if there is none yet.
    pub progress: Option<String>,
    /// Where it is judged.
    pub pool: Option<String>,
    /// By which judgehost.
    pub judgehost: Option<String>,
    /// Which rejudging made it, if one did.
    pub rejudging_id: Option<String>,
    /// Who verified it.
    pub verified_by: Option<String>,
    /// Why it does not count; `null` if it counts.
    pub ignored: Option<String>,
    /// Its verdict, if that was set by hand.
    pub overridden: Option<Overridden>,
    /// Whether judgements on several judgehosts differ, so that somebody has to decide.
    pub replicas_differ: bool,
    /// Whether a run over the limit wrote something else than the accepted one, so that the jury has to verify the judgement or
    /// set a verdict.
    #[serde(default)]
    pub waits_for_jury: bool,
}

/// A verdict that was set by hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overridden {
    /// The verdict.
    pub judgement_type_id: String,
    /// The score; only for points.
    pub score: Option<f64>,
    /// Who set it.
    pub by: Option<String>,
    /// When.
    pub time: Time,
    /// Why.
    pub reason: String,
}
