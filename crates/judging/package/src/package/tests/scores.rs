//! By which rules points are computed.

use crate::scoring::{CaseResult, Grades, Results, total};
use crate::testing::{CURRENT, Folder, LEGACY};
use crate::{Package, PackageError, PackageOptions};
use model::{ScoreRules, Verdict};

/// A package of the shape of DOMjudge's own: groups of 10 and 20 points, samples without a file.
const FILES: [(&str, &str); 9] = [
    ("problem.yaml", "name: Sum\ntype: scoring\n"),
    ("data/testdata.yaml", "on_reject: continue\ngrader_flags: sum\n"),
    ("data/secret/testdata.yaml", "on_reject: continue\n"),
    ("data/secret/a/testdata.yaml", "accept_score: 10\n"),
    ("data/secret/b/testdata.yaml", "accept_score: 20\n"),
    ("data/secret/a/1.in", "1\n"),
    ("data/secret/a/1.ans", "1\n"),
    ("data/secret/a/2.in", "1\n"),
    ("data/secret/a/2.ans", "1\n"),
];
const B: [(&str, &str); 2] = [("data/secret/b/1.in", "1\n"), ("data/secret/b/1.ans", "1\n")];
const TAGGED: (&str, &str) =
    ("submissions/partial/b.py", "# @EXPECTED_RESULTS@: WRONG-ANSWER\n# @EXPECTED_SCORE@: 20\n");

fn folder(more: &[(&str, &str)]) -> Folder {
    let folder = Folder::package(LEGACY, &[&FILES[..], &B[..], more].concat());
    std::fs::remove_file(folder.path("data/secret/1.in")).unwrap();
    std::fs::remove_file(folder.path("data/secret/1.ans")).unwrap();
    folder
}

fn open(folder: &Folder, scores: Option<ScoreRules>) -> Result<Package, PackageError> {
    let options = PackageOptions { scores, ..PackageOptions::default() };
    Package::open_with(folder.root(), &folder.path("../scratch"), &options, &|| false)
}

/// Returns the points of a submission that fails the case `secret/a/2`.
#[track_caller]
fn points(package: &Package) -> (Verdict, Option<f64>) {
    let results: Results = ["secret/a/1", "secret/a/2", "secret/b/1"]
        .map(|name| {
            let is_right = name != "secret/a/2";
            let verdict = if is_right { Verdict::Accepted } else { Verdict::WrongAnswer };
            (name.to_owned(), CaseResult::plain(verdict))
        })
        .into();
    let total = total(&package.data, true, &results, &Grades::new()).unwrap();
    (total.verdict, total.score)
}

#[track_caller]
fn rules(folder: &Folder) -> (ScoreRules, String) {
    let chosen = folder.open().unwrap().scores.unwrap();
    (chosen.rules, chosen.reason)
}

#[test]
fn points_in_domjudges_tag_show_its_rules() {
    let tagged = folder(&[TAGGED]);
    let package = tagged.open().unwrap();
    assert_eq!(points(&package), (Verdict::WrongAnswer, Some(20.0)));
    assert_eq!(
        package.scores.as_ref().map(|scores| scores.reason.as_str()),
        Some("submissions/partial/b.py is to be rejected and has points")
    );
    let accepted = ("submissions/accepted/a.py", "# @EXPECTED_SCORE@: 30\n");
    assert_eq!(rules(&folder(&[accepted])).0, ScoreRules::Domjudge);
    let text = ("data/secret/a/testdata.yaml", "grader_flags: always_accept\n");
    let (chosen, reason) = rules(&folder(&[accepted, text]));
    assert_eq!(chosen, ScoreRules::Format);
    assert_eq!(reason, "it uses the flag always_accept, which DOMjudge does not read");
    let plain = folder(&[]);
    assert_eq!(rules(&plain).0, ScoreRules::Format);
    assert_eq!(points(&plain.open().unwrap()), (Verdict::WrongAnswer, Some(0.0)));
    assert_eq!(Folder::new(LEGACY).open().unwrap().scores, None, "a pass-fail problem");
}

