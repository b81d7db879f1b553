//! A temporary folder that goes with its owner: at once when that ends well, at the next start when it was killed.

use anyhow::Context;
use rustix::fs::{Mode, OFlags};
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use tempfile::TempDir;
use walkdir::WalkDir;

/// Under this name, in the temporary folder, lies what no other program makes.
const PREFIX: &str = "tauto-judge-";

/// A folder that nobody else may look into. Its lock says that its owner lives.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    _lock: File,
}

impl Scratch {
    /// Removes what owners left that were killed, unless told to stop, and makes a folder.
    ///
    /// # Errors
    /// When none can be made.
    pub fn new(is_stopped: &dyn Fn() -> bool) -> anyhow::Result<Self> {
        Self::below(&std::env::temp_dir(), is_stopped).context("cannot make a temporary folder")
    }

    fn below(parent: &Path, is_stopped: &dyn Fn() -> bool) -> std::io::Result<Self> {
        sweep(parent, is_stopped);
        loop {
            let folder = tempfile::Builder::new()
                .prefix(PREFIX)
                // Test data are nobody else's business.
                .permissions(fs::Permissions::from_mode(0o700))
                .tempdir_in(parent)?;
            // Another start may sweep it before it has its lock; then it is gone, or another's.
            let lock = match File::open(folder.path()) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                lock => lock?,
            };
            lock.lock()?;
            let is_there = fs::metadata(folder.path()).map(|data| data.ino()).ok();
            if is_there == Some(lock.metadata()?.ino()) {
                return Ok(Self { folder, _lock: lock });
            }
        }
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes folders of ours whose owner is gone. What cannot be removed is left to the next start, and so is the rest when told
/// to stop: there may be a hundred thousand files of an archive.
fn sweep(parent: &Path, is_stopped: &dyn Fn() -> bool) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        // Of another user's folder nothing is known, and a link may lead anywhere.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(folder) = rustix::fs::open(entry.path(), flags, Mode::empty()).map(File::from) else {
            continue;
        };
        let is_ours = folder.metadata().is_ok_and(|data| data.uid() == rustix::process::geteuid().as_raw());
        if is_ours && folder.try_lock().is_ok() {
            for left in WalkDir::new(entry.path()).contents_first(true).into_iter().flatten() {
                if is_stopped() {
                    return;
                }
                let _ = match left.file_type().is_dir() {
                    true => fs::remove_dir(left.path()),
                    false => fs::remove_file(left.path()),
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lives_as_long_as_its_owner() {
        let parent = tempfile::tempdir().unwrap();
        let other = parent.path().join("other");
        fs::write(&other, "").unwrap();
        std::os::unix::fs::symlink(parent.path(), parent.path().join(format!("{PREFIX}link"))).unwrap();
        let first = Scratch::below(parent.path(), &|| false).unwrap();
        fs::create_dir(first.path().join("data")).unwrap();
        fs::write(first.path().join("data/secret.ans"), "42\n").unwrap();
        let second = Scratch::below(parent.path(), &|| false).unwrap();
        assert!(first.path().join("data/secret.ans").exists(), "its owner lives");
        // As a kill does: the lock goes, the folder stays.
        let Scratch { folder, _lock: lock } = first;
        let left = folder.keep();
        drop(lock);
        assert!(left.exists());
        drop(Scratch::below(parent.path(), &|| true).unwrap());
        assert!(left.join("data/secret.ans").exists(), "told to stop");
        let third = Scratch::below(parent.path(), &|| false).unwrap();
        assert!(!left.exists());
        assert!(second.path().exists() && third.path().exists() && other.exists());
        drop((second, third));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 2, "the other file and the link");
    }
}
