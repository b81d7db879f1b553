//! A failed command as one sentence, with a hint and an exit code.

mod hints;

pub use hints::{near, of_missing};

use crate::interrupt::Interrupted;
use crate::prose::{error_columns, unbroken, wrap};
use crate::{OutputError, Standard, print, visible};
use hints::{of_place, of_system};
use model::without_error_numbers;
use std::error::Error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

/// The answer is no.
pub const NO: u8 = 1;
/// Wrong usage or input.
pub const USAGE: u8 = 2;
/// An internal failure, or a failure of the machine.
pub const OURS: u8 = 3;
/// The reader of the output closed the pipe, which ends most programs: 128 plus the number of SIGPIPE.
const NOT_READ: u8 = 128 + 13;

/// The user requested something impossible.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct InputError {
    message: String,
    hint: Option<String>,
    /// The file that could not be used.
    path: Option<PathBuf>,
}

/// The command worked, and the answer is no.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct NegativeAnswer {
    /// What does not hold.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
}

/// A failed command, ready to be reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What is wrong.
    pub message: String,
    causes: Vec<String>,
    /// How to fix it.
    pub hint: Option<String>,
    /// Which exit code says so.
    pub exit_code: u8,
}

/// Sets exit code and hint by an error of a crate that this one does not know, and returns whether it is one.
pub type Meaning = fn(&mut Failure, &(dyn Error + 'static)) -> bool;

/// What the program's own crates know about their errors.
static MEANINGS: OnceLock<&'static [Meaning]> = OnceLock::new();

/// Sets once, before any failure, who knows what errors mean for the user.
pub fn know(meanings: &'static [Meaning]) {
    // Tests of one process set the same ones again.
    let _ = MEANINGS.set(meanings);
}

/// Makes the error for wrong input.
pub fn input(message: impl Into<String>) -> anyhow::Error {
    because(message).into()
}

/// Makes the error for wrong input, with a hint.
pub fn input_with_hint(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    InputError { hint: Some(hint.into()), ..because(message) }.into()
}

/// Makes the context of an error that the input caused.
pub fn because(message: impl Into<String>) -> InputError {
    InputError { message: message.into(), hint: None, path: None }
}

/// Makes the context of an error with a file that the input names: `action` is what was tried, such as `read`.
pub fn cannot(action: &str, path: &Path) -> InputError {
    InputError { path: Some(path.to_owned()), ..because(format!("cannot {action} {}", path.display())) }
}

impl Failure {
    /// Finds out the meaning of an error for the user.
    pub fn of(error: &anyhow::Error) -> Self {
        let words = |error: &dyn std::fmt::Display| without_error_numbers(&error.to_string());
        let mut failure = Self { message: words(error), causes: Vec::new(), hint: None, exit_code: OURS };
        for cause in error.chain().skip(1) {
            let text = words(&cause);
            // Some errors already contain their cause.
            let last = failure.causes.last().unwrap_or(&failure.message);
            if !last.contains(&text) {
                failure.causes.push(text);
            }
        }
        for cause in error.chain() {
            failure.classify(cause);
        }
        // As a context of another error it is not itself part of the chain.
        if let Some(InputError { hint, path, .. }) = error.downcast_ref() {
            failure.exit_code = USAGE;
            let of_file =
                || of_place(path.as_deref()?, error.chain().find_map(|cause| cause.downcast_ref())?);
            failure.hint = hint.clone().or_else(of_file).or(failure.hint);
        }
        failure
    }

    fn classify(&mut self, cause: &(dyn Error + 'static)) {
        let meanings = MEANINGS.get().copied().unwrap_or_default();
        if let Some(interrupted) = cause.downcast_ref::<Interrupted>() {
            self.exit_code = interrupted.exit_code();
        } else if let Some(NegativeAnswer { hint, .. }) = cause.downcast_ref() {
            self.exit_code = NO;
            self.hint.clone_from(hint);
        } else if let Some(error) = cause.downcast_ref::<OutputError>() {
            self.classify_output(error);
        } else if !meanings.iter().any(|meaning| meaning(self, cause))
            && self.hint.is_none()
            && let Some(error) = cause.downcast_ref::<std::io::Error>()
        {
            self.hint = of_system(error);
        }
    }

    fn classify_output(&mut self, error: &OutputError) {
        match error {
            OutputError::Closed(_) => {
                self.hint = Some("give it a file, or /dev/null to discard the output".to_owned());
            }
            OutputError::Write { source, .. } if source.kind() == ErrorKind::BrokenPipe => {
                self.exit_code = NOT_READ;
            }
            OutputError::Write { .. } => {}
        }
    }

    pub fn report(&self) -> documents::ErrorReport {
        let mut report = documents::ErrorReport::new(self.message.as_str());
        report.causes.clone_from(&self.causes);
        report.hint.clone_from(&self.hint);
        report
    }

    /// Describes the failure in one sentence.
    pub fn reason(&self) -> String {
        let causes = self.causes.iter().map(String::as_str);
        std::iter::once(self.message.as_str()).chain(causes).collect::<Vec<_>>().join(": ")
    }

    /// Describes it for standard error.
    pub fn words(&self) -> String {
        let reason = visible(&shortened(&self.reason()));
        // Lines of other programs, such as a compiler, stay as they are.
        let mut text = if reason.contains('\n') {
            format!("error: {reason}\n")
        } else {
            wrap("error: ", 2, &reason, error_columns())
        };
        if let Some(hint) = &self.hint {
            let is_command = ["apt-get ", "tauto "].iter().any(|program| hint.starts_with(program));
            let hint = if is_command { unbroken(hint) } else { hint.clone() };
            text.push_str(&wrap("hint: ", 2, &visible(&hint), error_columns()));
        }
        text
    }

    /// Returns whether the reader of the output, such as `head`, has closed the pipe: then nothing more is printed.
    pub fn is_quiet(&self) -> bool {
        self.exit_code == NOT_READ
    }

    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit_code)
    }

    /// Prints it in words, and with `json` also as a document on standard output.
    pub fn print(&self, json: bool) -> ExitCode {
        if self.is_quiet() {
            return self.exit_code();
        }
        if json {
            print_document(&self.report());
        }
        // If standard error is closed, the failure cannot be reported.
        let _ = Standard::error().write(&self.words());
        self.exit_code()
    }
}

fn print_document(report: &documents::ErrorReport) {
    // Standard error has it as well, so nothing is lost if standard output is closed.
    let _ = print(&documents::to_json(report));
}

/// Shortens long texts, such as the output of a build with many errors.
fn shortened(text: &str) -> String {
    /// A compiler prints the most important lines first.
    const LINES_MAX: usize = 40;
    /// Enough to fill a terminal of the usual size twice.
    const CHARACTERS_MAX: usize = 8000;
    let lines = text.lines().count();
    let mut short: String =
        text.lines().take(LINES_MAX).collect::<Vec<_>>().join("\n").chars().take(CHARACTERS_MAX).collect();
    if lines > LINES_MAX {
        short.push_str(&format!("\n({} more lines)", lines - LINES_MAX));
    } else if short.len() < text.trim_end().len() {
        short.push_str(" ...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn the_input_is_to_blame_whatever_was_tried_with_it() {
        let result: anyhow::Result<()> = Err(input_with_hint("no such test", "see the list"));
        let failure = Failure::of(&result.context("cannot judge").unwrap_err());
        assert_eq!((failure.exit_code, failure.hint.as_deref()), (USAGE, Some("see the list")));
        let result: Result<(), _> = Err(std::io::Error::from(ErrorKind::NotFound));
        let failure = Failure::of(&result.with_context(|| because("cannot open x")).unwrap_err());
        assert_eq!(failure.exit_code, USAGE);
        assert_eq!(failure.words(), "error: cannot open x: entity not found\n");
    }

    #[test]
    fn a_file_that_cannot_be_used_has_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("solution.py"), "").unwrap();
        let hint = |name: &str, kind: ErrorKind| {
            let path = folder.path().join(name);
            let failed: Result<(), _> = Err(std::io::Error::from(kind));
            Failure::of(&failed.with_context(|| cannot("read", &path)).unwrap_err()).hint.unwrap()
        };
        let here = folder.path().display();
        assert_eq!(hint("soluton.py", ErrorKind::NotFound), format!("did you mean {here}/solution.py?"));
        assert_eq!(hint("teams.yaml", ErrorKind::NotFound), format!("there is no such file in {here}"));
        assert_eq!(hint("none/teams.yaml", ErrorKind::NotFound), format!("there is no folder {here}/none"));
        assert_eq!(hint("a", ErrorKind::IsADirectory), "name a file, not a folder");
    }

    #[test]
    fn near_names_are_found_by_their_end_too() {
        let known = ["sample/1", "secret/01-small", "secret/02-large"];
        assert_eq!(near("02-lrge", known), ["secret/02-large"]);
        assert_eq!(near("zzz", known), [""; 0]);
    }
}