#[test]
fn the_caller_may_name_either_rules() {
    let (tagged, plain) = (folder(&[TAGGED]), folder(&[]));
    let package = open(&tagged, Some(ScoreRules::Format)).unwrap();
    assert_eq!(points(&package), (Verdict::WrongAnswer, Some(0.0)));
    let package = open(&plain, Some(ScoreRules::Domjudge)).unwrap();
    assert_eq!(points(&package), (Verdict::WrongAnswer, Some(20.0)));
    assert_eq!(package.scores.unwrap().reason, "as asked");
}

#[test]
fn domjudges_file_shows_its_rules_unless_something_is_foreign_to_it() {
    const INI: (&str, &str) = ("domjudge-problem.ini", "color = red\n");
    assert_eq!(rules(&folder(&[INI])).0, ScoreRules::Domjudge);
    let partial = ("submissions/partially_accepted/c.py", "print(1)\n");
    let (chosen, reason) = rules(&folder(&[INI, partial]));
    assert_eq!(chosen, ScoreRules::Format);
    assert!(reason.contains("partially_accepted, which DOMjudge does not read"), "{reason}");
}

#[test]
fn rules_that_a_package_cannot_have_are_refused() {
    let refused = |folder: &Folder| open(folder, Some(ScoreRules::Domjudge)).unwrap_err().to_string();
    assert!(refused(&Folder::new(LEGACY)).starts_with("problem.yaml: is of a pass-fail problem"));
    let scoring = "problem_format_version: 2025-09\nname: Sum\nuuid: 0\ntype: scoring\n";
    let current = Folder::package(CURRENT, &[("problem.yaml", scoring)]);
    assert!(refused(&current).starts_with("problem.yaml: is of the format 2025-09"));
    let without = folder(&[]);
    std::fs::remove_file(without.path("data/testdata.yaml")).unwrap();
    assert!(refused(&without).starts_with("data/testdata.yaml: is missing"));
    let negative = folder(&[("data/secret/a/testdata.yaml", "accept_score: -1\n")]);
    assert!(refused(&negative).starts_with("data/secret/a/testdata.yaml: accept_score: is negative"));
}

#[test]
fn cases_whose_points_do_not_count_are_named() {
    let partly = folder(&[TAGGED]);
    std::fs::remove_file(partly.path("data/secret/b/testdata.yaml")).unwrap();
    let package = partly.open().unwrap();
    let mistakes: Vec<_> = package.warnings.iter().filter(|one| one.is_mistake).collect();
    assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    assert!(mistakes[0].to_string().starts_with("data/secret/b: has cases that do not count in DOMjudge"));
    // Where nothing counts, everything would be accepted.
    std::fs::remove_file(partly.path("data/secret/testdata.yaml")).unwrap();
    assert_eq!(
        rules(&partly),
        (ScoreRules::Format, "no case is in a folder whose points count in DOMjudge".to_owned())
    );
    let refused = open(&partly, Some(ScoreRules::Domjudge)).unwrap_err().to_string();
    assert!(refused.starts_with("data/testdata.yaml: has no case below it whose points count"), "{refused}");
}

#[test]
fn flags_that_domjudge_does_not_read_are_named() {
    let flags = "on_reject: continue\ngrader_flags: always_accept avg\nreject_score: 1\n";
    let folder = folder(&[TAGGED, ("data/secret/testdata.yaml", flags)]);
    let package = folder.open().unwrap();
    assert_eq!(points(&package), (Verdict::WrongAnswer, Some(10.0)), "the mean of 0 and 20");
    let warnings = folder.warnings();
    for part in ["has the flag 'always_accept', which DOMjudge does not read", "reject_score: is not read"] {
        assert!(warnings.iter().any(|warning| warning.contains(part)), "{part}: {warnings:?}");
    }
}
