//! What the store does with content that was changed behind its back, and who may write then.

use std::fs;

use store::{BlobError, BlobHash, Checkpoint, StoreAddress, StoreError};

use crate::Test;
use crate::place::{StoreLocation, append, job, read_all, transact};

pub const TESTS: &[Test] = &[
    ("a_gap_in_the_log_is_found", a_gap_in_the_log_is_found),
    ("an_event_that_was_changed_is_named_at_the_start", an_event_that_was_changed_is_named_at_the_start),
    ("an_event_that_is_changed_meanwhile_is_not_read", an_event_that_is_changed_meanwhile_is_not_read),
    ("a_damaged_checkpoint_is_ignored", a_damaged_checkpoint_is_ignored),
    ("a_damaged_blob_is_named_and_healed", a_damaged_blob_is_named_and_healed),
    ("a_writer_that_lost_its_place_writes_nothing", a_writer_that_lost_its_place_writes_nothing),
    ("schema_1_opens_with_its_content", schema_1_opens_with_its_content),
    ("a_long_log_of_schema_1_is_chained", a_long_log_of_schema_1_is_chained),
    ("a_later_schema_is_refused", a_later_schema_is_refused),
];

fn a_gap_in_the_log_is_found(place: &StoreLocation) {
    let mut opened = place.open();
    append(&mut *opened.store, &["a", "b", "c"]);
    place.sql("DELETE FROM event WHERE seq = 2");
    let Err(StoreError::Damaged(text)) = opened.store.events_after(0, 9) else { panic!("a gap") };
    assert!(text.starts_with("event 2 is missing before event 3: restore the last backup"), "{text}");
    let Err(StoreError::Damaged(text)) = opened.store.events_after(2, 9) else { panic!("a gap") };
    assert!(text.starts_with("event 2 is missing before event 3"), "{text}");
}

/// As after a bit that flipped on the disk, or a tool that wrote to the file.
fn an_event_that_was_changed_is_named_at_the_start(place: &StoreLocation) {
    let mut opened = place.open();
    for bodies in [&["{\"team\":\"1\"}"; 1][..], &["b", "c"], &["d", "e", "f"]] {
        append(&mut *opened.store, bodies);
    }
    opened.store.keep_checkpoint(&Checkpoint { seq: 6, version: 1, bytes: vec![7] }).unwrap();
    drop(opened);
    let keep = match place.address {
        StoreAddress::Folder(_) => "CREATE TABLE kept AS SELECT seq, body, hash FROM event",
        StoreAddress::Postgres(_) => "CREATE TABLE kept AS TABLE event",
    };
    place.sql(keep);
    let check = |sql: &str, expect: &str| {
        place.sql(sql);
        let Err(StoreError::Damaged(text)) = store::open(&place.address) else {
            panic!("{sql} is not found")
        };
        assert!(text.starts_with(expect) && text.contains("restore the last backup"), "{sql}: {text}");
        place.sql("DELETE FROM event; INSERT INTO event (seq, body, hash) SELECT seq, body, hash FROM kept");
        drop(place.open());
    };
    let changed = |seq: u64| format!("event {seq} is not what was written, by its hash");
    check("UPDATE event SET body = replace(body, '1', '2') WHERE seq = 1", &changed(1));
    check("UPDATE event SET body = 'C' WHERE seq = 3", &changed(3));
    check("UPDATE event SET body = 'f ' WHERE seq = 6", &changed(6));
    check("UPDATE event SET hash = (SELECT hash FROM kept WHERE seq = 2) WHERE seq = 4", &changed(4));
    check(
        "UPDATE event SET body = 'B', hash = (SELECT hash FROM kept WHERE seq = 3) WHERE seq = 2",
        &changed(2),
    );
    check("DELETE FROM event WHERE seq = 4", "event 4 is missing before event 5");
    check("DELETE FROM event WHERE seq = 1", "event 1 is missing before event 2");
    check("DELETE FROM event WHERE seq > 4", "the log ends with event 4, and event 6 was written last");
    check("DELETE FROM event", "the log ends with event 0, and event 6 was written last");
    if let StoreAddress::Folder(_) = place.address {
        check("UPDATE event SET body = CAST(x'ff00' AS TEXT) WHERE seq = 5", &changed(5));
        check("UPDATE event SET hash = x'' WHERE seq = 5", &changed(5));
    }
    let mut opened = place.open();
    assert_eq!(append(&mut *opened.store, &["g"]), 7);
    drop(opened);
    assert_eq!(read_all(&mut *place.open().store).len(), 7);
}

