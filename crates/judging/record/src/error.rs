//! Why a record cannot be used.

use crate::chain::begins_a_line;
use documents::Document;
use std::io;

/// A record cannot be written, continued or verified. `file` is as the user named it; lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("cannot open the record {file}")]
    Open { file: String, source: io::Error },
    #[error("cannot read line {line} of the record {file}")]
    Read { file: String, line: u64, source: io::Error },
    /// A line cannot be written; the file is as long as before.
    #[error("cannot write line {line} of the record {file}")]
    Write { file: String, line: u64, source: io::Error },
    /// The incomplete line that a crash left cannot be removed.
    #[error("cannot shorten the record {file}")]
    Shorten { file: String, source: io::Error },
    #[error("another process is writing the record {file}")]
    Locked { file: String },
    #[error("{file} is not a record of this version that can be continued: {why}")]
    NotContinued {
        file: String,
        /// What is there, and in which line.
        why: String,
    },
    #[error("{file} is empty; a record begins with a line of 'tauto judge --record'")]
    Empty { file: String },
    #[error("{file} is not a record of 'tauto judge --record': its first line is not {expected}")]
    NotARecord { file: String, expected: &'static str },
    #[error("{file} is a record of another version: its first line is {found}, expected {expected}")]
    OtherVersion { file: String, found: String, expected: &'static str },
    #[error("line {line} of the record {file} is damaged")]
    Damaged { file: String, line: u64, source: documents::ReadError },
    #[error("line {line} of the record {file} belongs to no judging: the line that begins it is absent")]
    NoBegin { file: String, line: u64 },
    #[error("{file}, line {line}: it was judged by rule {version}, this tauto knows rule {known}")]
    UnknownRule {
        file: String,
        line: u64,
        version: u32,
        /// The versions that are known, in words.
        known: String,
    },
}

impl RecordError {
    /// Returns the error for a line that cannot be read, or for the whole file if it is the first line.
    pub(crate) fn of_line(file: &str, line: u64, bytes: &[u8], source: documents::ReadError) -> Self {
        let expected = documents::RecordLine::SCHEMA;
        let file = file.to_owned();
        match source {
            documents::ReadError::Schema { found, .. }
                if line == 1 && found.starts_with("tautochrone/judge-record/") =>
            {
                Self::OtherVersion { file, found, expected }
            }
            _ if line == 1 && !begins_a_line(bytes) => Self::NotARecord { file, expected },
            source => Self::Damaged { file, line, source },
        }
    }

    pub fn hint(&self) -> &'static str {
        match self {
            Self::Open { .. } => "name a file that may be read and written, in a folder that exists",
            Self::Read { .. } => {
                "look at its disk, or name a file that --record wrote; what stands before that line can be read"
            }
            Self::Write { .. } | Self::Shorten { .. } => {
                "make room on its disk, or look at it; every line before is whole, and the record can be continued"
            }
            Self::Locked { .. } => "wait for it, or name another file",
            Self::NotContinued { .. } => "name another file",
            Self::Empty { .. } | Self::NotARecord { .. } => "name a file that --record wrote",
            Self::OtherVersion { .. } => {
                "verify it with a tauto of that version; version 1 had nothing that could be verified"
            }
            Self::Damaged { .. } | Self::NoBegin { .. } => {
                "'tauto judge --verify' lists all that does not hold"
            }
            Self::UnknownRule { .. } => "verify it with a tauto that knows that rule",
        }
    }

    /// Returns whether the cause is the file that the user named, and not the machine or tauto itself.
    pub fn is_of_input(&self) -> bool {
        !matches!(self, Self::Write { .. } | Self::Shorten { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_names_the_file_and_the_fix() {
        let file = || "r.jsonl".to_owned();
        let source = || io::Error::from(io::ErrorKind::PermissionDenied);
        let unread = || documents::from_json::<documents::RecordLine>("{").unwrap_err();
        let all = [
            RecordError::Open { file: file(), source: source() },
            RecordError::Read { file: file(), line: 7, source: source() },
            RecordError::Write { file: file(), line: 7, source: source() },
            RecordError::Shorten { file: file(), source: source() },
            RecordError::Locked { file: file() },
            RecordError::NotContinued { file: file(), why: "it is not a regular file".to_owned() },
            RecordError::Empty { file: file() },
            RecordError::NotARecord { file: file(), expected: documents::RecordLine::SCHEMA },
            RecordError::of_line("r.jsonl", 1, b"notes", unread()),
            RecordError::of_line("r.jsonl", 7, b"notes", unread()),
            RecordError::NoBegin { file: file(), line: 7 },
            RecordError::UnknownRule { file: file(), line: 7, version: 9, known: "5 and 6".to_owned() },
        ];
        let words = all.map(|error| format!("{error}\n    {}\n", error.hint())).concat();
        insta::assert_snapshot!(words, @r"
        cannot open the record r.jsonl
            name a file that may be read and written, in a folder that exists
        cannot read line 7 of the record r.jsonl
            look at its disk, or name a file that --record wrote; what stands before that line can be read
        cannot write line 7 of the record r.jsonl
            make room on its disk, or look at it; every line before is whole, and the record can be continued
        cannot shorten the record r.jsonl
            make room on its disk, or look at it; every line before is whole, and the record can be continued
        another process is writing the record r.jsonl
            wait for it, or name another file
        r.jsonl is not a record of this version that can be continued: it is not a regular file
            name another file
        r.jsonl is empty; a record begins with a line of 'tauto judge --record'
            name a file that --record wrote
        r.jsonl is not a record of 'tauto judge --record': its first line is not tautochrone/judge-record/2
            name a file that --record wrote
        r.jsonl is not a record of 'tauto judge --record': its first line is not tautochrone/judge-record/2
            name a file that --record wrote
        line 7 of the record r.jsonl is damaged
            'tauto judge --verify' lists all that does not hold
        line 7 of the record r.jsonl belongs to no judging: the line that begins it is absent
            'tauto judge --verify' lists all that does not hold
        r.jsonl, line 7: it was judged by rule 9, this tauto knows rule 5 and 6
            verify it with a tauto that knows that rule
        ");
    }
}
