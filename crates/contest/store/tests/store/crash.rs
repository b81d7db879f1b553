//! A writer that is killed at random moments: what it acknowledged is there, whole and in order, and jobs agree with the log.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use store::{Claim, JobId, Lease, Store, StoreAddress};

use crate::Test;
use crate::place::{StoreLocation, claim, job, read_all, transact};
use fastrand::Rng;

pub const TESTS: &[Test] = &[("a_killed_writer_loses_nothing_that_it_acknowledged", killed)];

const KILLS: usize = 50;
/// The database is another process, which is not killed here.
const KILLS_POSTGRES: usize = 15;
/// The argument that makes this program the writer that is killed.
pub const CHILD: &str = "--write-until-killed";

fn killed(place: &StoreLocation) {
    let seed = test_database::seed();
    let mut random = Rng::with_seed(seed);
    let mut acknowledged = 0;
    let kills = match place.address {
        StoreAddress::Folder(_) => KILLS,
        StoreAddress::Postgres(_) => KILLS_POSTGRES,
    };
    for round in 0..kills {
        let (last, line) = kill_one(place, &mut random);
        acknowledged = acknowledged.max(last);
        let mut opened = place.open();
        let head = check(&mut *opened.store);
        assert!(head >= acknowledged, "round {round}, seed {seed}: {line}, and the log ends at {head}");
        acknowledged = head;
    }
    assert!(acknowledged > kills as u64, "seed {seed}: only {acknowledged} events");
}

/// Starts a writer, kills it somewhere, and returns the last event that it acknowledged.
fn kill_one(place: &StoreLocation, random: &mut Rng) -> (u64, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([CHILD, &address(place), &random.u64(..).to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    for _ in 0..random.u64(..12) {
        line.clear();
        lines.read_line(&mut line).unwrap();
    }
    // Not always just after an answer.
    std::thread::sleep(Duration::from_micros(random.u64(..4_000)));
    child.kill().unwrap();
    child.wait().unwrap();
    // What it had written into the pipe before is acknowledged, too; the last line may be cut.
    let mut rest = String::new();
    loop {
        rest.clear();
        if lines.read_line(&mut rest).unwrap() == 0 || !rest.ends_with('\n') {
            break;
        }
        line.clone_from(&rest);
    }
    let last = line.trim().strip_prefix("ack ").map_or(0, |seq| seq.parse().unwrap());
    (last, line)
}

fn address(place: &StoreLocation) -> String {
    match &place.address {
        StoreAddress::Folder(folder) => folder.display().to_string(),
        StoreAddress::Postgres(url) => url.clone(),
    }
}

/// Checks the log and the jobs, and returns the number of the last event.
fn check(store: &mut dyn Store) -> u64 {
    let events = read_all(store);
    let mut open = BTreeSet::new();
    for (expected, event) in (1_u64..).zip(&events) {
        assert_eq!(event.seq, expected);
        let words: Vec<&str> = event.body.split(' ').collect();
        match words[..] {
            [seq, "add", id] if seq == expected.to_string() => assert!(open.insert(JobId::from(id))),
            [seq, "finish", id] if seq == expected.to_string() => assert!(open.remove(&JobId::from(id))),
            _ => panic!("event {expected} is {:?}", event.body),
        }
    }
    let listed: BTreeSet<JobId> = store.jobs(0, 100_000).unwrap().into_iter().map(|job| job.id).collect();
    assert_eq!(listed, open);
    events.len() as u64
}

/// Appends, claims and finishes until it is killed, and prints the last event's number after each transaction.
pub fn write_until_killed(address: &str, seed: &str) {
    let mut random = Rng::with_seed(seed.parse().unwrap());
    let address: StoreAddress = address.parse().unwrap();
    let mut opened = store::open(&address).unwrap();
    let mut seq = read_all(&mut *opened.store).len() as u64;
    let mut held: Vec<Lease> = Vec::new();
    let mut now_ms = 0;
    loop {
        now_ms += 1_000;
        let (added, finished) = (random.u64(..4), random.u64(..4) as usize);
        let at = random.u64(..2) == 0;
        let leases = std::mem::take(&mut held);
        let before = seq;
        let claimed = transact(&mut *opened.store, |transaction| {
            seq = before;
            let done = &leases[..finished.min(leases.len())];
            assert_eq!(transaction.finish(done)?, vec![true; done.len()]);
            let (mut bodies, mut jobs) = (Vec::new(), Vec::new());
            for lease in done {
                seq += 1;
                bodies.push(format!("{seq} finish {}", lease.job));
            }
            for _ in 0..added {
                seq += 1;
                let id = format!("c/{seq}-1");
                bodies.push(format!("{seq} add {id}"));
                jobs.push(job(&id, 0, 0));
            }
            transaction.append(&bodies)?;
            transaction.add_jobs(&jobs)?;
            // Leases of a writer before this one end after a minute.
            let claim = Claim { now_ms, lease_until_ms: now_ms + 60_000, ..claim("h1", 3) };
            if at { transaction.claim(&claim) } else { Ok(Vec::new()) }
        });
        held.extend(leases.into_iter().skip(finished));
        held.extend(claimed.into_iter().map(|job| Lease { job: job.id, fence: job.fence }));
        let mut out = std::io::stdout().lock();
        if writeln!(out, "ack {seq}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}
