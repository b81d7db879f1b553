//! Instants and durations as the CLICS Contest API writes them: TIME and RELTIME.

use crate::{Instant, Millis};
use std::fmt;
use std::str::FromStr;

/// Later times are typing errors.
const YEAR_MAX: i64 = 9999;
const DAY_MS: i64 = 24 * 3600 * 1000;

/// The error for a text that is no time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no time: write it as 2026-11-23T09:00:00+01:00, with 'Z' for UTC")]
pub struct TimeError(String);

/// The error for a text that is no duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no duration: write it as h:mm:ss, such as 5:00:00")]
pub struct DurationError(String);

/// Prints a TIME in UTC with milliseconds.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (day, rest) = (self.0.div_euclid(DAY_MS), self.0.rem_euclid(DAY_MS));
        let (year, month, day) = civil(day);
        let (seconds, millis) = (rest / 1000, rest % 1000);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
    }
}

impl FromStr for Instant {
    type Err = TimeError;

    /// Reads `yyyy-mm-ddThh:mm:ss(.uuu)?` with `Z` or `(+|-)hh(:mm)?`; a blank in place of `T` is accepted.
    fn from_str(text: &str) -> Result<Self, TimeError> {
        instant(text.trim()).ok_or_else(|| TimeError(text.to_owned()))
    }
}

fn instant(text: &str) -> Option<Instant> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let mut parts = date.splitn(3, '-').map(|part| digits(part, 2..=4));
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let is_date = year <= YEAR_MAX && (1..=12).contains(&month) && (1..=31).contains(&day);
    let days = days(year, month, day);
    if !is_date || civil(days) != (year, month, day) {
        return None;
    }
    let zone_at = time.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = time.split_at(zone_at);
    let offset_minutes = match zone {
        "Z" | "z" => 0,
        zone => {
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let zone = &zone[1..];
            let (hours, minutes) = match zone.len() {
                4 if !zone.contains(':') => zone.is_char_boundary(2).then(|| zone.split_at(2))?,
                _ => zone.split_once(':').unwrap_or((zone, "00")),
            };
            let (hours, minutes) = (digits(hours, 1..=2)?, digits(minutes, 2..=2)?);
            (hours <= 14 && minutes < 60).then_some(sign * (hours * 60 + minutes))?
        }
    };
    let (clock, millis) = fraction(clock)?;
    let mut parts = clock.splitn(3, ':').map(|part| digits(part, 1..=2));
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = match parts.next() {
        Some(second) => second?,
        None => 0,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = (hour * 60 + minute - offset_minutes) * 60 + second;
    Some(Instant(days * DAY_MS + seconds * 1000 + millis))
}

/// Prints a RELTIME; milliseconds only if there are any.
impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let total = self.0.unsigned_abs();
        let (seconds, millis) = (total / 1000, total % 1000);
        write!(f, "{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        if millis > 0 { write!(f, ".{millis:03}") } else { Ok(()) }
    }
}

impl FromStr for Millis {
    type Err = DurationError;

    /// Reads `(-)?h*:mm:ss(.uuu)?`.
    fn from_str(text: &str) -> Result<Self, DurationError> {
        duration(text.trim()).ok_or_else(|| DurationError(text.to_owned()))
    }
}

fn duration(text: &str) -> Option<Millis> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (clock, millis) = fraction(text)?;
    let mut parts = clock.splitn(3, ':');
    let hours = digits(parts.next()?, 1..=7)?;
    let (minutes, seconds) = (digits(parts.next()?, 2..=2)?, digits(parts.next()?, 2..=2)?);
    let is_clock = minutes < 60 && seconds < 60;
    is_clock.then(|| Millis(sign * (((hours * 60 + minutes) * 60 + seconds) * 1000 + millis)))
}

/// Splits off a fraction of a second, and returns it in milliseconds; digits beyond those are dropped.
fn fraction(text: &str) -> Option<(&str, i64)> {
    let Some((whole, part)) = text.split_once('.') else { return Some((text, 0)) };
    let is_number = !part.is_empty() && part.len() <= 9 && part.bytes().all(|byte| byte.is_ascii_digit());
    let millis = format!("{part:0<3}");
    is_number.then(|| Some((whole, millis[..3].parse().ok()?)))?
}

fn digits(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let is_number = length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

/// Returns the days since 1970-01-01 of a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the leap day is the last (Howard Hinnant, "chrono-compatible low-level date
    // algorithms").
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Returns year, month and day of a number of days since 1970-01-01: the inverse of [`days`].
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_any_zone_and_printed_in_utc() {
        for (text, printed) in [
            ("2026-11-23T09:00:00+01:00", "2026-11-23T08:00:00.000Z"),
            ("2026-11-23T09:00:00+01", "2026-11-23T08:00:00.000Z"),
            ("2026-11-23 09:00:00.25-0330", "2026-11-23T12:30:00.250Z"),
            ("2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59.999Z"),
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
            ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59.000Z"),
            ("2026-11-23T09:00Z", "2026-11-23T09:00:00.000Z"),
        ] {
            assert_eq!(text.parse::<Instant>().unwrap().to_string(), printed, "{text}");
        }
        for text in [
            "",
            "now",
            "2026-11-23",
            "2026-11-23T09:00:00",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-11-23T24:00:00Z",
            "2026-11-23T09:00:00+15:00",
            "2026-11-23T09:00:00.Z",
            "2026-11-23T09:00:00+0é",
        ] {
            assert!(text.parse::<Instant>().is_err(), "{text}");
        }
        for day in -800_000..800_000 {
            let (year, month, date) = civil(day);
            assert_eq!(days(year, month, date), day);
        }
    }

    #[test]
    fn durations_are_hours_minutes_and_seconds() {
        for (text, millis, printed) in [
            ("5:00:00", 5 * 3_600_000, "5:00:00"),
            ("05:00:00.000", 5 * 3_600_000, "5:00:00"),
            ("-0:20:00.5", -1_200_500, "-0:20:00.500"),
            ("100:00:01.001", 360_001_001, "100:00:01.001"),
        ] {
            let read = text.parse::<Millis>().unwrap();
            assert_eq!((read, read.to_string().as_str()), (Millis(millis), printed), "{text}");
        }
        for text in ["", "5", "5:00", "5:60:00", "5:00:61", "x:00:00", "5:0:00", "5:00:00."] {
            assert!(text.parse::<Millis>().is_err(), "{text}");
        }
    }
}
