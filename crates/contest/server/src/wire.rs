//! Between the types of the wire and those of contests.

mod accounts;
mod contests;
mod files;
mod judging;
mod people;
mod problems;

pub use accounts::*;
pub use contests::*;
pub use files::*;
pub use judging::*;
pub use people::*;
pub use problems::*;

use crate::Problem;
use contest_rules::files::{Field, Finding, Report};
use contest_rules::{Instant, Millis};
use documents::contest::{RelTime, Time};
use serde_json::Value;
use std::collections::BTreeSet;
use std::str::FromStr;

pub fn time(instant: Instant) -> Time {
    Time(instant.0)
}

pub fn reltime(duration: Millis) -> RelTime {
    RelTime(duration.0)
}

pub fn score(field: &str, points: f64) -> Result<contest_rules::Score, Problem> {
    let millionths = (points * 1e6).round();
    if millionths.is_finite() && millionths.abs() < 1e15 {
        Ok(contest_rules::Score(millionths as i64))
    } else {
        Err(Problem::invalid_field(field, "a score is a number of at most 1e9"))
    }
}

pub fn id<T: FromStr<Err = contest_rules::IdError>>(field: &str, text: &str) -> Result<T, Problem> {
    text.parse().map_err(|error: contest_rules::IdError| Problem::invalid_field(field, error.to_string()))
}

/// Reads an id in a field that may be absent.
pub fn optional_id<T: FromStr<Err = contest_rules::IdError>>(
    field: &str,
    text: Option<&str>,
) -> Result<Option<T>, Problem> {
    text.map(|text| id(field, text)).transpose()
}

pub fn ids<T: FromStr<Err = contest_rules::IdError> + Ord>(
    field: &str,
    texts: &[String],
) -> Result<BTreeSet<T>, Problem> {
    texts.iter().map(|text| id(field, text)).collect()
}

pub fn texts<'a, T: ToString + 'a>(ids: impl IntoIterator<Item = &'a T>) -> Vec<String> {
    ids.into_iter().map(ToString::to_string).collect()
}

/// Reads an id in a path: one that cannot be an id names nothing.
pub fn named<T: FromStr<Err = contest_rules::IdError>>(what: &str, text: &str) -> Result<T, Problem> {
    text.parse().map_err(|_| Problem::not_found(what, text))
}

pub fn from_request<T>(
    object: &Value,
    read: impl FnOnce(&Report, &Field<'_>) -> Option<T>,
) -> Result<T, Problem> {
    contest_rules::from_request(object, read).map_err(refused)
}

/// Reads an object of a request in which every field must be known.
pub fn from_closed_request<T>(
    object: &serde_json::Map<String, Value>,
    read: impl FnOnce(&Report, &Field<'_>) -> Option<T>,
) -> Result<T, Problem> {
    let object = Value::Object(object.clone());
    contest_rules::from_request_with(Report::closed(), &object, read).map_err(refused)
}

/// Returns what is wrong or unusual in an imported file.
pub fn import_message(Finding { place, message, .. }: Finding) -> documents::contest::ImportMessage {
    documents::contest::ImportMessage {
        file: Some(place.file),
        line: place.line.and_then(|line| u32::try_from(line).ok()),
        message: place.field.map_or(message.clone(), |field| format!("{field}: {message}")),
    }
}

/// Returns what is wrong with an object of a request.
pub fn refused(finding: Finding) -> Problem {
    match finding.place.field {
        Some(field) => {
            let detail = format!("'{field}' {}", finding.message);
            Problem::invalid_field(field.split('[').next().unwrap_or_default(), detail)
        }
        None => Problem::invalid(format!("the object {}", finding.message)),
    }
}

/// Reads a number in a path, such as of a submission.
pub fn numbered(what: &str, text: &str) -> Result<u32, Problem> {
    let number: Option<u32> = text.parse().ok();
    number.filter(|number| number.to_string() == text).ok_or_else(|| Problem::not_found(what, text))
}
