//! Why there is no statement.

use sandbox::SandboxError;
use std::path::PathBuf;
use std::{fmt, io};

/// Why a statement was not built.
#[derive(Debug, thiserror::Error)]
pub enum StatementError {
    #[error("{0}")]
    Fault(Fault),
    #[error("{package} has no statement in '{language}', but in: {present}")]
    NoLanguage { package: String, language: String, present: String },
    #[error("{package} has no statement")]
    None { package: String },
    #[error("{file} is a PDF, which cannot be converted to HTML")]
    NoText {
        /// The statement, relative to the package.
        file: String,
    },
    #[error("{program} is not installed, which statements need")]
    Missing { program: &'static str, install: &'static str },
    #[error("cannot read or write {}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

impl StatementError {
    /// Returns whether the package, the template or the wish is what has to change.
    pub fn is_of_input(&self) -> bool {
        match self {
            Self::Fault(_) | Self::NoLanguage { .. } | Self::None { .. } | Self::NoText { .. } => true,
            Self::Missing { .. } | Self::Io { .. } | Self::Sandbox(_) => false,
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { install, .. } => Some((*install).to_owned()),
            Self::NoText { .. } => Some("--pdf takes it as it is".to_owned()),
            _ => None,
        }
    }

    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}

impl From<Fault> for StatementError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Something wrong in a statement or a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, relative to the package.
    pub file: String,
    /// The line, counted from 1, if it is known.
    pub line: Option<usize>,
    /// What is wrong, as the rest of a sentence.
    pub problem: String,
}

impl Fault {
    pub(crate) fn of(file: impl Into<String>, line: Option<usize>, problem: impl Into<String>) -> Self {
        Self { file: file.into(), line, problem: problem.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.problem),
            None => write!(f, "{}: {}", self.file, self.problem),
        }
    }
}
