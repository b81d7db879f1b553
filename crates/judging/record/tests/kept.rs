//! Records that were made earlier stay valid, whatever changes since.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/marked.rs"]
mod marked;

use common::{folder, lines, lines_of, record};
use documents::{RecordEntry, RecordLine, RulingDecision};
use model::Verdict;
use record::{Chain, Submissions, verify};
use std::collections::BTreeSet;
use std::fs;

/// Each with its number of judgings, submissions, cases and runs, and of cases that runs alone do not decide.
const RECORDS: &[(&str, [u64; 5])] = &[
    ("counted", [1, 3, 15, 15, 0]),
    ("graded", [1, 4, 20, 20, 0]),
    ("interactive", [2, 7, 17, 26, 7]),
    ("multi-pass", [2, 7, 7, 12, 1]),
    ("pass-fail", [1, 9, 20, 22, 0]),
    ("repeated", [1, 3, 6, 16, 0]),
    ("scored", [1, 2, 22, 23, 0]),
    ("static", [1, 4, 8, 4, 0]),
];

/// Recomputes the chain, as somebody would to hide a change.
fn rechained(lines: &[RecordLine]) -> Vec<u8> {
    let mut chain = Chain::default();
    lines.iter().flat_map(|line| chain.line(line.entry.clone())).collect()
}

fn findings(bytes: &[u8]) -> Vec<String> {
    let reported = verify(bytes, "r").unwrap();
    reported.findings.iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect()
}

#[test]
fn all_hold() {
    let listed: BTreeSet<String> = RECORDS.iter().map(|(name, _)| format!("{name}.jsonl")).collect();
    let there = fs::read_dir(folder()).unwrap();
    let there: BTreeSet<String> =
        there.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(there, listed);
    for (name, counts) in RECORDS {
        let reported = verify(record(name).as_slice(), name).unwrap();
        assert_eq!((reported.findings.as_slice(), reported.notes.as_slice()), (&[][..], &[][..]), "{name}");
        let rule = if *name == "counted" { 7 } else { 5 };
        assert!(reported.holds && reported.rules == [rule], "{name}");
        let found = [
            reported.judgings,
            reported.submissions,
            reported.cases,
            reported.runs,
            reported.decided_with_interactor,
        ];
        assert_eq!(found, *counts, "{name}");
    }
}

#[test]
fn they_have_every_kind_of_verdict_and_decision() {
    let mut verdicts = BTreeSet::new();
    let mut decisions = BTreeSet::new();
    for (name, _) in RECORDS {
        for one in Submissions::new(record(name).as_slice(), name) {
            let one = one.unwrap();
            verdicts.insert(one.submission.submission.verdict.0);
            decisions.extend(
                one.cases
                    .iter()
                    .filter_map(|case| case.ruling.as_ref())
                    .map(|ruling| format!("{:?}", ruling.decision)),
            );
        }
    }
    assert_eq!(verdicts, Verdict::ALL.into_iter().collect());
    assert_eq!(decisions.into_iter().collect::<Vec<_>>(), ["CheckOutput", "Interactor", "Verdict"]);
}

#[test]
fn each_is_explained_by_itself_alone() {
    for (name, _) in RECORDS {
        let mut text = String::new();
        for one in Submissions::new(record(name).as_slice(), name) {
            let one = one.unwrap();
            text.push_str(&format!("{}\n", one.submission.submission.name));
            for sentence in one.explain().unwrap().sentences() {
                text.push_str(&format!("    {sentence}\n"));
            }
        }
        insta::assert_snapshot!(*name, text);
    }
}

