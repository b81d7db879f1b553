//! The packages of past and present jobs, in a folder of limited size.
//!
//! Archives stay over restarts, and are checked by their hash when they are first used after one. What is unpacked from
//! them belongs to one process, so nothing half written is ever taken for whole.

use crate::error::JudgehostError;
use documents::judgehost::BlobRef;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use walkdir::WalkDir;

const HASHED_BYTES: usize = 1 << 18;
const WHOLE: &str = "zip";
const PART: &str = "part";
/// A part that has not grown for this long belongs to a contest that is over.
const PART_AGE_MAX: Duration = Duration::from_secs(24 * 3600);
const UNPACKED: &str = "unpacked";

/// Packages by hash; the least recently used is removed first.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    bytes_max: u64,
    entries: Mutex<BTreeMap<String, Entry>>,
    _lock: File,
}

#[derive(Debug)]
struct Entry {
    archive_bytes: u64,
    unpacked_bytes: u64,
    used: SystemTime,
    holders: usize,
    is_checked: bool,
    unpacked: Unpacked,
}

/// The folder that holds an unpacked package; locked while it is unpacked.
type Unpacked = Arc<Mutex<Option<PathBuf>>>;

/// A package in the cache, which stays there as long as this exists.
#[derive(Debug)]
pub struct CachedPackage {
    cache: Arc<Cache>,
    hash: String,
}

