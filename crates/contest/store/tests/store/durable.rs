//! What is acknowledged is on the disk before: seen in the system calls.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use store::StoreAddress;

use crate::place::{append, read_all};

/// The argument that makes this program the writer that is watched.
pub const CHILD: &str = "--write-a-few";
const WRITES: usize = 5;

/// Appends events and stores blobs, and acknowledges each by a line.
pub fn write_a_few(folder: &str) {
    let mut opened = store::open(&StoreAddress::Folder(folder.into())).unwrap();
    read_all(&mut *opened.store);
    for number in 0..WRITES {
        append(&mut *opened.store, &[&format!("event {number}")]);
        let mut out = std::io::stdout().lock();
        out.write_all(b"ack event\n").unwrap();
        opened.blobs.put(&mut format!("blob {number}").as_bytes(), 100, None).unwrap();
        out.write_all(b"ack blob\n").unwrap();
    }
}

/// Returns `Err` with the reason if this machine cannot show it.
pub fn acknowledged_is_synced() -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let status = Command::new("strace")
        .args(["-f", "-y", "-e", "trace=write,pwrite64,fsync,fdatasync,rename,renameat,renameat2", "-o"])
        .arg(&trace)
        .arg(std::env::current_exe().unwrap())
        .arg(CHILD)
        .arg(folder.path().join("data"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("strace fails here ({status})")),
        Err(error) => return Err(format!("strace is not here: {error}")),
    }
    check(&std::fs::read_to_string(trace).unwrap(), folder.path());
    Ok(())
}

fn check(trace: &str, folder: &Path) {
    let folder = folder.display().to_string();
    let (mut unsynced_log, mut unsynced_parts, mut unsynced_folder) = (false, false, false);
    let (mut events, mut blobs) = (0, 0);
    for line in trace.lines() {
        let is_sync = line.contains("fsync(") || line.contains("fdatasync(");
        let is_write = line.contains("write(") || line.contains("pwrite64(");
        if line.contains("\"ack event\\n\"") {
            assert!(!unsynced_log, "an event was acknowledged before it was synced:\n{trace}");
            events += 1;
        } else if line.contains("\"ack blob\\n\"") {
            assert!(!unsynced_folder, "a blob was acknowledged before its folder was synced:\n{trace}");
            blobs += 1;
        } else if line.contains("rename") {
            assert!(!unsynced_parts, "a blob was renamed before it was synced:\n{trace}");
            unsynced_folder = true;
        } else if line.contains("contest.sqlite-wal>") {
            assert!(is_sync || is_write, "{line}");
            unsynced_log = is_write;
        } else if line.contains("/incoming/part-") {
            unsynced_parts = is_write;
        } else if is_sync && line.contains(&format!("{folder}/data/blobs/")) {
            unsynced_folder = false;
        }
    }
    assert_eq!((events, blobs), (WRITES, WRITES), "{trace}");
}
