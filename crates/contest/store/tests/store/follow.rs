//! Following a log that another writer appends to, and taking its place.

use store::{Follow, StoreAddress, StoreError, WriterPlace};
use test_database::Server;

use crate::connection::Test;
use crate::place::{append, read_all};

/// Tests of PostgreSQL, with an own database each.
pub const TESTS: [Test; 3] = [
    ("a_follower_takes_the_place_that_is_free", a_follower_takes_the_place_that_is_free),
    ("a_writer_that_lost_its_place_writes_nothing", a_writer_that_lost_its_place_writes_nothing),
    ("a_follower_of_an_empty_database_makes_it", a_follower_of_an_empty_database_makes_it),
];

fn place(name: &str) -> WriterPlace {
    WriterPlace { address: format!("http://{name}:8080"), secret: name.to_owned() }
}

fn bodies(follower: &mut dyn Follow, after: u64) -> Vec<String> {
    follower.look(after, 100).unwrap().events.into_iter().map(|event| event.body).collect()
}

fn a_follower_takes_the_place_that_is_free(server: &Server) {
    let url = server.url(&server.new_database().unwrap());
    let mut first = store::follow(&url, place("first")).unwrap().log;
    let mut writer = first.take_over().unwrap().expect("there is no writer");
    assert!(read_all(&mut *writer).is_empty());
    append(&mut *writer, &["one", "two"]);
    let mut second = store::follow(&url, place("second")).unwrap().log;
    assert_eq!(bodies(&mut *second, 0), ["one", "two"]);
    assert_eq!(second.look(2, 100).unwrap().writer, Some(place("first")));
    assert!(second.take_over().unwrap().is_none(), "there is a writer");
    append(&mut *writer, &["three"]);
    assert_eq!(bodies(&mut *second, 2), ["three"]);
    append(&mut *writer, &["four"]);
    drop(writer);
    // The connection ends in the background.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
    let mut writer = loop {
        match second.take_over().unwrap() {
            Some(writer) => break writer,
            None if std::time::Instant::now() < until => std::thread::yield_now(),
            None => panic!("the place does not become free"),
        }
    };
    let behind = writer.transact(&mut |transaction| transaction.append(&["five".to_owned()]).map(drop));
    assert!(matches!(behind, Err(StoreError::Behind { .. })), "what was not read comes first: {behind:?}");
    assert_eq!(read_all(&mut *writer).len(), 4);
    append(&mut *writer, &["five"]);
    assert_eq!(bodies(&mut *first, 3), ["four", "five"]);
    assert_eq!(first.look(5, 100).unwrap().writer, Some(place("second")));
    assert!(writer.now_ms().unwrap().is_some(), "servers of one database share a clock");
}

fn a_writer_that_lost_its_place_writes_nothing(server: &Server) {
    let url = server.url(&server.new_database().unwrap());
    let mut first = store::follow(&url, place("first")).unwrap().log;
    let mut lost = first.take_over().unwrap().expect("there is no writer");
    assert!(read_all(&mut *lost).is_empty());
    append(&mut *lost, &["one"]);
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    // As where its machine is cut off: the database ends the connection, and the writer does not know.
    client
        .execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
            &[],
        )
        .unwrap();
    let mut second = store::follow(&url, place("second")).unwrap().log;
    let mut writer = loop {
        if let Some(writer) = second.take_over().unwrap() {
            break writer;
        }
    };
    assert_eq!(read_all(&mut *writer).len(), 1);
    let late = lost.transact(&mut |transaction| transaction.append(&["late".to_owned()]).map(drop));
    assert!(late.is_err());
    let again = lost.transact(&mut |transaction| transaction.append(&["late".to_owned()]).map(drop));
    assert!(matches!(again, Err(StoreError::Locked { .. } | StoreError::Unavailable { .. })), "{again:?}");
    append(&mut *writer, &["two"]);
    assert_eq!(bodies(&mut *second_follower(&url), 0), ["one", "two"]);
}

fn second_follower(url: &str) -> Box<dyn Follow> {
    store::follow(url, place("third")).unwrap().log
}

fn a_follower_of_an_empty_database_makes_it(server: &Server) {
    let url = server.url(&server.new_database().unwrap());
    let mut follower = store::follow(&url, place("first")).unwrap().log;
    assert!(follower.look(0, 10).unwrap().events.is_empty());
    assert!(follower.checkpoint(1).unwrap().is_none());
    let mut writer = follower.take_over().unwrap().expect("there is no writer");
    read_all(&mut *writer);
    append(&mut *writer, &["one"]);
    drop(writer);
    // A server without followers opens the same.
    let opened = loop {
        match store::open(&StoreAddress::Postgres(url.clone())) {
            Err(StoreError::Locked { .. }) => std::thread::yield_now(),
            opened => break opened,
        }
    };
    assert_eq!(read_all(&mut *opened.unwrap().store).len(), 1);
}
