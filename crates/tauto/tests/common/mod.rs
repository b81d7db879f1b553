//! Helpers of the command line's tests.

#![allow(dead_code, reason = "no test uses all of them")]

pub mod real;

use std::path::Path;
use std::process::{Command, Output, Stdio};

const USAGE: Option<i32> = Some(2);

/// Runs it in a folder, which also holds its state, for a terminal of 110 columns.
pub fn tauto(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tauto"))
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", "110")
        .env("XDG_STATE_HOME", folder.join("state"))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Writes a file below a folder, and makes the folders above it.
pub fn put(folder: &Path, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// Splits a command line at its spaces.
pub fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Returns the document that a command printed, which must have succeeded.
#[track_caller]
pub fn document<T: documents::Document>(output: &Output) -> T {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    documents::from_json(&text(&output.stdout)).unwrap()
}

/// Checks that a command ended with an exit code, and printed these words on standard error.
#[track_caller]
pub fn failed(output: &Output, code: i32, words: &str) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(stderr.contains(words), "{stderr}");
}

/// Checks that the arguments are rejected as wrong input, with these words.
#[track_caller]
pub fn refused(folder: &Path, arguments: &[&str], words: &str) {
    let output = tauto(folder, arguments);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), USAGE, "{arguments:?}: {stderr}");
    assert!(stderr.starts_with("error: "), "{arguments:?}: {stderr}");
    assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

/// Checks the same of each command line.
#[track_caller]
pub fn all_refused(folder: &Path, lines: &[(&str, &str)]) {
    for (line, expected) in lines {
        refused(folder, &words(line), expected);
    }
}
