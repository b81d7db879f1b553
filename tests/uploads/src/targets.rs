//! What is read. The first byte of some inputs chooses what the rest is.

use crate::seeds;
use contest_rules::{Event, Instant, Millis, State};
use serde::Serialize;
use serde::de::DeserializeOwned;
use simulator::trace::import::planetlab::{self, Day};
use simulator::trace::import::{About, Input, MadeUpHosts, azure, noise, openb, swf};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{Cursor, Read};
use std::path::Path;
use std::str::FromStr;

/// Something that reads uploads.
pub struct Target {
    pub name: &'static str,
    /// Reads an input; panics where something is wrong.
    pub read: fn(&[u8]),
    pub seeds: fn() -> Vec<Vec<u8>>,
}

pub const TARGETS: &[Target] = &[
    Target { name: "contest_files", read: contest_files, seeds: seeds::contest_files },
    Target { name: "located", read: located, seeds: seeds::located },
    Target { name: "package_file", read: package_file, seeds: seeds::package_files },
    Target { name: "package_zip", read: package_zip, seeds: seeds::package_zips },
    Target { name: "policies", read: policies, seeds: seeds::policies },
    Target { name: "requests", read: requests, seeds: seeds::requests },
    Target { name: "times", read: times, seeds: seeds::times },
    Target { name: "log", read: log, seeds: seeds::logs },
    Target { name: "messages", read: messages, seeds: seeds::messages },
    Target { name: "trace", read: trace, seeds: seeds::traces },
    Target { name: "trace_source", read: trace_source, seeds: seeds::trace_sources },
];

/// Reads an input as the target of a name.
///
/// # Panics
///
/// Where something is wrong, or there is no such target.
pub fn read(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    (target.read)(input);
}

/// Reads a file of a contest package. What is read without an error is written and read again.
fn contest_files(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else { return };
    let name = seeds::CONTEST_FILES[usize::from(*first) % seeds::CONTEST_FILES.len()].0;
    let (files, findings) = contest_rules::files::read(&BTreeMap::from([(name.to_owned(), rest.to_vec())]));
    if findings.iter().all(|finding| finding.is_warning) {
        let written = contest_rules::files::write(&files);
        let (again, findings) = contest_rules::files::read(&written);
        assert_eq!(findings, []);
        assert_eq!(contest_rules::files::write(&again), written);
    }
}

fn located(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let _ = located::yaml(&text);
    let _ = located::json(&text);
    let _ = located::table(&text);
}

/// Reads placement policies. What is read without a mistake is explained, written and read again.
fn policies(input: &[u8]) {
    use placement::policy::{describe, read, write};
    let text = String::from_utf8_lossy(input);
    let Ok(policies) = read(&text) else { return };
    for policy in &policies.all {
        assert!(!describe(policy).is_empty());
        let again = read(&write(policy)).unwrap_or_else(|mistakes| panic!("{policy:?}: {mistakes:?}"));
        assert!(again.find(None) == Some(policy), "{policy:?} is read again as {again:?}");
    }
}

