//! Records that were made to do harm: each is rejected or reported, whatever it contains.

#![allow(clippy::unwrap_used)]

mod common;

use documents::RecordCase;
use model::Nanos;
use record::{Chain, Submissions, recorded_rule, verify};
use ruling::TimeRule;
use serde_json::{Value, json};

/// Values that never occur in most places of a record.
fn odd_values() -> Vec<Value> {
    vec![
        json!(0),
        json!(1),
        json!(u64::MAX),
        json!(u32::MAX),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("4294967295-0"),
        json!(null),
        json!(true),
        json!([]),
        json!({}),
    ]
}

/// Lists the paths of all values, including lists and maps.
fn paths(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                paths(inner, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(values) => {
            for (index, inner) in values.iter().enumerate() {
                paths(inner, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// Returns a short record with every kind of line; its case was run several times.
fn lines() -> Vec<Value> {
    let (begin, _, submission) = common::parts("repeated");
    let (_, case, _) = common::parts("interactive");
    let name = submission.submission.name.clone();
    let slow = common::lines("repeated").into_iter().find_map(|line| match line.entry {
        documents::RecordEntry::Case(case) if case.runs.len() > 1 => Some(*case),
        _ => None,
    });
    let slow = slow.unwrap();
    let runs: Vec<_> = slow.runs[..2].to_vec();
    let case =
        RecordCase { submission: name.clone(), earlier_passes: vec![runs[..1].to_vec()], passes: 2, ..case };
    let slow = RecordCase { submission: name, runs, ..slow };
    let mut chain = Chain::default();
    [
        documents::RecordEntry::Begin(Box::new(begin)),
        documents::RecordEntry::Case(Box::new(case)),
        documents::RecordEntry::Case(Box::new(slow)),
        documents::RecordEntry::Submission(Box::new(submission)),
        documents::RecordEntry::End(documents::RecordEnd {
            submissions: 1,
            cases: 2,
            not_judged: Vec::new(),
        }),
    ]
    .map(|entry| serde_json::from_slice(&chain.line(entry)).unwrap())
    .into()
}

/// Reads it in every way.
fn read(lines: &[Value]) {
    let bytes: Vec<u8> = lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
    // Whether it is rejected or reported depends on the change; it has to be one of them.
    if let Ok(reported) = verify(bytes.as_slice(), "r") {
        assert!(!reported.holds, "the runs that were left out are missed");
    }
    for one in Submissions::new(bytes.as_slice(), "r").flatten() {
        let _ = one.explain().map(|explanation| explanation.sentences());
    }
}

#[test]
fn arbitrary_values_in_records_are_safe() {
    let lines = lines();
    read(&lines);
    for at in 0..lines.len() {
        let mut found = Vec::new();
        paths(&lines[at], "", &mut found);
        for (number, path) in found.iter().enumerate() {
            // All values in all places would take a minute; neighbouring places behave alike.
            for odd in odd_values().into_iter().skip(number % 4).step_by(4) {
                let mut changed = lines.clone();
                *changed[at].pointer_mut(path).unwrap() = odd;
                read(&changed);
            }
        }
    }
}

#[test]
fn extreme_limits_and_times_are_safe() {
    let extremes = [0, 1, 1_000_000_000, u64::MAX / 2, u64::MAX];
    let lines = lines();
    for limit in extremes {
        for kill_limit in extremes {
            for time in extremes {
                let mut changed = lines.clone();
                let rule = TimeRule { kill_limit: Nanos(kill_limit), ..TimeRule::new(Nanos(limit)) };
                for case_count in [2, u64::MAX] {
                    let cases = usize::try_from(case_count).unwrap();
                    changed[0]["rule"] = serde_json::to_value(recorded_rule(&rule, cases)).unwrap();
                    changed[0]["case_count"] = case_count.into();
                    changed[0]["time_limit"]["value_ns"] = limit.into();
                    changed[0]["time_limit"]["kill_limit_ns"] = kill_limit.into();
                    for line in &mut changed[1..3] {
                        for run in line["runs"].as_array_mut().unwrap() {
                            run["cpu_time_ns"] = time.into();
                            run["evidence"]["core_slowdown_permille"] = u32::MAX.into();
                        }
                    }
                    read(&changed);
                }
            }
        }
    }
}
