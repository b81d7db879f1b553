//! What organisers set: contests, problems, pools. Groups, organizations, teams, persons and accounts are in `api::objects`.

use crate::{
    AccountId, BlobHash, GroupId, Instant, LanguageId, Location, Millis, PoolId, ProblemFiles, ProblemId,
};
use model::{Bytes, Nanos, ScoreRules};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A contest. A change replaces all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContestSettings {
    /// Its short name.
    pub name: String,
    /// Its full name.
    pub formal_name: Option<String>,
    /// When it starts; `None` while unknown or paused.
    pub start: Option<Instant>,
    /// The time left to the start while the countdown is paused.
    pub countdown_pause: Option<Millis>,
    /// How long it lasts, without removed intervals.
    pub duration: Millis,
    /// How long before the end the public board freezes.
    pub freeze: Option<Millis>,
    /// When the board thaws; `None` until it is known.
    pub thaw: Option<Instant>,
    /// Intervals of real time that do not count.
    pub removed: Vec<RemovedInterval>,
    /// How submissions become a board.
    pub scoring: Scoring,
    /// Which languages are allowed; empty for all.
    pub languages: BTreeSet<LanguageId>,
    /// Whose verdict counts.
    pub strict_pool: PoolId,
    /// Who judges first, if anybody.
    pub fast_pool: Option<PoolId>,
    /// On how many judgehosts each submission is judged.
    pub replicas: u32,
    /// When cases run.
    pub judging: JudgingMode,
    /// Whether teams can submit after the end, outside the board.
    pub practice: bool,
    /// Whether a verdict counts only after a second person has verified it.
    pub verification_required: bool,
    /// What others than the jury learn of a judgement. Contests from before there was a choice show the cases.
    #[serde(default = "Feedback::of_old_contests")]
    pub feedback: Feedback,
    /// Whether teams see what the compiler printed.
    #[serde(default = "yes")]
    pub shows_compiler_output: bool,
    /// The group whose teams are on the main board; `None` for all.
    pub main_group: Option<GroupId>,
    /// Whether people without an account may see the public part.
    pub is_public: bool,
    /// Categories of clarifications beside the problems.
    pub clarification_categories: Vec<String>,
    /// Answers that juries give often.
    pub canned_answers: Vec<String>,
    /// Awards of the contest.
    pub medals: Medals,
    /// Limits on what a team may send.
    pub submission_limits: SubmissionLimits,
    /// Where it is held.
    #[serde(default)]
    pub location: Option<Location>,
}

fn yes() -> bool {
    true
}

/// What others than the jury learn of a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feedback {
    /// The verdict and the score; of a compile error what the compiler printed, to its team; of a time limit exceeded the
    /// highest time.
    Verdict,
    /// Also the verdict, the time and the memory of each case as it is judged, and the record of the runs: with them a
    /// program can pass on what it reads in secret test data.
    Cases,
}

impl Feedback {
    fn of_old_contests() -> Self {
        Self::Cases
    }
}

/// Real time that is removed from a contest, such as during a power failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedInterval {
    /// Its begin.
    pub begin: Instant,
    /// Its end; `None` while it lasts: the contest is paused.
    pub end: Option<Instant>,
}

/// How submissions become a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// Problems solved, then penalty time (ICPC).
    PassFail {
        /// What a rejected submission costs once the problem is solved.
        penalty: Millis,
        /// Whether a compile error costs it too.
        compile_penalty: bool,
    },
    /// Points.
    Points {
        /// Which submissions count.
        counted: CountedScore,
    },
}

/// Which of a team's submissions to a problem count in a contest with points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountedScore {
    /// The one with the highest score.
    Best,
    /// The last one.
    Last,
    /// The sum of the best results of each subtask (test data group).
    BestOfSubtasks,
}

/// When cases run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgingMode {
    /// Until the verdict is known.
    Lazy,
    /// Every case.
    Full,
    /// Nothing, until a jury asks for it.
    OnDemand,
}

/// How many medals there are, and what counts for honours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Medals {
    /// Gold medals.
    pub gold: u32,
    /// Silver medals.
    pub silver: u32,
    /// Bronze medals, without the extra ones of finalising.
    pub bronze: u32,
}

/// Limits on what a team may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmissionLimits {
    /// Submissions of one team within a minute.
    pub per_minute: u32,
    /// Submissions of one team in the whole contest.
    pub in_all: u32,
    /// Files of a submission.
    pub files: u32,
    /// Bytes of a submission.
    pub bytes: Bytes,
}

/// A problem of a contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemSettings {
    /// Its id in the contest.
    pub id: ProblemId,
    /// The UUID of its package.
    #[serde(default)]
    pub uuid: Option<String>,
    /// Its letter.
    pub label: String,
    /// Its place in the order.
    pub ordinal: u32,
    /// Its name.
    pub name: String,
    /// The colour of its balloon, such as `#AC00FF`.
    pub rgb: Option<String>,
    /// The colour's name.
    pub color: Option<String>,
    /// The package, as a zip.
    pub package: BlobHash,
    /// The limit on CPU time; `None` until a judgehost has derived it.
    pub time_limit: Option<Nanos>,
    /// The limit on memory.
    pub memory_limit: Bytes,
    /// The limit on output.
    pub output_limit: Bytes,
    /// The limit on source code.
    pub code_limit: Bytes,
    /// How many test cases there are.
    pub test_data_count: u32,
    /// How many of them, the first ones, are samples; 0 in stores of older versions.
    #[serde(default)]
    pub sample_count: u32,
    /// The highest score; only for points.
    pub max_score: Option<Score>,
    /// By which rules points are computed; `None` for a problem without, and in stores of older versions.
    #[serde(default)]
    pub scores: Option<ScoreRules>,
    /// Which languages are allowed; empty for the contest's.
    pub languages: BTreeSet<LanguageId>,
    /// Whether judging waits.
    pub is_paused: bool,
    /// Why, if somebody said so.
    #[serde(default)]
    pub pause_reason: Option<String>,
    /// Who has verified the package, other than who added it.
    pub verified_by: Option<AccountId>,
    /// What people get of the package.
    #[serde(default)]
    pub files: ProblemFiles,
}

/// A score, in millionths of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(pub i64);

/// A pool: machines of one hardware identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolSettings {
    /// Its id.
    pub id: PoolId,
    /// What its machines have in common, as text lines; `None` until the first machine joins.
    pub identity: Option<Vec<String>>,
    /// Versions of compilers that its machines have in common, `language: version`.
    pub compilers: Option<Vec<String>>,
}
