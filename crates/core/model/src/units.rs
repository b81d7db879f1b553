//! Time, memory and instructions with their units in the type.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;
use std::time::Duration;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub u64);

/// An amount of memory in bytes; KiB, MiB and GiB are binary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// The reason why a time or an amount could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseUnitError {
    /// The text does not start with a number.
    #[error("'{0}' is not a number with a unit, such as {1}")]
    NotANumber(String, &'static str),
    /// The number is followed by something that is no unit.
    #[error("'{unit}' is not a unit; use one of {known}")]
    UnknownUnit {
        /// What stood after the number.
        unit: String,
        /// The units that exist.
        known: &'static str,
    },
    /// The value is negative, not finite or beyond 64 bits.
    #[error("'{0}' is out of range")]
    OutOfRange(String),
}

impl Nanos {
    pub const ZERO: Self = Self(0);

    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }

    /// Makes a span from seconds; `None` when negative, not finite or too long.
    pub fn from_secs_f64(secs: f64) -> Option<Self> {
        let nanos = (secs * 1e9).round();
        (nanos.is_finite() && nanos >= 0.0 && nanos < u64::MAX as f64).then_some(Self(nanos as u64))
    }

    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Returns seconds with at most three digits after the point, as CLICS wants them.
    pub fn as_clics_secs(self) -> f64 {
        (self.as_secs_f64() * 1000.0).round() / 1000.0
    }

    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    pub const fn to_duration(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    /// Subtracts and stops at zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Multiplies and stops at the largest value.
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

macro_rules! to_number {
    ($($unit:ty: $number:ty),*) => {$(
        impl From<$unit> for $number {
            fn from(value: $unit) -> Self {
                value.0
            }
        }
    )*};
}

to_number!(Nanos: u64, Bytes: u64, Hertz: u64, InstructionCount: u64);

impl From<Duration> for Nanos {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Nanos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hertz(pub u64);

impl fmt::Display for Hertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.0 {
            n if n < 1_000_000 => format!("{n} Hz"),
            n if n < 1_000_000_000 => format!("{:.0} MHz", n as f64 / 1e6),
            n => format!("{:.3} GHz", n as f64 / 1e9),
        };
        f.pad(&text)
    }
}

/// Prints seconds from one second up, else milliseconds or microseconds.
impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.0 {
            0 => "0 s".to_owned(),
            n if n < 1_000_000 => format!("{:.0} us", n as f64 / 1e3),
            n if n < 1_000_000_000 => format!("{:.1} ms", n as f64 / 1e6),
            n => format!("{:.3} s", n as f64 / 1e9),
        };
        f.pad(&text)
    }
}

/// Reads `2s`, `1.5 s`, `300ms`, `20us`, `7ns`, `2min`; a bare number is seconds.
impl FromStr for Nanos {
    type Err = ParseUnitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, unit) = split_unit(text, "2s or 300ms")?;
        let factor = match unit {
            "" | "s" => 1e9,
            "ms" => 1e6,
            "us" | "µs" => 1e3,
            "ns" => 1.0,
            "min" | "m" => 60e9,
            _ => {
                return Err(ParseUnitError::UnknownUnit {
                    unit: unit.to_owned(),
                    known: "ns, us, ms, s, min",
                });
            }
        };
        in_range(text, number * factor).map(Self)
    }
}

impl Bytes {
    pub const fn from_kib(kib: u64) -> Self {
        Self(kib * 1024)
    }

    pub const fn from_mib(mib: u64) -> Self {
        Self(mib * 1024 * 1024)
    }

    /// Subtracts and stops at zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const STEP: f64 = 1024.0;
        let text = match self.0 {
            n if n < 1024 => format!("{n} B"),
            n if n < 1024 * 1024 => format!("{:.1} KiB", n as f64 / STEP),
            n if n < 1024 * 1024 * 1024 => format!("{:.1} MiB", n as f64 / STEP / STEP),
            n => format!("{:.2} GiB", n as f64 / STEP / STEP / STEP),
        };
        f.pad(&text)
    }
}

