//! What can be wrong with a package, told so that its author can mend it.

use std::fmt;
use std::path::PathBuf;

/// Where in a package something stands: a file, and a line and a field if they are known.
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
        /// Why the system refused.
        source: std::io::Error,
    },
    /// Something in the package is not as its format asks.
    #[error("{place}: {problem}; {remedy}")]
    Invalid {
        /// Where it stands.
        place: Location,
        /// What was found and what was expected.
        problem: String,
        /// How to fix it.
        remedy: String,
    },
    /// Whoever asked for the package wants it no more.
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
        /// The entry, or nothing if the archive as a whole is meant.
        entry: String,
        /// What was found and what was expected.
        problem: String,
        /// How to fix it.
        remedy: String,
    },
}

/// Something that is odd but does not stop the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The format forbids it, and it was read all the same because its meaning is plain.
    pub is_leniency: bool,
    /// Where it stands.
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

    /// Makes the error that says what is wrong here.
    pub(crate) fn invalid(self, problem: impl Into<String>, remedy: impl Into<String>) -> PackageError {
        PackageError::Invalid { place: self, problem: problem.into(), remedy: remedy.into() }
    }

    /// Makes the warning that says what is odd here.
    pub(crate) fn warning(self, problem: impl Into<String>, remedy: impl Into<String>) -> Warning {
        Warning { is_leniency: false, place: self, problem: problem.into(), remedy: remedy.into() }
    }

    /// Makes the warning that says what the format forbids here, although it is read.
    pub(crate) fn leniency(self, problem: impl Into<String>, remedy: impl Into<String>) -> Warning {
        Warning { is_leniency: true, ..self.warning(problem, remedy) }
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
