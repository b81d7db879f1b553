//! The lines of a record, and the result of verifying one.

use super::{follows_schema, machine, result};
use documents::{
    CaseRun, NotJudged, RecordBegin, RecordCase, RecordEnd, RecordEntry, RecordLine, RecordRule,
    RecordRuling, Repeat, RulingDecision, TimeLimit, from_json, to_json_line,
};
use model::{RunEnd, Verdict};

fn line(sequence: u64, entry: RecordEntry) -> String {
    let line = RecordLine { sequence, previous: "ab".repeat(usize::from(sequence > 1)), entry };
    let text = to_json_line(&line);
    assert_eq!(from_json::<RecordLine>(&text).expect("our own line"), line);
    assert!(!text.contains('\n'));
    follows_schema::<RecordLine>(&text);
    text
}

fn not_judged(name: &str, cause: &str) -> NotJudged {
    NotJudged { name: name.to_owned(), cause: cause.to_owned(), reason: "a test".to_owned(), hint: None }
}

#[test]
fn record_begins_with_all_inputs_of_a_judging() {
    let begin = RecordBegin {
        tauto_version: "0.1.0".to_owned(),
        began_at: "2026-01-02T03:04:05Z".to_owned(),
        arguments: vec!["judge".to_owned(), "p".to_owned()],
        package: documents::Package {
            name: "p".to_owned(),
            title: None,
            format: "legacy".to_owned(),
            path: "p".to_owned(),
            hash: Some("00".to_owned()),
            scores: None,
        },
        is_graded: false,
        has_checks_between_runs: false,
        case_count: 2,
        is_selection: false,
        machine: machine(),
        kernel_options: [("CONFIG_HZ".to_owned(), "250".to_owned())].into(),
        timed_cpus: "1".to_owned(),
        helper_cpus: "0".to_owned(),
        image: None,
        time_limit: TimeLimit {
            value_ns: Some(10),
            kill_limit_ns: Some(20),
            clock: model::Clock::CpuTime,
            counter: None,
            source: "as asked".to_owned(),
            derivation: None,
            reused: false,
            stored_in: None,
        },
        memory_limit_bytes: 1024,
        rule: RecordRule {
            version: 2,
            limit_ns: 10,
            clock: model::Clock::CpuTime,
            kill_limit_ns: 20,
            wall_limit_ns: 30,
            wall_limit_asked: false,
            agreement_permille: 10,
            agreement_floor_ns: 1,
            margin_parts: 4,
            runs_min: 3,
            runs_max: 10,
            spacing_ns: 5,
            patience_ns: 60_000_000_000,
            quick: false,
            repeats_allowed: 14,
            numbers: [("runs_in_doubt".to_owned(), 6)].into(),
        },
        not_judged: vec![not_judged("no-such.c", "unusable")],
        unavailable: documents::Unavailable::new(),
    };
    insta::assert_snapshot!(line(1, RecordEntry::Begin(Box::new(begin))));
}

#[test]
fn a_case_has_every_run() {
    let run = result(RunEnd::Exited(0), 1500);
    let case = RecordCase {
        submission: "a.c".to_owned(),
        ordinal: None,
        output_start: Some("4\n".to_owned()),
        case: CaseRun::new("secret/1", Verdict::TimeLimitExceeded, Some(&run)),
        runs: vec![Repeat::from(&run)],
        ruling: Some(RecordRuling {
            decision: RulingDecision::Verdict,
            verdict: Some(Verdict::TimeLimitExceeded.into()),
            run: 0,
            reason: "too slow".to_owned(),
        }),
        passes: 1,
        earlier_passes: Vec::new(),
        run_again: Vec::new(),
        judging_error: None,
    };
    insta::assert_snapshot!(line(2, RecordEntry::Case(Box::new(case))));
}

#[test]
fn a_judging_ends_with_its_counts() {
    insta::assert_snapshot!(line(
        3,
        RecordEntry::End(RecordEnd {
            submissions: 1,
            cases: 1,
            not_judged: vec![not_judged("c.rare", "not_installed")],
        })
    ));
}
