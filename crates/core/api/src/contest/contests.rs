//! Contests and their state.

use super::{FileReference, Location, RelTime, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The API itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiInformation {
    /// The version of the CLICS Contest API.
    pub version: String,
    /// Where that is described.
    pub version_url: String,
    /// What serves it.
    pub provider: ApiProvider,
}

/// What serves the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiProvider {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A contest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Contest {
    /// Its id.
    pub id: String,
    /// Its short name.
    pub name: String,
    /// Its full name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formal_name: Option<String>,
    /// When it starts; `null` while that is unknown, or the countdown is paused.
    pub start_time: Option<Time>,
    /// The time left while the countdown is paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub countdown_pause_time: Option<RelTime>,
    /// How long it lasts.
    pub duration: RelTime,
    /// How long before the end the public board freezes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoreboard_freeze_duration: Option<RelTime>,
    /// When the board thaws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoreboard_thaw_time: Option<Time>,
    /// How submissions become a board.
    pub scoreboard_type: ScoreboardType,
    /// The group whose teams are on the main board; `null` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_scoreboard_group_id: Option<String>,
    /// What a rejected submission costs once the problem is solved; only for `pass-fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty_time: Option<RelTime>,
    /// Its broad picture, about 8:1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub banner: Option<Vec<FileReference>>,
    /// Its square picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<Vec<FileReference>>,
    /// Where it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// How submissions become a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreboardType {
    /// Problems solved, then penalty time.
    PassFail,
    /// Points.
    Score,
}

/// A change of a contest by CLICS' PATCH: its start, or its thaw. A property that is absent stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContestPatch {
    /// The contest's id, the same as in the path.
    pub id: String,
    /// When it starts; `null` for unknown or paused.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub start_time: Option<Option<Time>>,
    /// The time left to the start, while the countdown is paused.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub countdown_pause_time: Option<Option<RelTime>>,
    /// When the board thaws; not together with a start, and not `null`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "not_null")]
    pub scoreboard_thaw_time: Option<Time>,
    /// Its broad picture; `null` to remove it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub banner: Option<Vec<FileReference>>,
    /// Its square picture; `null` to remove it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<Vec<FileReference>>,
}

/// Reads a property that may be absent, but not `null`.
fn not_null<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads a property that may be absent, `null` or a value as three different things.
pub(super) fn present<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// All settings of a contest. A new one needs only `id`, `name` and `duration`; a change by PATCH only what changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContestSettings {
    /// Its id.
    pub id: String,
    /// Its short name.
    pub name: String,
    /// Its full name.
    #[serde(default)]
    pub formal_name: Option<String>,
    /// When it starts; `null` while that is unknown, or the countdown is paused.
    #[serde(default)]
    pub start_time: Option<Time>,
    /// The time left while the countdown is paused.
    #[serde(default)]
    pub countdown_pause_time: Option<RelTime>,
    /// How long it lasts, without removed intervals.
    pub duration: RelTime,
    /// How long before the end the public board freezes.
    #[serde(default)]
    pub scoreboard_freeze_duration: Option<RelTime>,
    /// When the board thaws.
    #[serde(default)]
    pub scoreboard_thaw_time: Option<Time>,
    /// Intervals that do not count, such as during a power failure.
    #[serde(default)]
    pub removed_intervals: Vec<RemovedInterval>,
    /// How submissions become a board.
    #[serde(default = "pass_fail")]
    pub scoreboard_type: ScoreboardType,
    /// What a rejected submission costs once the problem is solved; 20 minutes if absent.
    #[serde(default = "twenty_minutes")]
    pub penalty_time: RelTime,
    /// Whether a compile error costs it too.
    #[serde(default)]
    pub compile_penalty: bool,
    /// Which submissions count in a contest with points.
    #[serde(default = "best")]
    pub counted_score: CountedScore,
    /// Allowed languages; empty for all.
    #[serde(default)]
    pub languages: Vec<String>,
    /// The pool whose verdict counts; `default` if absent.
    #[serde(default = "default_pool")]
    pub strict_pool: String,
    /// The pool that judges first, if any.
    #[serde(default)]
    pub fast_pool: Option<String>,
    /// On how many judgehosts each submission is judged.
    #[serde(default = "one")]
    pub replicas: u32,
    /// When cases run.
    #[serde(default = "lazy")]
    pub judging: JudgingMode,
    /// Whether teams can submit after the end, outside the board.
    #[serde(default)]
    pub practice: bool,
    /// Whether a verdict counts only after a second person has verified it.
    #[serde(default)]
    pub verification_required: bool,
    /// What others than the jury learn of a judgement; `verdict` if absent.
    #[serde(default)]
    pub feedback: Feedback,
    /// Whether teams see what the compiler printed; `true` if absent.
    #[serde(default = "yes")]
    pub shows_compiler_output: bool,
    /// The group whose teams are on the main board; `null` for all.
    #[serde(default)]
    pub main_scoreboard_group_id: Option<String>,
    /// Whether people without an account may see the public part.
    #[serde(default)]
    pub is_public: bool,
    /// Categories of clarifications beside the problems.
    #[serde(default)]
    pub clarification_categories: Vec<String>,
    /// Answers that juries give often.
    #[serde(default)]
    pub canned_answers: Vec<String>,
    /// How many medals there are.
    #[serde(default)]
    pub medals: Medals,
    /// Limits on what a team may send.
    #[serde(default)]
    pub submission_limits: SubmissionLimits,
    /// Where it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

