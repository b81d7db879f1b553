//! `testdata.yaml`, and the grading section of `problem.yaml` in the legacy formats.

use super::InputValidatorArgs;
use crate::error::{Complaint, Warnings};
use crate::fields::{FieldOfPackage, ObjectOfPackage, Unknown};
use crate::room::check_arguments;
use crate::scoring::{LegacyGrading, OnReject, ScoreMode, VerdictMode};
use crate::yaml::Value;
use crate::{PackageError, yaml};
use located::{Field, Object, Wrong};
use std::collections::BTreeMap;

/// The keys of `testdata.yaml` that no other format has.
pub(super) const KEYS: [&str; 8] = [
    "grading",
    "grader_flags",
    "on_reject",
    "accept_score",
    "reject_score",
    "range",
    "input_validator_flags",
    "output_validator_flags",
];
/// A flag of the default grader.
pub(super) const IGNORE_SAMPLE: &str = "ignore_sample";

/// What a group inherits and its `testdata.yaml` changes, key by key.
///
/// By the format's text, a group has either its own file or that of the nearest group around it. The format's tools
/// inherit each key by itself, and packages rely on that; where the two differ, a group whose file sets only a few keys
/// expects the tools' behaviour.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LegacyConfig {
    pub(super) grading: LegacyGrading,
    pub(super) grader_flags: Vec<String>,
    pub(super) output_flags: Vec<String>,
    pub(super) input_flags: InputValidatorArgs,
    /// What the group's own file says about points, for rules by which nothing is inherited; `None` without a file.
    pub(super) own: Option<OwnScores>,
}

/// What one `testdata.yaml` says about points.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct OwnScores {
    pub(super) keys: ScoreKeys,
    pub(super) grader_flags: Vec<String>,
}

/// The keys about points of one file; `None` where it has no such key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ScoreKeys {
    pub(crate) on_reject: Option<OnReject>,
    pub(crate) accept_score: Option<f64>,
    pub(crate) reject_score: Option<f64>,
    pub(crate) range: Option<(f64, f64)>,
}

impl ScoreKeys {
    pub(crate) fn change(&self, grading: &mut LegacyGrading) {
        grading.on_reject = self.on_reject.unwrap_or(grading.on_reject);
        grading.accept_score = self.accept_score.unwrap_or(grading.accept_score);
        grading.reject_score = self.reject_score.unwrap_or(grading.reject_score);
        grading.range = self.range.unwrap_or(grading.range);
    }
}

impl LegacyConfig {
    /// Returns what the groups inside inherit.
    pub(super) fn inherited(&self) -> Self {
        let mut inner = self.clone();
        // This flag applies to the root only.
        inner.grading.ignore_sample = false;
        inner.grader_flags.retain(|flag| flag != IGNORE_SAMPLE);
        inner.own = None;
        inner
    }
}

/// Reads a `testdata.yaml` on top of what is inherited.
pub(super) fn read(
    file: &str,
    text: &str,
    mut config: LegacyConfig,
    is_scoring: bool,
    warnings: &Warnings,
) -> Result<LegacyConfig, PackageError> {
    let root = yaml::parse(file, text)?;
    let mut fields = Field::document(file, &root).fields()?;
    let mut has_own_grader = config.grading.own_grader.is_some();
    let chosen = fields.take("grading");
    if let Some(field) = &chosen {
        has_own_grader = field.word(&[("default", false), ("custom", true)])?;
    }
    let flags = fields.take("grader_flags");
    let own_flags = flags.as_ref().map(read_flags).transpose()?;
    config.grader_flags = own_flags.clone().unwrap_or(config.grader_flags);
    config.grading.own_grader = has_own_grader.then(|| config.grader_flags.clone());
    // Flags of the package's own grader may be any words; those of the default grader must be known.
    if let Some(field) = flags.or(chosen)
        && !has_own_grader
    {
        read_default_flags(&config.grader_flags, &field, &mut config.grading)?;
    }
    if let Some(field) = fields.take("output_validator_flags") {
        config.output_flags = match field.value() {
            Value::Map(_) => read_named_flags(&field, warnings)?.1,
            _ => read_flags(&field)?,
        };
    }
    if let Some(field) = fields.take("input_validator_flags") {
        config.input_flags = match field.value() {
            Value::Map(_) => InputValidatorArgs::Named(BTreeMap::from([read_named_flags(&field, warnings)?])),
            _ => InputValidatorArgs::All(read_flags(&field)?),
        };
    }
    let (keys, given) = read_scores(&mut fields, warnings)?;
    keys.change(&mut config.grading);
    config.own = Some(OwnScores { keys, grader_flags: own_flags.unwrap_or_default() });
    if let Some(field) = given.filter(|_| !is_scoring) {
        warnings.push(
            field
                .place()
                .leniency("is given, but the problem is pass-fail", "remove it or set 'type: scoring'"),
        );
    }
    fields.close(Unknown::Warn, warnings)?;
    Ok(config)
}

