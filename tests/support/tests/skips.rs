//! Skips are counted, and are failures where they are to be. The program starts itself, as a test that is skipped.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::process::{Command, Output};

#[test]
#[ignore = "it is started by the others"]
fn one_that_is_skipped() {
    assert!(!test_support::needs(false, "a bicycle"));
}

/// Runs the test that is skipped, which counts in this file.
fn skipped(file: &std::path::Path, no_skips: &str) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "one_that_is_skipped"])
        .env("TAUTO_SKIPPED", file)
        .env("TAUTO_NO_SKIPS", no_skips)
        .output()
        .unwrap()
}

#[test]
fn skip_is_printed_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("skipped");
    for lines in 1..3 {
        let output = skipped(&file, "");
        assert!(output.status.success(), "{output:?}");
        let stated = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stated, "skips::one_that_is_skipped is skipped: it needs a bicycle\n");
        let counted = std::fs::read_to_string(&file).unwrap();
        assert_eq!(counted, "a bicycle\tskips::one_that_is_skipped\n".repeat(lines));
    }
}

#[test]
fn a_skip_fails_where_skips_are_failures() {
    let folder = tempfile::tempdir().unwrap();
    let output = skipped(&folder.path().join("skipped"), "1");
    assert_eq!(output.status.code(), Some(101), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("needs a bicycle"), "{output:?}");
}
