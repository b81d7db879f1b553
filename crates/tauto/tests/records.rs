//! Records of every kind of problem, from real judgings. Needs root and Python; without root the test reports that it
//! was skipped.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::{command, sandbox_folder};
use common::text;
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
    let Some(folder) = sandbox_folder() else { return };
    let packages = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/packages");
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
        let verified: documents::RecordVerification = documents::from_json(&text(&verify.stdout)).unwrap();
        assert!(verified.holds, "{package}: {:?}", verified.findings);
        let recorded = verified.explanations[verified.explanations.len() - live.len()..].iter();
        let mut recorded: Vec<_> = recorded.map(|one| (&one.submission, &one.explanation)).collect();
        recorded.sort();
        assert_eq!(recorded, live, "{package}");
    }
}
