//! What the errors of the crates below mean for the user.

use cpus::LeaseError;
use cpus::tune::TuneError;
use sandbox::SandboxError;
use std::error::Error;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use terminal::failure::{Failure, OURS, USAGE, near};
use timing::PlaceError;

const TAKEN_HINT: &str = "--wait queues for them, --wait=TIME for at most that time; judge, run, bench, noise \
                          probe and noise check also have --shared, which times on a CPU that others use and says so";

/// Sets exit code and hint by an error of the host's crates.
pub fn meaning(failure: &mut Failure, cause: &(dyn Error + 'static)) -> bool {
    if let Some(error) = cause.downcast_ref::<LeaseError>() {
        failure.exit_code = if matches!(error, LeaseError::TooMany { .. }) { USAGE } else { OURS };
        failure.hint = match error {
            error if error.is_taken() => Some(TAKEN_HINT.to_owned()),
            LeaseError::NoFit(no_fit, _) => Some(no_fit.remedy()),
            LeaseError::Registry { source, .. } if source.kind() == ErrorKind::PermissionDenied => {
                Some("every process that leases CPUs of this machine writes there, and it belongs to root: use sudo".to_owned())
            }
            _ => None,
        };
    } else if let Some(error) = cause.downcast_ref::<PlaceError>() {
        match error {
            PlaceError::NotAllowed { .. } => failure.exit_code = USAGE,
            error if error.is_taken() => failure.hint = Some(TAKEN_HINT.to_owned()),
            _ => {}
        }
    } else if let Some(error) = cause.downcast_ref::<TuneError>() {
        of_tune(failure, error);
    } else if cause.is::<settings::AimError>() {
        failure.exit_code = USAGE;
    } else if let Some(error) = cause.downcast_ref::<SandboxError>() {
        of_sandbox(failure, error);
    } else {
        return false;
    }
    true
}

/// As [`meaning`], by an error of the sandbox.
pub fn of_sandbox(failure: &mut Failure, error: &SandboxError) {
    match error {
        SandboxError::MissingRights(rights) => {
            failure.message = format!("the sandbox needs root, or the capabilities {rights}");
            failure.hint = error.hint();
        }
        SandboxError::Exec { program, source } => {
            failure.exit_code = USAGE;
            failure.hint = Some(exec_hint(program, source));
        }
        SandboxError::Plan { .. } => failure.exit_code = USAGE,
        _ => failure.hint = error.hint(),
    }
}

fn of_tune(failure: &mut Failure, error: &TuneError) {
    match error {
        TuneError::UnknownSetting { id } => {
            failure.exit_code = USAGE;
            let near = near(id, settings::ids());
            failure.hint = Some(match near.first() {
                Some(id) => format!("did you mean {id}?"),
                None => "'tauto machine check --json' lists the ids".to_owned(),
            });
        }
        TuneError::NotTunable { .. } => failure.exit_code = USAGE,
        TuneError::Record { source, .. } if source.kind() == ErrorKind::PermissionDenied => {
            failure.hint = Some("changing settings needs root: run it with sudo".to_owned());
        }
        TuneError::BadRecord { .. } => {
            failure.hint = Some("the record is damaged; a reboot restores all settings".to_owned());
        }
        _ => {}
    }
}

fn exec_hint(program: &str, source: &std::io::Error) -> String {
    match source.kind() {
        ErrorKind::NotFound if program.contains('/') => {
            let (path, shows) = (
                Path::new(program),
                "the sandbox shows the host's toolchains and, as /program, the current folder",
            );
            let name = path.file_name().unwrap_or_default().display();
            if path.exists() && (path.is_absolute() || is_outside(path)) {
                format!(
                    "{shows}; go to its folder and run ./{name}, or mount it: '--mount {program} -- /box/{name}'"
                )
            } else if path.exists() {
                "the file is there, so the interpreter in its '#!' line or a library is not: --mount shows more".to_owned()
            } else {
                format!(
                    "there is no such file here; {shows}, so go to the program's folder, or mount it: '--mount PATH/{name} -- /box/{name}'"
                )
            }
        }
        ErrorKind::NotFound if program.contains(' ') => {
            format!(
                "it is one word with blanks in it; without quotes the words are separate: tauto run -- {program}"
            )
        }
        ErrorKind::NotFound => {
            format!(
                "it is looked for in /usr/local/bin, /usr/bin and /bin; from the current folder it is ./{program}"
            )
        }
        ErrorKind::PermissionDenied if Path::new(program).is_dir() => {
            "it is a folder: name a program in it".to_owned()
        }
        ErrorKind::PermissionDenied if !is_executable(Path::new(program)) => format!(
            "it may not be executed: compile it if it is source code, name its interpreter as in 'tauto run -- sh {program}', or: chmod a+rx {program}"
        ),
        ErrorKind::PermissionDenied => {
            "the program runs as a separate user, so file and folder must be readable for all: chmod a+rx"
                .to_owned()
        }
        _ => "is it a program for this machine, or a script with a '#!' line?".to_owned(),
    }
}

/// Returns whether a file here may be executed by anybody; one that is not here is not judged.
fn is_executable(path: &Path) -> bool {
    path.metadata().map_or(true, |data| data.permissions().mode() & 0o111 != 0)
}

/// Returns whether a file is not in the current folder, or is a link that leads out of it.
fn is_outside(path: &Path) -> bool {
    let folder = std::env::current_dir().and_then(std::fs::canonicalize);
    match (folder, path.canonicalize()) {
        (Ok(folder), Ok(real)) => !real.starts_with(folder),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;

    fn failure(error: anyhow::Error) -> Failure {
        terminal::failure::know(&[meaning]);
        Failure::of(&error)
    }

    #[test]
    fn causes_are_joined_without_repeats() {
        let inner = std::io::Error::from(ErrorKind::NotFound);
        let error =
            anyhow::Error::from(SandboxError::File { what: "open", path: "/x".into(), source: inner });
        assert_eq!(failure(error).words(), "error: cannot open /x: entity not found\n");
        let inner = std::io::Error::from(ErrorKind::NotFound);
        let error = anyhow::Error::from(SandboxError::Exec { program: "x".to_owned(), source: inner });
        let failure = failure(error);
        assert_eq!(failure.exit_code, USAGE);
        assert_eq!(
            failure.words(),
            "error: cannot execute 'x' in the sandbox: entity not found\n\
             hint: it is looked for in /usr/local/bin, /usr/bin and /bin; from the current folder it is ./x\n"
        );
    }

    #[test]
    fn program_hidden_by_the_sandbox_has_a_hint() {
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
        assert!(hint("src/meaning.rs").starts_with("the file is there, so the interpreter"));
        for outside in ["../cgroup/Cargo.toml", "src/../../cgroup/Cargo.toml"] {
            let text = hint(outside);
            assert!(
                text.contains("the current folder; go to its folder and run ./Cargo.toml, or mount it"),
                "{text}"
            );
            assert!(text.ends_with(&format!("'--mount {outside} -- /box/Cargo.toml'")), "{text}");
        }
        let refused = |program: &str| exec_hint(program, &ErrorKind::PermissionDenied.into());
        assert!(refused("src").starts_with("it is a folder"));
        assert!(refused("./src/lib.rs").contains("tauto run -- sh ./src/lib.rs"));
        assert!(refused("/usr/bin/env").starts_with("the program runs as a separate user"));
        assert!(hint("ls -l").ends_with("tauto run -- ls -l"));
        let busy = anyhow::Error::from(std::io::Error::from_raw_os_error(16)).context("cannot write x");
        assert_eq!(failure(busy).words(), "error: cannot write x: Device or resource busy\n");
    }

    #[test]
    fn missing_requirements_have_a_hint() {
        let error = SandboxError::MissingRights("CAP_KILL".to_owned());
        assert!(failure(error.into()).words().contains("hint: run it with sudo"));
        let source = Errno::FBIG.into();
        let error = LeaseError::Registry { path: "/run/tauto/cpu-1.lock".into(), source };
        assert_eq!(
            failure(error.into()).hint.as_deref(),
            Some("start it without a limit on the size of files ('ulimit -H -f' shows it)")
        );
        let source = Errno::AGAIN.into();
        let error = SandboxError::StartHelper { path: "/proc/self/exe".into(), source };
        assert!(failure(error.into()).words().contains("hint: a limit on processes is reached"));
    }
}
