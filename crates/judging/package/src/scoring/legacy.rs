//! The legacy formats' groups, and their default grader.

use super::grader::{GraderCall, Grades, Part};
use super::{
    Grading, LegacyGrading, NoTotal, OnReject, Results, ScoreError, ScoreMode, VerdictMode, place_of,
};
use crate::Group;
use crate::data::Member;
use model::Verdict;

/// From worst to best; the formats list JE, RTE, MLE, TLE, OLE, WA, and the others are inserted where they belong.
pub(super) const WORST_FIRST: [Verdict; 8] = [
    Verdict::JudgingError,
    Verdict::CompileError,
    Verdict::RunTimeError,
    Verdict::MemoryLimitExceeded,
    Verdict::TimeLimitExceeded,
    Verdict::WallTimeLimitExceeded,
    Verdict::OutputLimitExceeded,
    Verdict::WrongAnswer,
];

/// Computes a group's result from those of its parts. A score outside of its group's range is added to `outside`: whether
/// that matters depends on the groups around it.
pub(super) fn total(
    group: &Group,
    results: &Results,
    grades: &Grades,
    group_scores: &mut Vec<(String, f64)>,
    outside: &mut Vec<ScoreError>,
) -> Result<Part, NoTotal> {
    let default = LegacyGrading::default();
    let grading = if let Grading::Legacy(grading) = &group.grading { grading } else { &default };
    let own_score_at = group_scores.len();
    let mut parts = Vec::new();
    for member in group.members() {
        let part = match member {
            // A group in which nothing was judged has no result, rather than a score of 0.
            Member::Group(inner) if !is_begun(inner, results) => continue,
            Member::Group(inner) => total(inner, results, grades, group_scores, outside)?,
            Member::Case(case) => {
                let Some(result) = results.get(&case.name) else { continue };
                let default_score = if result.verdict == Verdict::Accepted {
                    grading.accept_score
                } else {
                    grading.reject_score
                };
                Part { verdict: result.verdict, score: result.score.unwrap_or(default_score) }
            }
        };
        parts.push(part);
        if grading.on_reject == OnReject::Break && part.verdict != Verdict::Accepted {
            break;
        }
    }
    // Graders are not asked about internal failures.
    let part = if parts.iter().any(|part| part.verdict == Verdict::JudgingError) {
        // No package setting may turn an internal failure into a verdict on the submission.
        Part { verdict: Verdict::JudgingError, score: 0.0 }
    } else if let Some(flags) = &grading.own_grader
        && !parts.is_empty()
    {
        ask(GraderCall::new(&group.name, flags, &parts), &parts, grades)?
    } else {
        // The format's own grader takes the last result, which is that of `sample` if judging stopped there.
        let counted = if grading.ignore_sample { &parts[parts.len().saturating_sub(1)..] } else { &parts };
        Part { verdict: verdict(grading, counted), score: score(grading, counted) }
    };
    let (least, most) = grading.range;
    if !(least..=most).contains(&part.score) {
        outside.push(ScoreError {
            place: place_of(&group.name),
            problem: format!("has the score {}, expected one from {least} to {most}", part.score),
        });
    }
    if !group.name.is_empty() {
        group_scores.insert(own_score_at, (group.name.clone(), part.score));
    }
    Ok(part)
}

fn is_begun(group: &Group, results: &Results) -> bool {
    group.all_cases().iter().any(|case| results.contains_key(&case.name))
}

/// Takes the grader's answer from the known ones.
fn ask(call: GraderCall, parts: &[Part], grades: &Grades) -> Result<Part, NoTotal> {
    match grades.get(&call) {
        None => Err(NoTotal::Ungraded(call)),
        Some(Ok(grade)) => Ok(grade.over(parts)),
        Some(Err(problem)) => {
            Err(ScoreError { place: place_of(&call.group), problem: problem.clone() }.into())
        }
    }
}

fn verdict(grading: &LegacyGrading, parts: &[Part]) -> Verdict {
    let any_accepted = parts.iter().any(|part| part.verdict == Verdict::Accepted);
    if grading.verdict_mode == VerdictMode::AlwaysAccept || grading.accept_if_any_accepted && any_accepted {
        return Verdict::Accepted;
    }
    let mut errors = parts.iter().map(|part| part.verdict).filter(|verdict| *verdict != Verdict::Accepted);
    match grading.verdict_mode {
        VerdictMode::FirstError => errors.next(),
        _ => errors.min_by_key(|verdict| WORST_FIRST.iter().position(|worst| worst == verdict)),
    }
    .unwrap_or(Verdict::Accepted)
}

fn score(grading: &LegacyGrading, parts: &[Part]) -> f64 {
    let scores = parts.iter().map(|part| part.score);
    if parts.is_empty() {
        return 0.0;
    }
    match grading.score_mode {
        ScoreMode::Sum => scores.sum(),
        ScoreMode::Average => scores.sum::<f64>() / parts.len() as f64,
        ScoreMode::Min => scores.fold(f64::INFINITY, f64::min),
        ScoreMode::Max => scores.fold(f64::NEG_INFINITY, f64::max),
    }
}
