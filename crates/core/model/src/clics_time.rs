//! Instants and durations as the CLICS Contest API writes them: TIME and RELTIME, in milliseconds.

use jiff::Timestamp;

/// The error for a text that is no TIME.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no time: write it as 2026-11-23T09:00:00+01:00, with 'Z' for UTC")]
pub struct TimeError(String);

/// The error for a text that is no RELTIME.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no duration: write it as hours:minutes:seconds, such as 5:00:00 or -0:20:00.000")]
pub struct DurationError(String);

/// Reads a TIME: milliseconds since 1970-01-01T00:00:00Z. A blank in place of `T` is accepted.
pub fn parse_time(text: &str) -> Result<i64, TimeError> {
    let error = || TimeError(text.to_owned());
    let trimmed = text.trim();
    // The library would take years of six digits, and names of zones in brackets.
    if !trimmed.starts_with(|first: char| first.is_ascii_digit()) || trimmed.contains('[') {
        return Err(error());
    }
    trimmed.parse::<Timestamp>().map(Timestamp::as_millisecond).map_err(|_| error())
}

/// Returns the TIME of milliseconds since 1970, in UTC; the nearest of the years -9999 to 9999 beyond those.
pub fn time_text(ms: i64) -> String {
    let (first, last) = (Timestamp::MIN, Timestamp::MAX);
    let nearest = if ms < 0 { first } else { last };
    format!("{:.3}", Timestamp::from_millisecond(ms).unwrap_or(nearest))
}

/// Reads a RELTIME, `(-)?h*:mm:ss(.uuu)?`, into milliseconds.
pub fn parse_duration(text: &str) -> Result<i64, DurationError> {
    duration(text.trim()).ok_or_else(|| DurationError(text.to_owned()))
}

// No library reads it: hours may be beyond 24, but minutes and seconds not beyond 59.
fn duration(text: &str) -> Option<i64> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = clock.splitn(3, ':');
    let hours = digits(parts.next()?, 1..=7)?;
    let (minutes, seconds) = (digits(parts.next()?, 2..=2)?, digits(parts.next()?, 2..=2)?);
    digits(fraction, 1..=9)?;
    let millis: i64 = format!("{fraction:0<3}")[..3].parse().ok()?;
    let is_clock = minutes < 60 && seconds < 60;
    is_clock.then(|| sign * (((hours * 60 + minutes) * 60 + seconds) * 1000 + millis))
}

fn digits(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let is_number = length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

/// Returns the RELTIME of milliseconds, with three digits after the point.
pub fn duration_text(ms: i64) -> String {
    let (sign, total) = (if ms < 0 { "-" } else { "" }, ms.unsigned_abs());
    let (seconds, millis) = (total / 1000, total % 1000);
    format!("{sign}{}:{:02}:{:02}.{millis:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_any_zone_and_written_in_utc() {
        for (text, written) in [
            ("2026-11-23T09:00:00+01:00", "2026-11-23T08:00:00.000Z"),
            ("2026-11-23T09:00:00+01", "2026-11-23T08:00:00.000Z"),
            ("2026-11-23 09:00:00.25-0330", "2026-11-23T12:30:00.250Z"),
            ("2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59.999Z"),
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
            ("2026-11-23T09:00Z", "2026-11-23T09:00:00.000Z"),
        ] {
            assert_eq!(parse_time(text).map(time_text).as_deref(), Ok(written), "{text}");
        }
        for text in [
            "",
            "now",
            "2026-11-23",
            "2026-11-23T09:00:00",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-11-23T24:00:00Z",
            "2026-11-23T09:00:00.Z",
            "2026-11-23T09:00:00+0é",
            "+002026-11-23T09:00:00Z",
            "2026-11-23T09:00:00+01:00[Europe/Berlin]",
        ] {
            assert!(parse_time(text).is_err(), "{text}");
        }
        assert_eq!(time_text(i64::MAX), "9999-12-30T22:00:00.999Z");
    }

    #[test]
    fn durations_are_hours_minutes_and_seconds() {
        for (text, ms, written) in [
            ("5:00:00", 18_000_000, "5:00:00.000"),
            ("05:00:00.000", 18_000_000, "5:00:00.000"),
            ("-0:20:00.5", -1_200_500, "-0:20:00.500"),
            ("123:59:59.999", 446_399_999, "123:59:59.999"),
        ] {
            assert_eq!(parse_duration(text), Ok(ms), "{text}");
            assert_eq!(duration_text(ms), written, "{text}");
        }
        for text in
            ["", "20", "5:00", "5:60:00", "5:00:61", "x:00:00", "5:0:00", "5:00:00.", ":00:00", "1:-1:00"]
        {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
