//! Events, transactions, checkpoints, and who may write.

use store::{Checkpoint, StoreAddress, StoreError};

use crate::Test;
use crate::place::{StoreLocation, append, job, read_all, transact};

pub const TESTS: &[Test] = &[
    ("events_are_numbered_without_gaps", events_are_numbered_without_gaps),
    ("events_come_in_pages", events_come_in_pages),
    ("a_failed_transaction_leaves_nothing", a_failed_transaction_leaves_nothing),
    ("an_empty_transaction_is_none", an_empty_transaction_is_none),
    (
        "a_second_writer_is_refused_with_the_name_of_the_first",
        a_second_writer_is_refused_with_the_name_of_the_first,
    ),
    ("nothing_is_written_before_the_log_is_read", nothing_is_written_before_the_log_is_read),
    ("the_last_two_checkpoints_are_kept", the_last_two_checkpoints_are_kept),
    ("odd_texts_come_back_as_they_were", odd_texts_come_back_as_they_were),
];

fn events_are_numbered_without_gaps(place: &StoreLocation) {
    let mut opened = place.open();
    assert_eq!(append(&mut *opened.store, &["a", "b"]), 1);
    assert_eq!(append(&mut *opened.store, &["c"]), 3);
    let firsts = transact(&mut *opened.store, |transaction| {
        let first = transaction.append(&["d".to_owned()])?;
        Ok((first, transaction.append(&[])?, transaction.append(&["e".to_owned()])?))
    });
    assert_eq!(firsts, (4, 5, 5));
    drop(opened);
    let events = read_all(&mut *place.open().store);
    let events: Vec<(u64, &str)> = events.iter().map(|event| (event.seq, &*event.body)).collect();
    assert_eq!(events, [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e")]);
}

fn events_come_in_pages(place: &StoreLocation) {
    let mut opened = place.open();
    let bodies: Vec<String> = (1..=2500).map(|number| format!("{{\"number\":{number}}}")).collect();
    transact(&mut *opened.store, |transaction| transaction.append(&bodies));
    let check = |opened: &mut store::Opened, after, max, expect: &[String]| {
        let page = opened.store.events_after(after, max).unwrap();
        assert_eq!(page.iter().map(|event| event.body.clone()).collect::<Vec<_>>(), expect);
    };
    check(&mut opened, 0, 1000, &bodies[..1000]);
    check(&mut opened, 2000, 1000, &bodies[2000..]);
    check(&mut opened, 2500, 1000, &[]);
    check(&mut opened, 9999, 1000, &[]);
    // A number beyond the end does not count as read.
    append(&mut *opened.store, &["one more"]);
}

fn a_failed_transaction_leaves_nothing(place: &StoreLocation) {
    let mut opened = place.open();
    append(&mut *opened.store, &["before"]);
    let result = opened.store.transact(&mut |transaction| {
        transaction.append(&["lost".to_owned()])?;
        transaction.add_jobs(&[job("lost", 0, 0)])?;
        Err(StoreError::GivenUp)
    });
    assert!(matches!(result, Err(StoreError::GivenUp)), "{result:?}");
    assert_eq!(read_all(&mut *opened.store).len(), 1);
    assert_eq!(opened.store.jobs(0, 10).unwrap(), []);
    assert_eq!(append(&mut *opened.store, &["after"]), 2);
}

fn an_empty_transaction_is_none(place: &StoreLocation) {
    let mut opened = place.open();
    opened.store.transact(&mut |_| Ok(())).unwrap();
    assert_eq!(read_all(&mut *opened.store), []);
}

fn a_second_writer_is_refused_with_the_name_of_the_first(place: &StoreLocation) {
    let first = place.open();
    let Err(StoreError::Locked { holder }) = store::open(&place.address) else { panic!("two writers") };
    let is_named = match &place.address {
        StoreAddress::Folder(_) => holder == format!("process {}", std::process::id()),
        StoreAddress::Postgres(_) => {
            holder.starts_with("tautochrone writer 1 (connected from the same machine")
        }
    };
    assert!(is_named, "{holder}");
    drop(first);
    place.open();
}

fn nothing_is_written_before_the_log_is_read(place: &StoreLocation) {
    append(&mut *place.open().store, &["a", "b"]);
    let mut opened = store::open(&place.address).unwrap();
    let result = opened.store.transact(&mut |transaction| transaction.append(&["c".to_owned()]).map(drop));
    assert!(matches!(result, Err(StoreError::Behind { known: 0, head: 2 })), "{result:?}");
    // From a checkpoint on is enough.
    assert_eq!(opened.store.events_after(2, 10).unwrap(), []);
    assert_eq!(append(&mut *opened.store, &["c"]), 3);
}

fn the_last_two_checkpoints_are_kept(place: &StoreLocation) {
    let mut opened = place.open();
    append(&mut *opened.store, &["a", "b", "c"]);
    assert_eq!(opened.store.checkpoint(1).unwrap(), None);
    let checkpoint = |seq, version| Checkpoint { seq, version, bytes: vec![seq as u8; 100_000] };
    for (seq, version) in [(1, 1), (2, 1), (3, 2)] {
        opened.store.keep_checkpoint(&checkpoint(seq, version)).unwrap();
    }
    drop(opened);
    let mut opened = place.open();
    assert_eq!(opened.store.checkpoint(1).unwrap(), Some(checkpoint(2, 1)));
    assert_eq!(opened.store.checkpoint(2).unwrap(), Some(checkpoint(3, 2)));
    assert_eq!(opened.store.checkpoint(3).unwrap(), None);
    // One ahead of the log is ignored.
    opened.store.keep_checkpoint(&checkpoint(9, 2)).unwrap();
    assert_eq!(opened.store.checkpoint(2).unwrap(), Some(checkpoint(3, 2)));
    assert_eq!(opened.store.checkpoint(1).unwrap(), None);
}

fn odd_texts_come_back_as_they_were(place: &StoreLocation) {
    let mut opened = place.open();
    let texts = ["", "'", "\"\\", "{\"a\":\"\u{1f600}\"}", "a\tb\nc", "\u{7f}%_$1?"];
    append(&mut *opened.store, &texts);
    let events = read_all(&mut *opened.store);
    assert_eq!(events.iter().map(|event| &*event.body).collect::<Vec<_>>(), texts);
}
