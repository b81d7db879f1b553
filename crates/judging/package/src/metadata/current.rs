//! `problem.yaml` of `2023-07-draft` and `2025-09`.

use super::{Metadata, credits, limits};
use crate::error::{Complaint, Warnings};
use crate::fields::{FieldOfPackage, ObjectOfPackage, Unknown};
use crate::requirements::{codes, natural};
use crate::scoring::LegacyGrading;
use crate::yaml::Value;
use crate::{Format, Kind, PackageError, ProblemLimits};
use located::{Field, Object, Wrong};
use model::ScoreRules;
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
    mut fields: Object<'_>,
    defaults: &ProblemLimits,
    warnings: &Warnings,
) -> Result<Metadata, PackageError> {
    let types = read_types(fields.take("type"))?;
    let name = fields.demand("name", "add the problem's name, such as 'name: Sum'")?;
    let names = read_names(&name)?;
    let uuid = fields.demand("uuid", "add a random UUID, such as the output of uuidgen")?.text()?;
    if let Some(version) = fields.take("version") {
        version.text()?;
    }
    let embargo = fields.take("embargo_until");
    if let Some(field) = &embargo {
        field.text()?;
    }
    let is_final = format == Format::V2025_09;
    if is_final {
        check_names(&name, warnings)?;
        embargo.iter().try_for_each(|field| check_embargo(field, warnings))?;
    }
    let has_author = match fields.take("credits") {
        Some(field) => credits::check_credits(&field, is_final, warnings)?,
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
            warnings.push(field.place().warning(
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
    let allowed = fields.take("languages");
    let languages = allowed.as_ref().map(read_languages).transpose()?.flatten();
    for (code, field) in languages.iter().flatten().zip(allowed.iter().cycle()).filter(|_| is_final) {
        if let Some((problem, remedy)) = codes::wrong(code) {
            warnings.push(field.place().leniency(problem, remedy));
        }
    }
    let allow_file_writing =
        fields.take("allow_file_writing").map(|field| field.boolean()).transpose()?.unwrap_or(false);
    let constants = fields
        .take("constants")
        .map(|field| read_constants(&field, warnings))
        .transpose()?
        .unwrap_or_default();
    fields.close(Unknown::Refuse, warnings)?;
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
        score_rules: ScoreRules::Format,
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
        return Err(field.wrong("at least one type", "remove the key or name a type").into());
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

/// Checks the languages of the names.
fn check_names(field: &Field<'_>, warnings: &Warnings) -> Result<(), PackageError> {
    let Value::Map(_) = field.value() else { return Ok(()) };
    for (language, name) in field.fields()?.take_rest() {
        warnings
            .extend(natural::wrong(language).map(|(problem, remedy)| name.place().leniency(problem, remedy)));
    }
    Ok(())
}

/// Checks that an embargo ends at a date, or at a date and a time in UTC.
fn check_embargo(field: &Field<'_>, warnings: &Warnings) -> Result<(), PackageError> {
    let text = field.text()?;
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    if !is_date(date) || time.is_some_and(|time| !is_utc_time(time)) {
        warnings.push(field.place().leniency(
            format!("is '{}', expected a date, or a date and a time in UTC", located::shorten(text)),
            "write 2026-05-31, or 2026-05-31T12:00:00Z with the 'Z'",
        ));
    }
    Ok(())
}

/// Reads numbers with exactly these numbers of digits.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[u32; N]> {
    let parts: Vec<&str> = text.split(separator).collect();
    let fits = parts.len() == N
        && parts
            .iter()
            .zip(digits)
            .all(|(part, digits)| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit()));
    let values: Vec<u32> = parts.iter().filter_map(|part| part.parse().ok()).collect();
    values.try_into().ok().filter(|_| fits)
}

fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = numbers(text, '-', [4, 2, 2]) else { return false };
    let is_leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_utc_time(text: &str) -> bool {
    let time = text.strip_suffix('Z').and_then(|time| numbers(time, ':', [2, 2, 2]));
    time.is_some_and(|[hour, minute, second]| hour < 24 && minute < 60 && second < 60)
}

fn read_languages(field: &Field<'_>) -> Result<Option<Vec<String>>, Wrong> {
    if let Value::Text(text) = field.value()
        && text == "all"
    {
        return Ok(None);
    }
    field.one_or_more_texts().map(Some)
}

/// Reads constants: a value for each name, or a map of `value` and other forms of it; `{{name}}` and `{{name.value}}` refer to the value, `{{name.other}}` to the others.
fn read_constants(field: &Field<'_>, warnings: &Warnings) -> Result<BTreeMap<String, String>, PackageError> {
    let mut constants = BTreeMap::new();
    for (name, value) in field.fields()?.take_rest() {
        check_constant_name(name, &value)?;
        let Value::Map(_) = value.value() else {
            constants.insert(name.to_owned(), value.text()?.to_owned());
            continue;
        };
        let mut ways = value.fields()?;
        let first = ways.demand("value", "write it, such as 'value: 42'")?.text()?.to_owned();
        for (way, text) in ways.take_rest() {
            check_constant_name(way, &text)?;
            check_same_number(&first, &text, warnings)?;
            constants.insert(format!("{name}.{way}"), text.text()?.to_owned());
        }
        constants.insert(format!("{name}.value"), first.clone());
        constants.insert(name.to_owned(), first);
    }
    Ok(constants)
}

/// Warns where another form of a whole number is one, too, but has other digits, such as `5,000` of `50000`.
fn check_same_number(value: &str, form: &Field<'_>, warnings: &Warnings) -> Result<(), PackageError> {
    let text = form.text()?;
    let is_separator =
        |c: char| matches!(c, ',' | '\'' | '_' | ' ' | '\u{a0}' | '\u{202f}' | '\\' | '{' | '}' | '~');
    let digits: String = text.chars().filter(|c| !is_separator(*c)).collect();
    let is_whole = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole(value) && is_whole(&digits) && digits.trim_start_matches('0') != value.trim_start_matches('0')
    {
        warnings.push(form.place().warning(
            format!(
                "is '{}', which looks like another number than its value {value}",
                located::shorten(text)
            ),
            "make the two agree",
        ));
    }
    Ok(())
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
