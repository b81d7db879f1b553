//! `test_group.yaml` of the newer formats.

use super::StaticValidation;
use super::case::{Settings, read_settings};
use crate::error::{Complaint, Warnings};
use crate::fields::{FieldOfPackage, ObjectOfPackage, Unknown};
use crate::scoring::Aggregation;
use crate::yaml::Value;
use crate::{FileLocation, Format, PackageError, yaml};
use located::{Field, Object};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// `data` itself, which only passes settings on.
    Root,
    Sample,
    Secret,
    /// Below `secret`.
    Inner,
}

/// What is known about a group before its configuration is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    pub(super) format: Format,
    pub(super) is_scoring: bool,
    pub(super) group: &'a str,
    pub(super) file: &'a str,
    pub(super) level: Level,
}

/// The content of `test_group.yaml` that cases do not inherit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GroupConfig {
    /// Where the scores are set, for messages.
    pub(super) place: FileLocation,
    pub(super) max_score: Option<MaxScore>,
    pub(super) aggregation: Option<Aggregation>,
    pub(super) require_pass: Vec<String>,
    pub(super) static_validation: Option<StaticValidation>,
}

impl GroupConfig {
    /// Returns the aggregation that is set, or else the formats' default for such a group.
    pub(super) fn effective_aggregation(&self, level: Level) -> Aggregation {
        let default = if level == Level::Secret { Aggregation::Sum } else { Aggregation::PassFail };
        self.aggregation.unwrap_or(default)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MaxScore {
    Unbounded,
    Points(f64),
}

const AGGREGATIONS: [(&str, Aggregation); 3] =
    [("pass-fail", Aggregation::PassFail), ("sum", Aggregation::Sum), ("min", Aggregation::Min)];

/// Reads a `test_group.yaml` and changes the settings that the group's cases inherit.
pub(super) fn read(
    about: &About<'_>,
    text: &str,
    settings: &mut Settings,
    warnings: &Warnings,
) -> Result<GroupConfig, PackageError> {
    let About { format, file, level, is_scoring, .. } = *about;
    let root = yaml::parse(file, text)?;
    let mut fields = Field::document(file, &root).fields()?;
    let mut config = GroupConfig { place: FileLocation::file(file), ..GroupConfig::default() };
    read_settings(&mut fields, format, settings, warnings)?;
    if format == Format::V2023_07 {
        if let Some(field) = fields.take("scoring") {
            check_scores_are_allowed(&field, level, is_scoring)?;
            let mut scoring = field.fields()?;
            read_scores(&mut scoring, "score", "aggregation", level, is_scoring, &mut config)?;
            scoring.close(Unknown::Refuse, warnings)?;
        }
        if let Some(field) = fields.take("static_validation") {
            config.static_validation = read_static_validation(about, &field, &config, warnings)?;
        }
    } else {
        read_scores(&mut fields, "max_score", "score_aggregation", level, is_scoring, &mut config)?;
        config.static_validation = read_static_score(about, &mut fields, &config)?;
    }
    fields.close(Unknown::Refuse, warnings)?;
    Ok(config)
}

fn read_scores(
    fields: &mut Object<'_>,
    max_key: &'static str,
    aggregation_key: &'static str,
    level: Level,
    is_scoring: bool,
    config: &mut GroupConfig,
) -> Result<(), PackageError> {
    let check = |field: &Field<'_>| check_scores_are_allowed(field, level, is_scoring);
    if let Some(field) = fields.take(max_key) {
        check(&field)?;
        config.place = field.place();
        config.max_score = Some(match field.value() {
            Value::Text(text) if text == "unbounded" => MaxScore::Unbounded,
            _ => MaxScore::Points(field.integer_from(0)? as f64),
        });
    }
    if let Some(field) = fields.take(aggregation_key) {
        check(&field)?;
        config.place = field.place();
        config.aggregation = Some(field.word(&AGGREGATIONS)?);
    }
    if let Some(field) = fields.take("require_pass") {
        check(&field)?;
        config.place = field.place();
        config.require_pass = match field.value() {
            Value::List(_) => field.texts()?,
            _ => vec![field.text()?.to_owned()],
        };
    }
    Ok(())
}

fn check_scores_are_allowed(field: &Field<'_>, level: Level, is_scoring: bool) -> Result<(), PackageError> {
    if !is_scoring {
        return Err(field.place().invalid(
            "is given, but the problem is pass-fail",
            "remove it, or add the type scoring to problem.yaml",
        ));
    }
    if matches!(level, Level::Sample | Level::Root) {
        return Err(field
            .place()
            .invalid("is given outside of secret data", "remove it: only secret data scores"));
    }
    Ok(())
}

/// Reads `static_validation_score` and `static_validator_args` of `2025-09`.
fn read_static_score(
    about: &About<'_>,
    fields: &mut Object<'_>,
    config: &GroupConfig,
) -> Result<Option<StaticValidation>, PackageError> {
    let args = fields.take("static_validator_args");
    let Some(field) = fields.take("static_validation_score") else {
        return match args {
            Some(args) => Err(args.place().invalid(
                "is given without static_validation_score",
                "add static_validation_score or remove it",
            )),
            None => Ok(None),
        };
    };
    let score = match field.value() {
        Value::Text(text) if text == "pass-fail" => None,
        _ => Some(field.integer_from(0)? as f64),
    };
    let passes_or_fails =
        !about.is_scoring || config.effective_aggregation(about.level) == Aggregation::PassFail;
    if score.is_some() && passes_or_fails {
        return Err(field.wrong("'pass-fail' where nothing but passing counts", "write pass-fail").into());
    }
    if score.is_none() && !passes_or_fails {
        return Err(field
            .wrong("a number in a group that adds scores", "write the points it can give")
            .into());
    }
    Ok(Some(StaticValidation {
        name: StaticValidation::name_in(about.group),
        score,
        args: args.map(|args| args.arguments()).transpose()?.unwrap_or_default(),
    }))
}

/// Reads `static_validation` of `2023-07-draft`: a boolean or a map.
fn read_static_validation(
    about: &About<'_>,
    field: &Field<'_>,
    config: &GroupConfig,
    warnings: &Warnings,
) -> Result<Option<StaticValidation>, PackageError> {
    if let Value::Bool(is_on) = field.value() {
        let name = StaticValidation::name_in(about.group);
        return Ok(is_on.then(|| StaticValidation { name, score: None, args: Vec::new() }));
    }
    let mut fields = field.fields()?;
    let args = match fields.take("args") {
        Some(args) => super::legacy_config::read_flags(&args)?,
        None => Vec::new(),
    };
    let score =
        fields.take("score").map(|score| score.integer_from(0)).transpose()?.map(|score| score as f64);
    if score.is_some() && config.effective_aggregation(about.level) == Aggregation::PassFail {
        return Err(field.wrong("no score in a group that passes or fails", "remove the score").into());
    }
    fields.close(Unknown::Refuse, warnings)?;
    Ok(Some(StaticValidation { name: StaticValidation::name_in(about.group), score, args }))
}
