//! Instants and durations as the CLICS Contest API writes them.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

const DAY_MS: i64 = 86_400_000;

/// An instant: milliseconds since 1970-01-01T00:00:00Z. Written as TIME, such as `2026-11-23T15:00:00.000Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Time(pub i64);

/// A signed duration in milliseconds. Written as RELTIME, such as `5:00:00.000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelTime(pub i64);

/// The error for a text that is no instant or no duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// No instant.
    #[error("'{0}' is no time: write it like 2026-11-23T15:00:00Z or 2026-11-23T15:00:00.000+01:00")]
    Time(String),
    /// No duration.
    #[error("'{0}' is no duration: write it like 5:00:00 or -0:20:00.000 (hours:minutes:seconds)")]
    RelTime(String),
}

/// Returns a number of exactly so many digits.
fn digits(text: &str, count: usize) -> Option<i64> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Returns the milliseconds of `ss` or `ss.uuu`.
fn seconds_ms(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.split_once('.').map_or((text, None), |(s, f)| (s, Some(f)));
    let seconds = digits(seconds, 2).filter(|seconds| *seconds < 60)?;
    let fraction = fraction.map_or(Some(0), |fraction| digits(fraction, 3))?;
    Some(seconds * 1000 + fraction)
}

/// Returns the days since 1970-01-01 of a day of the Gregorian calendar (Howard Hinnant, `days_from_civil`).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Returns year, month and day, the inverse of [`days`].
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + days.div_euclid(146_097) * 400 + i64::from(month <= 2);
    (year, month, of_year - (153 * shifted + 2) / 5 + 1)
}

fn parse_date(text: &str) -> Option<i64> {
    let (year, rest) = text.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
    let number = days(year, month, day);
    ((1..=12).contains(&month) && civil(number) == (year, month, day)).then_some(number)
}

fn parse_zone_ms(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let text = text.strip_prefix(['+', '-'])?;
    let (hours, minutes) = text.split_once(':').unwrap_or((text, "00"));
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60_000)
}

fn parse_time(text: &str) -> Option<i64> {
    let (date, rest) = text.split_once('T')?;
    let zone = rest.find(['Z', '+', '-'])?;
    let (clock, zone) = rest.split_at(zone);
    let (hours, clock) = clock.split_once(':')?;
    let (minutes, seconds) = clock.split_once(':')?;
    let hours = digits(hours, 2).filter(|hours| *hours < 24)?;
    let minutes = digits(minutes, 2).filter(|minutes| *minutes < 60)?;
    let of_day = (hours * 60 + minutes) * 60_000 + seconds_ms(seconds)?;
    Some(parse_date(date)? * DAY_MS + of_day - parse_zone_ms(zone)?)
}

fn parse_duration(text: &str) -> Option<i64> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (hours, rest) = text.split_once(':')?;
    let (minutes, seconds) = rest.split_once(':')?;
    // Beyond a million hours, no sum of contest times fits.
    let hours = (1..=6).contains(&hours.len()).then(|| digits(hours, hours.len()))??;
    let minutes = digits(minutes, 2).filter(|minutes| *minutes < 60)?;
    Some(sign * ((hours * 60 + minutes) * 60_000 + seconds_ms(seconds)?))
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(self.0.div_euclid(DAY_MS));
        let of_day = self.0.rem_euclid(DAY_MS);
        let (hours, minutes) = (of_day / 3_600_000, of_day / 60_000 % 60);
        let (seconds, millis) = (of_day / 1000 % 60, of_day % 1000);
        write!(f, "{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
    }
}

impl fmt::Display for RelTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, ms) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
        write!(f, "{sign}{hours}:{minutes:02}:{:02}.{:03}", ms / 1000 % 60, ms % 1000)
    }
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        parse_time(text).map(Self).ok_or_else(|| TimeError::Time(text.to_owned()))
    }
}

impl FromStr for RelTime {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        parse_duration(text).map(Self).ok_or_else(|| TimeError::RelTime(text.to_owned()))
    }
}

impl TryFrom<String> for Time {
    type Error = TimeError;

    fn try_from(text: String) -> Result<Self, TimeError> {
        text.parse()
    }
}

impl TryFrom<String> for RelTime {
    type Error = TimeError;

    fn try_from(text: String) -> Result<Self, TimeError> {
        text.parse()
    }
}

impl From<Time> for String {
    fn from(time: Time) -> Self {
        time.to_string()
    }
}

impl From<RelTime> for String {
    fn from(time: RelTime) -> Self {
        time.to_string()
    }
}

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "TIME".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An instant, such as `2026-11-23T15:00:00.000Z`.",
            "type": "string",
            "format": "date-time",
        })
    }
}

impl JsonSchema for RelTime {
    fn schema_name() -> Cow<'static, str> {
        "RELTIME".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A duration in hours, minutes and seconds, such as `5:00:00.000`.",
            "type": "string",
            "pattern": r"^-?[0-9]+:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (text, ms, written) in [
            ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00.000Z"),
            ("2026-11-23T15:19:46.250Z", 1_795_447_186_250, "2026-11-23T15:19:46.250Z"),
            ("2024-02-29T23:59:59+01", 1_709_247_599_000, "2024-02-29T22:59:59.000Z"),
            ("2000-01-01T00:00:00-05:30", 946_704_600_000, "2000-01-01T05:30:00.000Z"),
            ("1969-12-31T23:59:59.999Z", -1, "1969-12-31T23:59:59.999Z"),
        ] {
            let time: Time = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((time.0, time.to_string()), (ms, written.to_owned()), "{text}");
        }
        for text in [
            "",
            "2023-02-29T00:00:00Z",
            "2026-11-23 15:00:00Z",
            "2026-11-23T15:00:00",
            "2026-13-01T00:00:00Z",
        ] {
            assert!(text.parse::<Time>().is_err(), "{text}");
        }
    }

    #[test]
    fn durations_are_read_and_written() {
        for (text, ms, written) in [
            ("5:00:00", 18_000_000, "5:00:00.000"),
            ("-0:20:00.500", -1_200_500, "-0:20:00.500"),
            ("05:00:00", 18_000_000, "5:00:00.000"),
            ("123:59:59.999", 446_399_999, "123:59:59.999"),
        ] {
            let time: RelTime = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((time.0, time.to_string()), (ms, written.to_owned()), "{text}");
        }
        for text in ["", "20", "0:60:00", "0:00", "1:00:00.5", ":00:00", "1:-1:00"] {
            assert!(text.parse::<RelTime>().is_err(), "{text}");
        }
    }
}