/// Reads `256MiB`, `1 GiB`, `64k`, `4096`; a bare number is bytes, `M` and `MB` are binary like `MiB`.
impl FromStr for Bytes {
    type Err = ParseUnitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, unit) = split_unit(text, "256MiB or 1GiB")?;
        let factor = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 1.0,
            "k" | "kb" | "kib" => 1024.0,
            "m" | "mb" | "mib" => 1024.0 * 1024.0,
            "g" | "gb" | "gib" => 1024.0 * 1024.0 * 1024.0,
            _ => {
                return Err(ParseUnitError::UnknownUnit { unit: unit.to_owned(), known: "B, KiB, MiB, GiB" });
            }
        };
        in_range(text, number * factor).map(Self)
    }
}

/// Instructions that a program executes in user mode.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct InstructionCount(pub u64);

/// Prints all digits, in groups: a count is exact.
impl fmt::Display for InstructionCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        f.pad(&text)
    }
}

/// Reads `2G`, `1.5 G`, `300M`, `20k`, `94818947`.
impl FromStr for InstructionCount {
    type Err = ParseUnitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, unit) = split_unit(text, "2G or 500M")?;
        let factor = match unit {
            "" => 1.0,
            "k" | "K" => 1e3,
            "m" | "M" => 1e6,
            "g" | "G" => 1e9,
            "t" | "T" => 1e12,
            _ => return Err(ParseUnitError::UnknownUnit { unit: unit.to_owned(), known: "k, M, G, T" }),
        };
        in_range(text, number * factor).map(Self)
    }
}

fn split_unit<'t>(text: &'t str, example: &'static str) -> Result<(f64, &'t str), ParseUnitError> {
    let text = text.trim();
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-' || c == '+')).unwrap_or(text.len());
    let number = text[..end].parse().map_err(|_| ParseUnitError::NotANumber(text.to_owned(), example))?;
    Ok((number, text[end..].trim()))
}

fn in_range(text: &str, value: f64) -> Result<u64, ParseUnitError> {
    if value.is_finite() && value >= 0.0 && value < u64::MAX as f64 {
        Ok(value.round() as u64)
    } else {
        Err(ParseUnitError::OutOfRange(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_parse_with_units() {
        for (text, nanos) in [
            ("2s", 2_000_000_000),
            ("1.5 s", 1_500_000_000),
            ("300ms", 300_000_000),
            ("20us", 20_000),
            ("7ns", 7),
            ("2", 2_000_000_000),
            ("1min", 60_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn amounts_parse_with_units() {
        for (text, bytes) in [("256MiB", 256 << 20), ("1 GiB", 1 << 30), ("64k", 65_536), ("17", 17)] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn counts_print_all_digits_and_are_read_with_units() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (94_818_947, "94,818,947")] {
            assert_eq!(InstructionCount(count).to_string(), text);
        }
        for (text, count) in
            [("2G", 2_000_000_000), ("1.5 G", 1_500_000_000), ("300M", 300_000_000), ("7", 7)]
        {
            assert_eq!(text.parse(), Ok(InstructionCount(count)), "{text}");
        }
        assert_eq!(
            "2s".parse::<InstructionCount>().unwrap_err().to_string(),
            "'s' is not a unit; use one of k, M, G, T"
        );
    }

    #[test]
    fn wrong_units_are_named() {
        assert_eq!(
            "3 parsecs".parse::<Nanos>().unwrap_err().to_string(),
            "'parsecs' is not a unit; use one of ns, us, ms, s, min"
        );
        assert_eq!("-1s".parse::<Nanos>().unwrap_err().to_string(), "'-1s' is out of range");
        assert_eq!(
            "many".parse::<Bytes>().unwrap_err().to_string(),
            "'many' is not a number with a unit, such as 256MiB or 1GiB"
        );
        assert!("1e30GiB".parse::<Bytes>().is_err());
    }

    #[test]
    fn display_keeps_three_digits() {
        assert_eq!(Nanos(1_234_567_890).to_string(), "1.235 s");
        assert_eq!(Nanos(12_345_678).to_string(), "12.3 ms");
        assert_eq!(Bytes(256 << 20).to_string(), "256.0 MiB");
    }
}
