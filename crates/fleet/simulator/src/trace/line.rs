//! The first and the last line of a file, as serde reads and writes them.

use super::{Head, VERSION};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadLine {
    pub trace: u64,
    name: String,
    #[serde(default)]
    made_by: String,
    #[serde(default)]
    separate_days: bool,
    #[serde(default)]
    note: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndLine {
    /// How many records are before it.
    pub end: u64,
}

impl From<&Head> for HeadLine {
    fn from(head: &Head) -> Self {
        let Head { name, made_by, separate_days, note } = head.clone();
        Self { trace: VERSION, name, made_by, separate_days, note }
    }
}

impl From<HeadLine> for Head {
    fn from(line: HeadLine) -> Self {
        let HeadLine { trace: _, name, made_by, separate_days, note } = line;
        Self { name, made_by, separate_days, note }
    }
}
