//! Records that were made earlier, and records composed of their lines.

#![allow(dead_code, reason = "no test needs all of it")]

use documents::{RecordBegin, RecordCase, RecordEntry, RecordLine, RecordSubmission};
use record::{Journal, RecordFile, verify};
use std::fs;
use std::path::PathBuf;

pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/records")
}

pub fn record(name: &str) -> Vec<u8> {
    fs::read(folder().join(format!("{name}.jsonl"))).unwrap()
}

pub fn lines(name: &str) -> Vec<RecordLine> {
    lines_of(&record(name))
}

pub fn lines_of(record: &[u8]) -> Vec<RecordLine> {
    let text = std::str::from_utf8(record).unwrap();
    text.lines().map(|line| documents::from_json(line).unwrap()).collect()
}

/// Takes one line of each kind from a record.
pub fn parts(name: &str) -> (RecordBegin, RecordCase, RecordSubmission) {
    let (mut begin, mut case, mut submission) = (None, None, None);
    for line in lines(name) {
        match line.entry {
            RecordEntry::Begin(found) => begin = Some(*found),
            RecordEntry::Case(found) if !found.runs.is_empty() => case = Some(*found),
            RecordEntry::Submission(found) => submission = Some(*found),
            RecordEntry::Case(_) | RecordEntry::LeftOut(_) | RecordEntry::End(_) => {}
        }
    }
    (begin.unwrap(), case.unwrap(), submission.unwrap())
}

pub fn add_judging(file: RecordFile) {
    let (begin, case, submission) = parts("static");
    let mut journal = Journal::begin(file, begin).unwrap();
    let name = submission.submission.name.clone();
    journal.case(RecordCase { submission: name, ..case }).unwrap();
    journal.submission(submission).unwrap();
    journal.end().unwrap();
}

/// Counts the judgings of a valid record.
pub fn judgings(bytes: &[u8]) -> u64 {
    let reported = verify(bytes, "r").unwrap();
    assert_eq!(reported.findings, [], "{:?}", reported.notes);
    reported.judgings
}

/// Finds the end of the last whole line.
pub fn whole(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}
