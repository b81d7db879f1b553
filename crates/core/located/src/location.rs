//! Places in files, and what is wrong there.

use crate::shorten;
use std::fmt;

/// A longer path is a mistake, such as a missing quote.
const FIELD_BYTES_MAX: usize = 200;

/// A place in a file, or in several files together.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileLocation {
    /// The file's name, or its path relative to the package; empty where the reader does not know it.
    pub file: String,
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// The field, such as `limits.memory` or `[3].group_ids`.
    pub field: Option<String>,
}

/// What is wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}; {remedy}")]
pub struct Wrong {
    pub place: FileLocation,
    /// What was found and what was expected.
    pub problem: String,
    pub remedy: String,
}

impl FileLocation {
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), line: None, field: None }
    }

    /// Names a line of the file; 0 is none.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = (line > 0).then_some(line);
        self
    }

    /// Names a field of the file; an empty name is all of it.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        let field = field.into();
        // Keys come from files.
        let is_shown = field.len() <= FIELD_BYTES_MAX && !field.contains(char::is_control);
        self.field =
            if is_shown { Some(field) } else { Some(shorten(&field)) }.filter(|field| !field.is_empty());
        self
    }

    /// Says what is wrong here, and how to fix it.
    pub fn wrong(self, problem: impl Into<String>, remedy: impl Into<String>) -> Wrong {
        Wrong { place: self, problem: problem.into(), remedy: remedy.into() }
    }
}

/// Prints `problem.yaml:3: limits.memory`.
impl fmt::Display for FileLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(field) = &self.field {
            write!(f, ": {field}")?;
        }
        Ok(())
    }
}
