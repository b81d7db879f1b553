//! What is imported, and what is wrong with it.

use super::super::TraceError;
use located::{FileLocation, Finding};
use std::io;

/// A source.
#[derive(Debug)]
pub struct Input<R> {
    /// What messages call it: its path.
    pub name: String,
    pub reader: R,
}

/// A source cannot be made a trace.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The reader that the caller gave failed.
    #[error("{file}:{line}: cannot be read")]
    Read {
        /// The source.
        file: String,
        /// The line, from 1.
        line: u64,
        source: io::Error,
    },
    /// A file, a line or a field is not what it should be.
    #[error("{0}")]
    Wrong(Finding),
    #[error("option '{option}': {message}")]
    Option {
        option: &'static str,
        /// What was found, and what was expected.
        message: String,
    },
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl ImportError {
    pub(super) fn at(place: FileLocation, message: impl Into<String>) -> Self {
        Self::Wrong(Finding { place, message: message.into(), is_warning: false })
    }
}
