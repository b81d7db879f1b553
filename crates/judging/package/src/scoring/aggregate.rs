//! The newer formats' result aggregation.

use super::{
    AggregateGrading, Aggregation, CaseResult, Grading, Results, ScoreError, is_accepted, verdict_of,
};
use crate::Group;
use crate::data::Member;
use model::Verdict;

/// Rounding errors: a sum of fractions may differ from the whole by this much.
const ROUNDING: f64 = 1e-9;

/// Returns verdict, score and best possible score.
pub(super) fn total(
    data: &Group,
    is_scoring: bool,
    results: &Results,
    group_scores: &mut Vec<(String, f64)>,
) -> Result<(Verdict, f64, Option<f64>), ScoreError> {
    let first_error = data
        .steps()
        .iter()
        .filter_map(|step| verdict_of(results, step.name()))
        .find(|verdict| *verdict != Verdict::Accepted)
        .unwrap_or(Verdict::Accepted);
    if results.values().any(|result| result.verdict == Verdict::JudgingError) {
        return Ok((Verdict::JudgingError, 0.0, None));
    }
    if !is_scoring {
        return Ok((first_error, 0.0, None));
    }
    // Samples are judged, but only secret cases have scores.
    let Some(secret) = data.groups.iter().find(|group| group.name == "secret") else {
        return Ok((first_error, 0.0, None));
    };
    let score = group_score(data, secret, results, group_scores)?;
    let verdict = if score > 0.0 { Verdict::Accepted } else { first_error };
    Ok((verdict, score, grading_of(secret).and_then(|grading| grading.max_score)))
}

fn group_score(
    data: &Group,
    group: &Group,
    results: &Results,
    group_scores: &mut Vec<(String, f64)>,
) -> Result<f64, ScoreError> {
    let Some(grading) = grading_of(group) else { return Ok(0.0) };
    let own_score_at = group_scores.len();
    let score_of = |name: &str, most: Option<f64>| match results.get(name) {
        Some(result) => case_score(name, grading.aggregation, most, result),
        None => Ok(0.0),
    };
    let mut scores = Vec::new();
    if let Some(check) = &group.static_validation {
        scores.push(score_of(&check.name, check.score.or(grading.case_max_score))?);
    }
    for member in group.members() {
        scores.push(match member {
            Member::Case(case) => score_of(&case.name, grading.case_max_score)?,
            Member::Group(inner) => group_score(data, inner, results, group_scores)?,
        });
    }
    let score = if !requirements_are_passed(data, grading, results) {
        0.0
    } else {
        match grading.aggregation {
            Aggregation::PassFail if passes(data, group, results) => grading.max_score.unwrap_or(0.0),
            Aggregation::PassFail => 0.0,
            Aggregation::Sum => scores.iter().sum(),
            Aggregation::Min => scores.iter().copied().reduce(f64::min).unwrap_or(0.0),
        }
    };
    if let Some(most) = grading.max_score
        && score > most * (1.0 + ROUNDING)
    {
        return Err(ScoreError {
            place: group.name.clone(),
            problem: format!("has the score {score}, expected at most {most}"),
        });
    }
    group_scores.insert(own_score_at, (group.name.clone(), score));
    Ok(score)
}

/// Computes the score of one case from the validator's files.
fn case_score(
    name: &str,
    aggregation: Aggregation,
    most: Option<f64>,
    result: &CaseResult,
) -> Result<f64, ScoreError> {
    let refuse = |problem: String| Err(ScoreError { place: name.to_owned(), problem });
    let names_score = result.score.is_some() || result.score_multiplier.is_some();
    if result.verdict != Verdict::Accepted {
        if names_score {
            return refuse("is not accepted, but the validator wrote a score".into());
        }
        return Ok(0.0);
    }
    if aggregation == Aggregation::PassFail {
        if names_score {
            return refuse("is in a group that passes or fails, but the validator wrote a score".into());
        }
        return Ok(0.0);
    }
    match (result.score, result.score_multiplier, most) {
        (Some(_), Some(_), _) => refuse("has both score.txt and score_multiplier.txt".into()),
        (Some(score), None, Some(most)) if score > most * (1.0 + ROUNDING) => {
            refuse(format!("has the score {score}, expected at most {most}"))
        }
        (Some(score), None, _) => Ok(score),
        (None, Some(multiplier), Some(most)) => Ok(multiplier * most),
        (None, Some(_), None) => {
            refuse("has a score_multiplier.txt, but no maximum score to multiply".into())
        }
        (None, None, Some(most)) => Ok(most),
        (None, None, None) => refuse("has no maximum score, so the validator must write score.txt".into()),
    }
}

/// Returns whether every case of the group is accepted and everything is passed that the group or one in it requires: cases
/// of a group that was not to be run count as not accepted, even if every case ran.
pub(super) fn passes(data: &Group, group: &Group, results: &Results) -> bool {
    let own = group.static_validation.iter().map(|check| &check.name);
    grading_of(group).is_none_or(|grading| requirements_are_passed(data, grading, results))
        && own.chain(group.cases.iter().map(|case| &case.name)).all(|name| is_accepted(results, name))
        && group.groups.iter().all(|inner| passes(data, inner, results))
}

/// Returns whether everything in `require_pass` is passed.
pub(super) fn requirements_are_passed(data: &Group, grading: &AggregateGrading, results: &Results) -> bool {
    // Groups only require earlier ones, which was checked on reading, so this ends.
    grading.require_pass.iter().all(|name| match data.find(name) {
        Some(group) => passes(data, group, results),
        None => is_accepted(results, name),
    })
}

pub(super) fn grading_of(group: &Group) -> Option<&AggregateGrading> {
    match &group.grading {
        Grading::Aggregate(grading) => Some(grading),
        Grading::Legacy(_) | Grading::Domjudge(_) => None,
    }
}
