//! Expectations from the names of folders and from `submissions.yaml`.

use super::pattern::Pattern;
use crate::error::{Complaint, Warnings};
use crate::expectation::{Rule, TimeBound, widen};
use crate::fields::{FieldOfPackage, ObjectOfPackage, Unknown};
use crate::metadata::Metadata;
use crate::requirements::codes;
use crate::yaml::Value;
use crate::{Expectation, FileLocation, Format, PackageError, yaml};
use located::{Field, Object, Wrong};
use model::Verdict;
use std::collections::BTreeSet;

pub(super) const SUBMISSIONS_YAML: &str = "submissions/submissions.yaml";

const ACCEPTED: &[Verdict] = &[Verdict::Accepted];
const NOT_ACCEPTED: &[Verdict] = &[Verdict::WrongAnswer, Verdict::TimeLimitExceeded, Verdict::RunTimeError];
const WRONG: &[Verdict] = &[Verdict::WrongAnswer];
const SLOW: &[Verdict] = &[Verdict::TimeLimitExceeded];
const CRASH: &[Verdict] = &[Verdict::RunTimeError];
const SLOW_OR_CRASH: &[Verdict] = &[Verdict::TimeLimitExceeded, Verdict::RunTimeError];

/// A section of `submissions.yaml`, for the submissions that one pattern matches.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) pattern: Pattern,
    pub(super) language: Option<String>,
    pub(super) entry_point: Option<String>,
    /// For all cases, then for groups and cases by their patterns.
    pub(super) rules: Vec<Rule>,
}

/// Returns the expected verdict of the whole submission for a legacy folder's name.
pub(super) fn legacy_folder(name: &str) -> Option<Expectation> {
    let verdict = |verdicts: &[Verdict]| Expectation::Verdict {
        any_of: widen(&verdicts.iter().copied().collect()),
        partial_score: false,
    };
    Some(match name {
        "accepted" => verdict(ACCEPTED),
        "partially_accepted" => {
            Expectation::Verdict { any_of: BTreeSet::from([Verdict::Accepted]), partial_score: true }
        }
        "wrong_answer" => verdict(WRONG),
        "time_limit_exceeded" => verdict(SLOW),
        "run_time_error" | "runtime_error" => verdict(CRASH),
        "memory_limit_exceeded" => verdict(&[Verdict::MemoryLimitExceeded]),
        "output_limit_exceeded" => verdict(&[Verdict::OutputLimitExceeded]),
        "rejected" => verdict(NOT_ACCEPTED),
        "brute_force" => verdict(SLOW_OR_CRASH),
        "compile_error" | "compiler_error" => verdict(&[Verdict::CompileError]),
        _ => return None,
    })
}

/// Returns the rule that the newer formats define for a folder.
pub(super) fn current_folder(name: &str) -> Option<Rule> {
    let rule = |permitted: Option<&[Verdict]>, required: Option<&[Verdict]>| {
        let set = |verdicts: &[Verdict]| widen(&verdicts.iter().copied().collect());
        Rule { permitted: permitted.map(set), required: required.map(set), ..Rule::default() }
    };
    let or_accepted = |verdicts: &[Verdict]| [ACCEPTED, verdicts].concat();
    Some(match name {
        "accepted" => rule(Some(ACCEPTED), None),
        "rejected" => rule(None, Some(NOT_ACCEPTED)),
        "wrong_answer" => rule(Some(&or_accepted(WRONG)), Some(WRONG)),
        "time_limit_exceeded" => rule(Some(&or_accepted(SLOW)), Some(SLOW)),
        "run_time_error" => rule(Some(&or_accepted(CRASH)), Some(CRASH)),
        "brute_force" => rule(Some(&or_accepted(SLOW_OR_CRASH)), Some(SLOW_OR_CRASH)),
        _ => return None,
    })
}

/// Reads `submissions.yaml`.
pub(super) fn read(
    text: &str,
    metadata: &Metadata,
    warnings: &Warnings,
) -> Result<Vec<Section>, PackageError> {
    let root = yaml::parse(SUBMISSIONS_YAML, text)?;
    let mut fields = Field::document(SUBMISSIONS_YAML, &root).fields()?;
    fields
        .take_rest()
        .into_iter()
        .map(|(text, field)| read_section(text, &field, metadata, warnings))
        .collect()
}