#[test]
fn a_verdict_that_the_runs_gave_cannot_be_another() {
    for (name, _) in RECORDS {
        let lines = lines(name);
        for at in 0..lines.len() {
            let mut changed = lines.clone();
            let RecordEntry::Case(case) = &mut changed[at].entry else { continue };
            if case.ruling.as_ref().is_none_or(|ruling| ruling.decision != RulingDecision::Verdict) {
                continue;
            }
            case.case.verdict = Verdict::Accepted.into();
            let reported = format!("{}: {} of {}: it is accepted", at + 1, case.case.case, case.submission);
            let found = findings(&rechained(&changed));
            assert!(
                found.iter().any(|finding| finding.starts_with(&reported)),
                "{name}: {reported}: {found:?}"
            );
        }
    }
}

#[test]
fn numbers_of_another_rule_version_are_reported() {
    let lines = lines("static");
    let RecordEntry::Begin(begin) = &lines[0].entry else { panic!("a judging begins first") };
    let reported = |change: &dyn Fn(&mut documents::RecordBegin)| {
        let mut changed = lines.clone();
        let mut begin = begin.clone();
        change(&mut begin);
        changed[0].entry = RecordEntry::Begin(begin);
        findings(&rechained(&changed)).swap_remove(0)
    };
    for name in begin.rule.numbers.keys() {
        let found = reported(&|begin| *begin.rule.numbers.get_mut(name).unwrap() += 1);
        assert!(found.starts_with(&format!("1: {name} of its rule is ")), "{found}");
    }
    let rule = serde_json::to_value(&begin.rule).unwrap();
    // Options of the caller, on which no other value depends.
    let free = ["version", "numbers", "patience_ns", "wall_limit_asked"];
    for field in rule.as_object().unwrap().keys().filter(|field| !free.contains(&field.as_str())) {
        let found = reported(&|begin| {
            let mut rule = rule.clone();
            rule[field] = match &rule[field] {
                serde_json::Value::Bool(is_so) => (!is_so).into(),
                serde_json::Value::Object(_) => {
                    serde_json::json!({"kind": "instructions", "per_nanosecond": 1})
                }
                number => (number.as_u64().unwrap() + 1).into(),
            };
            begin.rule = serde_json::from_value(rule).unwrap();
        });
        let expected = match field.as_str() {
            "limit_ns" => "1: its rule has not its time limit",
            _ => "1: rule 5 does not have the numbers of its rule",
        };
        assert_eq!(found, expected, "{field}");
    }
}

#[test]
fn submissions_are_read_around_damage_and_up_to_a_tear() {
    let lines = lines("repeated");
    let names = |bytes: &[u8]| -> Vec<Result<String, String>> {
        let read = Submissions::new(bytes, "r").map(|one| match one {
            Ok(one) => Ok(format!("{} ({})", one.submission.submission.name, one.cases.len())),
            Err(error) => Err(error.to_string()),
        });
        read.collect()
    };
    let reported = |name: &str| Ok(name.to_owned());
    let all = [
        reported("accepted/sieve.c (2)"),
        reported("accepted/sieve.py (2)"),
        reported("accepted/segmented.cpp (2)"),
    ];
    let whole = record("repeated");
    assert_eq!(names(&whole), all);
    let end = whole.len() - 1;
    assert_eq!(names(&whole[..end - 1]), all, "the end of the judging is torn");
    let text = String::from_utf8(whole).unwrap();
    let mut damaged: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    damaged[1].replace_range(..1, "[");
    let damage = Err("line 2 of the record r is damaged".to_owned());
    let read = names(damaged.concat().as_bytes());
    assert_eq!(read, [&[damage, reported("accepted/sieve.c (1)")], &all[1..]].concat());
    let headless = rechained(&lines[1..]);
    let absent = "line 3 of the record r belongs to no judging: the line that begins it is absent";
    assert_eq!(names(&headless)[0], Err(absent.to_owned()));
    assert_eq!(names(b"notes\n").len(), 1);
    let endless = std::io::BufReader::new(std::io::repeat(b'x'));
    assert_eq!(Submissions::new(endless, "r").filter(Result::is_err).count(), 1);
}

