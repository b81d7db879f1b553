//! A failed command as one sentence, with a hint and an exit code.

mod hints;

pub use hints::near;

use crate::arguments::Arguments;
use crate::client::ClientError;
use crate::interrupt::Interrupted;
use crate::output::prose::{error_columns, unbroken, wrap};
use crate::output::{Colour, OutputError, Standard, print, visible};
use clap::CommandFactory;
use cpus::LeaseError;
use cpus::tune::TuneError;
use hints::{exec_hint, hint_of_limit};
use judge::{JudgeError, Whose};
use labs::exchange::ExchangeError;
use model::without_error_numbers;
use package::{PackageError, language::LanguageError};
use record::RecordError;
use rustix::io::Errno;
use sandbox::SandboxError;
use std::error::Error;
use std::io::ErrorKind;
use std::process::ExitCode;
use timing::PlaceError;

/// The answer is no.
const NO: u8 = 1;
/// Wrong usage or input.
pub const USAGE: u8 = 2;
/// An internal failure, or a failure of the machine.
const OURS: u8 = 3;
/// The reader of the output closed the pipe, which ends most programs: 128 plus the number of SIGPIPE.
const NOT_READ: u8 = 128 + 13;

/// The hint if others have the CPUs.
const TAKEN_HINT: &str = "--wait queues for them, --wait=TIME for so long at most; judge, run, bench, noise \
                          probe and noise check also have --shared, which times on a CPU that others use and says so";

/// The user requested something impossible.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct InputError {
    message: String,
    hint: Option<String>,
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
    message: String,
    causes: Vec<String>,
    hint: Option<String>,
    exit_code: u8,
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
    InputError { message: message.into(), hint: None }
}

/// Prints clap's message: help, the version, or the error in the arguments.
pub fn tell_usage(error: &clap::Error) -> ExitCode {
    // Clap could not parse the arguments, so search for it; what follows `--` belongs to another command.
    let json =
        std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json");
    let rendered = error.render();
    if !error.use_stderr() {
        let text = match Colour::for_stdout() {
            Colour::On => rendered.ansi().to_string(),
            Colour::Off => rendered.to_string(),
        };
        return match print(&text) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => Failure::of(&error.into()).tell(json),
        };
    }
    if json {
        let rendered = rendered.to_string();
        let message = rendered.lines().next().unwrap_or_default();
        let report = documents::ErrorReport::new(message.strip_prefix("error: ").unwrap_or(message));
        print_document(&report.with_hint("see 'tauto --help'"));
    }
    let mut text = visible(&rendered.to_string());
    if let Some(hint) = separator_hint() {
        text.push_str(&hint);
    }
    // If standard error is closed, the failure cannot be reported.
    let _ = Standard::error().write(&text);
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE))
}

/// Returns where `--` belongs, if there is a command without it.
fn separator_hint() -> Option<String> {
    let arguments: Vec<String> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let [_, command, first, ..] = arguments.as_slice() else { return None };
    let takes_one = command == "run" || command == "bench";
    let is_hint = takes_one && !first.starts_with('-') && !arguments.iter().any(|argument| argument == "--");
    let rest = arguments[2..].join(" ");
    is_hint.then(|| visible(&format!("\nhint: put -- before the command: tauto {command} -- {rest}\n")))
}

