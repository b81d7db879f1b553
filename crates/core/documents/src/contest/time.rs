//! Instants and durations as the CLICS Contest API writes them.

use model::{DurationError, TimeError};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Makes a type of milliseconds that JSON has as a text.
macro_rules! clics_time {
    ($(#[$doc:meta])* $name:ident, $schema_name:literal, $write:path, $read:path, $error:ident, $schema:tt) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&$write(self.0))
            }
        }

        impl FromStr for $name {
            type Err = $error;

            fn from_str(text: &str) -> Result<Self, $error> {
                $read(text).map(Self)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, $error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(time: $name) -> Self {
                time.to_string()
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                $schema_name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

clics_time!(
    /// An instant: milliseconds since 1970-01-01T00:00:00Z. Written as TIME, such as `2026-11-23T15:00:00.000Z`.
    Time,
    "TIME",
    model::time_text,
    model::parse_time,
    TimeError,
    {
        "description": "An instant, such as `2026-11-23T15:00:00.000Z`.",
        "type": "string",
        "format": "date-time",
    }
);

clics_time!(
    /// A signed duration in milliseconds. Written as RELTIME, such as `5:00:00.000`.
    RelTime,
    "RELTIME",
    model::duration_text,
    model::parse_duration,
    DurationError,
    {
        "description": "A duration in hours, minutes and seconds, such as `5:00:00.000`.",
        "type": "string",
        "pattern": r"^-?[0-9]+:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?$",
    }
);
