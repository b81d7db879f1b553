//! What older files of contests have in other ways.

use crate::objects::{ContestId, ID_LENGTH_MAX, Instant, Millis, span};
use located::{Field, Object, Report, Reported};

/// Reads the id, or makes one of the short name.
pub fn read_id(report: &Report, object: &mut Object<'_>) -> Option<ContestId> {
    let short_name = object.take_any(&["short-name", "short_name", "shortname"]);
    match (object.take_any(&["id", "external_id"]), short_name) {
        (Some(field), _) => field.parse(report),
        (None, Some(field)) => id_of_name(report, &field),
        (None, None) => {
            object.error(report, "id", "is missing, expected the contest's id, such as swerc2026");
            None
        }
    }
}

/// Returns the id that DOMjudge makes of a short name.
fn id_of_name(report: &Report, field: &Field<'_>) -> Option<ContestId> {
    let text = field.trimmed().reported(report)?;
    if let Ok(id) = text.parse() {
        return Some(id);
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let id: String = text.chars().map(|c| if is_allowed(c) { c } else { '_' }).take(ID_LENGTH_MAX).collect();
    match id.parse() {
        Ok(taken) => {
            let message = format!("is '{text}', the contest's id is '{id}'");
            field.warning(report, message);
            Some(taken)
        }
        Err(_) => field.parse(report),
    }
}

/// The zones that have names in times (RFC 5322, section 4.3).
const ZONES: [(&str, &str); 10] = [
    ("UTC", "Z"),
    ("GMT", "Z"),
    ("EST", "-05:00"),
    ("EDT", "-04:00"),
    ("CST", "-06:00"),
    ("CDT", "-05:00"),
    ("MST", "-07:00"),
    ("MDT", "-06:00"),
    ("PST", "-08:00"),
    ("PDT", "-07:00"),
];

/// Reads a time, in older files with the name of a zone.
pub fn read_start(report: &Report, field: &Field<'_>) -> Option<Instant> {
    let text = field.trimmed().reported(report)?;
    let named = ZONES
        .iter()
        .find_map(|(name, offset)| Some(format!("{}{offset}", text.strip_suffix(name)?.trim_end())));
    match named.and_then(|text| text.parse().ok()) {
        Some(start) => Some(start),
        None => field.parse(report),
    }
}

/// Reads how long before the end the board freezes: that, or when in the contest.
pub fn read_freeze(report: &Report, object: &mut Object<'_>, duration: Option<Millis>) -> Option<Millis> {
    let after = object.take_any(&["scoreboard-freeze", "freeze"]);
    let before = object.take_any(&[
        "scoreboard_freeze_duration",
        "scoreboard-freeze-duration",
        "scoreboard_freeze_length",
        "scoreboard-freeze-length",
    ]);
    let (field, freeze) = match (before, after) {
        (Some(field), _) => (field.clone(), span(report, &field)?),
        (None, Some(field)) => {
            let (after, duration) = (span(report, &field)?, duration?);
            let message = format!(
                "the board freezes {after} after the start, as DOMjudge takes it; PC^2 takes it as the time before the \
                 end, which is scoreboard_freeze_duration"
            );
            field.warning(report, message);
            (field, Millis(duration.0 - after.0))
        }
        (None, None) => return None,
    };
    if freeze < Millis::ZERO || duration.is_some_and(|all| freeze > all) {
        field.reject(report, "at least 0 and at most the contest's duration");
    }
    Some(freeze)
}
