//! What tests say when the machine lacks what they need.
//!
//! A skip is printed on standard error, and is a line in the file that `TAUTO_SKIPPED` names, if it does. With
//! `TAUTO_NO_SKIPS=1`, as in continuous integration, the test fails instead.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// Returns whether the machine has what the running test needs; if not, the test is skipped, or fails.
#[must_use]
#[track_caller]
pub fn needs(has: bool, what: &str) -> bool {
    if !has {
        skipped(&test_name(), what);
    }
    has
}

/// As [`needs`], for root.
#[must_use]
#[track_caller]
pub fn needs_root() -> bool {
    needs(rustix::process::geteuid().is_root(), "root")
}

/// As [`needs`], for a program in `PATH` and the Debian package that has it.
#[must_use]
#[track_caller]
pub fn needs_program(program: &str, package: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    needs(has, &format!("{program} (apt-get install {package})"))
}

/// Skips a test of this name, since the machine lacks something.
#[track_caller]
pub fn skipped(name: &str, what: &str) {
    let is_failure = std::env::var_os("TAUTO_NO_SKIPS").is_some_and(|value| value == "1");
    assert!(!is_failure, "{name} needs {what}, and skips are failures here (TAUTO_NO_SKIPS)");
    count(name, what);
}

/// Counts a skip that is no failure anywhere: no installation gives the machine this.
pub fn lacks(what: &str) {
    count(&test_name(), what);
}

/// Counts a skip that is no failure anywhere, of a test of this name.
pub fn count(name: &str, what: &str) {
    // Not `eprintln`, which the test harness shows of tests that fail only. Where standard error is closed, the file has it.
    let _ = writeln!(std::io::stderr(), "{name} is skipped: it needs {what}");
    if let Some(path) = std::env::var_os("TAUTO_SKIPPED") {
        let line = format!("{what}\t{name}\n");
        let written = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(line.as_bytes()));
        assert!(written.is_ok(), "cannot write {}: {written:?}", Path::new(&path).display());
    }
}

/// Returns the name of the running test, or of its program where the program is the test.
fn test_name() -> String {
    let thread = std::thread::current();
    let program = std::env::current_exe().unwrap_or_default();
    let file = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    // Cargo adds a hash.
    let file = file.rsplit_once('-').map_or(file.as_str(), |(name, _)| name).to_owned();
    match thread.name() {
        Some(name) if name != "main" => format!("{file}::{name}"),
        _ => file,
    }
}
