use crate::{machine, printed, result};
use documents::{
    CaseRun, Compile, Difference, GroupResult, JudgeReport, NotJudged, Package, Submission, Summary,
    TimeLimit,
};
use model::{RunEnd, Verdict};

#[test]
fn judge() {
    let accepted = Submission {
        language: Some("cpp".to_owned()),
        expected: vec![Verdict::Accepted.into()],
        as_expected: Some(true),
        score: Some(40.0),
        compile: Some(Compile::new(true, &result(RunEnd::Exited(0), 700).usage, "a warning".to_owned())),
        groups: vec![GroupResult {
            name: "secret".to_owned(),
            verdict: Some(Verdict::Accepted.into()),
            score: Some(40.0),
            max_score: Some(100.0),
        }],
        ..Submission::new("accepted/fast.cpp", Verdict::Accepted)
    }
    .with_runs(vec![
        CaseRun::new("sample/1", Verdict::Accepted, Some(&result(RunEnd::Exited(0), 5))),
        CaseRun::new("secret/1", Verdict::Accepted, Some(&result(RunEnd::Exited(0), 5)))
            .with_repeats(&[result(RunEnd::Exited(0), 9), result(RunEnd::Exited(0), 5)]),
    ]);
    let wrong = Submission {
        expected: vec![Verdict::Accepted.into()],
        as_expected: Some(false),
        expectation_message: Some("expected AC, got WA".to_owned()),
        ..Submission::new("accepted/wrong.py", Verdict::WrongAnswer)
    }
    .with_runs(vec![CaseRun {
        judge_message: Some("line 1: expected 3, got 4".to_owned()),
        first_difference: Some(Difference {
            line: 1,
            column: 1,
            token: 1,
            answer_line: 1,
            expected: "3".to_owned(),
            got: "4".to_owned(),
            message: "line 1: expected 3, got 4".to_owned(),
        }),
        ..CaseRun::new("sample/1", Verdict::WrongAnswer, Some(&result(RunEnd::Exited(0), 8)))
    }]);
    let submissions = vec![accepted, wrong, Submission::new("other.c", Verdict::JudgingError)];
    let report = JudgeReport {
        package: Package {
            name: "different".to_owned(),
            title: Some("A Different Problem".to_owned()),
            format: "legacy".to_owned(),
            path: "problems/different".to_owned(),
            hash: None,
            scores: None,
        },
        machine: machine(),
        image: None,
        language: None,
        time_limit: TimeLimit {
            value_ns: Some(1_000_000_000),
            kill_limit_ns: Some(2_000_000_000),
            clock: model::Clock::CpuTime,
            counter: None,
            source: "problem.yaml".to_owned(),
            derivation: None,
            reused: false,
            stored_in: None,
        },
        memory_limit_bytes: Some(2_147_483_648),
        summary: Summary::of(&submissions),
        quick: false,
        complete: false,
        cut_short: Some("interrupted by SIGINT".to_owned()),
        submissions,
        not_judged: vec![NotJudged {
            name: "b.nim".to_owned(),
            cause: "not_installed".to_owned(),
            reason: "Nim is not installed here (/usr/bin/nim is absent)".to_owned(),
            hint: Some("install it with: apt-get install nim".to_owned()),
        }],
        warnings: Vec::new(),
    };
    insta::assert_snapshot!(printed(&report));
}
