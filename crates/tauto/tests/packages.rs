//! Packages that use a rule of their format, or break one. Needs root; without it each test reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::{sandbox_folder, tauto};
use common::{put, text};
use std::path::Path;

/// Makes the package `p` with these lines of `problem.yaml` and these files.
fn package(folder: &Path, lines: &str, files: &[(&str, &str)]) {
    let yaml = format!("problem_format_version: 2025-09\nname: P\nuuid: 0\n{lines}");
    let base = [
        ("problem.yaml", yaml.as_str()),
        ("statement/problem.en.md", "Say 1.\n"),
        ("data/secret/1.in", "\n"),
        ("data/secret/1.ans", "1\n"),
        ("input_validators/v.py", "import sys\nsys.exit(42 if sys.stdin.read() == '\\n' else 43)\n"),
    ];
    for (name, content) in base.iter().chain(files) {
        put(&folder.join("p"), name, content);
    }
}

/// Runs a command on it, and returns the exit code and everything that it wrote.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = tauto(folder, arguments);
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn a_submission_that_may_write_changes_and_removes_what_is_there() {
    let Some(folder) = sandbox_folder() else { return };
    let large = "x".repeat(2 << 20);
    let program = "set -e\necho more >> a.txt\nrm in/b.txt\nrmdir in\necho new > included.txt\nrm main.sh\n\
                   [ \"$(cat a.txt included.txt)\" = $'a\\nmore\\nnew' ]\n[ -s large.txt ]\necho 1\n";
    let files = [
        ("data/secret/1.files/a.txt", "a\n"),
        ("data/secret/1.files/in/b.txt", "b\n"),
        ("data/secret/1.files/large.txt", &large),
        ("include/default/included.txt", "old\n"),
        ("submissions/accepted/main.sh", program),
    ];
    let limits = "limits: {time_limit: 10, output: 1}\nallow_file_writing: ";
    package(folder.path(), &format!("{limits}true\n"), &files);
    let (code, printed) = run(folder.path(), &["judge", "p", "--quick"]);
    assert_eq!(code, Some(0), "what it had before is no output: {printed}");
    package(folder.path(), &format!("{limits}false\n"), &[]);
    let (code, printed) = run(folder.path(), &["judge", "p", "--quick"]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("Read-only file system") || printed.contains("Permission denied"), "{printed}");
}

#[test]
fn a_script_that_cannot_be_executed_is_the_packages_mistake() {
    for (script, words) in [("build", "its build script cannot be executed"), ("run", "is not executable")] {
        let Some(folder) = sandbox_folder() else { return };
        let script = format!("output_validator/{script}");
        let files = [(script.as_str(), "#!/bin/sh\nexit 42\n"), ("submissions/accepted/a.sh", "echo 1\n")];
        package(folder.path(), "limits: {time_limit: 10}\n", &files);
        let (code, printed) = run(folder.path(), &["judge", "p", "--quick"]);
        assert_eq!(code, Some(2), "{printed}");
        assert!(printed.contains(words) && printed.contains("chmod +x"), "{printed}");
    }
}

#[test]
fn a_named_language_decides_and_nothing_is_added_to_the_working_directory() {
    let Some(folder) = sandbox_folder() else { return };
    let listing = "import os\nprint(1 if os.listdir('.') == ['sol.py'] else os.listdir('.'))\n";
    let files = [
        ("submissions/accepted/sol.txt", listing),
        ("submissions/accepted/SOL.SH", "echo 1\n"),
        (
            "submissions/submissions.yaml",
            "accepted/sol.txt: {language: python3}\naccepted/SOL.SH: {language: bash}\n",
        ),
    ];
    package(folder.path(), "limits: {time_limit: 10}\n", &files);
    let (code, printed) = run(folder.path(), &["judge", "p", "--quick"]);
    assert_eq!(code, Some(0), "{printed}");
}

#[test]
fn a_package_whose_validator_accepts_nothing_is_still_judged() {
    let Some(folder) = sandbox_folder() else { return };
    let files = [
        ("output_validator/v.py", "raise SystemExit(43)\n"),
        ("submissions/accepted/a.sh", "echo 1\n"),
        ("submissions/wrong_answer/b.sh", "echo 2\n"),
    ];
    package(folder.path(), "", &files);
    let (code, printed) = run(folder.path(), &["judge", "p", "--quick", "--derive"]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("2 submissions, 1 as expected, 1 UNEXPECTED"), "{printed}");
    assert!(
        printed.contains("was derived although accepted/a.sh is judged wrong answer on secret/1"),
        "{printed}"
    );
    assert!(!printed.contains("is stored"), "{printed}");
}

#[test]
fn verification_tries_the_validators() {
    let Some(folder) = sandbox_folder() else { return };
    let scores = "import sys\nname = 'score.txt' if open(sys.argv[2]).read() == '1\\n' else 'score_multiplier.txt'\n\
                  open(sys.argv[3] + name, 'w').write('1')\nsys.exit(42)\n";
    let files = [
        ("output_validator/v.py", scores),
        ("data/secret/2.in", "\n"),
        ("data/secret/2.ans", "2\n"),
        ("data/secret/test_group.yaml", "max_score: 2\n"),
        ("data/valid_output/1.in", "wrong\n"),
        ("data/valid_output/1.ans", "1\n"),
        ("data/valid_output/1.out", "1\n"),
        ("submissions/accepted/a.sh", "echo 1\n"),
    ];
    let lines = "type: scoring\nlimits: {time_limit: 10}\n";
    package(folder.path(), lines, &files);
    let (code, printed) = run(folder.path(), &["problem", "verify", "p", "--fast", "--wait"]);
    assert_eq!(code, Some(1), "{printed}");
    let printed = printed.replace("\n  ", " ");
    assert!(printed.contains("data/valid_output/1.in is refused by v.py"), "{printed}");
    assert!(printed.contains("the validator left score.txt for accepted/a.sh on secret/1"), "{printed}");
}