/// Returns whether reading or unpacking failed for lack of a resource that another package would need as well.
fn is_for_want(error: &PackageError) -> bool {
    let PackageError::Io { source, .. } = error else { return false };
    matches!(source.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::OutOfMemory)
        || [Errno::MFILE, Errno::NFILE].iter().any(|want| source.raw_os_error() == Some(want.raw_os_error()))
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
        if let Some(InputError { hint, .. }) = error.downcast_ref() {
            failure.exit_code = USAGE;
            failure.hint.clone_from(hint);
        }
        failure
    }

    fn classify(&mut self, cause: &(dyn Error + 'static)) {
        if let Some(interrupted) = cause.downcast_ref::<Interrupted>() {
            self.exit_code = interrupted.exit_code();
        } else if let Some(NegativeAnswer { hint, .. }) = cause.downcast_ref() {
            self.exit_code = NO;
            self.hint.clone_from(hint);
        } else if let Some(error) = cause.downcast_ref::<OutputError>() {
            self.classify_output(error);
        } else if let Some(error) = cause.downcast_ref::<PackageError>() {
            self.exit_code = if is_for_want(error) { OURS } else { USAGE };
        } else if let Some(error) = cause.downcast_ref::<ClientError>() {
            self.exit_code = if error.is_of_input() { USAGE } else { OURS };
            self.hint = error.hint();
        } else if let Some(error) = cause.downcast_ref::<LanguageError>() {
            self.exit_code = USAGE;
            self.hint = error.hint();
        } else if let Some(error) = cause.downcast_ref::<RecordError>() {
            self.exit_code = if error.is_of_input() { USAGE } else { OURS };
            self.hint = Some(error.hint().to_owned());
        } else if let Some(error) = cause.downcast_ref::<LeaseError>() {
            self.exit_code = if matches!(error, LeaseError::TooMany { .. }) { USAGE } else { OURS };
            self.hint = match error {
                error if error.is_taken() => Some(TAKEN_HINT.to_owned()),
                LeaseError::NoFit(no_fit, _) => Some(no_fit.remedy()),
                LeaseError::Registry { source, .. } if source.kind() == ErrorKind::PermissionDenied => Some(
                    "all who lease CPUs of this machine write there, and it is root's: use sudo".to_owned(),
                ),
                _ => None,
            };
        } else if let Some(error) = cause.downcast_ref::<PlaceError>() {
            match error {
                PlaceError::NotAllowed { .. } => self.exit_code = USAGE,
                error if error.is_taken() => self.hint = Some(TAKEN_HINT.to_owned()),
                _ => {}
            }
        } else if let Some(error) = cause.downcast_ref::<TuneError>() {
            self.classify_tune(error);
        } else if cause.is::<system::settings::AimError>() {
            self.exit_code = USAGE;
        } else if let Some(error) = cause.downcast_ref::<SandboxError>() {
            self.classify_sandbox(error);
        } else if let Some(error) = cause.downcast_ref::<ExchangeError>() {
            self.classify_exchange(error);
        } else if let Some(error) = cause.downcast_ref::<JudgeError>() {
            self.classify_judge(error);
        } else if let Some(error) = cause.downcast_ref::<statement::StatementError>() {
            self.exit_code = if error.is_of_input() { USAGE } else { OURS };
            self.hint = error.hint();
        } else if self.hint.is_none()
            && let Some(error) = cause.downcast_ref::<std::io::Error>()
        {
            self.hint = hint_of_limit(error);
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

    fn classify_sandbox(&mut self, error: &SandboxError) {
        match error {
            SandboxError::MissingRights(rights) => {
                self.message = format!("the sandbox needs root, or the capabilities {rights}");
                self.hint = error.hint();
            }
            SandboxError::Exec { program, source } => {
                self.exit_code = USAGE;
                self.hint = Some(exec_hint(program, source));
            }
            SandboxError::Plan { .. } => self.exit_code = USAGE,
            _ => self.hint = error.hint(),
        }
    }

    fn classify_tune(&mut self, error: &TuneError) {
        match error {
            TuneError::UnknownSetting { id } => {
                self.exit_code = USAGE;
                let near = near(id, system::settings::ids());
                self.hint = Some(match near.first() {
                    Some(id) => format!("did you mean {id}?"),
                    None => "'tauto machine check --json' lists the ids".to_owned(),
                });
            }
            TuneError::NotTunable { .. } => self.exit_code = USAGE,
            TuneError::Record { source, .. } if source.kind() == ErrorKind::PermissionDenied => {
                self.hint = Some("changing settings needs root: run it with sudo".to_owned());
            }
            TuneError::BadRecord { .. } => {
                self.hint = Some("the record is damaged; a reboot restores all settings".to_owned());
            }
            _ => {}
        }
    }

    fn classify_exchange(&mut self, error: &ExchangeError) {
        self.hint = match error {
            ExchangeError::Missing(_) | ExchangeError::Compile(_) => {
                Some("apt-get install openmpi-bin libopenmpi-dev".to_owned())
            }
            ExchangeError::TooLong(_) => {
                Some("fewer --iterations, or a machine that is less busy".to_owned())
            }
            _ => None,
        };
    }

    fn classify_judge(&mut self, error: &JudgeError) {
        match error {
            // If a program of the judge cannot be started, the user cannot fix that.
            JudgeError::Sandbox(SandboxError::Exec { .. }) => {}
            JudgeError::Sandbox(error) => self.classify_sandbox(error),
            JudgeError::MissingCompiler { language, missing, install } => {
                self.message = format!("{language} is not installed here ({} is absent)", missing.display());
                self.hint = Some(install.clone());
            }
            // The package is the input.
            error if error.whose() == Whose::Package => self.exit_code = USAGE,
            _ => {}
        }
    }

    /// Makes its document.
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

    /// Describes how to fix it.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
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

    /// Returns the exit code.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit_code)
    }

    /// Prints it in words, and with `json` also as a document on standard output.
    pub fn tell(&self, json: bool) -> ExitCode {
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

/// Returns the definitions of the arguments, for what is generated from them; those of a command are not there before it is
/// built.
pub fn definitions() -> clap::Command {
    Arguments::command()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn causes_are_joined_and_none_is_told_twice() {
        let inner = std::io::Error::from(ErrorKind::NotFound);
        let error =
            anyhow::Error::from(SandboxError::File { what: "open", path: "/x".into(), source: inner });
        assert_eq!(Failure::of(&error).words(), "error: cannot open /x: entity not found\n");
        let inner = std::io::Error::from(ErrorKind::NotFound);
        let error = anyhow::Error::from(SandboxError::Exec { program: "x".to_owned(), source: inner });
        let failure = Failure::of(&error);
        assert_eq!(failure.exit_code, USAGE);
        assert_eq!(
            failure.words(),
            "error: cannot execute 'x' in the sandbox: entity not found\n\
             hint: it is looked for in /usr/local/bin, /usr/bin and /bin; from the current folder it is ./x\n"
        );
    }

    #[test]
    fn a_program_that_the_sandbox_does_not_show_comes_with_what_to_do() {
        let hint = |program: &str| exec_hint(program, &ErrorKind::NotFound.into());
        assert!(
            hint("./no-such-program").starts_with("there is no such file here; "),
            "{}",
            hint("./no-such-program")
        );
        assert!(
            hint("./no-such-program").ends_with("'--mount PATH/no-such-program -- /box/no-such-program'")
        );
        assert!(hint("/proc/version").ends_with("'--mount /proc/version -- /box/version'"));
        assert!(hint("src/failure.rs").starts_with("the file is there, so the interpreter"));
        for outside in ["../lab/Cargo.toml", "src/../../lab/Cargo.toml"] {
            let told = hint(outside);
            assert!(
                told.contains("the current folder; go to its folder and run ./Cargo.toml, or mount it"),
                "{told}"
            );
            assert!(told.ends_with(&format!("'--mount {outside} -- /box/Cargo.toml'")), "{told}");
        }
        let busy = anyhow::Error::from(std::io::Error::from_raw_os_error(16)).context("cannot write x");
        assert_eq!(Failure::of(&busy).words(), "error: cannot write x: Device or resource busy\n");
    }

    #[test]
    fn what_is_missing_comes_with_what_mends_it() {
        let error = anyhow::Error::from(JudgeError::MissingCompiler {
            language: "Nim".to_owned(),
            missing: "/usr/bin/nim".into(),
            install: "apt-get install nim".to_owned(),
        });
        let failure = Failure::of(&error);
        assert_eq!(failure.report().hint.as_deref(), Some("apt-get install nim"));
        assert_eq!(failure.exit_code, OURS);
        let error = anyhow::Error::from(SandboxError::MissingRights("CAP_KILL".to_owned()));
        assert!(Failure::of(&error).words().contains("hint: run it with sudo"));
        let source = Errno::FBIG.into();
        let error =
            anyhow::Error::from(LeaseError::Registry { path: "/run/tauto/cpu-1.lock".into(), source });
        assert_eq!(
            Failure::of(&error).hint(),
            Some("start it without a limit on the size of files ('ulimit -H -f' shows it)")
        );
        let source = Errno::AGAIN.into();
        let error = anyhow::Error::from(SandboxError::StartHelper { path: "/proc/self/exe".into(), source });
        assert!(Failure::of(&error).words().contains("hint: a limit on processes is reached"));
    }

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
    fn what_the_machine_lacks_is_not_the_packages_fault() {
        let failed = |errno: Errno| {
            let error = PackageError::Io { action: "write", path: "/tmp/x".into(), source: errno.into() };
            Failure::of(&error.into()).exit_code
        };
        assert_eq!([Errno::NOSPC, Errno::MFILE, Errno::NFILE, Errno::NOMEM].map(failed), [OURS; 4]);
        assert_eq!([Errno::NOENT, Errno::ACCESS].map(failed), [USAGE; 2]);
    }

    #[test]
    fn near_names_are_found_by_their_end_too() {
        let known = ["sample/1", "secret/01-small", "secret/02-large"];
        assert_eq!(near("02-lrge", known), ["secret/02-large"]);
        assert_eq!(near("zzz", known), [""; 0]);
    }
}
