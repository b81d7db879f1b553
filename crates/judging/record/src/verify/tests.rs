//! A record that is whole, and every way in which it can be broken.

mod packages;
mod rulings;

use super::*;
use crate::chain::Chain;
use crate::journal::{Journal, RecordFile};
use crate::rule::recorded_rule;
use documents::{MachineIdentity, TimeLimit};
use judge::{CaseJudgement, Judged, Judgement};
use model::{Evidence, LimitKind, Nanos, RunEnd, RunResult, Usage, Verdict};
use ruling::TimeRule;
use std::fs;
use std::path::Path;

const DONE: RunEnd = RunEnd::Exited(0);

fn rule() -> TimeRule {
    TimeRule::new(Nanos::from_millis(1000))
}

fn begin() -> RecordBegin {
    let unknown = model::Reading::unavailable("a test");
    RecordBegin {
        tauto_version: "0.1.0".to_owned(),
        began_at: "2026-01-02T03:04:05Z".to_owned(),
        arguments: vec!["judge".to_owned(), "p".to_owned()],
        package: documents::Package {
            name: "p".to_owned(),
            title: None,
            format: "legacy".to_owned(),
            path: "no/such/package".to_owned(),
            hash: Some("0".repeat(64)),
            scores: None,
        },
        is_graded: false,
        has_checks_between_runs: false,
        case_count: 2,
        is_selection: false,
        machine: MachineIdentity::new(
            &unknown,
            &model::Reading::Known(2),
            &model::Reading::unavailable("a test"),
            &unknown,
            &unknown,
            "0123".to_owned(),
        ),
        kernel_options: [("CONFIG_HZ".to_owned(), "250".to_owned())].into(),
        timed_cpus: "1".to_owned(),
        helper_cpus: "0".to_owned(),
        image: None,
        time_limit: TimeLimit {
            value_ns: Some(1_000_000_000),
            kill_limit_ns: Some(2_000_000_000),
            clock: model::Clock::CpuTime,
            counter: None,
            source: "a test".to_owned(),
            derivation: None,
            reused: false,
            stored_in: None,
        },
        memory_limit_bytes: 1 << 28,
        not_judged: Vec::new(),
        rule: recorded_rule(&rule(), 2),
        unavailable: documents::Unavailable::new(),
    }
}

fn runs(of: &[(RunEnd, u64)]) -> Vec<RunResult> {
    let run = |(end, cpu_ms): &(RunEnd, u64)| RunResult {
        end: *end,
        usage: Usage { cpu_time: Nanos::from_millis(*cpu_ms), ..Usage::default() },
        evidence: Evidence::default(),
    };
    of.iter().map(run).collect()
}

fn case(name: &str, verdict: Verdict, decisive: usize, of: &[(RunEnd, u64)]) -> CaseJudgement {
    case_of(name, verdict, decisive, runs(of))
}

fn case_of(name: &str, verdict: Verdict, decisive: usize, runs: Vec<RunResult>) -> CaseJudgement {
    let ruling = (!runs.is_empty()).then(|| rule().rule(&runs, u32::MAX));
    CaseJudgement { runs, ruling, decisive, passes: 1, ..CaseJudgement::new(name, verdict) }
}

fn judged(name: &str, verdict: Verdict) -> documents::RecordSubmission {
    let judgement = Judgement { verdict, judging_error: None, ..Judgement::failed(name, String::new()) };
    Judged::new(judgement, None).recorded(Vec::new())
}

/// Writes a judging of one accepted and one slow submission: 7 lines.
fn write(path: &Path) {
    let mut journal = Journal::begin(RecordFile::open(path).unwrap(), begin()).unwrap();
    let mut add = |submission: &str, case: CaseJudgement| {
        journal.case(case.recorded(&rule(), submission)).unwrap();
    };
    add("a.c", case("secret/1", Verdict::Accepted, 0, &[(DONE, 300)]));
    add("a.c", case("secret/2", Verdict::Accepted, 1, &[(DONE, 1200), (DONE, 900)]));
    journal.submission(judged("a.c", Verdict::Accepted)).unwrap();
    let slow = case("secret/1", Verdict::TimeLimitExceeded, 2, &[(DONE, 1300), (DONE, 1201), (DONE, 1200)]);
    journal.case(slow.recorded(&rule(), "b.c")).unwrap();
    journal.submission(judged("b.c", Verdict::TimeLimitExceeded)).unwrap();
    journal.end().unwrap();
}