/// Reads flags as one text with spaces between, or as a list.
pub(crate) fn read_flags(field: &Field<'_>) -> Result<Vec<String>, PackageError> {
    match field.value() {
        Value::List(_) => field.arguments(),
        _ => {
            let flags: Vec<_> = field.text()?.split_whitespace().map(str::to_owned).collect();
            check_arguments(|| field.place(), &flags)?;
            Ok(flags)
        }
    }
}

fn read_named_flags(field: &Field<'_>, warnings: &Warnings) -> Result<(String, Vec<String>), PackageError> {
    let mut fields = field.fields()?;
    let name = fields.demand("name", "add the validator's name")?.text()?.to_owned();
    let flags = fields.take("flags").map(|flags| read_flags(&flags)).transpose()?.unwrap_or_default();
    fields.close(Unknown::Warn, warnings)?;
    Ok((name, flags))
}

/// Reads the keys that `testdata.yaml` and old `problem.yaml` files share; also returns one that is about scores.
pub(crate) fn read_scores<'n>(
    fields: &mut Object<'n>,
    warnings: &Warnings,
) -> Result<(ScoreKeys, Option<Field<'n>>), PackageError> {
    let mut keys = ScoreKeys::default();
    if let Some(field) = fields.take("on_reject") {
        let words = [
            ("break", (OnReject::Break, None)),
            ("continue", (OnReject::Continue, None)),
            // Names from the time before the format had graders.
            ("first_error", (OnReject::Break, Some("break"))),
            ("worst_error", (OnReject::Continue, Some("continue"))),
            ("grade", (OnReject::Continue, Some("continue"))),
        ];
        let (on_reject, new_name) = field.word(&words)?;
        keys.on_reject = Some(on_reject);
        if let Some(new_name) = new_name {
            warnings.push(field.place().leniency("has an old name", format!("write '{new_name}'")));
        }
    }
    let mut about_scores = None;
    if let Some(field) = fields.take("accept_score") {
        keys.accept_score = Some(read_number(&field)?);
        about_scores = Some(field);
    }
    if let Some(field) = fields.take("reject_score") {
        keys.reject_score = Some(read_number(&field)?);
        about_scores = Some(field);
    }
    if let Some(field) = fields.take("range") {
        keys.range = Some(read_range(&field)?);
        about_scores = Some(field);
    }
    Ok((keys, about_scores))
}

/// Reads a number, also one in quotes as old packages have it.
fn read_number(field: &Field<'_>) -> Result<f64, Wrong> {
    match field.value() {
        Value::Text(text) => text
            .parse::<f64>()
            .ok()
            .filter(|value| value.is_finite())
            .ok_or_else(|| field.wrong("a number", "write it without quotes, such as 1.5")),
        _ => field.finite(),
    }
}

fn read_range(field: &Field<'_>) -> Result<(f64, f64), Wrong> {
    let wrong = || {
        field.wrong(
            "two numbers with a space between, the smaller first",
            "write for example '0 100' or '-inf +inf'",
        )
    };
    let mut bounds = Vec::new();
    for word in field.text()?.split_whitespace() {
        let value = word.parse::<f64>().ok().filter(|value| !value.is_nan()).ok_or_else(wrong)?;
        bounds.push(value);
    }
    match bounds[..] {
        [least, most] if least <= most => Ok((least, most)),
        _ => Err(wrong()),
    }
}

/// Parses the default grader's flags, which some fields name and others imply; if modes conflict, the last one counts.
fn read_default_flags(
    flags: &[String],
    field: &Field<'_>,
    grading: &mut LegacyGrading,
) -> Result<(), PackageError> {
    // A group's flags replace all inherited ones.
    let fresh = LegacyGrading::default();
    grading.verdict_mode = fresh.verdict_mode;
    grading.score_mode = fresh.score_mode;
    grading.accept_if_any_accepted = false;
    grading.ignore_sample = false;
    for flag in flags {
        match flag.as_str() {
            "worst_error" => grading.verdict_mode = VerdictMode::WorstError,
            "first_error" => grading.verdict_mode = VerdictMode::FirstError,
            "always_accept" => grading.verdict_mode = VerdictMode::AlwaysAccept,
            "sum" => grading.score_mode = ScoreMode::Sum,
            "avg" => grading.score_mode = ScoreMode::Average,
            "min" => grading.score_mode = ScoreMode::Min,
            "max" => grading.score_mode = ScoreMode::Max,
            "accept_if_any_accepted" => grading.accept_if_any_accepted = true,
            IGNORE_SAMPLE => grading.ignore_sample = true,
            _ => {
                return Err(field.place().invalid(
                    format!("gives the default grader the flag '{flag}', which it does not know"),
                    "set grader_flags to some of worst_error, first_error, always_accept, sum, avg, min, max, \
                     ignore_sample and accept_if_any_accepted",
                ));
            }
        }
    }
    Ok(())
}