/// Answers messages to a fleet and to a node, a line each: every answer is an object of JSON, and no two containers have a core.
fn messages(input: &[u8]) {
    let (mut fleet, mut node) = (decisions::Fleet::default(), decisions::Node::default());
    for message in input.split(|byte| *byte == b'\n').take(MESSAGES_MAX) {
        for answer in [decisions::answer(&mut fleet, message), decisions::answer(&mut node, message)] {
            let answer: serde_json::Value = serde_json::from_slice(&answer).expect("an answer is JSON");
            assert_eq!(answer.as_object().map(serde_json::Map::len), Some(1), "{answer}");
        }
    }
    let state = decisions::answer(&mut node, br#"{"state":{}}"#);
    let state: serde_json::Value = serde_json::from_slice(&state).expect("an answer is JSON");
    let leases = state["state"]["leases"].as_array().into_iter().flatten();
    let lists = leases.flat_map(|lease| [lease["cpus"].as_str(), lease["idle"].as_str()]).flatten();
    let mut taken = model::CpuSet::new();
    for cpu in lists.filter(|list| !list.is_empty()).flat_map(|list| {
        let set: model::CpuSet = list.parse().expect("a list of CPUs");
        set.iter().collect::<Vec<_>>()
    }) {
        assert!(taken.insert(cpu), "CPU {cpu} has two owners");
    }
}

/// More make an input slow, and find nothing else.
const MESSAGES_MAX: usize = 64;

fn package_file(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else { return };
    let changed = seeds::PACKAGE_FILES[usize::from(*first) % seeds::PACKAGE_FILES.len()].0;
    let room = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in seeds::PACKAGE_FILES {
        let path = room.path().join("sums").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
        let content = if *name == changed { rest } else { content.as_bytes() };
        std::fs::write(path, content).expect("a file can be written");
    }
    open(&room.path().join("sums"), room.path());
}

fn package_zip(input: &[u8]) {
    let room = tempfile::tempdir().expect("a temporary folder");
    let path = room.path().join("sums.zip");
    std::fs::write(&path, input).expect("a file can be written");
    open(&path, room.path());
    let unpacked: Vec<_> = std::fs::read_dir(room.path()).expect("a folder").collect();
    assert!(unpacked.len() <= 2, "something was unpacked beside the folder for it");
    // As the server reads a submission.
    if let Ok(mut zip) = zip::ZipArchive::new(Cursor::new(input)) {
        for index in 0..zip.len().min(10) {
            let Ok(entry) = zip.by_index(index) else { continue };
            let _ = entry.take(1 << 16).read_to_end(&mut Vec::new());
        }
    }
}

fn open(path: &Path, room: &Path) {
    let scratch = room.join("unpacked");
    std::fs::create_dir(&scratch).expect("a folder can be made");
    if let Ok(package) = package::Package::open(path, &scratch) {
        let _ = package.steps();
    }
}

/// Reads what judgehosts and people send. What is read is written and read again.
fn requests(input: &[u8]) {
    use documents::{contest as people, judgehost as hosts};
    again::<hosts::ReportsRequest>(input);
    again::<hosts::Register>(input);
    again::<hosts::ClaimRequest>(input);
    again::<hosts::Heartbeat>(input);
    again::<hosts::ClaimResponse>(input);
    again::<people::NewSubmission>(input);
    again::<people::ImportFiles>(input);
}

fn again<T: Serialize + DeserializeOwned>(input: &[u8]) {
    let Ok(read) = serde_json::from_slice::<T>(input) else { return };
    let written = serde_json::to_vec(&read).expect("what was read can be written");
    let again: T = serde_json::from_slice(&written).expect("what was written can be read");
    assert_eq!(serde_json::to_vec(&again).expect("it can be written again"), written);
}

/// Reads instants and durations. What is read is printed and read again.
fn times(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    printed::<Instant>(&text);
    printed::<Millis>(&text);
    printed::<documents::contest::Time>(&text);
    printed::<documents::contest::RelTime>(&text);
}

fn printed<T: FromStr<Err: Display> + Display + PartialEq>(text: &str) {
    let Ok(read) = text.parse::<T>() else { return };
    let printed = read.to_string();
    let again =
        printed.parse::<T>().unwrap_or_else(|error| panic!("'{text}' is printed as '{printed}': {error}"));
    assert!(again == read, "'{text}' is printed as '{printed}'");
}

/// Applies a log, a line an event: one that does not fit changes nothing. The resulting state has a checkpoint.
fn log(input: &[u8]) {
    let mut state = State::default();
    for (seq, line) in (1..).zip(input.split(|byte| *byte == b'\n')) {
        if let Ok(event) = serde_json::from_slice::<Event>(line) {
            state.apply(seq, &event);
        }
    }
    assert!(State::restore(&state.checkpoint()).is_some_and(|restored| restored == state));
}

/// Reads a trace of a fleet. What is read without an error is written and read again.
fn trace(input: &[u8]) {
    let Some((head, records)) = whole_trace(input) else { return };
    let mut writer =
        simulator::trace::Writer::create(Vec::new(), &head).expect("a head that was read can be written");
    for record in &records {
        writer.write(record).expect("a record that was read can be written");
    }
    let written = writer.finish().expect("memory takes all that is written");
    assert!(whole_trace(&written).is_some_and(|again| again == (head, records)), "it is read otherwise");
}

fn whole_trace(input: &[u8]) -> Option<(simulator::trace::Head, Vec<simulator::trace::Record>)> {
    let mut reader = simulator::trace::Reader::open(input).ok()?;
    let mut records = Vec::new();
    while let Some(record) = reader.next().ok()? {
        records.push(record);
    }
    Some((reader.head().clone(), records))
}

/// Imports what another program recorded. What is imported is a trace.
fn trace_source(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else { return };
    let source = |reader| Input { name: "source".to_owned(), reader };
    let about = About { name: "t".to_owned(), made_by: String::new() };
    let hosts = MadeUpHosts { count: Some(3), ..MadeUpHosts::default() };
    let some = openb::Options { hosts: rest.first().map(|count| u32::from(*count)) };
    let mut made = Vec::new();
    let seeds = seeds::TRACE_SOURCES;
    let read = match usize::from(*first) % seeds.len() {
        0 => openb::import(source(rest), source(seeds[1].as_bytes()), some, &about, &mut made),
        1 => openb::import(source(seeds[0].as_bytes()), source(rest), some, &about, &mut made),
        2 => {
            let options = swf::Options { hosts, ..swf::Options::default() };
            swf::import(source(rest), &options, &about, &mut made)
        }
        3 => {
            let groups = azure::read(source(rest)).unwrap_or_default();
            groups.iter().for_each(|group| drop(group.summary()));
            // Of Azure's table or a profile, whichever it is.
            let hosts = MadeUpHosts { noise: noise::read(source(rest)).unwrap_or_default(), ..hosts };
            let options = swf::Options { hosts, ..swf::Options::default() };
            swf::import(source(seeds[2].as_bytes()), &options, &about, &mut made)
        }
        _ => {
            let options = planetlab::Options { spread_minutes: 30, ..planetlab::Options::default() };
            let days = vec![Day::Table(source(rest)), Day::Machines(vec![("m".to_owned(), source(rest))])];
            planetlab::import(days, &options, &about, &mut made)
        }
    };
    if read.is_ok() {
        assert!(whole_trace(&made).is_some(), "what is imported is no trace");
    }
}

pub fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    test_support::zip(files.iter().map(|(name, content)| (format!("sums/{name}"), content)))
}