fn an_event_that_is_changed_meanwhile_is_not_read(place: &StoreLocation) {
    let mut opened = place.open();
    append(&mut *opened.store, &["a", "b", "c"]);
    place.sql("UPDATE event SET body = 'B' WHERE seq = 2");
    for after in [0, 1] {
        let Err(StoreError::Damaged(text)) = opened.store.events_after(after, 9) else { panic!("changed") };
        assert!(text.starts_with("event 2 is not what was written"), "{text}");
    }
    assert_eq!(opened.store.events_after(2, 9).unwrap().len(), 1, "what follows is what was written");
}

fn a_damaged_checkpoint_is_ignored(place: &StoreLocation) {
    let mut opened = place.open();
    append(&mut *opened.store, &["a", "b"]);
    for seq in [1, 2] {
        opened.store.keep_checkpoint(&Checkpoint { seq, version: 1, bytes: vec![seq as u8; 9] }).unwrap();
    }
    let cut = match place.address {
        StoreAddress::Folder(_) => "UPDATE checkpoint SET bytes = x'0202' WHERE seq = 2",
        StoreAddress::Postgres(_) => "UPDATE checkpoint SET bytes = '\\x0202' WHERE seq = 2",
    };
    place.sql(cut);
    assert_eq!(opened.store.checkpoint(1).unwrap().map(|checkpoint| checkpoint.seq), Some(1));
}

fn a_damaged_blob_is_named_and_healed(place: &StoreLocation) {
    let blobs = place.open().blobs;
    let content = vec![7; 1_500_000];
    let hash = blobs.put(&mut &content[..], u64::MAX, None).unwrap().hash;
    for is_cut in [false, true] {
        match &place.address {
            StoreAddress::Folder(folder) => {
                let path = folder.join("blobs").join(&hash.to_string()[..2]).join(hash.to_string());
                let mut damaged = content.clone();
                damaged[1_400_000] = 8;
                damaged.truncate(if is_cut { 1_200_000 } else { 1_500_000 });
                fs::write(path, damaged).unwrap();
            }
            StoreAddress::Postgres(_) if is_cut => place.sql("DELETE FROM piece WHERE start > 0"),
            StoreAddress::Postgres(_) => {
                place.sql("UPDATE piece SET bytes = set_byte(bytes, 9, 8) WHERE start > 0");
            }
        }
        match blobs.read(&hash, u64::MAX) {
            Err(BlobError::Damaged(named)) => assert_eq!(named, hash),
            result => panic!("{:?}", result.map(|content| content.len())),
        }
        assert_eq!(blobs.put(&mut &content[..], u64::MAX, None).unwrap().hash, hash);
        assert!(blobs.read(&hash, u64::MAX).unwrap() == content);
    }
    assert_eq!(hash, BlobHash::of(&content));
}

/// As when the machine with the lock was cut off for a while.
fn a_writer_that_lost_its_place_writes_nothing(place: &StoreLocation) {
    let mut first = place.open();
    append(&mut *first.store, &["a"]);
    match &place.address {
        StoreAddress::Folder(folder) => fs::remove_file(folder.join("lock")).unwrap(),
        StoreAddress::Postgres(_) => place.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE application_name LIKE 'tautochrone writer %' AND datname = current_database()",
        ),
    }
    let mut second = place.open();
    append(&mut *second.store, &["b"]);
    for _ in 0..3 {
        let result = first.store.transact(&mut |transaction| transaction.append(&["c".to_owned()]).map(drop));
        assert!(
            matches!(
                result,
                Err(StoreError::Fenced | StoreError::Locked { .. } | StoreError::Unavailable { .. })
            ),
            "{result:?}"
        );
    }
    assert_eq!(append(&mut *second.store, &["d"]), 3);
    assert_eq!(read_all(&mut *second.store).len(), 3);
}

