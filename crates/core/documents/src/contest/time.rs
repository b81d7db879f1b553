//! Instants and durations as the CLICS Contest API writes them.

use model::{DurationError, TimeError};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// An instant: milliseconds since 1970-01-01T00:00:00Z. Written as TIME, such as `2026-11-23T15:00:00.000Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Time(pub i64);

/// A signed duration in milliseconds. Written as RELTIME, such as `5:00:00.000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelTime(pub i64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&model::time_text(self.0))
    }
}

impl fmt::Display for RelTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&model::duration_text(self.0))
    }
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        model::parse_time(text).map(Self)
    }
}

impl FromStr for RelTime {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        model::parse_duration(text).map(Self)
    }
}

impl TryFrom<String> for Time {
    type Error = TimeError;

    fn try_from(text: String) -> Result<Self, TimeError> {
        text.parse()
    }
}

impl TryFrom<String> for RelTime {
    type Error = DurationError;

    fn try_from(text: String) -> Result<Self, DurationError> {
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
