//! `tauto problem statement`. Needs root and the programs that statements need; without them each test reports that it was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::{folder, tauto};
use common::{failed, put, text};
use std::fs;
use std::path::{Path, PathBuf};

/// Makes a folder, if statements can be made here.
fn statement_folder() -> Option<tempfile::TempDir> {
    let missing = statement::what_is_missing();
    let words = missing.as_ref().map(ToString::to_string).unwrap_or_default();
    let can = test_support::needs_root() && test_support::needs(missing.is_none(), &words);
    can.then(folder)
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems").join(name)
}

#[test]
fn sample_problems_become_statements() {
    let Some(folder) = statement_folder() else { return };
    let package = sample("catenary").display().to_string();
    let output = tauto(folder.path(), &["problem", "statement", &package, "--html", "--lang", "zh"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = fs::read_to_string(folder.path().join("catenary.zh.html")).unwrap();
    assert!(page.contains("松弛的链条") && page.contains("data:image/svg+xml;base64,"), "{page}");
    let other = sample("guess").display().to_string();
    let set = ["problem", "statement", &package, &other, "--title", "Spring", "-o", "set.pdf", "--json"];
    for is_from_cache in [false, true] {
        let output = tauto(folder.path(), &set);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        // The cache is the machine's, so it may be there the first time, too.
        assert!(!is_from_cache || report["is_from_cache"] == true, "{report}");
        assert!(fs::read(folder.path().join("set.pdf")).unwrap().starts_with(b"%PDF-"));
    }
}

#[test]
fn statement_mistakes_are_named_with_their_line() {
    let Some(folder) = statement_folder() else { return };
    let package = folder.path().join("p");
    for (name, content) in [
        ("problem.yaml", "name: P\n"),
        ("problem_statement/problem.en.tex", "\\problemname{P}\n\nA \\wrong\n"),
        ("data/secret/1.in", "\n"),
        ("data/secret/1.ans", "1\n"),
        ("submissions/accepted/a.py", "print(1)\n"),
    ] {
        put(&package, name, content);
    }
    let output = tauto(folder.path(), &["problem", "statement", "./p"]);
    assert_eq!(output.status.code(), Some(2));
    let printed = text(&output.stderr);
    assert!(
        printed.contains("problem_statement/problem.en.tex:3: TeX knows no command \\wrong"),
        "{printed}"
    );
    let output = tauto(folder.path(), &["problem", "statement", "p", "--lang", "ru"]);
    failed(&output, 2, "no statement in 'ru'");
}
