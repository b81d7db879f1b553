//! The files of a backup.

use super::{BackupError, MANIFEST, Manifest, incomplete};
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use store::{BlobHash, Blobs, LockedFile};

/// It has hidden results and hashes of passwords.
const PRIVATE: u32 = 0o600;
const BUFFER_BYTES: usize = 256 << 10;
const MANIFEST_BYTES_MAX: u64 = 1 << 20;

fn failed<'a>(action: &'static str, path: &'a Path) -> impl Fn(io::Error) -> BackupError + 'a {
    move |source| BackupError::File { action, path: path.to_owned(), source }
}

fn make_folder(folder: &Path) -> Result<(), BackupError> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed("make", folder))
}

fn sync_folder(folder: &Path) -> Result<(), BackupError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed("sync", folder))
}

/// Makes the folder, and keeps a second backup into it away until the lock is dropped.
pub fn lock(folder: &Path) -> Result<LockedFile, BackupError> {
    make_folder(folder)?;
    // Also one that was there, such as a mount point.
    let private = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    private.map_err(failed("protect", folder))?;
    let path = folder.join("lock");
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(false).mode(PRIVATE);
    let file = options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(&path);
    let file = file.map_err(failed("make", &path))?;
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => failed("lock", &path)(io::Error::other("another backup is being made")),
        TryLockError::Error(error) => failed("lock", &path)(error),
    })?;
    Ok(LockedFile(file))
}

pub fn remove(path: &Path) -> Result<(), BackupError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Makes an empty file that only its owner can read; a database that is written into it keeps its mode.
pub fn make_private(path: &Path) -> Result<(), BackupError> {
    let file = OpenOptions::new().create_new(true).write(true).mode(PRIVATE).open(path);
    file.map(drop).map_err(failed("make", path))
}

/// Opens a file to read it, if it is no link and has an end.
fn open(path: &Path) -> Result<File, io::Error> {
    // Opening a pipe waits for its writer, unless asked not to.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no plain file")) }
}

/// Renames a synced file for good.
pub fn rename(from: &Path, to: &Path) -> Result<(), BackupError> {
    fs::rename(from, to).map_err(failed("rename a file to", to))?;
    sync_folder(to.parent().unwrap_or(to))
}

pub fn sha256(path: &Path) -> Result<String, BackupError> {
    let mut file = open(path).map_err(failed("read", path))?;
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; BUFFER_BYTES]);
    loop {
        match file.read(&mut buffer).map_err(failed("read", path))? {
            0 => return Ok(BlobHash(hasher.finalize().into()).to_string()),
            length => hasher.update(&buffer[..length]),
        }
    }
}

fn blob_path(folder: &Path, hash: &BlobHash) -> PathBuf {
    let name = hash.to_string();
    folder.join("blobs").join(&name[..2]).join(name)
}

/// Copies a content unless it is there, and returns its length and whether it was copied.
pub fn copy_blob(blobs: &dyn Blobs, hash: &BlobHash, folder: &Path) -> Result<(u64, bool), BackupError> {
    let path = blob_path(folder, hash);
    // One of another length was damaged. One of the same length is checked by `verify-backup`, which reads everything.
    if let Ok(metadata) = fs::metadata(&path)
        && blobs.size(hash)? == Some(metadata.len())
    {
        return Ok((metadata.len(), false));
    }
    let place = path.parent().unwrap_or(folder);
    make_folder(place)?;
    let part = folder.join("blob.part");
    remove(&part)?;
    let mut file = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(PRIVATE)
        .open(&part)
        .map_err(failed("make", &part))?;
    // The reader checks the hash.
    let mut content = blobs.get(hash, None)?;
    let length = io::copy(&mut content, &mut file).map_err(failed("write", &part))?;
    file.sync_all().map_err(failed("sync", &part))?;
    rename(&part, &path)?;
    Ok((length, true))
}

/// Reads a content and checks its hash.
pub fn check_blob(folder: &Path, hash: &BlobHash) -> Result<(), BackupError> {
    let path = blob_path(folder, hash);
    match fs::exists(&path) {
        Ok(true) if sha256(&path)? == hash.to_string() => Ok(()),
        Ok(true) => Err(incomplete(folder, format!("content {hash} is damaged"))),
        _ => Err(incomplete(folder, format!("content {hash} is missing"))),
    }
}

/// Stores a content, which must have its hash.
pub fn restore_blob(folder: &Path, hash: &BlobHash, blobs: &dyn Blobs) -> Result<(), BackupError> {
    let path = blob_path(folder, hash);
    if blobs.renew(hash)?.is_some() {
        return Ok(());
    }
    let mut file = match open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(incomplete(folder, format!("content {hash} is missing")));
        }
        Err(error) => return Err(failed("read", &path)(error)),
    };
    blobs.put(&mut file, u64::MAX, Some(hash))?;
    Ok(())
}

pub fn read_manifest(folder: &Path) -> Result<Manifest, BackupError> {
    let path = folder.join(MANIFEST);
    let mut bytes = Vec::new();
    match open(&path).and_then(|file| file.take(MANIFEST_BYTES_MAX).read_to_end(&mut bytes)) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(incomplete(folder, format!("there is no {MANIFEST}")));
        }
        Err(error) => return Err(failed("read", &path)(error)),
    }
    serde_json::from_slice(&bytes).map_err(|error| incomplete(folder, format!("{MANIFEST}: {error}")))
}

/// Replaces the manifest at once.
pub fn write_manifest(folder: &Path, manifest: &Manifest) -> Result<(), BackupError> {
    let part = folder.join("backup.json.part");
    remove(&part)?;
    let mut file = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(PRIVATE)
        .open(&part)
        .map_err(failed("make", &part))?;
    let text = serde_json::to_vec_pretty(manifest).map_err(|error| failed("write", &part)(error.into()))?;
    file.write_all(&text).and_then(|()| file.sync_all()).map_err(failed("write", &part))?;
    rename(&part, &folder.join(MANIFEST))
}

/// Removes the logs of earlier backups.
pub fn remove_other_logs(folder: &Path, log: &str) -> Result<(), BackupError> {
    for entry in fs::read_dir(folder).map_err(failed("read", folder))? {
        let name = entry.map_err(failed("read", folder))?.file_name().to_string_lossy().into_owned();
        if name != log && name.starts_with("log-") && name.ends_with(".sqlite") {
            remove(&folder.join(name))?;
        }
    }
    Ok(())
}
