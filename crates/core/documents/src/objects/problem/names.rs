//! Ids, letters and colours of problems.

use located::{Field, Report, Reported};
use std::collections::BTreeMap;

/// The ids and labels of the problems before, with the last number that was added to each.
#[derive(Default)]
pub struct UsedNames {
    pub(super) ids: BTreeMap<String, u32>,
    pub(super) labels: BTreeMap<String, u32>,
}

/// Returns a text, or the first one with a number that is free.
pub(super) fn free(
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
    field.warning(report, message);
    Some(free)
}

/// Notes a text as used, and which number made it of another one.
pub(super) fn note(used: &mut BTreeMap<String, u32>, text: &str, of: Option<&str>, between: &str) {
    used.entry(text.to_owned()).or_insert(1);
    let number = of.and_then(|of| text.strip_prefix(of)?.strip_prefix(between)?.parse().ok());
    if let (Some(of), Some(number)) = (of, number) {
        used.insert(of.to_owned(), number);
    }
}

/// Reads a colour, such as `#AC00FF` or `#fff`.
pub(super) fn colour(report: &Report, field: &Field<'_>) -> Option<String> {
    let text = field.trimmed().reported(report)?;
    let digits = text.strip_prefix('#').unwrap_or("");
    let is_colour = matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_colour {
        field.reject(report, "a colour such as '#AC00FF' or '#fff', in quotes");
    }
    is_colour.then_some(text)
}

/// Returns the usual label of the problem at a place: A to Z, then AA, AB, ...
pub(super) fn letters(place: u32) -> String {
    let letter = char::from(b'A' + (place % 26) as u8);
    match place / 26 {
        0 => letter.to_string(),
        more => letters(more - 1) + &letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_go_on_after_z() {
        let labels: Vec<_> = [0, 25, 26, 27, 701, 702].into_iter().map(letters).collect();
        assert_eq!(labels, ["A", "Z", "AA", "AB", "ZZ", "AAA"]);
    }
}
