//! The points of a group by DOMjudge's reading of its `testdata.yaml`.

use super::legacy_config::{IGNORE_SAMPLE, OwnScores};
use crate::error::{Complaint, Warnings};
use crate::scoring::{DomjudgeGrading, OnReject, ScoreMode};
use crate::{FileLocation, PackageError};

/// Makes a group's grading of what its own file says. `counts_around` is whether the group around it counts.
pub(super) fn grading(
    file: &str,
    own: Option<&OwnScores>,
    counts_around: bool,
    has_validator: bool,
    warnings: &Warnings,
) -> Result<DomjudgeGrading, PackageError> {
    let mut grading = DomjudgeGrading {
        counts: counts_around && own.is_some(),
        on_reject: OnReject::Break,
        score_mode: ScoreMode::Sum,
        accept_score: None,
        highest: None,
        ignore_sample: false,
        has_validator,
    };
    let Some(OwnScores { keys, grader_flags }) = own else { return Ok(grading) };
    let place = |field: &str| FileLocation::file(file).field(field);
    if !counts_around {
        warnings.push(FileLocation::file(file).warning(
            "does not count in DOMjudge, since the folder around has no testdata.yaml",
            "add one there",
        ));
    }
    let is_negative = |score: Option<f64>| score.is_some_and(|score| score < 0.0);
    for (field, is_negative) in [
        ("accept_score", is_negative(keys.accept_score)),
        ("range", keys.range.is_some_and(|(least, most)| least < 0.0 || most < 0.0)),
    ] {
        if is_negative {
            return Err(place(field).invalid("is negative, which DOMjudge does not take", "raise it to 0"));
        }
    }
    if keys.reject_score.is_some() {
        warnings.push(place("reject_score").warning("is not read by DOMjudge", "remove it"));
    }
    grading.on_reject = keys.on_reject.unwrap_or(OnReject::Break);
    grading.accept_score = keys.accept_score;
    grading.highest = keys.range.map(|(_, most)| most).filter(|most| most.is_finite());
    for flag in grader_flags {
        match flag.as_str() {
            "sum" => grading.score_mode = ScoreMode::Sum,
            "avg" => grading.score_mode = ScoreMode::Average,
            "min" => grading.score_mode = ScoreMode::Min,
            "max" => grading.score_mode = ScoreMode::Max,
            IGNORE_SAMPLE => grading.ignore_sample = true,
            _ => warnings.push(
                place("grader_flags")
                    .warning(format!("has the flag '{flag}', which DOMjudge does not read"), "remove it"),
            ),
        }
    }
    Ok(grading)
}
