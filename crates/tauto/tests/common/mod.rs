//! Helpers of the command line's tests.

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

/// Returns the output.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
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
