//! What is imported, and what is wrong with it.

use super::super::TraceError;
use std::io;

/// A source.
#[derive(Debug)]
pub struct Input<R> {
    /// What messages call it: its path.
    pub name: String,
    /// What is in it.
    pub reader: R,
}

/// A source cannot be made a trace.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The reader that the caller gave failed.
    #[error("{file}, line {line}: cannot be read")]
    Read {
        /// The source.
        file: String,
        /// The line, from 1.
        line: u64,
        source: io::Error,
    },
    /// A field is not what it should be.
    #[error("{file}, line {line}, field '{field}': {message}")]
    Field {
        /// The source.
        file: String,
        /// The line, from 1.
        line: u64,
        field: String,
        /// What was found, and what was expected.
        message: String,
    },
    /// A line is not what it should be.
    #[error("{file}, line {line}: {message}")]
    Line {
        /// The source.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What was found, and what was expected.
        message: String,
    },
    /// A file is not what it should be.
    #[error("{file}: {message}")]
    File {
        /// The source.
        file: String,
        /// What was found, and what was expected.
        message: String,
    },
    #[error("option '{option}': {message}")]
    Option {
        option: &'static str,
        /// What was found, and what was expected.
        message: String,
    },
    #[error(transparent)]
    Trace(#[from] TraceError),
}
