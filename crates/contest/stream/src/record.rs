//! The record of a contest: everything that happened, a line of JSON each, from which the board follows.
//!
//! Times are nanoseconds since the contest began. A chunk's line is written before the chunk is sent, and the
//! line that it was sent afterwards: a chunk without it was sent to nobody.

use crate::contest::Contest;
use crate::rules::Rules;
use serde::{Deserialize, Serialize};

/// The version of these lines.
pub const VERSION: u32 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    /// The contest begins: the first line.
    Contest {
        /// The version of the lines.
        version: u32,
        /// The rules, hidden numbers included.
        rules: Box<Rules>,
        /// What the stream follows from.
        seed: u64,
        /// When it began by the system's clock.
        began_unix_ns: u64,
    },
    /// Somebody takes part.
    Contestant {
        /// Who.
        name: String,
    },
    /// The next digits.
    Chunk {
        /// Its number, from 0.
        number: u64,
        /// The digits.
        digits: String,
    },
    /// A chunk was sent.
    Sent {
        /// Its number.
        number: u64,
        /// When the first client's copy was sent: the chunk appears.
        first_ns: u64,
        /// When the last client's copy was sent.
        last_ns: u64,
        /// How many clients there were.
        clients: u32,
    },
    /// Somebody submitted an answer.
    Answer {
        /// When it was received.
        at_ns: u64,
        /// Who.
        by: String,
        /// What, at most a digit longer than the longest answer.
        text: String,
    },
    /// How long a message takes to a contestant's machine and back.
    Ping {
        /// Who.
        by: String,
        /// How long.
        round_trip_ns: u64,
    },
    /// A client was turned away or dropped.
    Refused {
        /// When.
        at_ns: u64,
        /// Why.
        reason: String,
    },
    /// The server went on after an interruption.
    Continued {
        /// When.
        at_ns: u64,
    },
}

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A line is not one of these.
    #[error("line {0} is not a line of a record")]
    Line(usize, #[source] serde_json::Error),
    /// The first line is no contest, or a contest comes later.
    #[error("line {0}: the contest's line is the first, and there is one")]
    Order(usize),
    /// It was written by another version.
    #[error("the record has version {0}, and this program reads version {VERSION}")]
    Version(u32),
    /// The rules cannot be.
    #[error("the record's rules cannot be")]
    Rules(#[from] crate::rules::RulesError),
}

impl Line {
    /// Returns the line with its end.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// Reads a record and adds it up. A last line without its end was not written to its end, and is left out.
///
/// # Errors
/// When a line cannot be read; the first one.
pub fn replay(text: &str) -> Result<Contest, RecordError> {
    let mut contest = None;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    for (at, line) in whole.lines().enumerate() {
        let line: Line = serde_json::from_str(line).map_err(|error| RecordError::Line(at + 1, error))?;
        match (&mut contest, line) {
            (None, Line::Contest { version: VERSION, rules, .. }) => {
                rules.check()?;
                contest = Some(Contest::new(&rules));
            }
            (None, Line::Contest { version, .. }) => return Err(RecordError::Version(version)),
            (None, _) | (Some(_), Line::Contest { .. }) => return Err(RecordError::Order(at + 1)),
            (Some(contest), line) => contest.apply(line),
        }
    }
    contest.ok_or(RecordError::Order(1))
}
