//! Text files: in UTF-8 without a byte order mark, with lines that end in a line feed.

use crate::error::{Complaint, Warnings};
use crate::tree::{Tree, io_error, read_limited};
use crate::{FileLocation, Package, PackageError, Warning};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// How much of an input or answer is searched: a file with other line ends has them from its first line on.
const SEARCHED_BYTES: u64 = 4096;
/// Endings of texts in the folders of statements and solutions.
const DOCUMENTS: [&str; 4] = ["tex", "md", "svg", "yaml"];

pub(super) fn check(tree: &Tree, package: &Package) -> Result<(), PackageError> {
    for folder in ["statement", "solution"] {
        for file in tree.files(folder)? {
            let ending = file.name.extension().unwrap_or_default().to_string_lossy().into_owned();
            if DOCUMENTS.contains(&ending.as_str()) {
                check_whole(&file.path, &format!("{folder}/{}", file.name.display()), &tree.warnings)?;
            }
        }
    }
    for file in ["problem.yaml", "submissions/submissions.yaml"] {
        if tree.exists(file) {
            check_whole(&tree.resolve(file)?, file, &tree.warnings)?;
        }
    }
    let others = package.invalid_outputs.iter().chain(&package.valid_outputs).map(|case| &case.case);
    let of_data = Warnings::default();
    for case in package.cases().into_iter().chain(others) {
        for (path, ending) in [(Some(&case.input), "in"), (case.answer.as_ref(), "ans")] {
            if let Some(path) = path {
                check_ends(path, &format!("data/{}.{ending}", case.name), &of_data)?;
            }
        }
    }
    tree.warnings.extend(first_of_each(of_data.take()));
    Ok(())
}

/// Keeps the first warning of each kind: mostly all files of a package were written in the same way.
fn first_of_each(all: Vec<Warning>) -> Vec<Warning> {
    let mut kept: Vec<(Warning, usize)> = Vec::new();
    for warning in all {
        match kept.iter_mut().find(|(known, _)| known.wrong.remedy == warning.wrong.remedy) {
            Some((_, others)) => *others += 1,
            None => kept.push((warning, 0)),
        }
    }
    let counted = |(mut warning, others): (Warning, usize)| {
        if others > 0 {
            warning.wrong.problem.push_str(&format!(", as do {others} other files of test data"));
        }
        warning
    };
    kept.into_iter().map(counted).collect()
}

fn check_whole(path: &Path, name: &str, warnings: &Warnings) -> Result<(), PackageError> {
    let bytes = read_limited(path, name, crate::tree::MAX_TEXT_BYTES)?;
    let place = || FileLocation::file(name);
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        warnings.push(
            place().leniency("begins with a byte order mark", "save it as UTF-8 without a byte order mark"),
        );
    }
    if let Err(error) = std::str::from_utf8(&bytes) {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        warnings.push(place().line(line as u64).leniency("is not UTF-8", "save the file in UTF-8"));
    } else {
        lines(&bytes, bytes.last().copied(), place, warnings);
    }
    Ok(())
}

/// Checks the beginning and the end of a file that may be large, or no text at all.
fn check_ends(path: &Path, name: &str, warnings: &Warnings) -> Result<(), PackageError> {
    let mut file = File::open(path).map_err(io_error("open", path))?;
    let mut start = Vec::new();
    (&mut file).take(SEARCHED_BYTES).read_to_end(&mut start).map_err(io_error("read", path))?;
    let mut last = [0];
    let is_text = match std::str::from_utf8(&start) {
        Ok(_) => !start.contains(&0),
        // A character may be cut at the end of what is read.
        Err(error) => error.error_len().is_none() && !start.contains(&0),
    };
    if !is_text || start.is_empty() {
        return Ok(());
    }
    file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)).map_err(io_error("read", path))?;
    lines(&start, Some(last[0]), || FileLocation::file(name), warnings);
    Ok(())
}

fn lines(bytes: &[u8], last: Option<u8>, place: impl Fn() -> FileLocation, warnings: &Warnings) {
    let carriage_return = bytes.windows(2).position(|pair| pair == b"\r\n");
    if let Some(at) = carriage_return {
        let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        warnings.push(place().line(line as u64).leniency(
            "ends a line with a carriage return and a line feed",
            "end lines with a line feed only, as dos2unix does",
        ));
    }
    if last.is_some_and(|last| last != b'\n') {
        warnings.push(place().leniency("ends without a line feed", "end its last line"));
    }
}
