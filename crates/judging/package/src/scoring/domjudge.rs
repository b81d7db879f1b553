//! DOMjudge's reading of the legacy formats' `testdata.yaml`.
//!
//! It has the same keys as the text, and other rules. A group is a folder with a file of its own, below folders that have
//! one; what is elsewhere is judged and does not count. Nothing is inherited. A group of groups combines these, and any
//! other one its cases: the points that the validator gave them or, if it gave none, `accept_score` once, when all cases
//! are accepted. A rejected submission keeps its points. A group that stops at a rejection has its result then, and the
//! judging ends when the outermost group has its own.

use super::{Grading, OnReject, Results, ScoreMode, is_accepted, need::holds, verdict_of};
use crate::Group;
use crate::scoring::DomjudgeGrading;
use model::Verdict;
use std::collections::BTreeMap;

/// The outermost group leaves this one out if `ignore_sample` is set.
const SAMPLE: &str = "sample";

/// The result of a group, once it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    verdict: Verdict,
    score: f64,
}

/// The results of a submission, up to the case that ended the judging.
struct Judged<'a> {
    results: &'a Results,
    /// The place of each case in judging order.
    places: BTreeMap<&'a str, usize>,
    /// The place of the case with which the outermost group had its result; later ones do not count.
    last: usize,
}

/// Computes verdict, score and best possible score.
pub(super) fn total(
    data: &Group,
    results: &Results,
    group_scores: &mut Vec<(String, f64)>,
) -> (Verdict, f64, Option<f64>) {
    if results.values().any(|result| result.verdict == Verdict::JudgingError) {
        return (Verdict::JudgingError, 0.0, best(data));
    }
    let judged = Judged::new(data, results);
    let part = judged.group(data, group_scores);
    // The judging is over: what is known then is the result.
    let part = part.unwrap_or(Part { verdict: Verdict::Accepted, score: 0.0 });
    (part.verdict, part.score, best(data))
}

/// Returns whether a case can still change the result.
pub(super) fn still_needed(data: &Group, results: &Results, case: &str) -> bool {
    let judged = Judged::new(data, results);
    let is_over = judged.place(case).is_some_and(|place| place > judged.last);
    !is_over && !group_of(data, case).is_some_and(|group| is_lost(group, results))
}

/// Returns the best possible score of a group, where the files show one.
pub(super) fn best(group: &Group) -> Option<f64> {
    let grading = grading_of(group)?;
    let inner = counted(group);
    let computed = match inner[..] {
        [] if grading.has_validator => None,
        [] => Some(grading.accept_score.unwrap_or(0.0)),
        _ => inner.into_iter().map(best).collect::<Option<Vec<_>>>().map(|best| combine(grading, &best)),
    };
    grading.highest.or(computed)
}

/// Returns whether any case counts, without which every submission would be accepted.
pub(crate) fn has_counted_case(group: &Group) -> bool {
    let inner = counted(group);
    let has_own = inner.is_empty() && !group.cases.is_empty() && grading_of(group).is_some();
    has_own || inner.into_iter().any(has_counted_case)
}

/// Lists the groups whose own cases are judged and do not count.
pub(crate) fn left_out(group: &Group) -> Vec<&str> {
    let mut names = Vec::new();
    let counts = grading_of(group).is_some() && counted(group).is_empty();
    if !counts && !group.cases.is_empty() {
        names.push(group.name.as_str());
    }
    names.extend(group.groups.iter().flat_map(left_out));
    names
}

impl<'a> Judged<'a> {
    fn new(data: &'a Group, results: &'a Results) -> Self {
        let cases = data.all_cases().into_iter().enumerate();
        let places = cases.map(|(place, case)| (case.name.as_str(), place)).collect();
        let mut judged = Self { results, places, last: usize::MAX };
        judged.last = judged.decided_at(data).unwrap_or(usize::MAX);
        judged
    }

    /// Returns the place of the case with which a group is known to be rejected.
    fn decided_at(&self, group: &Group) -> Option<usize> {
        let grading = grading_of(group)?;
        let inner = counted(group);
        let first = if inner.is_empty() {
            let names = group.cases.iter().map(|case| case.name.as_str());
            names.filter(|name| self.is_rejected(name)).filter_map(|name| self.place(name)).min()
        } else {
            inner.iter().filter_map(|inner| self.decided_at(inner)).min()
        };
        match grading.on_reject {
            OnReject::Break => first,
            OnReject::Continue => first.and_then(|_| self.end_of(group)),
        }
    }

