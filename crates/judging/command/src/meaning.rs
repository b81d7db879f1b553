//! What the errors of the crates below mean for the user.

use crate::image::build::NotBuilt;
use host_command::of_sandbox;
use images::ImageError;
use judge::{JudgeError, Responsible};
use languages::LanguageError;
use package::PackageError;
use record::RecordError;
use rustix::io::Errno;
use sandbox::SandboxError;
use statement::StatementError;
use std::error::Error;
use std::io::ErrorKind;
use terminal::failure::{Failure, NO, OURS, USAGE, near, of_missing};

/// Sets exit code and hint by an error of judging.
pub fn meaning(failure: &mut Failure, cause: &(dyn Error + 'static)) -> bool {
    if let Some(error) = cause.downcast_ref::<PackageError>() {
        failure.exit_code = if is_for_want(error) { OURS } else { USAGE };
        if let PackageError::Io { path, source, .. } = error
            && source.kind() == ErrorKind::NotFound
        {
            failure.hint = of_missing(path);
        }
    } else if let Some(error) = cause.downcast_ref::<LanguageError>() {
        failure.exit_code = USAGE;
        failure.hint = error.hint();
    } else if let Some(error) = cause.downcast_ref::<RecordError>() {
        failure.exit_code = if error.is_of_input() { USAGE } else { OURS };
        failure.hint = Some(error.hint().to_owned());
    } else if cause.is::<NotBuilt>() {
        failure.exit_code = NO;
    } else if let Some(error) = cause.downcast_ref::<ImageError>() {
        of_image(failure, error);
    } else if let Some(error) = cause.downcast_ref::<StatementError>() {
        failure.exit_code = if error.is_of_input() { USAGE } else { OURS };
        failure.hint = error.hint();
    } else if let Some(error) = cause.downcast_ref::<JudgeError>() {
        match error {
            // If a program of the judge cannot be started, the user cannot fix that.
            JudgeError::Sandbox(SandboxError::Exec { .. }) => {}
            JudgeError::Sandbox(error) => of_sandbox(failure, error),
            JudgeError::MissingCompiler { language, missing, install } => {
                failure.message =
                    format!("{language} is not installed here ({} is absent)", missing.display());
                failure.hint = Some(install.clone());
            }
            // The package is the input.
            error if error.responsible() == Responsible::Package => failure.exit_code = USAGE,
            _ => {}
        }
    } else {
        return false;
    }
    true
}

/// Returns whether reading or unpacking failed for lack of a resource that another package would need as well.
fn is_for_want(error: &PackageError) -> bool {
    let PackageError::Io { source, .. } = error else { return false };
    matches!(source.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::OutOfMemory)
        || [Errno::MFILE, Errno::NFILE].iter().any(|want| source.raw_os_error() == Some(want.raw_os_error()))
}

fn of_image(failure: &mut Failure, error: &ImageError) {
    match error {
        ImageError::Bad { .. } => failure.exit_code = USAGE,
        ImageError::NoStore { .. } => {
            failure.exit_code = USAGE;
            failure.hint = Some("name a folder that is empty or not there yet".to_owned());
        }
        ImageError::Name { .. } => {
            failure.exit_code = USAGE;
            failure.hint = Some(
                "parts of a-z, 0-9, '.', '_' and '-' with '/' between, then maybe ':' and a version, such as judge/cpp:2026-1; \
                 what could be a digest is none"
                    .to_owned(),
            );
        }
        ImageError::Unknown { name, known, .. } => {
            failure.exit_code = USAGE;
            let near = near(name, known.iter().map(String::as_str));
            failure.hint = Some(match (near.first(), known.is_empty()) {
                (Some(known), _) => format!("did you mean {known}?"),
                (None, true) => "'tauto image import' gets one, 'tauto image build' makes one".to_owned(),
                (None, false) => format!("there are {}", known.join(", ")),
            });
        }
        ImageError::Io { source, .. } if source.kind() == ErrorKind::PermissionDenied => {
            failure.hint =
                Some("the images of a machine belong to root: use sudo, or --store DIR".to_owned());
        }
        ImageError::Io { path, source, .. }
            if matches!(source.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
        {
            failure.exit_code = USAGE;
            failure.hint = of_missing(path);
        }
        ImageError::Io { .. } | ImageError::Stopped => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(error: anyhow::Error) -> Failure {
        terminal::failure::know(&[meaning]);
        Failure::of(&error)
    }

    #[test]
    fn missing_parts_name_their_fix() {
        let error = JudgeError::MissingCompiler {
            language: "Nim".to_owned(),
            missing: "/usr/bin/nim".into(),
            install: "apt-get install nim".to_owned(),
        };
        let failure = failure(error.into());
        assert_eq!(failure.report().hint.as_deref(), Some("apt-get install nim"));
        assert_eq!(failure.exit_code, OURS);
    }

    #[test]
    fn missing_machine_features_are_not_the_packages_fault() {
        let failed = |errno: Errno| {
            let error = PackageError::Io { action: "write", path: "/tmp/x".into(), source: errno.into() };
            failure(error.into()).exit_code
        };
        assert_eq!([Errno::NOSPC, Errno::MFILE, Errno::NFILE, Errno::NOMEM].map(failed), [OURS; 4]);
        assert_eq!([Errno::NOENT, Errno::ACCESS].map(failed), [USAGE; 2]);
    }
}
