//! Decides which cases a judge may skip because they cannot change the result any more.

use super::{
    Aggregation, GraderCall, Grades, Grading, NoTotal, OnReject, Results, aggregate, domjudge, legacy,
    verdict_of,
};
use crate::Group;
use crate::data::Member;
use model::Verdict;

/// Returns whether a case can still change the result, given the known ones.
///
/// The results of all cases before it in judging order should be known, or skipped by this rule.
///
/// # Errors
///
/// Returns the question to the package's own grader on whose answer it depends.
pub fn still_needed(
    data: &Group,
    is_scoring: bool,
    results: &Results,
    grades: &Grades,
    case: &str,
) -> Result<bool, GraderCall> {
    match data.grading {
        Grading::Legacy(_) => needed_by_legacy(data, results, grades, case),
        Grading::Domjudge(_) => Ok(domjudge::still_needed(data, results, case)),
        Grading::Aggregate(_) if !is_scoring => Ok(!any_rejected(data, results)),
        Grading::Aggregate(_) => Ok(needed_for_score(data, data, results, case)),
    }
}

fn needed_by_legacy(
    group: &Group,
    results: &Results,
    grades: &Grades,
    case: &str,
) -> Result<bool, GraderCall> {
    let stops = matches!(&group.grading, Grading::Legacy(grading) if grading.on_reject == OnReject::Break);
    for member in group.members() {
        match member {
            Member::Case(other) if other.name == case => return Ok(true),
            Member::Group(inner) if holds(inner, case) => {
                return needed_by_legacy(inner, results, grades, case);
            }
            _ if !stops => {}
            Member::Case(other) => {
                if verdict_of(results, &other.name).is_some_and(|verdict| verdict != Verdict::Accepted) {
                    return Ok(false);
                }
            }
            Member::Group(inner) => {
                match legacy::total(inner, results, grades, &mut Vec::new(), &mut Vec::new()) {
                    Ok(part) if part.verdict != Verdict::Accepted => return Ok(false),
                    // A grader that failed is ignored here and reported with the total.
                    Ok(_) | Err(NoTotal::Score(_)) => {}
                    Err(NoTotal::Ungraded(call)) => return Err(call),
                }
            }
        }
    }
    Ok(true)
}

fn needed_for_score(data: &Group, group: &Group, results: &Results, case: &str) -> bool {
    let Some(grading) = aggregate::grading_of(group) else { return true };
    if !aggregate::requirements_are_passed(data, grading, results) {
        return false;
    }
    // The root only joins sample and secret: a rejected sample does not reduce the score.
    let decided = !group.name.is_empty()
        && match grading.aggregation {
            Aggregation::PassFail => any_rejected(group, results),
            Aggregation::Min => {
                let own = group.cases.iter().map(|case| &case.name);
                own.chain(group.static_validation.iter().map(|check| &check.name))
                    .any(|name| is_rejected(results, name))
            }
            Aggregation::Sum => false,
        };
    if decided {
        return false;
    }
    group
        .groups
        .iter()
        .find(|inner| holds(inner, case))
        .is_none_or(|inner| needed_for_score(data, inner, results, case))
}

pub(super) fn holds(group: &Group, case: &str) -> bool {
    case.strip_prefix(group.name.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

fn any_rejected(group: &Group, results: &Results) -> bool {
    group.steps().iter().any(|step| is_rejected(results, step.name()))
}

fn is_rejected(results: &Results, case: &str) -> bool {
    verdict_of(results, case).is_some_and(|verdict| verdict != Verdict::Accepted)
}