    /// Returns the place of a group's last case that counts.
    fn end_of(&self, group: &Group) -> Option<usize> {
        let inner = counted(group);
        if inner.is_empty() {
            return group.cases.iter().filter_map(|case| self.place(&case.name)).max();
        }
        inner.into_iter().filter_map(|inner| self.end_of(inner)).max()
    }

    fn place(&self, case: &str) -> Option<usize> {
        self.places.get(case).copied()
    }

    fn is_rejected(&self, case: &str) -> bool {
        verdict_of(self.results, case).is_some_and(|verdict| verdict != Verdict::Accepted)
    }

    /// Returns a group's result; `None` if it was not known when the judging ended.
    fn group(&self, group: &Group, group_scores: &mut Vec<(String, f64)>) -> Option<Part> {
        let grading = grading_of(group)?;
        let own_score_at = group_scores.len();
        let inner = counted(group);
        let (mut scores, mut rejected, mut is_complete) = (Vec::new(), None, true);
        if inner.is_empty() {
            is_complete = self.cases(group, grading, &mut scores, &mut rejected);
        }
        for inner in inner {
            let Some(part) = self.group(inner, group_scores) else {
                is_complete = false;
                continue;
            };
            scores.push(part.score);
            rejected = rejected.or(Some(part.verdict).filter(|verdict| *verdict != Verdict::Accepted));
        }
        let is_known = is_complete || rejected.is_some() && grading.on_reject == OnReject::Break;
        // The outermost group's result is what the judging ended with.
        if !is_known && !group.name.is_empty() {
            return None;
        }
        let part = Part { verdict: rejected.unwrap_or(Verdict::Accepted), score: combine(grading, &scores) };
        if !group.name.is_empty() {
            group_scores.insert(own_score_at, (group.name.clone(), part.score));
        }
        Some(part)
    }

    /// Takes scores and first error of the cases of a group without groups; returns whether all have a result.
    fn cases(
        &self,
        group: &Group,
        grading: &DomjudgeGrading,
        scores: &mut Vec<f64>,
        rejected: &mut Option<Verdict>,
    ) -> bool {
        let mut is_complete = true;
        for case in &group.cases {
            let is_late = self.place(&case.name).is_some_and(|place| place > self.last);
            let Some(result) = self.results.get(&case.name).filter(|_| !is_late) else {
                is_complete = false;
                continue;
            };
            // A program that crashed or was too slow may have left a conversation with points in it.
            let counts = matches!(result.verdict, Verdict::Accepted | Verdict::WrongAnswer);
            scores.extend(result.score.map(|score| if counts { score } else { 0.0 }));
            *rejected = rejected.or(Some(result.verdict).filter(|verdict| *verdict != Verdict::Accepted));
        }
        if scores.is_empty()
            && let Some(accept_score) = grading.accept_score
        {
            scores.push(if rejected.is_none() { accept_score } else { 0.0 });
        }
        is_complete || is_lost(group, self.results) && rejected.is_some()
    }
}

/// Returns whether a group's result can be nothing but no points: no validator gives any, and a case is rejected.
fn is_lost(group: &Group, results: &Results) -> bool {
    let has_result = |name: &str| results.contains_key(name);
    grading_of(group).is_some_and(|grading| !grading.has_validator)
        && counted(group).is_empty()
        && group.cases.iter().any(|case| has_result(&case.name) && !is_accepted(results, &case.name))
}

/// Returns the group in which a case lies directly.
fn group_of<'g>(group: &'g Group, case: &str) -> Option<&'g Group> {
    match group.groups.iter().find(|inner| holds(inner, case)) {
        Some(inner) => group_of(inner, case),
        None => group.cases.iter().any(|own| own.name == case).then_some(group),
    }
}

fn grading_of(group: &Group) -> Option<&DomjudgeGrading> {
    match &group.grading {
        Grading::Domjudge(grading) if grading.counts => Some(grading),
        _ => None,
    }
}

fn counted(group: &Group) -> Vec<&Group> {
    let ignores_sample = grading_of(group).is_some_and(|grading| grading.ignore_sample);
    let inner = group.groups.iter().filter(|inner| grading_of(inner).is_some());
    inner.filter(|inner| !(ignores_sample && inner.name == SAMPLE)).collect()
}

fn combine(grading: &DomjudgeGrading, scores: &[f64]) -> f64 {
    let all = scores.iter().copied();
    match grading.score_mode {
        ScoreMode::Sum => all.sum(),
        ScoreMode::Average if scores.is_empty() => 0.0,
        ScoreMode::Average => all.sum::<f64>() / scores.len() as f64,
        ScoreMode::Min => all.reduce(f64::min).unwrap_or(0.0),
        ScoreMode::Max => all.reduce(f64::max).unwrap_or(0.0),
    }
}
