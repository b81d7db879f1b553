//! Records of every kind of problem, from real judgings. Needs root and Python; without root the test reports that it
//! was skipped.

#![allow(clippy::unwrap_used)]

#[path = "common/real.rs"]
#[allow(dead_code, reason = "not all of it is needed here")]
mod real;

use real::{command, folder, text};
use std::path::PathBuf;

/// Packages of the conformance suite, and submissions of each with different results.
const JUDGED: &[(&str, &[&str])] = &[
    (
        "hostilemultipass",
        &["accepted/three.py", "wrong_answer/reject_second.py", "judging_error/crash_second.py"],
    ),
    ("hostileinteractor", &["accepted/double.py", "wrong_answer/garbage.py", "judging_error/crash.py"]),
    ("testlibinteractor", &["accepted/double.py", "wrong_answer/triple.py", "run_time_error/crash.py"]),
    ("grader", &["accepted/half.py", "wrong_answer/none.py", "judging_error/words.py"]),
    ("hostilescores", &["accepted/half.py", "wrong_answer/wrong.py", "judging_error/text.py"]),
    ("staticvalidator", &["accepted/half.py", "wrong_answer/both.py", "judging_error/crash.py"]),
];

#[test]
fn every_kind_of_problem_makes_a_record_that_holds_and_explains_as_the_report_does() {
    if !test_support::needs_root() {
        return;
    }
    let packages = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/packages");
    let folder = folder();
    for (package, submissions) in JUDGED {
        let problem = packages.join(package);
        let submissions = submissions.iter().map(|name| problem.join("submissions").join(name));
        let mut judge =
            command(folder.path(), &["judge", "--json", "--explain", "--quiet", "--patience", "0"]);
        let judge = judge.args(["--record", "r.jsonl"]).arg(&problem).args(submissions).output().unwrap();
        let report: documents::JudgeReport = documents::from_json(&text(&judge.stdout)).unwrap();
        let mut live: Vec<_> = report.submissions.iter().map(|one| (&one.name, &one.explanation)).collect();
        live.sort();

        let verify = ["judge", "--verify", "r.jsonl", "--explain", "--json"];
        let verify = command(folder.path(), &verify).output().unwrap();
        let told: documents::RecordVerification = documents::from_json(&text(&verify.stdout)).unwrap();
        assert!(told.holds, "{package}: {:?}", told.findings);
        let recorded = told.explanations[told.explanations.len() - live.len()..].iter();
        let mut recorded: Vec<_> = recorded.map(|one| (&one.submission, &one.explanation)).collect();
        recorded.sort();
        assert_eq!(recorded, live, "{package}");
    }
}
