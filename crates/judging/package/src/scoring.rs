//! How the results of test cases become the result of a submission.
//!
//! Pure functions over the tree of groups: [`total`] computes the result, [`still_needed`] decides which cases a judge
//! may skip. The caller runs the package's own grader: where its answer matters, both functions return the question for
//! it, until the answer is among the grades passed to them.

mod aggregate;
mod choice;
mod domjudge;
mod grader;
mod grading;
mod legacy;
mod need;
mod rules;

pub use choice::ErrorChoice;
pub(crate) use domjudge::{has_counted_case, left_out};
pub use grader::{Grade, GraderCall, Grades};
pub use grading::{
    AggregateGrading, Aggregation, CaseResult, DomjudgeGrading, Grading, LegacyGrading, NoTotal, OnReject,
    Results, ScoreError, ScoreMode, Total, VerdictMode,
};
use grading::{is_accepted, place_of, verdict_of};
pub use need::still_needed;
pub use rules::ChosenRules;
pub(crate) use rules::{Signs, foreign_to_domjudge, recognise};

use crate::Group;
use model::{CaseKind, Verdict, supports_acceptance};

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
    Ok(Total {
        verdict,
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

#[cfg(test)]
mod tests;