/// The schemas of all releases are opened: each with rows that its own statements wrote.
fn schema_1_opens_with_its_content(place: &StoreLocation) {
    let (schema, tags) = match &place.address {
        StoreAddress::Folder(folder) => {
            fs::create_dir_all(folder).unwrap();
            (include_str!("../../src/migrations/sqlite/1.sql"), "'[\"x\"]'")
        }
        StoreAddress::Postgres(_) => (include_str!("../../src/migrations/postgres/1.sql"), "'{x}'"),
    };
    // A released schema never changes: there are stores that have it.
    let expected = match &place.address {
        StoreAddress::Folder(_) => SQLITE_1,
        StoreAddress::Postgres(_) => POSTGRES_1,
    };
    assert_eq!(BlobHash::of(schema.as_bytes()).to_string(), expected, "make a new step instead");
    place.sql("CREATE TABLE schema_version (version BIGINT PRIMARY KEY)");
    place.sql(schema);
    place.sql("INSERT INTO schema_version VALUES (1)");
    place.sql("INSERT INTO event VALUES (1, 'one'), (2, 'two')");
    if let StoreAddress::Postgres(_) = place.address {
        place.sql("UPDATE writer SET head = 2");
    }
    place.sql(&format!(
        "INSERT INTO job (id, pool, class, turn, owner, tags, body, not_before_ms)
         VALUES ('c/1-1', 'strict', 1, -5, 'team', {tags}, 'body', 7)"
    ));
    let mut opened = place.open();
    assert_eq!(append(&mut *opened.store, &["three"]), 3);
    drop(opened);
    // Its events are chained now.
    place.sql("UPDATE event SET body = 'One' WHERE seq = 1");
    let result = store::open(&place.address);
    assert!(
        matches!(&result, Err(StoreError::Damaged(text)) if text.starts_with("event 1 ")),
        "{:?}",
        result.err()
    );
    place.sql("UPDATE event SET body = 'one' WHERE seq = 1");
    let mut opened = place.open();
    let jobs = opened.store.jobs(0, 9).unwrap();
    assert_eq!((&*jobs[0].id.0, jobs[0].class, jobs[0].turn, jobs[0].not_before_ms), ("c/1-1", 1, -5, 7));
    transact(&mut *opened.store, |transaction| transaction.add_jobs(&[job("c/1-1", 0, 0)]));
    assert_eq!(opened.store.jobs(0, 9).unwrap().len(), 1);
}

/// A log of many pages is chained as one.
fn a_long_log_of_schema_1_is_chained(place: &StoreLocation) {
    let schema = match &place.address {
        StoreAddress::Folder(folder) => {
            fs::create_dir_all(folder).unwrap();
            include_str!("../../src/migrations/sqlite/1.sql")
        }
        StoreAddress::Postgres(_) => include_str!("../../src/migrations/postgres/1.sql"),
    };
    place.sql("CREATE TABLE schema_version (version BIGINT PRIMARY KEY)");
    place.sql(schema);
    place.sql("INSERT INTO schema_version VALUES (1)");
    let fill = match place.address {
        StoreAddress::Folder(_) => {
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
             INSERT INTO event SELECT i, 'event ' || i FROM n"
        }
        StoreAddress::Postgres(_) => {
            "INSERT INTO event SELECT i, 'event ' || i FROM generate_series(1, 25000) AS i;
             UPDATE writer SET head = 25000"
        }
    };
    place.sql(fill);
    let mut opened = place.open();
    assert_eq!(append(&mut *opened.store, &["more"]), 25_001);
    drop(opened);
    assert_eq!(read_all(&mut *place.open().store).len(), 25_001);
    place.sql("UPDATE event SET body = 'event' WHERE seq = 20001");
    let result = store::open(&place.address);
    assert!(matches!(&result, Err(StoreError::Damaged(text)) if text.starts_with("event 20001 is not")));
}

const SQLITE_1: &str = "5fc98435251a818fe3aa3341926c5bf5c47c7bc623ad8915e80274db73510429";
const POSTGRES_1: &str = "88e1292e3cc5dff2e3e478de5c5aa0e8ef2d82ba7bc064f5fd2029c26be9e5d8";

fn a_later_schema_is_refused(place: &StoreLocation) {
    drop(place.open());
    place.sql("INSERT INTO schema_version VALUES (99)");
    let result = store::open(&place.address);
    assert!(matches!(result, Err(StoreError::TooNew { found: 99, .. })), "{:?}", result.err());
}