fn written() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    write(&path);
    fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect()
}

fn joined(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

/// Binds lines again, as someone would who wants a change not to be seen.
fn rechained(lines: &[String]) -> Vec<u8> {
    let mut chain = Chain::default();
    let line = |line: &String| chain.line(documents::from_json::<RecordLine>(line).unwrap().entry);
    lines.iter().flat_map(line).collect()
}

fn findings(bytes: &[u8]) -> Vec<String> {
    let reported = verify(bytes, "r.jsonl").unwrap();
    reported.findings.iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect()
}

fn refused(bytes: &[u8]) -> String {
    words(&verify(bytes, "r.jsonl").unwrap_err())
}

fn words(error: &RecordError) -> String {
    format!("error: {error}\nhint: {}\n", error.hint())
}

#[test]
fn a_record_as_written_holds() {
    let lines = written();
    assert_eq!(findings(&joined(&lines)), [""; 0]);
    assert_eq!(findings(&rechained(&lines)), [""; 0], "lines are bound as the journal binds them");
    let reported = verify(joined(&lines).as_slice(), "r.jsonl").unwrap();
    assert_eq!(
        (reported.lines, reported.judgings, reported.submissions, reported.cases, reported.runs),
        (7, 1, 2, 3, 6)
    );
    assert_eq!(reported.last_line_hash, line_hash(lines[6].as_bytes()));
}

#[test]
fn every_changed_byte_of_a_verdict_or_time_is_reported() {
    let lines = written();
    for (at, from, to) in [
        (1, "\"cpu_time_ns\":300000000", "\"cpu_time_ns\":200000000"),
        (3, "\"verdict\":\"AC\"", "\"verdict\":\"WA\""),
        (4, "\"verdict\":\"TLE\"", "\"verdict\":\"AC\""),
        (5, "\"verdict\":\"TLE\"", "\"verdict\":\"AC\""),
        (6, "\"cases\":3", "\"cases\":2"),
    ] {
        let mut changed = lines.clone();
        changed[at] = changed[at].replacen(from, to, 1);
        assert_ne!(changed, lines, "{from}");
        let found = findings(&joined(&changed));
        if at < 6 {
            let chain = format!("{}: the chain breaks: line {} is not the line after which", at + 2, at + 1);
            assert!(found.iter().any(|finding| finding.starts_with(&chain)), "{from}: {found:?}");
        }
        // With the chain rebuilt the verdicts still do not follow.
        let found = findings(&rechained(&changed));
        assert!(!found.is_empty(), "{from}");
    }
}

#[test]
fn verdicts_that_do_not_follow_are_reported_by_line() {
    let lines = written();
    let with = |at: usize, changes: &[(&str, &str)]| {
        let mut changed = lines.clone();
        for (from, to) in changes {
            assert!(changed[at].contains(from), "{from}");
            changed[at] = changed[at].replace(from, to);
        }
        findings(&rechained(&changed))
    };
    // Its decisive run is over the limit now, and one run more is missing.
    insta::assert_snapshot!(
        with(2, &[("\"cpu_time_ns\":900000000", "\"cpu_time_ns\":1900000000")]).join("\n"),
        @"3: secret/2 of a.c: by the rule it had to be run again: the two lowest times differ: 1.200 s and 1.900 s"
    );
    insta::assert_snapshot!(
        with(2, &[("\"cpu_time_ns\":1200000000", "\"cpu_time_ns\":200000000")]).join("\n"),
        @"3: secret/2 of a.c: 1 of its 2 runs were enough by the rule"
    );
    insta::assert_snapshot!(
        with(4, &[("\"verdict\":\"TLE\"", "\"verdict\":\"AC\"")]).join("\n"),
        @r"
    5: secret/1 of b.c: recorded is accepted (run 3), but by the rule its runs give time limit exceeded (run 3)
    6: b.c: it is time limit exceeded, but none of its recorded cases is
    "
    );
    let no_earlier = "\"earlier_passes\":[]";
    insta::assert_snapshot!(
        with(1, &[(no_earlier, "\"earlier_passes\":[[]]")]).join("\n"),
        @"2: secret/1 of a.c: 1 passes come before the last of 1"
    );
    insta::assert_snapshot!(
        with(1, &[(no_earlier, "\"earlier_passes\":[[]]"), ("\"passes\":1", "\"passes\":2")]).join("\n"),
        @"2: secret/1 of a.c: by the rule the output of pass 1 was not to be checked"
    );
    for (from, to, words) in [
        (
            "\"repeats_allowed\":50",
            "\"repeats_allowed\":99",
            "1: rule 7 does not have the numbers of its rule",
        ),
        (
            "\"runs_in_doubt\":6",
            "\"runs_in_doubt\":3",
            "1: runs_in_doubt of its rule is 3, in rule 7 it is 6",
        ),
        (
            "\"heat_from\":1",
            "\"cold_from\":1",
            "1: its rule has a number cold_from, rule 7 has none of that name",
        ),
        (
            "\"agreement_permille\":10,\"agreement_floor_ns\"",
            "\"agreement_permille\":20,\"agreement_floor_ns\"",
            "1: rule 7 does not have the numbers of its rule",
        ),
        ("\"limit_ns\":1000000000", "\"limit_ns\":1300000000", "1: its rule has not its time limit"),
    ] {
        assert_eq!(with(0, &[(from, to)])[0], words);
    }
}

#[test]
fn a_record_has_every_number_of_its_rule_and_one_of_before_holds_without_them() {
    let lines = written();
    let RecordEntry::Begin(begin) = documents::from_json::<RecordLine>(&lines[0]).unwrap().entry else {
        panic!("a judging begins first")
    };
    let numbers = RuleNumbers::CURRENT.named().into_iter().map(|(name, value)| (name.to_owned(), value));
    assert_eq!(begin.rule.numbers, numbers.collect());
    let start = lines[0].find(",\"numbers\":{").unwrap();
    let end = start + lines[0][start..].find('}').unwrap() + 1;
    let mut before = lines.clone();
    before[0].replace_range(start..end, "");
    assert!(before[0].contains("\"repeats_allowed\":50}"), "{}", before[0]);
    assert_eq!(findings(&rechained(&before)), [""; 0]);
    assert_eq!(verify(rechained(&before).as_slice(), "r").unwrap().rules, [7]);
}

#[test]
fn submissions_that_were_left_out_are_noted_and_a_record_of_before_holds_without_them() {
    let lines = written();
    let with = |at: usize, to: &str| {
        let mut changed = lines.clone();
        assert!(changed[at].contains("\"not_judged\":[]"), "{}", changed[at]);
        changed[at] = changed[at].replace("\"not_judged\":[]", to);
        verify(rechained(&changed).as_slice(), "r").unwrap()
    };
    let one = r#""not_judged":[{"name":"c.rare","cause":"unusable","reason":"it is empty","hint":null}]"#;
    for at in [0, 6] {
        let reported = with(at, one);
        assert_eq!(
            reported.notes,
            ["left out of the judging that begins in line 1: c.rare (it is empty)"],
            "{at}"
        );
        assert_eq!(reported.findings, [], "{at}");
    }
    // One that was left out when it was its turn is reported once, and also when the judging was interrupted.
    let line = lines[5].replace(
        &lines[5][lines[5].find("\"kind\"").unwrap()..],
        r#""kind":"left_out","name":"c.rare","cause":"not_installed","reason":"no rarec","hint":null}"#,
    );
    let mut whole = lines.clone();
    whole.insert(6, line);
    whole[7] = whole[7].replace(
        "\"not_judged\":[]",
        r#""not_judged":[{"name":"c.rare","cause":"not_installed","reason":"no rarec","hint":null}]"#,
    );
    let reported = verify(rechained(&whole).as_slice(), "r").unwrap();
    let noted = ["left out of the judging that begins in line 1: c.rare (no rarec)"];
    assert_eq!(
        (reported.notes.as_slice(), reported.holds),
        (&noted.map(str::to_owned)[..], true),
        "{:?}",
        reported.findings
    );
    whole.truncate(7);
    let reported = verify(rechained(&whole).as_slice(), "r").unwrap();
    assert_eq!(
        (reported.notes.as_slice(), reported.findings.len()),
        (&noted.map(str::to_owned)[..], 1),
        "it has no end"
    );
    let before: Vec<String> = lines.iter().map(|line| line.replace(",\"not_judged\":[]", "")).collect();
    assert_eq!(findings(&rechained(&before)), [""; 0]);
}

#[test]
fn removed_doubled_and_swapped_lines_are_reported() {
    let lines = written();
    for at in 0..lines.len() {
        let mut removed = lines.clone();
        removed.remove(at);
        let found = findings(&joined(&removed));
        let words = if at + 1 == lines.len() { "without an end" } else { "1 lines were removed" };
        assert!(found.iter().any(|finding| finding.contains(words)), "{at}: {found:?}");
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at].clone());
        assert!(findings(&joined(&doubled)).iter().any(|found| found.contains("doubled")), "{at}");
        if at > 0 {
            let mut swapped = lines.clone();
            swapped.swap(at - 1, at);
            let found = findings(&joined(&swapped));
            let chain = format!("{at}: the chain breaks: it was written as line {}", at + 1);
            assert!(found.iter().any(|finding| finding.starts_with(&chain)), "{at}: {found:?}");
        }
    }
}