#[test]
fn a_contestants_record_verifies_and_reveals_no_test_data() {
    for (name, [judgings, submissions, cases, runs, _]) in RECORDS {
        let shared = record::for_contestant(&*record(name), name).unwrap();
        let reported = verify(&*shared, name).unwrap();
        assert_eq!(reported.findings, [], "{name}");
        assert_eq!(
            [reported.judgings, reported.submissions, reported.cases, reported.runs],
            [*judgings, *submissions, *cases, *runs],
            "{name}"
        );
        for (before, after) in lines(name).iter().zip(lines_of(&shared)) {
            let (RecordEntry::Case(before), RecordEntry::Case(after)) = (&before.entry, &after.entry) else {
                continue;
            };
            assert_eq!(before.runs, after.runs);
            if !before.case.case.starts_with("sample/") {
                assert_ne!(before.case.case, after.case.case);
                assert!(after.case.judge_message.is_none() && after.case.first_difference.is_none());
            }
        }
    }
}

#[test]
fn no_text_reaches_a_contestant_that_is_not_listed() {
    for is_graded in [false, true] {
        let whole = marked::record(is_graded);
        let there = marked::marks(&whole);
        for known in [
            "begin.time_limit.derivation.slowest_submission",
            "case.output_start",
            "case.case.stderr_excerpt",
            "end.not_judged.name",
        ] {
            assert!(there.contains(known), "{known} is not in {there:?}");
        }
        let shared = record::for_contestant(&*whole, "marked").unwrap();
        assert_eq!(marked::secrets(&shared, is_graded), Vec::<String>::new());
        // What is listed is there: the list has nothing that is not needed.
        let left = marked::marks(&shared);
        for listed in marked::MAY_PASS {
            let start = listed.trim_end_matches('*');
            assert!(left.iter().any(|mark| mark.starts_with(start)), "{listed} is listed and never shared");
        }
    }
}

#[test]
fn sample_cases_pass_without_outputs_and_messages() {
    let mut whole = lines("pass-fail");
    for line in &mut whole {
        if let RecordEntry::Case(case) = &mut line.entry {
            case.output_start = Some("an output".to_owned());
            case.case.judge_message = Some("for the jury".to_owned());
            case.case.team_message = Some("for the team".to_owned());
        }
    }
    let shared = record::for_contestant(&*rechained(&whole), "r").unwrap();
    assert_eq!(verify(&*shared, "r").unwrap().findings, []);
    let (mut samples, mut secrets, mut differences) = (0, 0, 0);
    for line in lines_of(&shared) {
        let RecordEntry::Case(case) = line.entry else { continue };
        assert_eq!((case.output_start, case.case.judge_message), (None, None));
        assert_eq!(case.case.team_message.as_deref(), Some("for the team"));
        if case.case.case.starts_with("sample/") {
            samples += 1;
            differences += u32::from(case.case.first_difference.is_some());
        } else {
            secrets += 1;
            assert!(case.case.case.starts_with("secret/done-") && case.case.first_difference.is_none());
        }
    }
    assert!(samples > 0 && secrets > 0 && differences > 0);
}

#[test]
fn groups_are_named_only_where_they_are_subtasks() {
    let named = |name: &str| {
        let shared = record::for_contestant(&*record(name), name).unwrap();
        let mut names = BTreeSet::new();
        for line in lines_of(&shared) {
            match line.entry {
                RecordEntry::Case(case) => {
                    names.insert(case.case.case.rsplit_once('/').unwrap().0.to_owned());
                }
                RecordEntry::Submission(done) => {
                    names.extend(done.submission.groups.into_iter().map(|group| group.name));
                }
                _ => {}
            }
        }
        names.into_iter().collect::<Vec<_>>()
    };
    let subtasks = ["sample", "secret", "secret/group1-short", "secret/group2-sorted", "secret/group3-long"];
    assert_eq!(named("scored"), subtasks);
    assert_eq!(named("pass-fail"), ["sample", "secret"]);
}
