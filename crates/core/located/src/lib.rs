//! YAML, JSON and tables as trees of values with their lines, so that a message can name the line of every field.
//!
//! Formats mix texts with lists and maps under one key, and an unknown key must be reported with its line; a tree suits
//! both better than one Rust type for each file.
//!
//! # Files
//!
//! YAML, JSON and tables as trees of values with their lines: `yaml.rs`, `json.rs`, `table.rs`, `csv.rs`. A reader of a
//! configuration file takes fields from such a tree (`fields.rs`), so that each message names a line, and each key that
//! is not taken is reported.

#![forbid(unsafe_code)]

mod csv;
mod fields;
mod json;
mod location;
mod report;
mod table;
mod words;
mod yaml;

pub use csv::{CsvRow, as_csv_text, csv};
pub use fields::{Field, NAME_BYTES_MAX, Object, did_you_mean, is_name};
pub use json::json;
pub use location::{FileLocation, Wrong};
pub use report::{Finding, Report, Reported};
pub use table::{Row, table};
pub use words::{join, meant, shorten};
pub use yaml::{yaml, yaml_of_last_keys};

/// Largest file: far above any real one, and still harmless.
pub const MAX_BYTES: usize = 4 << 20;
/// Deepest nesting; the formats need five levels.
const MAX_DEPTH: usize = 32;

/// The error for a text that is not in its format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct SyntaxError {
    /// Where, if known.
    pub line: Option<u64>,
    pub reason: String,
}

/// A value and the line on which it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The line, from 1.
    pub line: u64,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    /// A number and its spelling, in case a text is expected.
    Number {
        value: f64,
        /// Its spelling.
        text: String,
    },
    Text(String),
    List(Vec<Node>),
    /// A map; its members in the order of the file.
    Map(Vec<Entry>),
}

/// A member of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: String,
    pub line: u64,
    pub value: Node,
}

impl Value {
    /// Returns the kind of value, for a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Number { .. } => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}
