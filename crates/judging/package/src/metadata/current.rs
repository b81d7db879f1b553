//! `problem.yaml` of `2023-07-draft` and `2025-09`.

use super::{Metadata, credits, limits};
use crate::fields::{Field, Fields, Unknown};
use crate::scoring::LegacyGrading;
use crate::yaml::Value;
use crate::{Format, Kind, PackageError, ProblemLimits, Warning};
use std::collections::BTreeMap;

/// Keys that BAPCtools adds to `problem.yaml` for its own use; none changes how submissions are judged.
const TOOL_KEYS: [&str; 3] = ["verified", "comment", "ans_is_output"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    PassFail,
    Scoring,
    MultiPass,
    Interactive,
    SubmitAnswer,
}

/// Pairs of types that exclude each other.
const INCOMPATIBLE: [(Type, Type); 3] = [
    (Type::PassFail, Type::Scoring),
    (Type::MultiPass, Type::SubmitAnswer),
    (Type::Interactive, Type::SubmitAnswer),
];

pub(super) fn read(
    format: Format,
    mut fields: Fields<'_>,
    defaults: &ProblemLimits,
    warnings: &mut Vec<Warning>,
) -> Result<Metadata, PackageError> {
    let types = read_types(fields.take("type"))?;
    let names = read_names(&fields.require("name", "add the problem's name, such as 'name: Sum'")?)?;
    let uuid = fields.require("uuid", "add a random UUID, such as the output of uuidgen")?.text()?;
    for key in ["version", "embargo_until"] {
        if let Some(field) = fields.take(key) {
            field.text()?;
        }
    }
    let has_author = match fields.take("credits") {
        Some(field) => credits::check_credits(&field, warnings)?,
        None => false,
    };
    let source = fields.take("source");
    if let Some(source) = &source {
        credits::check_source(source, warnings)?;
    }
    if format == Format::V2023_07
        && let Some(url) = fields.take("source_url")
    {
        url.text()?;
        warnings.push(url.place().leniency(
            "is a key of earlier texts of this draft and is put aside",
            "write source: {name: ..., url: ...}",
        ));
    }
    for key in TOOL_KEYS {
        if let Some(field) = fields.take(key) {
            warnings.push(field.place().leniency(
                "is a key of BAPCtools, not of this format, and is put aside",
                "remove it before the package goes elsewhere",
            ));
        }
    }
    let (license, owner) = (fields.take("license"), fields.take("rights_owner"));
    credits::check_license(license, owner, has_author || source.is_some(), warnings)?;
    let is_multi_pass = types.contains(&Type::MultiPass);
    let read = limits::read(format, fields.take("limits"), is_multi_pass, defaults, warnings)?;
    if let Some(keywords) = fields.take("keywords") {
        keywords.texts()?;
    }
    let languages = fields.take("languages").map(|field| read_languages(&field)).transpose()?.flatten();
    let allow_file_writing =
        fields.take("allow_file_writing").map(|field| field.boolean()).transpose()?.unwrap_or(false);
    let constants = fields
        .take("constants")
        .map(|field| read_constants(&field, warnings))
        .transpose()?
        .unwrap_or_default();
    fields.finish(Unknown::Refuse, warnings)?;
    Ok(Metadata {
        format,
        names,
        uuid: Some(uuid.to_owned()),
        kind: Kind {
            scoring: types.contains(&Type::Scoring),
            interactive: types.contains(&Type::Interactive),
            multi_pass: is_multi_pass.then_some(read.passes),
            submit_answer: types.contains(&Type::SubmitAnswer),
        },
        limits: read.limits,
        time_limit: read.time_limit,
        time_margins: read.margins,
        languages,
        allow_file_writing,
        constants,
        custom_validation: None,
        validator_flags: Vec::new(),
        legacy_grading: LegacyGrading::default(),
    })
}

fn read_types(field: Option<Field<'_>>) -> Result<Vec<Type>, PackageError> {
    let words = [
        ("pass-fail", Type::PassFail),
        ("scoring", Type::Scoring),
        ("multi-pass", Type::MultiPass),
        ("interactive", Type::Interactive),
        ("submit-answer", Type::SubmitAnswer),
    ];
    let Some(field) = field else { return Ok(vec![Type::PassFail]) };
    let items = if let Value::List(_) = field.value() { field.items()? } else { vec![field.clone()] };
    if items.is_empty() {
        return Err(field.wrong("at least one type", "remove the key or name a type"));
    }
    let mut types = Vec::new();
    for item in items {
        let kind = item.word(&words)?;
        if types.contains(&kind) {
            return Err(item.place().invalid("is named twice", "name each type once"));
        }
        types.push(kind);
    }
    for (one, other) in INCOMPATIBLE {
        if types.contains(&one) && types.contains(&other) {
            let name = |kind| words.iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| *name);
            return Err(field.place().invalid(
                format!("names both {} and {}, which exclude each other", name(one), name(other)),
                "remove one of them",
            ));
        }
    }
    Ok(types)
}

/// Reads one English name or a map from languages to names.
pub(super) fn read_names(field: &Field<'_>) -> Result<BTreeMap<String, String>, PackageError> {
    let names: BTreeMap<_, _> = match field.value() {
        Value::Map(_) => field
            .fields()?
            .take_rest()
            .into_iter()
            .map(|(language, name)| Ok((language.to_owned(), name.text()?.to_owned())))
            .collect::<Result<_, PackageError>>()?,
        _ => BTreeMap::from([("en".to_owned(), field.text()?.to_owned())]),
    };
    if names.is_empty() || names.values().any(|name| name.trim().is_empty()) {
        return Err(field.place().invalid("is empty, expected the problem's name", "write the name"));
    }
    Ok(names)
}

fn read_languages(field: &Field<'_>) -> Result<Option<Vec<String>>, PackageError> {
    if let Value::Text(text) = field.value()
        && text == "all"
    {
        return Ok(None);
    }
    field.one_or_more_texts().map(Some)
}

/// Reads constants: a value for each name, or a map of `value` and other forms of it, as `draft` has it and some tools
/// do; `{{name}}` and `{{name.value}}` refer to the value, `{{name.other}}` to the others.
fn read_constants(
    field: &Field<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<BTreeMap<String, String>, PackageError> {
    let mut constants = BTreeMap::new();
    for (name, value) in field.fields()?.take_rest() {
        check_constant_name(name, &value)?;
        let Value::Map(_) = value.value() else {
            constants.insert(name.to_owned(), value.text()?.to_owned());
            continue;
        };
        let mut ways = value.fields()?;
        let first = ways.require("value", "write it, such as 'value: 42'")?.text()?.to_owned();
        for (way, text) in ways.take_rest() {
            check_constant_name(way, &text)?;
            constants.insert(format!("{name}.{way}"), text.text()?.to_owned());
        }
        constants.insert(format!("{name}.value"), first.clone());
        constants.insert(name.to_owned(), first);
        warnings.push(value.place().leniency(
            "is a map, which this version of the format does not have",
            "write one value, unless the tools in use read maps",
        ));
    }
    Ok(constants)
}

fn check_constant_name(name: &str, value: &Field<'_>) -> Result<(), PackageError> {
    let mut characters = name.chars();
    let starts_right = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if starts_right && characters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(());
    }
    Err(value.place().invalid(
        "is not a name for a constant",
        "use letters, digits and '_', and begin with a letter or '_'",
    ))
}
