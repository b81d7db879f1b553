//! What a record says of its package, compared with that.

use super::*;
use crate::{PackageContent, PackageFacts, PackagePoints, compare_packages};
use model::ScoreRules;
use package::{Package, PackageOptions};

fn facts() -> PackageFacts {
    PackageFacts {
        is_graded: false,
        has_checks_between_runs: false,
        cases: ["secret/1", "secret/2"].map(str::to_owned).into(),
        checks: ["secret/static validation".to_owned()].into(),
    }
}

/// Compares a record, bound again after these changes, with a package.
fn compared(changes: &[(&str, &str)], content: Result<PackageContent, String>) -> Vec<String> {
    let mut lines = written();
    for (from, to) in changes {
        assert!(lines.iter().any(|line| line.contains(from)), "{from}");
        lines.iter_mut().for_each(|line| *line = line.replace(from, to));
    }
    let bytes = rechained(&lines);
    let mut reported = verify(bytes.as_slice(), "r.jsonl").unwrap();
    assert!(reported.holds, "{:?}", reported.findings);
    compare_packages(&mut reported, bytes.as_slice(), |_| content.clone()).unwrap();
    assert_eq!(reported.holds, reported.findings.is_empty());
    reported.findings.iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect()
}

fn content(hash: char, facts: PackageFacts) -> Result<PackageContent, String> {
    let points = PackagePoints::default();
    Ok(PackageContent { place: "p".to_owned(), hash: hash.to_string().repeat(64), facts, points })
}

#[test]
fn recorded_facts_are_compared_with_the_package() {
    assert_eq!(compared(&[], content('0', facts())), [""; 0]);
    for name in ["is_graded", "has_checks_between_runs"] {
        let flag = (&*format!("\"{name}\":false"), &*format!("\"{name}\":true"));
        assert_eq!(
            compared(&[flag], content('0', facts())),
            [format!("1: recorded is {name}: true, but of the package it is false")]
        );
    }
    let other = [("secret/2", "secret/3")];
    assert_eq!(
        compared(&other, content('0', facts())),
        [
            "3: secret/3 of a.c is no case of the package",
            "4: a.c: it is accepted, but its run of secret/2 is not recorded"
        ]
    );
    let check = [("secret/2", "secret/static validation")];
    assert_eq!(
        compared(&check, content('0', facts())),
        ["4: a.c: it is accepted, but its run of secret/2 is not recorded"]
    );
    // A selection has not all, points may do without, and a team's record does not name them.
    let selection = [other[0], ("\"is_selection\":false", "\"is_selection\":true")];
    assert_eq!(compared(&selection, content('0', facts())), ["3: secret/3 of a.c is no case of the package"]);
    let of_a_team = [other[0], ("\"name\":\"p\"", "\"name\":\"\"")];
    assert_eq!(compared(&of_a_team, content('0', facts())), [""; 0]);
    // Nothing is known of a package that has changed, or is not there.
    assert_eq!(
        compared(&other, content('1', facts())),
        ["1: the package p has another content than when it was judged"]
    );
    assert_eq!(compared(&other, Err("it is not there".to_owned())), [""; 0]);
}

/// Returns the points of a legacy package with two cases of 10 points in one group.
fn points() -> PackagePoints {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("problem.yaml", "name: Sum\ntype: scoring\n"),
        ("data/testdata.yaml", "on_reject: continue\n"),
        ("data/secret/testdata.yaml", "on_reject: continue\naccept_score: 10\n"),
        ("data/secret/1.in", "1\n"),
        ("data/secret/1.ans", "1\n"),
        ("data/secret/2.in", "1\n"),
        ("data/secret/2.ans", "1\n"),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut points = PackagePoints::default();
    for rules in ScoreRules::ALL {
        let options = PackageOptions { scores: Some(rules), ..PackageOptions::default() };
        let scratch = folder.path().join("scratch");
        points.add(&Package::open_with(folder.path(), &scratch, &options, &|| false).unwrap());
    }
    points
}

/// Records these points of the accepted and the slow submission, and compares them.
fn compared_points(rules: ScoreRules, accepted: f64, slow: f64) -> Vec<String> {
    let reported = told_of_points(Some(rules), Some(accepted), Some(slow), (points(), false));
    assert_eq!(reported.notes, [""; 0]);
    reported.findings.into_iter().map(|finding| finding.message).collect()
}

/// Verifies a record of these points, of all cases or of a selection.
fn told_of_points(
    rules: Option<ScoreRules>,
    accepted: Option<f64>,
    slow: Option<f64>,
    (points, is_selection): (PackagePoints, bool),
) -> documents::RecordVerification {
    let mut chain = Chain::default();
    let mut bytes = Vec::new();
    for line in written() {
        let mut entry = documents::from_json::<RecordLine>(&line).unwrap().entry;
        match &mut entry {
            documents::RecordEntry::Begin(begin) => {
                begin.is_graded = true;
                begin.is_selection = is_selection;
                begin.package.scores = rules.map(|rules| documents::ScoreBasis { rules, reason: None });
            }
            documents::RecordEntry::Submission(whole) => {
                let is_accepted = whole.submission.verdict.0 == Verdict::Accepted;
                whole.submission.score = if is_accepted { accepted } else { slow };
            }
            _ => {}
        }
        bytes.extend(chain.line(entry));
    }
    let mut reported = verify(bytes.as_slice(), "r.jsonl").unwrap();
    let facts = PackageFacts { is_graded: true, ..facts() };
    let content = PackageContent { points, ..content('0', facts).unwrap() };
    compare_packages(&mut reported, bytes.as_slice(), |_| Ok(content.clone())).unwrap();
    reported
}

#[test]
fn recorded_points_follow_from_the_cases_by_the_recorded_rules() {
    assert_eq!(compared_points(ScoreRules::Format, 20.0, 0.0), [""; 0]);
    assert_eq!(compared_points(ScoreRules::Domjudge, 10.0, 0.0), [""; 0]);
    assert_eq!(
        compared_points(ScoreRules::Domjudge, 20.0, 0.0),
        ["a.c: its cases give AC with 10 points by the rules 'domjudge', but recorded is AC with 20 points"]
    );
    assert_eq!(
        compared_points(ScoreRules::Format, 20.0, 5.0),
        ["b.c: its cases give TLE with 0 points by the rules 'format', but recorded is TLE with 5 points"]
    );
}

#[test]
fn points_that_are_not_computed_again_are_counted_with_the_reason() {
    let check = |rules, points: (f64, Option<f64>), package, expect: &[&str]| {
        let reported = told_of_points(rules, Some(points.0), points.1, package);
        assert_eq!(reported.notes, expect);
        assert_eq!(reported.findings, []);
    };
    let wrong = (77.0, Some(7.0));
    let older = "the record does not name the rules by which they were computed, as older versions did not";
    check(
        None,
        wrong,
        (points(), false),
        &[&format!("the points of 2 submissions are not computed again: {older}")],
    );
    check(
        None,
        (77.0, None),
        (points(), false),
        &[&format!("the points of 1 submission are not computed again: {older}")],
    );
    let rules = Some(ScoreRules::Format);
    check(
        rules,
        wrong,
        (points(), true),
        &["the points of 2 submissions are not computed again: a part of the cases was judged"],
    );
    let factors = "the points of 2 submissions are not computed again: a record has no factors by which validators of this format scale points";
    check(rules, wrong, (PackagePoints::default(), false), &[factors]);
}
