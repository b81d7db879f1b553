//! Limits on what one run can get. They are checked when the package is read, since the run itself would be too late.

use crate::error::Complaint;
use crate::{FileLocation, PackageError, PackageFile};
use model::{ARGUMENTS_BYTES_MAX, CASE_FILE_NAMES_BYTES_MAX, CASE_FILES_MAX};

/// Rejects arguments that are too large for any program.
pub(crate) fn check_arguments(
    place: impl FnOnce() -> FileLocation,
    arguments: &[String],
) -> Result<(), PackageError> {
    if let Some(index) = arguments.iter().position(|argument| argument.contains('\0')) {
        return Err(place().invalid(
            format!("has a NUL character in argument {}, which no program can be given", index + 1),
            "remove it",
        ));
    }
    let bytes: usize = arguments.iter().map(|argument| argument.len() + 1).sum();
    if bytes > ARGUMENTS_BYTES_MAX {
        return Err(place().invalid(
            format!("has {bytes} bytes of arguments, but a run can be given at most {ARGUMENTS_BYTES_MAX}"),
            "put large data into the input of the case or into a file of its .files folder",
        ));
    }
    Ok(())
}

/// Rejects more files in the working directory of a case than a run can get.
pub(crate) fn check_case_files(folder: &str, files: &[PackageFile]) -> Result<(), PackageError> {
    let refused = |problem| Err(FileLocation::file(folder).invalid(problem, "put several into one file"));
    if files.len() > CASE_FILES_MAX {
        return refused(format!(
            "holds {} files, but a run can be given at most {CASE_FILES_MAX}",
            files.len()
        ));
    }
    let bytes: usize = files.iter().map(|file| file.name.as_os_str().len()).sum();
    if bytes > CASE_FILE_NAMES_BYTES_MAX {
        return refused(format!(
            "holds files whose names have {bytes} bytes together, but a run can be given at most \
             {CASE_FILE_NAMES_BYTES_MAX}"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{CURRENT, Folder, LEGACY};

    #[test]
    fn files_that_no_run_can_be_given_are_refused() {
        let folder = Folder::new(CURRENT);
        for number in 0..CASE_FILES_MAX {
            folder.write(&format!("data/secret/1.files/{number}"), "");
        }
        assert_eq!(folder.open().unwrap().cases()[0].files.len(), CASE_FILES_MAX);
        folder.write("data/secret/1.files/in/one-more", "");
        assert_eq!(
            folder.refused(),
            "data/secret/1.files: holds 241 files, but a run can be given at most 240; put several into one file"
        );
        let folder = Folder::new(CURRENT);
        for number in 0..200 {
            folder.write(&format!("data/secret/1.files/{}{number:03}", "x".repeat(200)), "");
        }
        assert!(
            folder.refused().starts_with("data/secret/1.files: holds files whose names have 40600 bytes")
        );
    }

    #[test]
    fn arguments_that_no_program_can_be_given_are_refused() {
        let long = "x ".repeat(30_000);
        let list = format!("[{}]", vec!["x"; 30_000].join(", "));
        let refused = |base, file: &str, text: &str, place: &str| {
            let words = Folder::package(base, &[(file, text)]).refused();
            assert_eq!(
                words,
                format!(
                    "{place}: has 60000 bytes of arguments, but a run can be given at most 49152; \
                     put large data into the input of the case or into a file of its .files folder"
                )
            );
        };
        refused(LEGACY, "data/secret/1.args", &long, "data/secret/1.args");
        refused(
            LEGACY,
            "domjudge-problem.ini",
            &format!("special_compare_args = {long}"),
            "domjudge-problem.ini:1: special_compare_args",
        );
        refused(
            LEGACY,
            "problem.yaml",
            &format!("name: Sum\nvalidator_flags: {long}"),
            "problem.yaml:2: validator_flags",
        );
        let key = |file: &str, key: &str| {
            refused(CURRENT, file, &format!("{key}: {list}"), &format!("{file}:1: {key}"));
        };
        key("data/secret/1.yaml", "args");
        key("data/secret/1.yaml", "output_validator_args");
        key("data/secret/test_group.yaml", "input_validator_args");
        let folder = Folder::package(CURRENT, &[("data/secret/1.yaml", "args: [a, \"b\\0\"]")]);
        assert_eq!(
            folder.refused(),
            "data/secret/1.yaml:1: args: has a NUL character in argument 2, which no program can be given; remove it"
        );
    }
}
