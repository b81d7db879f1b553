//! Why a trace cannot be read or written.

use super::check::{LINE_BYTES_MAX, Wrong};
use located::{FileLocation, Finding};
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
    #[error("line {line}: is longer than {LINE_BYTES_MAX} bytes; give the job fewer changes of its use")]
    TooLong {
        /// The line, from 1.
        line: u64,
    },
    /// A line or a field is not what it should be.
    #[error("{}: {}", place(.0), .0.message)]
    Wrong(Finding),
    #[error(
        "line {line}: the trace is torn, since it ends without {{\"end\":N}} after {records} records; copy or make it \
         again"
    )]
    Torn {
        /// The line in which it ends, from 1.
        line: u64,
        records: u64,
    },
}

impl TraceError {
    pub(super) fn at(line: u64, Wrong { field, message }: Wrong) -> Self {
        let place = FileLocation::default().line(line).field(field.unwrap_or_default());
        Self::Wrong(Finding { place, message, is_warning: false })
    }
}

fn place(finding: &Finding) -> String {
    let FileLocation { line, field, .. } = &finding.place;
    let field = field.as_ref().map(|field| format!(": {field}"));
    format!("line {}{}", line.unwrap_or_default(), field.unwrap_or_default())
}
