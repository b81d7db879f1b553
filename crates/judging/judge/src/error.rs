//! Internal failures of judging.

use languages::LanguageError;
use package::PackageError;
use sandbox::SandboxError;
use std::io;
use std::path::PathBuf;
use timing::PlaceError;

/// An internal failure; it is not a result of the submission.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("{0}")]
    Place(#[source] PlaceError),
    #[error(transparent)]
    Package(#[from] PackageError),
    #[error("{program} of the package cannot be built: {source}")]
    Program { program: String, source: LanguageError },
    #[error("{language} is not installed here ({missing} is absent); install it with: {install}")]
    MissingCompiler { language: String, missing: PathBuf, install: String },
    #[error("the program with a known count could not be counted: {0}")]
    Canary(String),
    #[error("{0}")]
    NotCounted(LanguageError),
    /// None of the paths that a language's definition names for its compiler is there.
    #[error(
        "{field}: none of {looked_for} is here; install {language} ({install}), or name where these files are"
    )]
    MissingTools {
        /// The file of the definition, or `builtin:ID`, and the field with its index.
        field: String,
        /// The patterns, of which one must match.
        looked_for: String,
        language: String,
        install: String,
    },
    /// A compiler's own tools need too much memory.
    #[error(
        "{file}: tools: they have more than {max} or {files_max} files; name fewer, or leave some out with 'tools_except'"
    )]
    LargeTools { file: String, max: model::Bytes, files_max: u32 },
    #[error("{program} of the package does not compile:\n{output}")]
    DoesNotCompile { program: String, output: String },
    #[error("{program} on {case}: {reason}")]
    Validator { program: String, case: String, reason: String },
    #[error("{case}: {reason}")]
    ValidatorArguments { case: String, reason: String },
    #[error("cannot {what} {path}")]
    File { what: &'static str, path: PathBuf, source: io::Error },
    #[error("the time limit cannot be derived: {0}")]
    NoTimeLimit(String),
    #[error("judging was cancelled")]
    Cancelled,
    /// A part of the judge did not answer; this is a bug of tauto.
    #[error("judging went wrong: {0}; please report this")]
    Bug(String),
}

/// Who is responsible for an error. A submission's own failure is never an error: it is a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Responsible {
    /// The package: its author has to fix it.
    Package,
    Language,
    /// The machine: permissions, CPUs or space are missing.
    Machine,
    /// tauto: a bug.
    Ours,
    /// The caller, who requested the end.
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

    /// Everything should stop.
    pub(crate) fn interrupted() -> Self {
        Self::Sandbox(SandboxError::Interrupted)
    }

    /// Makes the error for a thread that cannot be started.
    pub(crate) fn no_thread(source: io::Error) -> Self {
        Self::Sandbox(SandboxError::System { what: "start a thread", source })
    }

    /// Returns the part that has to be fixed.
    pub fn responsible(&self) -> Responsible {
        match self {
            Self::Package(_)
            | Self::Program { .. }
            | Self::DoesNotCompile { .. }
            | Self::Validator { .. }
            | Self::ValidatorArguments { .. }
            | Self::NoTimeLimit(_) => Responsible::Package,
            // Compilers and interpreters were looked for before; what remains is a program that a script of the package made.
            Self::Sandbox(SandboxError::Exec { program, .. }) if program.starts_with(sandbox::PROGRAM) => {
                Responsible::Package
            }
            Self::MissingCompiler { .. }
            | Self::NotCounted(_)
            | Self::MissingTools { .. }
            | Self::LargeTools { .. } => Responsible::Language,
            Self::Sandbox(SandboxError::Interrupted) | Self::Cancelled => Responsible::Caller,
            Self::Sandbox(SandboxError::Protocol(_) | SandboxError::Plan { .. }) | Self::Bug(_) => {
                Responsible::Ours
            }
            Self::Sandbox(_) | Self::Place(_) | Self::File { .. } | Self::Canary(_) => Responsible::Machine,
        }
    }

    /// Returns whether a run was lost with its place, which is made again before the next one.
    pub fn is_lost_place(&self) -> bool {
        matches!(self, Self::Sandbox(error) if error.is_lost_place())
    }

    /// Returns what to do about it, where the machine is the cause.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Sandbox(error) => error.hint(),
            _ => None,
        }
    }

    /// Returns whether the caller requested the end.
    pub fn is_interruption(&self) -> bool {
        matches!(self, Self::Sandbox(SandboxError::Interrupted))
    }
}
