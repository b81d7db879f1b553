//! A disk that is full: a clear error, nothing half, and on it goes when there is space.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use store::{BlobError, BlobHash, Owner, StoreAddress, StoreError, UploadLimits};

use crate::place::{append, read_all};

/// A small file system, unmounted at the end.
struct Small(tempfile::TempDir);

impl Small {
    fn mount() -> Result<Self, String> {
        let folder = tempfile::tempdir().unwrap();
        let output =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"]).arg(folder.path()).output();
        match output {
            Ok(output) if output.status.success() => Ok(Self(folder)),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

/// Returns `Err` with the reason if this machine cannot show it.
pub fn a_full_disk_is_reported_and_survived() -> Result<(), String> {
    let disk = Small::mount()?;
    let folder = disk.0.path();
    let filler = folder.join("filler");
    std::fs::write(&filler, vec![0; 2 << 20]).unwrap();
    let mut opened = store::open(&StoreAddress::Folder(folder.join("data"))).unwrap();
    read_all(&mut *opened.store);

    let large = vec![1; 3 << 20];
    let result = opened.blobs.put(&mut &large[..], u64::MAX, None);
    assert!(matches!(result, Err(BlobError::Full)), "{result:?}");
    assert_eq!(files(&folder.join("data/incoming")), 0);
    assert_eq!(opened.blobs.size(&BlobHash::of(&large)).unwrap(), None);
    let upload = {
        let limits = UploadLimits { bytes: u64::MAX, of_owner: 1, bytes_of_owner: u64::MAX };
        let hash = BlobHash::of(&large);
        opened.blobs.begin_upload(&Owner::named("somebody"), &hash, large.len() as u64, &limits).unwrap()
    };
    let result = opened.blobs.append_upload(&upload, 0, &mut &large[..]);
    assert!(matches!(result, Err(BlobError::Full)), "{result:?}");
    let status = opened.blobs.upload(&upload).unwrap();
    assert!(status.received_bytes < large.len() as u64);
    opened.blobs.abandon_upload(&upload).unwrap();

    let body = "x".repeat(50_000);
    let mut kept = 0;
    let error = loop {
        assert!(kept < 100, "the disk never gets full");
        match opened
            .store
            .transact(&mut |transaction| transaction.append(std::slice::from_ref(&body)).map(drop))
        {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
    assert_eq!(read_all(&mut *opened.store).len(), kept);
    empty(&filler);
    assert_eq!(append(&mut *opened.store, &[&body]), kept as u64 + 1);
    drop(opened);
    let mut opened = store::open(&StoreAddress::Folder(folder.join("data"))).unwrap();
    assert_eq!(read_all(&mut *opened.store).len(), kept + 1);
    Ok(())
}

/// The last process was killed: it has left an index of the log, or not, or one without its space.
pub fn a_store_opens_on_a_full_disk() -> Result<(), String> {
    let disk = Small::mount()?;
    let folder = disk.0.path().join("data");
    let address = StoreAddress::Folder(folder.clone());
    let filler = disk.0.path().join("filler");
    // Without an index, with one whose space is taken, and with one of another process.
    for (round, index) in [None, Some(0), Some(32 << 10)].into_iter().enumerate() {
        let mut killed = store::open(&address).unwrap();
        let before = read_all(&mut *killed.store).len();
        append(&mut *killed.store, &["before"]);
        let copy = disk.0.path().join("copy");
        copy_folder(&folder, &copy);
        drop(killed);
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::rename(&copy, &folder).unwrap();
        let of_log = folder.join("contest.sqlite-shm");
        match index {
            None => std::fs::remove_file(of_log).unwrap(),
            Some(length) => std::fs::File::create(of_log).unwrap().set_len(length).unwrap(),
        }
        fill(&filler);

        let mut opened = store::open(&address).unwrap_or_else(|error| panic!("round {round}: {error:?}"));
        assert_eq!(read_all(&mut *opened.store).len(), before + 1);
        for _ in 0..2 {
            let body = "x".repeat(50_000);
            let result = opened.store.transact(&mut |all| all.append(std::slice::from_ref(&body)).map(drop));
            assert!(matches!(result, Err(StoreError::Full { .. })), "round {round}: {result:?}");
            let checked = opened.store.check();
            assert!(matches!(checked, Err(StoreError::Full { .. })), "round {round}: {checked:?}");
            assert_eq!(read_all(&mut *opened.store).len(), before + 1);
        }
        empty(&filler);
        opened.store.check().unwrap();
        assert_eq!(append(&mut *opened.store, &["after"]), before as u64 + 2);
        assert_eq!(read_all(&mut *opened.store).len(), before + 2);
        // Others can read again.
        store::snapshot::take(&address, &disk.0.path().join("backup")).unwrap();
        std::fs::remove_file(disk.0.path().join("backup")).unwrap();
        drop(opened);
        assert_eq!(read_all(&mut *store::open(&address).unwrap().store).len(), before + 2);
    }
    Ok(())
}

/// Takes all space, to the last byte.
fn fill(path: &Path) {
    let mut file = std::fs::File::create(path).unwrap();
    while file.write(&[1; 4096]).is_ok_and(|written| written > 0) {}
}

/// Gives the space back at once. Removing the file may not: a process that another test has just made still has it open.
fn empty(filler: &Path) {
    std::fs::File::create(filler).unwrap();
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to)
        } else {
            let _ = std::fs::copy(from, to).unwrap();
        }
    }
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}