impl Cache {
    /// Opens the folder, which is made if needed and is for one judgehost alone.
    pub fn open(folder: &Path, bytes_max: u64) -> Result<Arc<Self>, JudgehostError> {
        let failed = |what| {
            let path = folder.to_owned();
            move |source| JudgehostError::Cache { what, path, source }
        };
        make_private(folder).map_err(failed("make"))?;
        let lock = File::create(folder.join("lock")).map_err(failed("write in"))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(JudgehostError::CacheTaken { path: folder.to_owned() });
            }
            // If the file system has no locks, only this check is missing.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let unpacked = folder.join(UNPACKED);
        match fs::remove_dir_all(&unpacked) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed("empty")(error)),
            _ => {}
        }
        make_private(&unpacked).map_err(failed("make a folder in"))?;
        let mut entries = BTreeMap::new();
        for found in fs::read_dir(folder).map_err(failed("list"))? {
            let found = found.map_err(failed("list"))?;
            let path = found.path();
            let hash = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| is_hash(stem));
            let metadata = found.metadata().map_err(failed("list"))?;
            let age = metadata.modified().ok().and_then(|modified| modified.elapsed().ok());
            if path.extension().is_some_and(|extension| extension == PART)
                && age.is_some_and(|age| age > PART_AGE_MAX)
            {
                fs::remove_file(&path).map_err(failed("empty"))?;
                continue;
            }
            if let Some(hash) = hash
                && path.extension().is_some_and(|extension| extension == WHOLE)
                && metadata.is_file()
            {
                entries.insert(
                    hash.to_owned(),
                    Entry {
                        archive_bytes: metadata.len(),
                        unpacked_bytes: 0,
                        used: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                        holders: 0,
                        is_checked: false,
                        unpacked: Unpacked::default(),
                    },
                );
            }
        }
        let cache = Self { folder: folder.to_owned(), bytes_max, entries: Mutex::new(entries), _lock: lock };
        cache.make_room(0);
        Ok(Arc::new(cache))
    }

    /// Returns a package if it is there and whole.
    pub fn get(self: &Arc<Self>, blob: &BlobRef) -> Result<Option<CachedPackage>, JudgehostError> {
        let Some(is_checked) = self.hold(&blob.hash) else { return Ok(None) };
        let package = CachedPackage { cache: Arc::clone(self), hash: blob.hash.clone() };
        if is_checked {
            return Ok(Some(package));
        }
        let path = package.archive();
        let hash = hash_file(&path);
        if hash.as_ref().is_ok_and(|hash| *hash == blob.hash) {
            self.change(&blob.hash, |entry| entry.is_checked = true);
            // Only the order of removal depends on it.
            let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
            return Ok(Some(package));
        }
        drop(package);
        self.remove(&blob.hash);
        match hash {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(JudgehostError::Cache { what: "read", path, source })
            }
            // It was damaged since it was fetched; it is fetched again.
            _ => Ok(None),
        }
    }

    /// Returns the file for the part of an archive that is there already, and makes room for the rest.
    pub fn part(&self, blob: &BlobRef) -> Result<PathBuf, JudgehostError> {
        let path = self.path(&blob.hash, PART);
        if !self.make_room(blob.size_bytes) {
            let source = io::Error::other(format!(
                "its {} MiB do not fit into the {} MiB of --cache-size next to what is in use",
                blob.size_bytes >> 20,
                self.bytes_max >> 20
            ));
            return Err(JudgehostError::Cache { what: "keep the package", path, source });
        }
        Ok(path)
    }

    /// Takes a part that has all bytes, if its hash is right; otherwise it is removed.
    pub fn finish(self: &Arc<Self>, blob: &BlobRef) -> Result<Option<CachedPackage>, JudgehostError> {
        let (part, whole) = (self.path(&blob.hash, PART), self.path(&blob.hash, WHOLE));
        let failed = |what| {
            let path = part.clone();
            move |source| JudgehostError::Cache { what, path, source }
        };
        if hash_file(&part).map_err(failed("read"))? != blob.hash {
            fs::remove_file(&part).map_err(failed("remove"))?;
            return Ok(None);
        }
        File::open(&part).and_then(|file| file.sync_all()).map_err(failed("sync"))?;
        fs::rename(&part, &whole).map_err(failed("rename"))?;
        let entry = Entry {
            archive_bytes: blob.size_bytes,
            unpacked_bytes: 0,
            used: SystemTime::now(),
            holders: 1,
            is_checked: true,
            unpacked: Unpacked::default(),
        };
        self.lock().insert(blob.hash.clone(), entry);
        Ok(Some(CachedPackage { cache: Arc::clone(self), hash: blob.hash.clone() }))
    }

    pub fn bytes(&self) -> u64 {
        self.lock().values().map(|entry| entry.archive_bytes + entry.unpacked_bytes).sum()
    }

    /// Counts another holder; returns whether the hash was checked, or `None` if there is no such package.
    fn hold(&self, hash: &str) -> Option<bool> {
        let mut entries = self.lock();
        let entry = entries.get_mut(hash)?;
        entry.holders += 1;
        entry.used = SystemTime::now();
        Some(entry.is_checked)
    }

    /// Removes the least recently used packages that have no holder until `bytes` more fit; returns whether they do.
    fn make_room(&self, bytes: u64) -> bool {
        loop {
            if self.bytes().saturating_add(bytes) <= self.bytes_max {
                return true;
            }
            let entries = self.lock();
            let unused = entries.iter().filter(|(_, entry)| entry.holders == 0);
            let Some(oldest) = unused.min_by_key(|(_, entry)| entry.used).map(|(hash, _)| hash.clone())
            else {
                return false;
            };
            drop(entries);
            self.remove(&oldest);
        }
    }

    fn remove(&self, hash: &str) {
        self.lock().remove(hash);
        // What cannot be removed is found again at the next start.
        let _ = fs::remove_file(self.path(hash, WHOLE));
        let _ = fs::remove_dir_all(self.folder.join(UNPACKED).join(hash));
    }

    fn change(&self, hash: &str, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.lock().get_mut(hash) {
            change(entry);
        }
    }

    fn path(&self, hash: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{hash}.{extension}"))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedPackage {
    pub fn archive(&self) -> PathBuf {
        self.cache.path(&self.hash, WHOLE)
    }

    /// Reads the package: calls `read` with the archive, or the folder that an earlier call returned, and the folder in
    /// which an archive is to be unpacked.
    pub fn read<T, E>(&self, read: impl FnOnce(&Path, &Path) -> Result<(T, PathBuf), E>) -> Result<T, E> {
        let mut unpacked = Unpacked::default();
        self.cache.change(&self.hash, |entry| unpacked = Arc::clone(&entry.unpacked));
        let mut unpacked = unpacked.lock().unwrap_or_else(PoisonError::into_inner);
        let path = unpacked.clone().unwrap_or_else(|| self.archive());
        let (package, folder) = read(&path, &self.scratch())?;
        *unpacked = Some(folder);
        drop(unpacked);
        self.measure();
        Ok(package)
    }

    fn scratch(&self) -> PathBuf {
        self.cache.folder.join(UNPACKED).join(&self.hash)
    }

    /// Counts what was unpacked, and removes other packages above the limit.
    fn measure(&self) {
        let files = WalkDir::new(self.scratch()).into_iter().flatten();
        let sizes = files.filter_map(|file| file.metadata().ok()).filter(std::fs::Metadata::is_file);
        let unpacked = sizes.map(|data| data.len()).sum();
        self.cache.change(&self.hash, |entry| entry.unpacked_bytes = unpacked);
        self.cache.make_room(0);
    }
}