#[test]
fn truncated_records_are_reported() {
    let whole = joined(&written());
    for length in (0..whole.len()).step_by(100).chain([whole.len() - 1]) {
        match verify(&whole[..length], "r.jsonl") {
            Ok(reported) => assert!(!reported.findings.is_empty(), "{length}"),
            Err(error) => assert_eq!((length, words(&error).contains("is empty")), (0, true)),
        }
    }
}

#[test]
fn records_of_other_versions_are_refused() {
    assert!(refused(b"").contains("r.jsonl is empty"));
    assert!(refused(b"notes\n").contains("r.jsonl is not a record"));
    let old = b"{\"schema\":\"tautochrone/judge-record/1\",\"kind\":\"case\"}\n";
    assert!(refused(old).contains("is a record of another version"), "{}", refused(old));
    let mut lines = written();
    lines[0] = lines[0].replace("\"rule\":{\"version\":7", "\"rule\":{\"version\":2");
    insta::assert_snapshot!(refused(&joined(&lines)), @r"
    error: r.jsonl, line 1: it was judged by rule 2, this tauto knows rule 5 and 6 and 7
    hint: verify it with a tauto that knows that rule
    ");
}

#[test]
fn a_record_is_continued_also_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    write(&path);
    write(&path);
    let reported = verify(fs::read(&path).unwrap().as_slice(), "r.jsonl").unwrap();
    assert_eq!((reported.judgings, reported.findings, reported.notes), (2, vec![], vec![]));
    // A crash in the last case of the second judging.
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    fs::write(&path, format!("{}\n{}", lines[..11].join("\n"), &lines[11][..50])).unwrap();
    let opened = RecordFile::open(&path).unwrap();
    assert!(opened.warning.as_ref().unwrap().contains("these 50 bytes were cut away"));
    drop(opened);
    write(&path);
    let reported = verify(fs::read(&path).unwrap().as_slice(), "r.jsonl").unwrap();
    assert_eq!((reported.judgings, reported.findings), (3, vec![]));
    assert_eq!(reported.notes, ["the judging that begins in line 8 was interrupted"]);
}

#[test]
fn files_of_others_are_neither_continued_nor_shortened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes");
    for text in ["one\ntwo", "two", "{}\n", "{\"schema\":\"tautochrone/judge-record/1\"}\n"] {
        fs::write(&path, text).unwrap();
        let words = words(&RecordFile::open(&path).unwrap_err());
        assert!(words.contains("not a record of this version that can be continued"), "{words}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&path, "").unwrap();
    let _held = RecordFile::open(&path).unwrap();
    let words = words(&RecordFile::open(&path).unwrap_err());
    assert!(words.contains("another process is writing the record"), "{words}");
}
