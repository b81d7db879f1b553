//! A temporary folder that is removed with its owner, or at the next start if the owner was killed.

use anyhow::Context;
use rustix::fs::{Mode, OFlags};
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use tempfile::TempDir;
use walkdir::WalkDir;

/// The prefix of its name, which no other program uses.
const PREFIX: &str = "tauto-judge-";

/// A folder that other users cannot read. Its lock shows that its owner is alive.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    _lock: File,
}

impl Scratch {
    /// Removes the folders of killed owners, unless stopped, and makes a new one.
    pub fn new(is_stopped: &dyn Fn() -> bool) -> anyhow::Result<Self> {
        Self::below(&std::env::temp_dir(), is_stopped).context("cannot make a temporary folder")
    }

    fn below(parent: &Path, is_stopped: &dyn Fn() -> bool) -> std::io::Result<Self> {
        sweep(parent, is_stopped);
        loop {
            let folder = tempfile::Builder::new()
                .prefix(PREFIX)
                // Other users must not read test data.
                .permissions(fs::Permissions::from_mode(0o700))
                .tempdir_in(parent)?;
            // Another process may remove it before it is locked; then it is gone, or belongs to that process.
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

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes tauto's folders whose owner is gone. What cannot be removed is left to the next start, and so is the rest on
/// a stop: an archive may have a hundred thousand files.
fn sweep(parent: &Path, is_stopped: &dyn Fn() -> bool) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        // Other users' folders are left alone, and a link may lead anywhere.
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
        // As after a kill: the lock is released, the folder stays.
        let Scratch { folder, _lock: lock } = first;
        let left = folder.keep();
        drop(lock);
        assert!(left.exists());
        drop(Scratch::below(parent.path(), &|| true).unwrap());
        assert!(left.join("data/secret.ans").exists(), "told to stop");
        // A process that another test is just starting has the lock until it executes its program.
        let third = loop {
            let third = Scratch::below(parent.path(), &|| false).unwrap();
            if !left.exists() {
                break third;
            }
        };
        assert!(second.path().exists() && third.path().exists() && other.exists());
        drop((second, third));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 2, "the other file and the link");
    }
}
