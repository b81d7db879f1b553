//! The folder into which is restored. Another user may own it while root restores, so no link in it is followed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::{LockedFile, StoreError};

/// In a folder to which something is being restored.
const MARK: &str = "restoring";
const PRIVATE: u32 = 0o600;

pub fn is_marked(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join(MARK)).is_ok()
}

pub struct Mark {
    path: PathBuf,
    _locked: LockedFile,
}

impl Mark {
    /// Marks a folder that is empty, or in which an earlier restore has not ended.
    pub fn begin(folder: &Path) -> Result<Self, StoreError> {
        crate::files::make_folder(folder).map_err(StoreError::of_file("make the folder"))?;
        let path = folder.join(MARK);
        let is_new = fs::read_dir(folder).map_err(StoreError::of_file("read the folder"))?.next().is_none();
        if !is_new && !is_marked(folder) {
            return Err(refused(format!("{} is not empty", folder.display())));
        }
        let file = open(OpenOptions::new().write(true).create_new(is_new).mode(PRIVATE), &path);
        let file = file.map_err(StoreError::of_file("mark the folder"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(refused(format!("another restore into {} is running", folder.display())));
            }
            Err(TryLockError::Error(source)) => return Err(StoreError::of_file("mark the folder")(source)),
        }
        // One that ended just now has taken its mark away, and its store is complete.
        let is_ours = || {
            let (ours, there) = (file.metadata()?, fs::symlink_metadata(&path)?);
            Ok::<_, io::Error>((ours.dev(), ours.ino()) == (there.dev(), there.ino()))
        };
        if !is_ours().unwrap_or(false) {
            return Err(refused(format!("another restore into {} has ended", folder.display())));
        }
        if is_new && fs::read_dir(folder).map_err(StoreError::of_file("read the folder"))?.count() > 1 {
            let _ = fs::remove_file(&path);
            return Err(refused(format!("{} is not empty", folder.display())));
        }
        file.sync_all().map_err(StoreError::of_file("mark the folder"))?;
        refuse_links(folder)?;
        Ok(Self { path, _locked: LockedFile(file) })
    }

    pub fn end(self) -> Result<(), StoreError> {
        fs::remove_file(&self.path).map_err(StoreError::of_file("end restoring"))
    }
}

pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = open(OpenOptions::new().read(true), from)?;
    let mut to = OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(to)?;
    io::copy(&mut from, &mut to).map(drop)
}

/// Opens a plain file that is no link.
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // Opening a pipe waits for its other end, unless asked not to.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let file = options.custom_flags(flags.cast_signed()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no plain file")) }
}

/// An earlier restore leaves contents, in folders of two levels.
fn refuse_links(folder: &Path) -> Result<(), StoreError> {
    let mut waiting = vec![(folder.to_owned(), 0)];
    while let Some((place, depth)) = waiting.pop() {
        for entry in fs::read_dir(&place).map_err(StoreError::of_file("read the folder"))? {
            let entry = entry.map_err(StoreError::of_file("read the folder"))?;
            let kind = entry.file_type().map_err(StoreError::of_file("read the folder"))?;
            if kind.is_symlink() {
                return Err(refused(format!("{} is a link", entry.path().display())));
            }
            if kind.is_dir() && depth < 2 {
                waiting.push((entry.path(), depth + 1));
            }
        }
    }
    Ok(())
}

fn refused(reason: String) -> StoreError {
    StoreError::Unavailable { action: "restore", source: reason.into() }
}