impl Drop for CachedPackage {
    fn drop(&mut self) {
        self.cache.change(&self.hash, |entry| entry.holders -= 1);
    }
}

/// Returns whether a text is a SHA-256 hash: it becomes a file's name.
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub fn hash_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hash_file(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; HASHED_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hasher.finalize())),
            count => hasher.update(&buffer[..count]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes a folder that other users cannot read: packages have the secret data.
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(bytes: &[u8]) -> BlobRef {
        BlobRef { hash: hash_of(bytes), size_bytes: bytes.len() as u64 }
    }

    fn put(cache: &Arc<Cache>, bytes: &[u8]) -> Option<CachedPackage> {
        fs::write(cache.part(&blob(bytes)).unwrap(), bytes).unwrap();
        cache.finish(&blob(bytes)).unwrap()
    }

    #[test]
    fn the_least_recently_used_goes_first_and_what_is_in_use_stays() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path(), 10).unwrap();
        let held = put(&cache, b"aaaa").unwrap();
        drop(put(&cache, b"bbbb").unwrap());
        drop(put(&cache, b"c").unwrap());
        assert!(cache.get(&blob(b"bbbb")).unwrap().is_some());
        drop(put(&cache, b"dddd").unwrap());
        assert!(cache.get(&blob(b"c")).unwrap().is_none(), "used before b");
        assert!(cache.get(&blob(b"aaaa")).unwrap().is_some());
        assert!(!held.archive().exists() || cache.bytes() <= 10);
        let error = cache.part(&blob(b"eeeeeeeeee")).unwrap_err();
        assert!(error.to_string().starts_with("cannot keep the package"), "{error}");
        drop(held);
        assert!(cache.part(&blob(b"eeeeeeeeee")).is_ok());
    }

    #[test]
    fn unpacked_files_count() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path(), 10).unwrap();
        drop(put(&cache, b"bbbb").unwrap());
        let held = put(&cache, b"aaaa").unwrap();
        let unpack = |archive: &Path, scratch: &Path| {
            assert_eq!(archive, held.archive());
            fs::create_dir(scratch)?;
            fs::write(scratch.join("x"), "1234567")?;
            Ok::<_, io::Error>(((), scratch.join("x")))
        };
        held.read(unpack).unwrap();
        let again = |folder: &Path, _: &Path| Ok::<_, io::Error>((folder.to_owned(), folder.to_owned()));
        assert_eq!(held.read(again).unwrap(), held.scratch().join("x"), "unpacked once");
        assert_eq!(cache.bytes(), 11, "more than allowed, but in use");
        assert!(cache.get(&blob(b"bbbb")).unwrap().is_none());
    }

    #[test]
    fn archives_outlive_a_restart_unless_they_are_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path(), 100).unwrap();
        let (good, bad) = (put(&cache, b"good").unwrap(), put(&cache, b"bad").unwrap());
        fs::create_dir(good.scratch()).unwrap();
        let path = bad.archive();
        assert!(matches!(Cache::open(folder.path(), 100), Err(JudgehostError::CacheTaken { .. })));
        drop((good, bad, cache));
        fs::write(path, "bat").unwrap();
        let cache = Cache::open(folder.path(), 100).unwrap();
        let good = cache.get(&blob(b"good")).unwrap().unwrap();
        assert!(!good.scratch().exists(), "unpacked by another process");
        assert!(cache.get(&blob(b"bad")).unwrap().is_none());
        assert_eq!(cache.bytes(), 4);
    }

    #[test]
    fn content_with_a_wrong_hash_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path(), 100).unwrap();
        let wanted = blob(b"wanted");
        fs::write(cache.part(&wanted).unwrap(), "wantee").unwrap();
        assert!(cache.finish(&wanted).unwrap().is_none());
        let part = cache.part(&wanted).unwrap();
        assert!(!part.exists());
        fs::write(&part, "want").unwrap();
        drop(cache);
        let cache = Cache::open(folder.path(), 100).unwrap();
        assert!(part.exists(), "it can be resumed");
        drop(cache);
        let old = SystemTime::now() - 2 * PART_AGE_MAX;
        File::options().write(true).open(&part).unwrap().set_modified(old).unwrap();
        Cache::open(folder.path(), 100).unwrap();
        assert!(!part.exists());
        for wrong in ["", "../../etc/passwd", &"A".repeat(64), &"0".repeat(63)] {
            assert!(!is_hash(wrong));
        }
        assert!(is_hash(&wanted.hash));
    }
}
