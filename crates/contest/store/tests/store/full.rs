//! A disk that is full: a clear error, nothing half, and on it goes when there is space.

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
pub fn a_full_disk_is_told_and_survived() -> Result<(), String> {
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
    std::fs::remove_file(&filler).unwrap();
    assert_eq!(append(&mut *opened.store, &[&body]), kept as u64 + 1);
    drop(opened);
    let mut opened = store::open(&StoreAddress::Folder(folder.join("data"))).unwrap();
    assert_eq!(read_all(&mut *opened.store).len(), kept + 1);
    Ok(())
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}
