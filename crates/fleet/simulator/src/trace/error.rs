//! Why a trace cannot be read or written.

use super::VERSION;
use super::check::{LINE_BYTES_MAX, Wrong};
use std::io;

/// A trace cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The reader that the caller gave failed.
    #[error("line {line}: cannot be read")]
    Read {
        /// The line, from 1.
        line: u64,
        source: io::Error,
    },
    /// The writer that the caller gave failed.
    #[error("line {line}: cannot be written")]
    Write {
        /// The line, from 1.
        line: u64,
        source: io::Error,
    },
    /// It is something else.
    #[error(
        "this is no trace: it begins with '{begin}'; a trace's first line is {{\"trace\":1,...}}; `tauto sim import` \
         makes one"
    )]
    NotATrace { begin: String },
    #[error(
        "line 1, field 'trace': '{found}' is a version that this tauto does not read; expected {VERSION}; use another tauto"
    )]
    Version { found: u64 },
    #[error("line {line}: is longer than {LINE_BYTES_MAX} bytes; give the job fewer changes of its use")]
    TooLong {
        /// The line, from 1.
        line: u64,
    },
    /// A line is not a record.
    #[error("line {line}: {message}")]
    Line {
        /// The line, from 1.
        line: u64,
        /// What it is, and what was expected.
        message: String,
    },
    /// A field is not what it should be.
    #[error("line {line}, field '{field}': {message}")]
    Field {
        /// The line, from 1.
        line: u64,
        field: String,
        /// What was found, and what was expected.
        message: String,
    },
    /// Its end is missing.
    #[error(
        "line {line}: the trace is torn, since it ends without {{\"end\":N}} after {records} records; copy or make it \
         again"
    )]
    Torn {
        /// The line in which it ends, from 1.
        line: u64,
        records: u64,
    },
    #[error(
        "line {line}, field 'end': '{said}' is not the number of records before it, which is {came}; lines were lost or added; \
         copy or make the trace again"
    )]
    Count {
        /// The line, from 1.
        line: u64,
        /// How many there should be.
        said: u64,
        came: u64,
    },
    /// Something stands after the last line.
    #[error("line {line}: stands after the end of the trace; remove it, or the {{\"end\":N}} before it")]
    AfterEnd {
        /// The line, from 1.
        line: u64,
    },
}

impl TraceError {
    pub(super) fn at(line: u64, Wrong { field, message }: Wrong) -> Self {
        match field {
            Some(field) => Self::Field { line, field, message },
            None => Self::Line { line, message },
        }
    }
}
