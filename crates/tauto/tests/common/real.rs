//! Helpers of tests that run real programs.

use super::put;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Makes the command, in a folder. If it judges, it waits for other tests that do.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tauto"));
    let waits = arguments[0] == "judge" && !arguments.contains(&"--verify");
    command.arg(arguments[0]).args(waits.then_some("--wait")).args(&arguments[1..]);
    command.current_dir(folder).stdin(Stdio::null());
    command
}

pub fn tauto(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// A folder that the program's user can read.
pub fn folder() -> tempfile::TempDir {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    tempfile::Builder::new().permissions(permissions).tempdir().unwrap()
}

/// Makes such a folder; `None` without root, which a sandbox needs.
pub fn sandbox_folder() -> Option<tempfile::TempDir> {
    test_support::needs_root().then(folder)
}

/// Makes such a folder with a package in it.
pub fn sandbox_package() -> Option<tempfile::TempDir> {
    let folder = sandbox_folder()?;
    package(folder.path());
    Some(folder)
}

/// Writes a package of two cases, with a correct and a wrong submission, and one that sleeps.
pub fn package(folder: &Path) {
    for (name, content) in [
        ("p/problem.yaml", "name: P\n"),
        ("p/domjudge-problem.ini", "timelimit = 10\n"),
        ("p/problem_statement/problem.en.md", "Say 1.\n"),
        ("p/data/secret/01-one.in", "\n"),
        ("p/data/secret/01-one.ans", "1\n"),
        ("p/data/secret/02-two.in", "\n"),
        ("p/data/secret/02-two.ans", "1\n"),
        ("p/submissions/accepted/a.sh", "#!/bin/bash\necho 1\n"),
        ("p/submissions/wrong_answer/b.sh", "#!/bin/bash\necho 2\n"),
        ("idle.sh", "#!/bin/bash\nsleep 600\n"),
    ] {
        put(folder, name, content);
    }
}
