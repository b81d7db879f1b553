//! `problem.yaml` of `legacy` and `legacy-icpc`.

use super::{Metadata, credits, current, limits};
use crate::data::legacy_config;
use crate::error::{Complaint, Warnings};
use crate::fields::{FieldOfPackage, ObjectOfPackage, Unknown};
use crate::scoring::LegacyGrading;
use crate::yaml::Value;
use crate::{Format, Kind, PackageError, ProblemLimits};
use located::{Field, Object, Wrong};
use model::ScoreRules;

pub(super) fn read(
    format: Format,
    mut fields: Object<'_>,
    defaults: &ProblemLimits,
    warnings: &Warnings,
) -> Result<Metadata, PackageError> {
    let mut kind = Kind::default();
    if let Some(field) = fields.take("type") {
        kind.scoring = field.word(&[("pass-fail", false), ("scoring", true)])?;
    }
    let names = fields.take("name").map(|field| current::read_names(&field)).transpose()?.unwrap_or_default();
    let uuid = fields.take("uuid");
    uuid.as_ref().map_or(Ok(()), check_free_text)?;
    for key in ["source_url", "keywords", "libraries"] {
        if let Some(field) = fields.take(key) {
            check_free_text(&field)?;
        }
    }
    let (author, source) = (fields.take("author"), fields.take("source"));
    for field in author.iter().chain(&source) {
        check_free_text(field)?;
    }
    let (license, owner) = (fields.take("license"), fields.take("rights_owner"));
    credits::check_license(license, owner, author.is_some() || source.is_some(), warnings)?;

    let mut validation = Validation::default();
    if let Some(field) = fields.take("validation") {
        validation = read_validation(&field, kind.scoring, warnings)?;
    }
    if let Some(field) = fields.take("validator")
        && !validation.custom
        && is_own_validator(&field)?
    {
        warnings.push(field.place().mistake(
            "names a validator in PC^2's way, which is not run: outputs are compared with the answers",
            "put a validator with the format's interface into output_validators and set 'validation: custom'",
        ));
    }
    kind.interactive = validation.interactive;
    let read = limits::read(format, fields.take("limits"), validation.multi_pass, defaults, warnings)?;
    kind.multi_pass = validation.multi_pass.then_some(read.passes);

    let validator_flags = match fields.take("validator_flags") {
        Some(field) => legacy_config::read_flags(&field)?,
        None => Vec::new(),
    };
    let mut legacy_grading = LegacyGrading::default();
    if let Some(field) = fields.take("grading") {
        if !kind.scoring {
            warnings.push(
                field
                    .place()
                    .leniency("is given, but the problem is pass-fail", "remove it or set 'type: scoring'"),
            );
        }
        read_grading(&field, &mut legacy_grading, warnings)?;
    }
    // Not part of these formats, but its author means it.
    let allow_file_writing =
        fields.take("allow_file_writing").map(|field| field.boolean()).transpose()?.unwrap_or(false);
    // These formats had it in their first years.
    let languages = fields.take("languages").map(|field| read_languages(&field)).transpose()?.flatten();
    fields.close(Unknown::Warn, warnings)?;
    Ok(Metadata {
        format,
        names,
        uuid: uuid.and_then(|field| field.text().ok().map(|text| text.to_owned())),
        kind,
        limits: read.limits,
        time_limit: read.time_limit,
        time_margins: read.margins,
        languages,
        allow_file_writing,
        constants: Default::default(),
        custom_validation: Some(validation.custom),
        validator_flags,
        legacy_grading,
        score_rules: ScoreRules::Format,
    })
}

/// Checks a text that only people read; a list belongs to the newer formats, but does no harm here.
fn check_free_text(field: &Field<'_>) -> Result<(), Wrong> {
    match field.value() {
        Value::List(_) => field.texts().map(drop),
        _ => field.text().map(drop),
    }
}

/// Reads `all`, or codes as a list or separated by spaces; `None` for all.
fn read_languages(field: &Field<'_>) -> Result<Option<Vec<String>>, PackageError> {
    let languages = legacy_config::read_flags(field)?;
    Ok(Some(languages).filter(|languages| !languages.is_empty() && languages[..] != ["all"]))
}

/// Returns whether PC^2's `validator` is a program of the package.
fn is_own_validator(field: &Field<'_>) -> Result<bool, PackageError> {
    let Value::Map(_) = field.value() else { return Ok(true) };
    let mut keys = field.fields()?;
    let mut is = |key| keys.take(key).and_then(|field| field.boolean().ok());
    let is_internal = is("usingInternal").unwrap_or(true) || is("use-clics-validator") == Some(true);
    Ok(is("use-custom-validator").unwrap_or(!is_internal))
}

#[derive(Default)]
struct Validation {
    custom: bool,
    interactive: bool,
    multi_pass: bool,
}

/// Reads `default` or `custom [interactive] [multi-pass] [score]`.
fn read_validation(
    field: &Field<'_>,
    is_scoring: bool,
    warnings: &Warnings,
) -> Result<Validation, PackageError> {
    const EXPECTED: &str = "'default', or 'custom' with any of interactive, multi-pass and score";
    let mut words = field.text()?.split_whitespace();
    let mut validation = Validation::default();
    match words.next() {
        Some("default") => {}
        Some("custom") => validation.custom = true,
        _ => return Err(field.wrong(EXPECTED, "begin with default or custom").into()),
    }
    for word in words {
        match word {
            _ if !validation.custom => {
                return Err(field.wrong(EXPECTED, "write nothing after default").into());
            }
            "interactive" => validation.interactive = true,
            "multi-pass" => validation.multi_pass = true,
            "score" if is_scoring => {}
            "score" => warnings.push(
                field
                    .place()
                    .leniency("asks for scores, but the problem is pass-fail", "set 'type: scoring'"),
            ),
            _ => return Err(field.wrong(EXPECTED, "remove the other words").into()),
        }
    }
    Ok(validation)
}

fn read_grading(
    field: &Field<'_>,
    grading: &mut LegacyGrading,
    warnings: &Warnings,
) -> Result<(), PackageError> {
    let mut fields = field.fields()?;
    if let Some(field) = fields.take("objective") {
        grading.minimise = field.word(&[("max", false), ("min", true)])?;
    }
    if let Some(field) = fields.take("show_test_data_groups") {
        field.boolean()?;
    }
    // Old packages have these here instead of in testdata.yaml.
    legacy_config::read_scores(&mut fields, warnings)?.0.change(grading);
    fields.close(Unknown::Warn, warnings)
}
