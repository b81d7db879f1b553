//! Errors and warnings about a package, worded so that its author can fix them.

use located::{FileLocation, Wrong};
use std::cell::RefCell;
use std::fmt;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried, such as `read`.
        action: &'static str,
        /// The path as it was opened.
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(transparent)]
    Invalid(#[from] Wrong),
    #[error("{} is not read: interrupted", package.display())]
    Stopped { package: PathBuf },
}

/// Something unusual that does not stop the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The format forbids it, but its meaning is clear, so it was read.
    pub is_leniency: bool,
    /// It makes right submissions wrong, or the package claims a format that forbids it: such a package is not verified.
    pub is_mistake: bool,
    pub wrong: Wrong,
}

/// Collects the warnings while a package is read.
#[derive(Debug, Default)]
pub(crate) struct Warnings(RefCell<Vec<Warning>>);

impl Warnings {
    pub(crate) fn push(&self, warning: Warning) {
        self.0.borrow_mut().push(warning);
    }

    pub(crate) fn extend(&self, warnings: impl IntoIterator<Item = Warning>) {
        self.0.borrow_mut().extend(warnings);
    }

    /// Returns the warnings so far, which are no longer here afterwards.
    pub(crate) fn take(&self) -> Vec<Warning> {
        self.0.take()
    }
}

/// Errors and warnings at a place of a package.
pub(crate) trait Complaint: Into<FileLocation> {
    fn invalid(self, problem: impl Into<String>, remedy: impl Into<String>) -> PackageError {
        self.into().wrong(problem, remedy).into()
    }

    fn warning(self, problem: impl Into<String>, remedy: impl Into<String>) -> Warning {
        Warning { is_leniency: false, is_mistake: false, wrong: self.into().wrong(problem, remedy) }
    }

    /// Makes the warning for something that the format forbids here but that is still read.
    fn leniency(self, problem: impl Into<String>, remedy: impl Into<String>) -> Warning {
        Warning { is_leniency: true, ..self.warning(problem, remedy) }
    }

    /// Makes the warning for something that makes right submissions wrong.
    fn mistake(self, problem: impl Into<String>, remedy: impl Into<String>) -> Warning {
        Warning { is_mistake: true, ..self.warning(problem, remedy) }
    }
}

impl Complaint for FileLocation {}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wrong.fmt(f)
    }
}
