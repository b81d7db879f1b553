//! Why we could not judge.

use package::PackageError;
use package::language::LanguageError;
use sandbox::SandboxError;
use std::io;
use std::path::PathBuf;
use timing::PlaceError;

/// We failed; nothing is said about the submission.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The sandbox failed.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// There are no CPUs to time on.
    #[error("{0}")]
    Place(#[source] PlaceError),
    /// The package is not usable.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// A program of the package is in no usable language.
    #[error("{program} of the package cannot be built: {source}")]
    Program {
        /// Which program.
        program: String,
        /// Why.
        source: LanguageError,
    },
    /// A compiler or interpreter is not installed.
    #[error("{language} is not installed here ({missing} is absent); install it with: {install}")]
    MissingCompiler {
        /// The language's name.
        language: String,
        /// The first file that is absent.
        missing: PathBuf,
        /// The command that mends it.
        install: String,
    },
    /// A validator or checker of the package did not compile.
    #[error("{program} of the package does not compile:\n{output}")]
    DoesNotCompile {
        /// Which program.
        program: String,
        /// What its compiler said.
        output: String,
    },
    /// A validator, checker or interactor did not do its work.
    #[error("{program} on {case}: {reason}")]
    Validator {
        /// Which program.
        program: String,
        /// On which case.
        case: String,
        /// What it did, and what it said.
        reason: String,
    },
    /// The default validator's arguments are wrong.
    #[error("{case}: {reason}")]
    ValidatorArguments {
        /// On which case.
        case: String,
        /// What is wrong.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("cannot {what} {path}")]
    File {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The time limit cannot be derived.
    #[error("the time limit cannot be derived: {0}")]
    NoTimeLimit(String),
    /// It was cancelled.
    #[error("judging was cancelled")]
    Cancelled,
    /// A part of the judge did not answer; this is a defect of ours.
    #[error("judging went wrong: {0}; please report this")]
    Defect(String),
}

/// Whose an error is. A submission's own failure is never an error: it is a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The package's: whoever wrote it has to mend it.
    Package,
    /// A language's, which is not installed.
    Language,
    /// The machine's: rights, CPUs or room are missing.
    Machine,
    /// Ours: a defect.
    Ours,
    /// The caller's, who asked us to end.
    Caller,
}

impl From<PlaceError> for JudgeError {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Sandbox(error) => Self::Sandbox(error),
            error => Self::Place(error),
        }
    }
}

impl JudgeError {
    pub(crate) fn file(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { what, path, source }
    }

    /// Everything is to end.
    pub(crate) fn interrupted() -> Self {
        Self::Sandbox(SandboxError::Interrupted)
    }

    /// A thread of ours cannot be started.
    pub(crate) fn no_thread(source: io::Error) -> Self {
        Self::Sandbox(SandboxError::System { what: "start a thread", source })
    }

    /// Returns whose it is.
    pub fn whose(&self) -> Whose {
        match self {
            Self::Package(_)
            | Self::Program { .. }
            | Self::DoesNotCompile { .. }
            | Self::Validator { .. }
            | Self::ValidatorArguments { .. }
            | Self::NoTimeLimit(_) => Whose::Package,
            Self::MissingCompiler { .. } => Whose::Language,
            Self::Sandbox(SandboxError::Interrupted) | Self::Cancelled => Whose::Caller,
            Self::Sandbox(SandboxError::Protocol(_) | SandboxError::Plan { .. }) | Self::Defect(_) => {
                Whose::Ours
            }
            Self::Sandbox(_) | Self::Place(_) | Self::File { .. } => Whose::Machine,
        }
    }

    /// Returns whether someone asked us to stop.
    pub fn is_interruption(&self) -> bool {
        matches!(self, Self::Sandbox(SandboxError::Interrupted))
    }
}
