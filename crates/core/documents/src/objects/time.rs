//! Instants and durations of contests.

use model::{DurationError, TimeError};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

/// An instant: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Instant(pub i64);

/// A signed duration in milliseconds, such as the time of a submission since the contest's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl Millis {
    pub const ZERO: Self = Self(0);

    pub const fn minutes(minutes: i64) -> Self {
        Self(minutes * 60_000)
    }

    pub const fn whole_minutes(self) -> i64 {
        self.0.div_euclid(60_000)
    }
}

impl Add<Millis> for Instant {
    type Output = Self;

    fn add(self, duration: Millis) -> Self {
        Self(self.0.saturating_add(duration.0))
    }
}

impl Sub for Instant {
    type Output = Millis;

    fn sub(self, earlier: Self) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Millis {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Millis {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// Prints a TIME in UTC with milliseconds.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&model::time_text(self.0))
    }
}

impl FromStr for Instant {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        model::parse_time(text).map(Self)
    }
}

/// Prints a RELTIME; milliseconds only if there are any.
impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = model::duration_text(self.0);
        f.write_str(text.strip_suffix(".000").unwrap_or(&text))
    }
}

impl FromStr for Millis {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        model::parse_duration(text).map(Self)
    }
}
