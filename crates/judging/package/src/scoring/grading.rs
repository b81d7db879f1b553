//! How points are given, and results that they are given for.

use crate::scoring::GraderCall;
use model::Verdict;
use std::collections::BTreeMap;

/// How results in a group become its result.
#[derive(Clone, Debug, PartialEq)]
pub enum Grading {
    /// By the legacy formats' default grader or the package's own.
    Legacy(LegacyGrading),
    /// By `score_aggregation` and `require_pass` of the newer formats.
    Aggregate(AggregateGrading),
    /// By DOMjudge's reading of the legacy formats' files.
    Domjudge(DomjudgeGrading),
}

/// The grading section of `testdata.yaml`.
#[derive(Clone, Debug, PartialEq)]
pub struct LegacyGrading {
    /// Arguments of the package's own grader, if that determines verdict and score.
    pub own_grader: Option<Vec<String>>,
    /// Whether judging of the group continues after a case that is not accepted.
    pub on_reject: OnReject,
    pub verdict_mode: VerdictMode,
    pub score_mode: ScoreMode,
    /// The verdict is accepted if any result in the group is.
    pub accept_if_any_accepted: bool,
    /// Only the second result, that of `secret`, counts.
    pub ignore_sample: bool,
    /// The score of an accepted case without a score from the validator.
    pub accept_score: f64,
    /// The score of a rejected case without a score from the validator.
    pub reject_score: f64,
    pub range: (f64, f64),
    /// Whether a low score is better than a high one.
    pub minimise: bool,
}

/// Whether judging of a group continues after a case that is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnReject {
    /// The rest of the group is skipped.
    Break,
    Continue,
}

/// How the legacy grader determines the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictMode {
    WorstError,
    FirstError,
    /// Accepted, whatever happens.
    AlwaysAccept,
}

/// How the legacy grader determines the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreMode {
    Sum,
    Average,
    Min,
    Max,
}

/// The scoring part of `test_group.yaml`.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateGrading {
    /// The group's maximum score; `None` for no limit.
    pub max_score: Option<f64>,
    /// The maximum score of each case in it; `None` for no limit.
    pub case_max_score: Option<f64>,
    pub aggregation: Aggregation,
    /// Groups that must be passed for this one to count, such as `sample`.
    pub require_pass: Vec<String>,
}

/// How the newer formats determine a group's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    PassFail,
    Sum,
    Min,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaseResult {
    pub verdict: Verdict,
    /// What the validator wrote to `score.txt`.
    pub score: Option<f64>,
    /// What the validator wrote to `score_multiplier.txt`.
    pub score_multiplier: Option<f64>,
}

/// Results by case name; skipped cases have none.
pub type Results = BTreeMap<String, CaseResult>;

#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// The verdict. With scores of the newer formats, accepted means that everything passed or has the full score.
    pub verdict: Verdict,
    pub score: Option<f64>,
    pub best_score: Option<f64>,
    /// Scores of groups by name, in judging order.
    pub group_scores: Vec<(String, f64)>,
}

/// Why results cannot become a score: the package or its validator is wrong, not the submission.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ScoreError {
    /// The case or group.
    pub place: String,
    pub problem: String,
}

/// Why there is no result, or none yet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTotal {
    #[error(transparent)]
    Score(#[from] ScoreError),
    #[error("{}: its grader was not asked", place_of(&.0.group))]
    Ungraded(GraderCall),
}

pub(super) fn place_of(group: &str) -> String {
    if group.is_empty() { "data".to_owned() } else { group.to_owned() }
}

pub(super) fn verdict_of(results: &Results, case: &str) -> Option<Verdict> {
    results.get(case).map(|result| result.verdict)
}

pub(super) fn is_accepted(results: &Results, case: &str) -> bool {
    verdict_of(results, case) == Some(Verdict::Accepted)
}

impl CaseResult {
    /// Makes the result of a case without a score from the validator.
    pub const fn plain(verdict: Verdict) -> Self {
        Self { verdict, score: None, score_multiplier: None }
    }
}

impl Default for LegacyGrading {
    fn default() -> Self {
        Self {
            own_grader: None,
            on_reject: OnReject::Break,
            verdict_mode: VerdictMode::WorstError,
            score_mode: ScoreMode::Sum,
            accept_if_any_accepted: false,
            ignore_sample: false,
            accept_score: 1.0,
            reject_score: 0.0,
            range: (f64::NEG_INFINITY, f64::INFINITY),
            minimise: false,
        }
    }
}

/// What a group's own `testdata.yaml` says.
#[derive(Clone, Debug, PartialEq)]
pub struct DomjudgeGrading {
    /// Whether the group has such a file, and so have all groups around it.
    pub counts: bool,
    /// Whether the result is known when a case or group is rejected.
    pub on_reject: OnReject,
    pub score_mode: ScoreMode,
    /// The score if every case is accepted and the validator gave none.
    pub accept_score: Option<f64>,
    /// The highest score, for people: nothing is checked against it.
    pub highest: Option<f64>,
    /// Whether the samples are left out, in the outermost group.
    pub ignore_sample: bool,
    /// Whether the package has a validator, which may give scores.
    pub has_validator: bool,
}
