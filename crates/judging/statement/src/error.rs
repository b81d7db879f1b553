//! Why there is no statement.

use sandbox::SandboxError;
use std::path::PathBuf;
use std::{fmt, io};

/// Why a statement was not built.
#[derive(Debug, thiserror::Error)]
pub enum StatementError {
    /// The statement, or the template, has something wrong.
    #[error("{0}")]
    Fault(Fault),
    /// The package has no statement in the language.
    #[error("{package} has no statement in '{language}', but in: {present}")]
    NoLanguage {
        /// The package's name.
        package: String,
        /// The language that is wanted.
        language: String,
        /// Those that there are.
        present: String,
    },
    /// The package has no statement at all.
    #[error("{package} has no statement")]
    None {
        /// The package's name.
        package: String,
    },
    /// The statement is a PDF, of which no page is made.
    #[error("{file} is a PDF, which cannot be converted to HTML")]
    NoText {
        /// The statement, relative to the package.
        file: String,
    },
    /// A program is not installed.
    #[error("{program} is not installed, which statements need")]
    Missing {
        /// The program.
        program: &'static str,
        /// How to install it on Debian.
        install: &'static str,
    },
    /// A file cannot be read or written.
    #[error("cannot read or write {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The sandbox failed.
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

    /// Returns how to fix it.
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
