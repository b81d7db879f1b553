//! Processes that are killed while they write a record, or run out of space, lose nothing that was done.

#![allow(clippy::unwrap_used)]

mod common;

use common::{add_judging, judgings, whole};
use documents::RecordCase;
use record::{Journal, RecordError, RecordFile, Submissions};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// The environment variable with the record, for the process that writes.
const FILE: &str = "TORN_RECORD";
/// The environment variable with the maximum size of the record.
const ROOM: &str = "TORN_RECORD_BYTES";
/// Marks the writer's own lines among the output of the test harness.
const SAYS: &str = "says: ";
/// A signal tears only a write of many pages.
const LARGE_BYTES: usize = 512 << 10;
const SIGKILL: i32 = 9;
const SIGXFSZ: i32 = 25;

/// Starts a process that writes to a record until it ends; `room` limits the record's size.
fn writer(record: &Path, room: Option<u64>, command: &mut Command) -> (Child, BufReader<ChildStdout>) {
    command.args(["--ignored", "--exact", "--nocapture", "writes_until_it_ends"]).env(FILE, record);
    if let Some(room) = room {
        command.env(ROOM, room.to_string());
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let stated = BufReader::new(child.stdout.take().unwrap());
    (child, stated)
}

fn this_test() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// Reads the writer's lines: the number of each submission that is on disk, or why it cannot write any more.
fn stated(from: impl BufRead) -> impl Iterator<Item = String> {
    from.lines().filter_map(|line| Some(line.unwrap().split_once(SAYS)?.1.to_owned()))
}

#[test]
#[ignore = "is the process that the other tests start"]
fn writes_until_it_ends() {
    let Some(path) = std::env::var_os(FILE) else { return };
    if let Some(room) = std::env::var_os(ROOM) {
        let room = Some(room.to_str().unwrap().parse().unwrap());
        setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).unwrap();
        setrlimit(Resource::Fsize, Rlimit { current: room, maximum: room }).unwrap();
    }
    let error = write_on(Path::new(&path)).unwrap_err();
    println!("{SAYS}{error}");
}

fn write_on(path: &Path) -> Result<(), RecordError> {
    let (begin, case, mut done) = common::parts("static");
    done.submission.warnings.push("x".repeat(LARGE_BYTES));
    let mut journal = Journal::begin(RecordFile::open(path)?, begin)?;
    for number in 0.. {
        done.submission.name = number.to_string();
        journal.case(RecordCase { submission: done.submission.name.clone(), ..case.clone() })?;
        journal.submission(done.clone())?;
        println!("{SAYS}{number}");
    }
    Ok(())
}

#[test]
fn a_writer_that_is_killed_again_and_again_loses_nothing_that_was_done() {
    const ROUNDS: u64 = 12;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let mut done = Vec::new();
    for round in 0..ROUNDS {
        let (mut child, mut from) = writer(&path, None, &mut this_test());
        let mut of_round: Vec<String> = stated(&mut from).take(1 + round as usize % 3).collect();
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(SIGKILL));
        of_round.extend(stated(from));
        done.push(of_round);
    }
    add_judging(RecordFile::open(&path).unwrap());
    let bytes = fs::read(&path).unwrap();
    assert_eq!(judgings(&bytes), ROUNDS + 1);
    let mut recorded =
        Submissions::new(bytes.as_slice(), "r").map(|one| one.unwrap().submission.submission.name);
    for of_round in done {
        for name in of_round {
            assert!(recorded.any(|recorded| recorded == name), "{name} was done");
        }
    }
}

#[test]
fn a_writer_that_dies_within_a_line_leaves_what_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let mut torn = 0;
    for round in 0..16 {
        let before = fs::read(&path).map_or(0, |bytes| whole(&bytes)) as u64;
        // From the first bytes of its first line to the middle of its first large one.
        let room = before + 1 + round * 1_000 + (round % 2) * LARGE_BYTES as u64 / 2;
        let (mut child, from) = writer(&path, Some(room), &mut this_test());
        assert_eq!(stated(from).collect::<Vec<_>>(), [""; 0], "it has no room for a submission");
        assert_eq!(child.wait().unwrap().signal(), Some(SIGXFSZ), "the kernel killed it while it wrote");
        let left = fs::read(&path).unwrap();
        assert_eq!(left.len() as u64, room);
        torn += u64::from(whole(&left) < left.len());
    }
    assert_eq!(torn, 16);
    add_judging(RecordFile::open(&path).unwrap());
    judgings(&fs::read(&path).unwrap());
}

#[test]
fn a_writer_without_room_says_so_and_leaves_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let mut ignoring = Command::new("sh");
    ignoring.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(std::env::current_exe().unwrap());
    let room = LARGE_BYTES as u64 * 5 / 2;
    let (mut child, from) = writer(&path, Some(room), &mut ignoring);
    let reported = format!("cannot write line 7 of the record {}", path.display());
    assert_eq!(stated(from).collect::<Vec<_>>(), ["0", "1", &reported]);
    assert!(child.wait().unwrap().success());
    let left = fs::read(&path).unwrap();
    assert_eq!(left.len(), whole(&left));
    let file = RecordFile::open(&path).unwrap();
    assert_eq!(file.warning, None);
    add_judging(file);
    assert_eq!(judgings(&fs::read(&path).unwrap()), 2);
}
