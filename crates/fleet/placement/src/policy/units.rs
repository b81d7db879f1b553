//! How numbers and durations are written in a file.

use std::str::FromStr;

pub const NONE: &str = "none";

/// The units of durations, the greatest first.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// Prints thousandths as a number with as many decimals as it needs, at least one.
pub fn decimal(permille: u32) -> String {
    let decimals = format!("{:03}", permille % 1000);
    let decimals = decimals.trim_end_matches('0');
    format!("{}.{}", permille / 1000, if decimals.is_empty() { "0" } else { decimals })
}

/// Returns a duration in the greatest unit of which it is a whole number.
pub fn duration(time_ms: u64) -> String {
    let (count, unit) = in_unit(time_ms);
    format!("{count}{unit}")
}

/// Returns a duration as a count of the greatest unit of which it is a whole number, and the unit.
pub fn in_unit(time_ms: u64) -> (u64, &'static str) {
    let fits = |unit: &&(&str, u64)| time_ms.is_multiple_of(unit.1) && time_ms > 0;
    let (name, unit_ms) = UNITS.iter().find(fits).unwrap_or(&("ms", 1));
    (time_ms / unit_ms, name)
}

/// Reads digits; `parse` alone also takes a plus sign.
pub fn digits<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Reads a number with at most three decimals, in thousandths.
pub fn thousandths(text: &str) -> Option<u32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    if !(1..=3).contains(&decimals.len()) {
        return None;
    }
    let whole: u32 = digits(whole)?;
    let decimals: u32 = digits(&format!("{decimals:0<3}"))?;
    whole.checked_mul(1000)?.checked_add(decimals)
}

pub fn milliseconds(text: &str) -> Option<u64> {
    let unit_at = text.find(|character: char| !character.is_ascii_digit())?;
    let (count, unit) = text.split_at(unit_at);
    let (_, unit_ms) = UNITS.iter().find(|(name, _)| *name == unit)?;
    digits::<u64>(count)?.checked_mul(*unit_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_digit_by_digit() {
        for (text, expected) in [
            ("0.8", Some(800)),
            ("1", Some(1000)),
            ("0.125", Some(125)),
            ("2.50", Some(2500)),
            ("0.1234", None),
            ("1.", None),
            (".5", None),
            ("-1", None),
            ("+1", None),
            ("1e3", None),
            ("0x10", None),
            ("0.+1", None),
            ("5000000", None),
        ] {
            assert_eq!(thousandths(text), expected, "{text}");
        }
        assert_eq!([0, 5, 50, 800, 1000, 2500].map(decimal), ["0.0", "0.005", "0.05", "0.8", "1.0", "2.5"]);
    }

    #[test]
    fn durations_are_a_number_and_a_unit() {
        for (text, expected) in [
            ("100ms", Some(100)),
            ("5m", Some(300_000)),
            ("2d", Some(172_800_000)),
            ("0s", Some(0)),
            ("5", None),
            ("5 m", None),
            ("1.5h", None),
            ("m", None),
            ("5min", None),
            ("99999999999999999999d", None),
            ("9999999999999999d", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }
}