fn pass_fail() -> ScoreboardType {
    ScoreboardType::PassFail
}

fn twenty_minutes() -> RelTime {
    RelTime(20 * 60_000)
}

fn best() -> CountedScore {
    CountedScore::Best
}

fn default_pool() -> String {
    "default".to_owned()
}

fn yes() -> bool {
    true
}

fn one() -> u32 {
    1
}

fn lazy() -> JudgingMode {
    JudgingMode::Lazy
}

/// What others than the jury learn of a judgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Feedback {
    /// The verdict and the score; of a compile error what the compiler printed, to its team; of a time limit exceeded the
    /// highest time.
    #[default]
    Verdict,
    /// Also the verdict, the time and the memory of each case as it is judged, and the record of the runs: with them a
    /// program can pass on what it reads in secret test data.
    Cases,
}

/// Real time that does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemovedInterval {
    /// Its begin.
    pub begin: Time,
    /// Its end; `null` while the contest is paused.
    pub end: Option<Time>,
}

/// Which of a team's submissions to a problem count in a contest with points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CountedScore {
    /// The one with the highest score.
    Best,
    /// The last one.
    Last,
    /// The sum of the best results of each subtask.
    BestOfSubtasks,
}

/// When cases run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JudgingMode {
    /// Until the verdict is known.
    Lazy,
    /// Every case.
    Full,
    /// Nothing, until a jury asks for it.
    OnDemand,
}

/// How many medals there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Medals {
    /// Gold medals.
    pub gold: u32,
    /// Silver medals.
    pub silver: u32,
    /// Bronze medals.
    pub bronze: u32,
}

impl Default for Medals {
    fn default() -> Self {
        Self { gold: 4, silver: 4, bronze: 4 }
    }
}

/// Limits on what a team may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SubmissionLimits {
    /// Submissions of one team within a minute.
    pub per_minute: u32,
    /// Submissions of one team in the whole contest.
    pub in_all: u32,
    /// Files of a submission.
    pub files: u32,
    /// KiB of a submission.
    pub kib: u64,
}

impl Default for SubmissionLimits {
    fn default() -> Self {
        Self { per_minute: 10, in_all: 1000, files: 10, kib: 256 }
    }
}

/// What has happened in a contest; `null` for what has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContestState {
    /// When it started.
    pub started: Option<Time>,
    /// When the board froze.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frozen: Option<Time>,
    /// When it ended.
    pub ended: Option<Time>,
    /// When the board thawed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thawed: Option<Time>,
    /// When the result became final.
    pub finalized: Option<Time>,
    /// When the last change was made.
    pub end_of_updates: Option<Time>,
}

/// What the caller can see and do in a contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Access {
    /// What the caller may do.
    pub capabilities: Vec<String>,
    /// What the caller may see.
    pub endpoints: Vec<AccessEndpoint>,
}

/// What the caller can see of one endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccessEndpoint {
    /// Its name.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its properties.
    pub properties: Vec<String>,
}

/// Makes a result final.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finalize {
    /// Bronze medals beside the planned ones (the ICPC's B).
    #[serde(default)]
    pub extra_bronze: u32,
    /// What the jury says about it.
    #[serde(default)]
    pub comment: String,
}

/// Starts a contest a while from now, or pauses the countdown to its start. An empty object lets a paused countdown go on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Countdown {
    /// The time left to the start; by default what is left now. A running countdown needs more than 30 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaining: Option<RelTime>,
    /// Whether the countdown stands still.
    #[serde(default)]
    pub is_paused: bool,
}

/// Lets a contest last longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extend {
    /// By how much; negative to shorten it.
    pub by: RelTime,
}

/// Why something is done; it goes into the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Because {
    /// Why.
    pub reason: String,
}

/// What a check before the contest, or before its result is made final, found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// What was checked, in an order that helps to mend it.
    pub checks: Vec<Check>,
}

/// One thing that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Which check: the same word for the same thing, such as `judgehosts`.
    pub id: String,
    /// What came of it.
    pub state: CheckState,
    /// What was found.
    pub text: String,
    /// What to do, if something is to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckState {
    /// It is as it should be.
    Pass,
    /// It may be wanted so.
    Caution,
    /// It prevents the start, or the final result.
    Fail,
}
