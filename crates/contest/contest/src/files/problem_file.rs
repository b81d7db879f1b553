//! `problems.yaml`, `problems.json`, and the older `problemset.yaml`.

use super::ProblemEntry;
use super::languages::languages;
use crate::{ProblemId, Score};
use located::{Field, Report, Value};
use model::{Bytes, Nanos, ScoreRules};
use std::collections::BTreeMap;

/// A problem with more seconds is a typing error.
const SECONDS_MAX: f64 = 100_000.0;
const MIB_MAX: i64 = 1 << 20;
const SCORE_MAX: f64 = 1e9;
/// A score is counted in millionths.
const SCORE_UNIT: f64 = 1e6;

/// Reads the problem at this place of the list.
///
/// A letter or short name that is used gets a number: PC^2 has several problems of one letter or folder for several groups.
pub fn problem(report: &Report, field: &Field<'_>, place: u32, used: &mut Used) -> Option<ProblemEntry> {
    let mut object = field.object(report)?;
    let short_name = object.take(&["short-name", "short_name", "shortname"]);
    let (id, folder) = match (object.take(&["id"]), short_name) {
        (None, Some(field)) => {
            let name: Option<ProblemId> = field.parse(report);
            let name = name.map(String::from);
            let free = name.clone().and_then(|name| free(report, &field, name, "-", &used.ids));
            let folder = name.filter(|name| Some(name) != free.as_ref());
            (free.and_then(|id| id.parse().ok()), folder)
        }
        (Some(field), _) => (field.parse(report), None),
        (None, None) => {
            object.error(report, "id", "is missing");
            (None, None)
        }
    };
    let id: Option<ProblemId> = id;
    if let Some(id) = &id {
        note(&mut used.ids, id.as_str(), folder.as_deref(), "-");
    }
    let letter = object.take(&["letter"]);
    let written = letter.as_ref().and_then(|letter| letter.text(report));
    let label = match (object.text(report, &["label"]), &letter, &written) {
        (Some(label), ..) => label,
        (None, Some(letter), Some(text)) => free(report, letter, text.clone(), "", &used.labels)?,
        _ => letters(place),
    };
    note(&mut used.labels, &label, written.as_deref(), "");
    let ordinal = object.take(&["ordinal"]).and_then(|field| field.integer(report, 0..=100_000));
    let name = object.text(report, &["name"]);
    let rgb = object.take(&["rgb"]).and_then(|field| colour(report, &field));
    let color = object.text(report, &["color"]);
    let time_limit = object.take(&["time_limit", "time-limit"]);
    let time_limit = time_limit.and_then(|field| {
        let seconds = field.number(report, 0.001..=SECONDS_MAX)?;
        Some(Nanos((seconds * 1e9).round() as u64))
    });
    let mut size = |names: &[&'static str], unit: u64| {
        let number = object.take(names)?.integer(report, 1..=MIB_MAX)?;
        Some(Bytes(number.unsigned_abs() * unit))
    };
    let memory_limit = size(&["memory_limit"], 1 << 20);
    let output_limit = size(&["output_limit"], 1 << 20);
    let code_limit = size(&["code_limit"], 1 << 10);
    let max_score = object.take(&["max_score"]).and_then(|field| field.number(report, 0.0..=SCORE_MAX));
    let scores = object.take(&["scores"]);
    let scores =
        scores.and_then(|field| field.word(report, &ScoreRules::ALL.map(|rules| (rules.name(), rules))));
    let languages = object.take(&["languages"]).map(|field| languages(report, &field)).unwrap_or_default();
    let is_paused = object.boolean(report, &["is_paused", "paused"]).unwrap_or(false);
    let package = match object.take(&["package"]) {
        Some(field) if matches!(field.node.value, Value::Text(_)) => field.text(report),
        // As the API has it: a list of references.
        _ => folder,
    };
    object.finish(report, &NOT_KEPT);
    Some(ProblemEntry {
        id: id?,
        label,
        ordinal: ordinal.map_or(place + 1, |ordinal| ordinal as u32),
        name,
        rgb,
        color,
        time_limit,
        memory_limit,
        output_limit,
        code_limit,
        max_score: max_score.map(|score| Score((score * SCORE_UNIT).round() as i64)),
        scores,
        languages,
        is_paused,
        package,
    })
}

/// The ids and labels of the problems before, with the last number that was added to each.
#[derive(Default)]
pub struct Used {
    ids: BTreeMap<String, u32>,
    labels: BTreeMap<String, u32>,
}

/// Returns a text, or the first one with a number that is free.
fn free(
    report: &Report,
    field: &Field<'_>,
    text: String,
    between: &str,
    used: &BTreeMap<String, u32>,
) -> Option<String> {
    let Some(last) = used.get(&text) else { return Some(text) };
    let free = (last + 1..).map(|number| format!("{text}{between}{number}"));
    let free = free.into_iter().find(|one| !used.contains_key(one))?;
    let message = format!("'{text}' is used above, so this one is '{free}'");
    report.warning(field.file, Some(field.line), Some(&field.path), message);
    Some(free)
}

/// Notes a text as used, and which number made it of another one.
fn note(used: &mut BTreeMap<String, u32>, text: &str, of: Option<&str>, between: &str) {
    used.entry(text.to_owned()).or_insert(1);
    let number = of.and_then(|of| text.strip_prefix(of)?.strip_prefix(between)?.parse().ok());
    if let (Some(of), Some(number)) = (of, number) {
        used.insert(of.to_owned(), number);
    }
}

/// They follow from the package.
const NOT_KEPT: [&str; 5] = ["uuid", "test_data_count", "statement", "statement_pages", "attachments"];

/// Reads a colour, such as `#AC00FF` or `#fff`.
fn colour(report: &Report, field: &Field<'_>) -> Option<String> {
    let text = field.text(report)?;
    let digits = text.strip_prefix('#').unwrap_or("");
    let is_colour = matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_colour {
        field.wrong(report, "a colour such as '#AC00FF' or '#fff', in quotes");
    }
    is_colour.then_some(text)
}

/// Returns the usual label of the problem at a place: A to Z, then AA, AB, ...
pub fn letters(place: u32) -> String {
    let letter = char::from(b'A' + (place % 26) as u8);
    match place / 26 {
        0 => letter.to_string(),
        more => letters(more - 1) + &letter.to_string(),
    }
}