fn read_section(
    text: &str,
    field: &Field<'_>,
    metadata: &Metadata,
    warnings: &Warnings,
) -> Result<Section, PackageError> {
    let pattern = Pattern::new(text).map_err(|problem| refuse_pattern(field.place(), problem))?;
    let mut fields = field.fields()?;
    let take_text = |fields: &mut Object<'_>, key| -> Result<Option<String>, Wrong> {
        fields.take(key).map(|field| field.text().map(str::to_owned)).transpose()
    };
    let language = fields.take("language");
    if let Some(field) = language.as_ref().filter(|_| metadata.format == Format::V2025_09) {
        let wrong = codes::wrong(field.text()?);
        warnings.extend(wrong.map(|(problem, remedy)| field.place().leniency(problem, remedy)));
    }
    let language = language.map(|field| field.text().map(str::to_owned)).transpose()?;
    let entry_point = take_text(&mut fields, "entrypoint")?;
    if let Some(authors) = fields.take("authors") {
        check_authors(&authors)?;
    }
    if let Some(model_solution) = fields.take("model_solution") {
        model_solution.boolean()?;
    }
    let mut rules = vec![read_rule(&mut fields, None, metadata)?];
    for (name, inner) in fields.take_rest() {
        // A key that is neither known nor a path is a typing error, not a pattern of cases.
        let is_cases = ["sample", "secret"].iter().any(|top| name.split('/').next() == Some(top))
            || name.contains(['*', '{']);
        if !is_cases {
            let known = [
                "language",
                "entrypoint",
                "authors",
                "model_solution",
                "permitted",
                "required",
                "score",
                "message",
                "use_for_time_limit",
            ];
            let remedy = match located::meant(name, &known) {
                Some(word) => format!("did you mean '{word}'?"),
                None => "name sample, secret or a group below it, or remove it".to_owned(),
            };
            return Err(inner.place().invalid("is neither a key nor a group of test cases", remedy));
        }
        Pattern::new(name).map_err(|problem| refuse_pattern(inner.place(), problem))?;
        let mut inner_fields = inner.fields()?;
        rules.push(read_rule(&mut inner_fields, Some(name.to_owned()), metadata)?);
        inner_fields.close(Unknown::Refuse, warnings)?;
    }
    Ok(Section { pattern, language, entry_point, rules })
}

fn refuse_pattern(place: FileLocation, problem: String) -> PackageError {
    place.invalid(
        problem,
        "write a path such as accepted/a.py, with '*' for a part of a name or {a,b} for either",
    )
}

fn check_authors(field: &Field<'_>) -> Result<(), Wrong> {
    match field.value() {
        Value::List(_) => field.items()?.iter().try_for_each(|author| match author.value() {
            Value::Map(_) => Ok(()),
            _ => author.text().map(drop),
        }),
        Value::Map(_) => Ok(()),
        _ => field.text().map(drop),
    }
}

fn read_rule(
    fields: &mut Object<'_>,
    cases: Option<String>,
    metadata: &Metadata,
) -> Result<Rule, PackageError> {
    let verdicts = |field: Option<Field<'_>>| field.map(|field| read_verdicts(&field)).transpose();
    let mut rule = Rule {
        cases,
        permitted: verdicts(fields.take("permitted"))?,
        required: verdicts(fields.take("required"))?,
        ..Rule::default()
    };
    if let Some(field) = fields.take("score") {
        if !metadata.kind.scoring {
            return Err(field.place().invalid("is given, but the problem is pass-fail", "remove it"));
        }
        rule.score = Some(read_score(&field)?);
    }
    if let Some(field) = fields.take("message") {
        rule.message = Some(field.text()?.to_owned()).filter(|message| !message.is_empty());
    }
    if let Some(field) = fields.take("use_for_time_limit") {
        rule.time_bound = match field.value() {
            Value::Bool(true) => None,
            Value::Bool(false) => Some(TimeBound::Neither),
            _ => Some(field.word(&[("lower", TimeBound::Lower), ("upper", TimeBound::Upper)])?),
        };
        let excludes = |verdicts: &Option<BTreeSet<Verdict>>, verdict| {
            verdicts.as_ref().is_some_and(|verdicts| !verdicts.contains(&verdict))
        };
        let contradicts = rule.time_bound == Some(TimeBound::Upper)
            && excludes(&rule.permitted, Verdict::TimeLimitExceeded);
        if contradicts {
            return Err(field
                .place()
                .invalid("is 'upper', but TLE is not permitted", "permit TLE or write lower"));
        }
        // The formats define the two words by these rules.
        match rule.time_bound {
            Some(TimeBound::Lower) if rule.permitted.is_none() => {
                rule.permitted = Some(widen(&BTreeSet::from([
                    Verdict::Accepted,
                    Verdict::WrongAnswer,
                    Verdict::RunTimeError,
                ])));
            }
            Some(TimeBound::Upper) if rule.required.is_none() => {
                rule.required = Some(widen(&BTreeSet::from([Verdict::TimeLimitExceeded])));
            }
            _ => {}
        }
    }
    Ok(rule)
}

fn read_verdicts(field: &Field<'_>) -> Result<BTreeSet<Verdict>, PackageError> {
    let words = [
        ("AC", Verdict::Accepted),
        ("WA", Verdict::WrongAnswer),
        ("TLE", Verdict::TimeLimitExceeded),
        ("RTE", Verdict::RunTimeError),
    ];
    let mut verdicts = BTreeSet::new();
    match field.value() {
        Value::List(items) if !items.is_empty() => {
            for item in field.items()? {
                verdicts.insert(item.word(&words)?);
            }
        }
        Value::Text(_) => {
            verdicts.insert(field.word(&words)?);
        }
        _ => return Err(field.wrong("a list of AC, WA, TLE and RTE", "write for example [AC, WA]").into()),
    }
    Ok(widen(&verdicts))
}

fn read_score(field: &Field<'_>) -> Result<(f64, f64), PackageError> {
    let Value::List(_) = field.value() else {
        let score = field.finite()?;
        return Ok((score, score));
    };
    let bounds: Vec<_> = field.items()?.iter().map(Field::finite).collect::<Result<_, _>>()?;
    match bounds[..] {
        [least, most] if least <= most => Ok((least, most)),
        _ => Err(field.wrong("one number, or two with the smaller first", "write 50 or [20, 50]").into()),
    }
}
