//! Each reader with up to a thousand inputs that are changed at random, always the same ones.

#![allow(clippy::unwrap_used, reason = "tests")]

use uploads::{Mutator, TARGETS};

/// Reading files of packages needs the disk.
fn count(target: &str) -> usize {
    if target.starts_with("package") { 60 } else { 1_000 }
}

#[test]
fn nothing_that_is_uploaded_makes_a_reader_panic() {
    for target in TARGETS {
        let seeds = (target.seeds)();
        seeds.iter().for_each(|seed| (target.read)(seed));
        let mut mutator = Mutator::new(seeds, 1);
        for number in 0..count(target.name) {
            let input = mutator.next_input();
            let read = std::panic::catch_unwind(|| (target.read)(&input));
            assert!(
                read.is_ok(),
                "{} panics with input {number}: {:?}",
                target.name,
                String::from_utf8_lossy(&input)
            );
        }
    }
}

#[test]
fn good_inputs_are_read() {
    let logs = (TARGETS.iter().find(|target| target.name == "log").unwrap().seeds)();
    assert_eq!(logs[0].split(|byte| *byte == b'\n').count(), 18, "every line of the log is an event");
    let trace = (TARGETS.iter().find(|target| target.name == "trace").unwrap().seeds)().remove(0);
    let mut reader = simulator::trace::Reader::open(&trace[..]).unwrap();
    let records = std::iter::from_fn(|| reader.next().unwrap()).count();
    assert_eq!(records, 5, "every line of the trace is a record");
}
