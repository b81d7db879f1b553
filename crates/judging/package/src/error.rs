//! Errors and warnings about a package, worded so that its author can fix them.

use std::fmt;
use std::path::PathBuf;

/// A place in a package: a file, and a line and a field if known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The file's path relative to the package.
    pub file: String,
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// The field, such as `limits.memory`.
    pub field: Option<String>,
}

/// The reason why a package cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried, such as `read`.
        action: &'static str,
        /// The path as it was opened.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A part of the package violates its format.
    #[error("{place}: {problem}; {remedy}")]
    Invalid {
        /// The place.
        place: Location,
        /// What was found and what was expected.
        problem: String,
        /// How to fix it.
        remedy: String,
    },
    /// The caller requested a stop.
    #[error("{} is not read: interrupted", package.display())]
    Stopped {
        /// The archive or folder.
        package: PathBuf,
    },
    /// An archive could not be unpacked, or must not be.
    #[error("{archive}: entry '{entry}' {problem}; {remedy}")]
    Archive {
        /// The archive's file name.
        archive: String,
        /// The entry; empty if the archive as a whole is meant.
        entry: String,
        /// What was found and what was expected.
        problem: String,
        /// How to fix it.
        remedy: String,
    },
}

/// Something unusual that does not stop the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The format forbids it, but its meaning is clear, so it was read.
    pub is_leniency: bool,
    /// It makes right submissions wrong, or the package claims a format that forbids it: such a package is not verified.
    pub is_mistake: bool,
    /// The place.
    pub place: Location,
    /// What was found and what was expected.
    pub problem: String,
    /// How to fix it.
    pub remedy: String,
}

impl Location {
    /// Names a file.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), line: None, field: None }
    }

    /// Names a line of the file.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = (line > 0).then_some(line);
        self
    }

    /// Names a field of the file.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into()).filter(|field| !field.is_empty());
        self
    }

    /// Makes the error for this place.
    pub(crate) fn invalid(self, problem: impl Into<String>, remedy: impl Into<String>) -> PackageError {
        PackageError::Invalid { place: self, problem: problem.into(), remedy: remedy.into() }
    }

    /// Makes the warning for this place.
    pub(crate) fn warning(self, problem: impl Into<String>, remedy: impl Into<String>) -> Warning {
        Warning {
            is_leniency: false,
            is_mistake: false,
            place: self,
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// Makes the warning for something that the format forbids here but that is still read.
    pub(crate) fn leniency(self, problem: impl Into<String>, remedy: impl Into<String>) -> Warning {
        Warning { is_leniency: true, ..self.warning(problem, remedy) }
    }

    /// Makes the warning for something that makes right submissions wrong.
    pub(crate) fn mistake(self, problem: impl Into<String>, remedy: impl Into<String>) -> Warning {
        Warning { is_mistake: true, ..self.warning(problem, remedy) }
    }
}

/// Prints `problem.yaml:3: limits.memory`.
impl fmt::Display for Location {
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

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.problem, self.remedy)
    }
}
