//! A record is continued after a crash: whole lines are kept, an incomplete one is reported and removed.
//!
//! In a process of its own: a child that another test starts would hold the record's lock until it executes its
//! program.

#![allow(clippy::unwrap_used)]

mod common;

use common::{add_judging, judgings, whole};
use record::RecordFile;
use std::fs;
use std::path::Path;

#[test]
fn a_record_that_is_cut_at_any_byte_is_continued() {
    // In memory: nothing here depends on a disk, and thousands of files on one would take long.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let path = folder.path().join("r.jsonl");
    add_judging(RecordFile::open(&path).unwrap());
    let all = fs::read(&path).unwrap();
    for length in 0..=all.len() {
        fs::write(&path, &all[..length]).unwrap();
        let kept = whole(&all[..length]);
        let file = RecordFile::open(&path).unwrap();
        match &file.warning {
            Some(warning) => {
                let reported = format!("these {} bytes were cut away", length - kept);
                assert!(kept < length && warning.ends_with(&reported), "{length}: {warning}");
            }
            None => assert_eq!(kept, length),
        }
        assert_eq!(fs::read(&path).unwrap(), all[..kept], "{length}");
        // From here on every byte of a line behaves the same.
        if length - kept > 1 {
            continue;
        }
        add_judging(file);
        let continued = fs::read(&path).unwrap();
        assert!(continued.starts_with(&all[..kept]), "{length}");
        assert_eq!(judgings(&continued), 1 + u64::from(kept > 0), "{length}");
    }
}
