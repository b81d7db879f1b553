//! How the results of test cases become the result of a submission.
//!
//! Pure functions over the tree of groups: [`total`] computes the result, [`still_needed`] decides which cases a judge
//! may skip. The caller runs the package's own grader: where its answer matters, both functions return the question for
//! it, until the answer is among the grades passed to them.

mod aggregate;
mod choice;
mod domjudge;
mod grader;
mod legacy;
mod need;
mod rules;

pub use choice::ErrorChoice;
pub use domjudge::DomjudgeGrading;
pub(crate) use domjudge::{has_counted_case, left_out};
pub use grader::{Grade, GraderCall, Grades};
pub use need::still_needed;
pub use rules::ChosenRules;
pub(crate) use rules::{Signs, foreign_to_domjudge, recognise};

use crate::Group;
use model::{CaseKind, Verdict, supports_acceptance};
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
    /// How the verdict is determined.
    pub verdict_mode: VerdictMode,
    /// How the score is determined.
    pub score_mode: ScoreMode,
    /// The verdict is accepted if any result in the group is.
    pub accept_if_any_accepted: bool,
    /// Only the second result, that of `secret`, counts.
    pub ignore_sample: bool,
    /// The score of an accepted case without a score from the validator.
    pub accept_score: f64,
    /// The score of a rejected case without a score from the validator.
    pub reject_score: f64,
    /// The range of scores.
    pub range: (f64, f64),
    /// Whether a low score is better than a high one.
    pub minimise: bool,
}

/// Whether judging of a group continues after a case that is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnReject {
    /// The rest of the group is skipped.
    Break,
    /// Every case is judged.
    Continue,
}

/// How the legacy grader determines the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictMode {
    /// The worst error.
    WorstError,
    /// The first error.
    FirstError,
    /// Accepted, whatever happens.
    AlwaysAccept,
}

/// How the legacy grader determines the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreMode {
    /// The sum.
    Sum,
    /// The mean.
    Average,
    /// The lowest.
    Min,
    /// The highest.
    Max,
}

/// The scoring part of `test_group.yaml`.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateGrading {
    /// The group's maximum score; `None` for no limit.
    pub max_score: Option<f64>,
    /// The maximum score of each case in it; `None` for no limit.
    pub case_max_score: Option<f64>,
    /// How the scores in it are combined.
    pub aggregation: Aggregation,
    /// Groups that must be passed for this one to count, such as `sample`.
    pub require_pass: Vec<String>,
}

/// How the newer formats determine a group's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// All or nothing.
    PassFail,
    /// The sum.
    Sum,
    /// The lowest.
    Min,
}

/// The result of one case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaseResult {
    /// Its verdict.
    pub verdict: Verdict,
    /// What the validator wrote to `score.txt`.
    pub score: Option<f64>,
    /// What the validator wrote to `score_multiplier.txt`.
    pub score_multiplier: Option<f64>,
}

/// Results by case name; skipped cases have none.
pub type Results = BTreeMap<String, CaseResult>;

/// The result of a submission.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// The verdict. With scores of the newer formats, accepted means that everything passed or has the full score.
    pub verdict: Verdict,
    /// The first case with that verdict, unless it is accepted.
    pub deciding_case: Option<String>,
    /// The score, for scoring problems.
    pub score: Option<f64>,
    /// The best possible score, where there is one.
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
    /// What was found and what was expected.
    pub problem: String,
}

/// Why there is no result, or none yet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTotal {
    /// The scores are invalid.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The package's own grader has to be asked first.
    #[error("{}: its grader was not asked", place_of(&.0.group))]
    Ungraded(GraderCall),
}

/// Computes the result of a submission.
///
/// # Errors
///
/// When a score is outside of the allowed range, the package's own grader failed, or nothing supports an acceptance,
/// which is a judging error; or when its grader must be asked first.
pub fn total(data: &Group, is_scoring: bool, results: &Results, grades: &Grades) -> Result<Total, NoTotal> {
    let mut group_scores = Vec::new();
    let (verdict, score, best_score) = match &data.grading {
        Grading::Legacy(grading) => {
            let mut outside = Vec::new();
            let part = legacy::total(data, results, grades, &mut group_scores, &mut outside)?;
            let is_accepted = part.verdict == Verdict::Accepted;
            if let Some(error) = outside.into_iter().next().filter(|_| is_scoring && is_accepted) {
                return Err(error.into());
            }
            let best = if grading.minimise { grading.range.0 } else { grading.range.1 };
            // The format ignores the score of a submission that is not accepted.
            let score = if is_accepted { part.score } else { grading.reject_score };
            (part.verdict, score, best.is_finite().then_some(best))
        }
        Grading::Aggregate(_) => aggregate::total(data, is_scoring, results, &mut group_scores)?,
        Grading::Domjudge(_) => domjudge::total(data, results, &mut group_scores),
    };
    if verdict == Verdict::Accepted {
        check_acceptance(data, is_scoring, results, grades)?;
    }
    let deciding_case = (verdict != Verdict::Accepted)
        .then(|| data.steps().into_iter().find(|step| verdict_of(results, step.name()) == Some(verdict)))
        .flatten()
        .map(|step| step.name().to_owned());
    Ok(Total {
        verdict,
        deciding_case,
        score: is_scoring.then_some(score),
        best_score: best_score.filter(|_| is_scoring),
        group_scores: if is_scoring { group_scores } else { Vec::new() },
    })
}

/// Returns the best possible score of a group, where there is one.
pub fn best_score(group: &Group) -> Option<f64> {
    match &group.grading {
        Grading::Legacy(grading) => Some(grading.range.1).filter(|most| most.is_finite()),
        Grading::Aggregate(grading) => grading.max_score,
        Grading::Domjudge(_) => domjudge::best(group),
    }
}

/// Checks that results support the verdict "accepted". Graders accept a group without results, and flags such as
/// `always_accept` one in which nothing is accepted, but neither solves a problem.
fn check_acceptance(
    data: &Group,
    is_scoring: bool,
    results: &Results,
    grades: &Grades,
) -> Result<(), NoTotal> {
    // Where every case runs, those after a rejection that ends the judging do not count.
    let counts = |case: &str| still_needed(data, is_scoring, results, grades, case);
    let mut cases = Vec::new();
    for case in data.all_cases() {
        let is_accepted =
            is_accepted(results, &case.name) && counts(&case.name).map_err(NoTotal::Ungraded)?;
        cases.push((case.kind(), is_accepted));
        if is_accepted && case.kind() == CaseKind::Secret {
            break;
        }
    }
    let problem = if results.is_empty() {
        "is accepted without a result, expected the result of one case at least"
    } else if !is_scoring && !supports_acceptance(cases) {
        "is accepted by its grader although no secret case is, which a pass-fail problem needs; \
         change on_reject or grader_flags in data/testdata.yaml"
    } else {
        return Ok(());
    };
    Err(ScoreError { place: place_of(&data.name), problem: problem.into() }.into())
}

/// Names a group in a message.
fn place_of(group: &str) -> String {
    if group.is_empty() { "data".to_owned() } else { group.to_owned() }
}

fn verdict_of(results: &Results, case: &str) -> Option<Verdict> {
    results.get(case).map(|result| result.verdict)
}

fn is_accepted(results: &Results, case: &str) -> bool {
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

#[cfg(test)]
mod tests;
