//! A connection to PostgreSQL that is cut at random places, or slow.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use store::{StoreAddress, StoreError};
use test_database::{Proxy, Server, url};

use crate::place::{append, claim, job, read_all, transact};
use fastrand::Rng;

pub type Test = (&'static str, fn(&Server));

/// Tests of PostgreSQL alone.
pub const TESTS: [Test; 5] = [
    ("a_cut_connection_loses_nothing", a_cut_connection_loses_nothing),
    ("a_slow_connection_is_only_slow", a_slow_connection_is_only_slow),
    ("a_lost_database_is_reported", a_lost_database_is_reported),
    ("a_database_that_hangs_is_given_up", a_database_that_hangs_is_given_up),
    ("blobs_can_end_among_asynchronous_tasks", blobs_can_end_among_asynchronous_tasks),
];

const ROUNDS: u64 = 120;
/// More bytes than a transaction has.
const NO_CUT: u64 = 1 << 30;
/// The longest time between two attempts is 5 s.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the writer knows of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    There,
    NotThere,
    Unknown,
}

/// Each transaction appends two events. Whatever is cut: what was acknowledged is there, what was refused is not, and nothing is half.
fn a_cut_connection_loses_nothing(server: &Server) {
    let seed = test_database::seed();
    let mut random = Rng::with_seed(seed);
    let proxy = Proxy::start(server.socket_folder()).unwrap();
    let address = StoreAddress::Postgres(url(proxy.folder(), &server.new_database().unwrap()));
    let mut opened = store::open(&address).unwrap();
    let store = &mut *opened.store;
    let mut outcomes = BTreeMap::new();
    let (mut cuts, mut whole_bytes) = (0, 0);
    for round in 0..ROUNDS {
        // The first of three prepares the statements on a new connection, the second shows how many bytes a transaction is.
        proxy.cut_after(match round % 6 {
            2 => random.u64(..whole_bytes),
            5 => whole_bytes - 1 - random.u64(..60),
            _ => NO_CUT,
        });
        let bodies = [format!("{round} a"), format!("{round} b")];
        let id = format!("c/{round}-1");
        let result = store.transact(&mut |transaction| {
            transaction.append(&bodies[..1])?;
            transaction.add_jobs(&[job(&id, 0, 0)])?;
            transaction.append(&bodies[1..]).map(drop)
        });
        let left = proxy.never_cut();
        if round % 3 == 1 {
            whole_bytes = NO_CUT - left;
        }
        let outcome = match result {
            Ok(()) => Outcome::There,
            Err(StoreError::Unknown { .. }) => Outcome::Unknown,
            Err(StoreError::Unavailable { .. }) => Outcome::NotThere,
            Err(error) => panic!("seed {seed}, round {round}: {error:?}"),
        };
        outcomes.insert(round, outcome);
        if outcome != Outcome::There {
            cuts += 1;
            read_again(store);
        }
    }
    let events = read_all(store);
    for (round, outcome) in &outcomes {
        let count =
            |part: &str| events.iter().filter(|event| event.body == format!("{round} {part}")).count();
        let found = (count("a"), count("b"));
        let is_right = match outcome {
            Outcome::There => found == (1, 1),
            Outcome::NotThere => found == (0, 0),
            Outcome::Unknown => found == (1, 1) || found == (0, 0),
        };
        assert!(is_right, "seed {seed}, round {round}: {outcome:?}, and {found:?} are there");
    }
    assert!(events.is_sorted_by_key(|event| {
        let (round, part) = event.body.split_once(' ').unwrap();
        (round.parse::<u64>().unwrap(), part.to_owned())
    }));
    assert_eq!(store.jobs(0, 1_000).unwrap().len() * 2, events.len());
    let unknown = outcomes.values().filter(|&&outcome| outcome == Outcome::Unknown).count();
    eprintln!("{cuts} cuts, of which {unknown} left the outcome open");
    assert!(cuts >= ROUNDS / 4 && unknown > 0, "seed {seed}: {cuts} cuts, {unknown} unknown");
}

