//! Checks the files of cases: their answers, and how they are encoded.

use super::read::Data;
use crate::error::{Complaint, Warnings};
use crate::tree::io_error;
use crate::{FileLocation, OutputValidator, PackageError};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Checks that a case has an answer where the default validator compares with it.
pub(crate) fn check_answers(
    data: &Data,
    validator: &OutputValidator,
    warnings: &Warnings,
) -> Result<(), PackageError> {
    let others = data.invalid_outputs.iter().chain(&data.valid_outputs).map(|case| &case.case);
    for case in data.root.all_cases().into_iter().chain(others).filter(|case| case.answer.is_none()) {
        let place = FileLocation::file(format!("data/{}.in", case.name));
        let problem = format!("has no answer, expected data/{}.ans next to it", case.name);
        if *validator == OutputValidator::Default {
            return Err(place.invalid(problem, "add the answer"));
        }
        let remedy = "add the answer; it may be empty if the output validator does not read it";
        warnings.push(place.leniency(format!("{problem}; an empty file stands for it"), remedy));
    }
    Ok(())
}

/// Warns of a mark of the byte order at the start of a text: a program does not write it, so no output would be right.
pub(crate) fn check_byte_order_marks(data: &Data, warnings: &Warnings) -> Result<(), PackageError> {
    let others = data.invalid_outputs.iter().chain(&data.valid_outputs).map(|case| &case.case);
    for case in data.root.all_cases().into_iter().chain(others) {
        let files = [
            (Some(&case.input), "in", "a program would have to skip it"),
            (case.answer.as_ref(), "ans", "no output has it"),
        ];
        for (path, extension, why) in files {
            let Some(encoding) = path.map(|path| byte_order_mark(path)).transpose()?.flatten() else {
                continue;
            };
            let place = FileLocation::file(format!("data/{}.{extension}", case.name));
            let problem = format!("begins with a byte order mark ({encoding}), and {why}");
            warnings.push(place.mistake(problem, "save it as UTF-8 without a byte order mark"));
        }
    }
    Ok(())
}

/// Returns the encoding that the first bytes of a file are a mark of.
fn byte_order_mark(path: &Path) -> Result<Option<&'static str>, PackageError> {
    let mut start = Vec::with_capacity(3);
    let file = File::open(path).map_err(io_error("open", path))?;
    file.take(3).read_to_end(&mut start).map_err(io_error("read", path))?;
    Ok(match start.as_slice() {
        [0xef, 0xbb, 0xbf] => Some("UTF-8"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        _ => None,
    })
}