/// Reads the log over a new connection, as a server does before it goes on.
fn read_again(store: &mut dyn store::Store) {
    let begin = Instant::now();
    let mut after = 0;
    loop {
        match store.events_after(after, 1_000) {
            Ok(events) => match events.last() {
                Some(last) => after = last.seq,
                None => return,
            },
            Err(StoreError::Unavailable { .. } | StoreError::Locked { .. }) if begin.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

fn a_slow_connection_is_only_slow(server: &Server) {
    let proxy = Proxy::start(server.socket_folder()).unwrap();
    proxy.delay(Duration::from_millis(20));
    let address = StoreAddress::Postgres(url(proxy.folder(), &server.new_database().unwrap()));
    let mut opened = store::open(&address).unwrap();
    let store = &mut *opened.store;
    read_all(store);
    append(store, &["a", "b"]);
    transact(store, |transaction| transaction.add_jobs(&[job("a", 0, 0), job("b", 0, 1)]));
    assert_eq!(transact(store, |transaction| transaction.claim(&claim("h1", 5))).len(), 2);
    let hash = opened.blobs.put(&mut &[1; 3_000_000][..], u64::MAX, None).unwrap().hash;
    assert_eq!(opened.blobs.read(&hash, u64::MAX).unwrap().len(), 3_000_000);
}

/// A lost server is an error at once, and one that comes back is used again.
fn a_lost_database_is_reported(server: &Server) {
    let folder = tempfile::tempdir().unwrap();
    let database = server.new_database().unwrap();
    let socket = folder.path().join(".s.PGSQL.5432");
    let real = server.socket_folder().join(".s.PGSQL.5432");
    std::os::unix::fs::symlink(&real, &socket).unwrap();
    let address = StoreAddress::Postgres(url(folder.path(), &database));
    let mut opened = store::open(&address).unwrap();
    append(&mut *opened.store, &["a"]);
    std::fs::remove_file(&socket).unwrap();
    let mut admin = postgres::Client::connect(&server.url(&database), postgres::NoTls).unwrap();
    admin
        .execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE application_name LIKE 'tautochrone%' AND datname = current_database()",
            &[],
        )
        .unwrap();
    for _ in 0..5 {
        let result =
            opened.store.transact(&mut |transaction| transaction.append(&["b".to_owned()]).map(drop));
        assert!(matches!(result, Err(StoreError::Unavailable { .. })), "{result:?}");
    }
    std::os::unix::fs::symlink(&real, &socket).unwrap();
    read_again(&mut *opened.store);
    assert_eq!(append(&mut *opened.store, &["c"]), 2);
}

/// A process that is stopped, or waits for its disk, keeps its connections and does not answer.
fn a_database_that_hangs_is_given_up(server: &Server) {
    let proxy = Proxy::start(server.socket_folder()).unwrap();
    let url = url(proxy.folder(), &server.new_database().unwrap());
    let address = StoreAddress::Postgres(format!(
        "{url}{}connect_timeout=1",
        if url.contains('?') { '&' } else { '?' }
    ));
    let mut opened = store::open(&address).unwrap();
    append(&mut *opened.store, &["a"]);
    let hash = opened.blobs.put(&mut &b"some"[..], 10, None).unwrap().hash;
    proxy.hang(true);
    let begin = Instant::now();
    let blobs = std::sync::Arc::clone(&opened.blobs);
    let reading = std::thread::spawn(move || blobs.read(&hash, 10));
    let result = opened.store.transact(&mut |transaction| transaction.append(&["b".to_owned()]).map(drop));
    assert!(matches!(result, Err(StoreError::Unavailable { .. } | StoreError::Unknown { .. })), "{result:?}");
    assert!(reading.join().unwrap().is_err());
    // It takes new connections, and does not answer there either.
    let result = opened.store.events_after(0, 10);
    assert!(matches!(result, Err(StoreError::Unavailable { .. })), "{result:?}");
    assert!(begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
    proxy.hang(false);
    read_again(&mut *opened.store);
    assert_eq!(append(&mut *opened.store, &["c"]), 2);
    assert_eq!(opened.blobs.read(&hash, 10).unwrap(), b"some");
}

/// A server drops its blobs where its tasks run; PostgreSQL's client panics there.
fn blobs_can_end_among_asynchronous_tasks(server: &Server) {
    let opened = store::open(&StoreAddress::Postgres(server.url(&server.new_database().unwrap()))).unwrap();
    opened.blobs.put(&mut &b"some"[..], 10, None).unwrap();
    let blobs = opened.blobs;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async { drop(blobs) });
}
