//! Blobs as files: `blobs/ab/abcd...`, and `incoming/` for what is not complete.

mod uploads;

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::{
    BlobError, BlobHash, BlobReader, BlobUsage, Blobs, Collected, Owner, StoredBlob, UPLOAD_AGE, Upload,
    UploadId, UploadLimits, random,
};

const BUFFER_BYTES: usize = 128 * 1024;
/// What is written to see whether something can be.
const CHECK: &[u8] = b"The server writes this text to see whether it can.\n";
const PART: &str = "part-";

pub struct FileBlobs {
    blobs: PathBuf,
    incoming: PathBuf,
    /// Held for writing while something is deleted: a blob that is stored again at that moment must stay.
    deleting: RwLock<()>,
    /// Held while an upload begins: another one must not pass the same limit.
    beginning: Mutex<()>,
}

fn failed<'a>(action: &'static str, path: &'a Path) -> impl Fn(io::Error) -> BlobError + 'a {
    move |source| match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => BlobError::Full,
        _ => BlobError::File { action, path: path.to_owned(), source },
    }
}

/// A temporary file, deleted unless it was renamed.
struct Part {
    path: PathBuf,
    file: File,
}

impl Drop for Part {
    fn drop(&mut self) {
        // After a rename it is not there any more.
        let _ = fs::remove_file(&self.path);
    }
}

impl FileBlobs {
    /// Opens the blobs below a folder. Parts that an earlier process left are deleted; uploads stay.
    pub fn open(folder: &Path) -> Result<Self, BlobError> {
        let new = Self {
            blobs: folder.join("blobs"),
            incoming: folder.join("incoming"),
            deleting: RwLock::new(()),
            beginning: Mutex::new(()),
        };
        for folder in [&new.blobs, &new.incoming] {
            make_folder(folder).map_err(failed("make", folder))?;
        }
        sync_folder(folder)?;
        for path in list(&new.incoming)? {
            if name(&path).starts_with(PART) {
                fs::remove_file(&path).map_err(failed("delete", &path))?;
            }
        }
        Ok(new)
    }

    /// Returns the blobs below a folder, for reading while another process has them open.
    pub fn for_reading(folder: &Path) -> Self {
        let (blobs, incoming) = (folder.join("blobs"), folder.join("incoming"));
        Self { blobs, incoming, deleting: RwLock::new(()), beginning: Mutex::new(()) }
    }

    fn path(&self, hash: &BlobHash) -> PathBuf {
        let hash = hash.to_string();
        self.blobs.join(&hash[..2]).join(hash)
    }

    fn storing(&self) -> RwLockReadGuard<'_, ()> {
        self.deleting.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn deleting(&self) -> RwLockWriteGuard<'_, ()> {
        self.deleting.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a complete, synced file the blob of that hash.
    fn publish(&self, complete: &Path, hash: &BlobHash) -> Result<(), BlobError> {
        let path = self.path(hash);
        let folder = path.parent().unwrap_or(&self.blobs);
        let _storing = self.storing();
        if !folder.is_dir() {
            make_folder(folder).map_err(failed("make", folder))?;
            sync_folder(&self.blobs)?;
        }
        fs::rename(complete, &path).map_err(failed("rename a file to", &path))?;
        sync_folder(folder)
    }

    fn begin_part(&self) -> Result<Part, BlobError> {
        let token = random::token().map_err(failed("name a file in", &self.incoming))?;
        let path = self.incoming.join(format!("{PART}{token}"));
        let file = File::create_new(&path).map_err(failed("make", &path))?;
        Ok(Part { path, file })
    }
}

impl Blobs for FileBlobs {
    fn put(
        &self,
        content: &mut dyn Read,
        limit_bytes: u64,
        expected: Option<&BlobHash>,
    ) -> Result<StoredBlob, BlobError> {
        let mut part = self.begin_part()?;
        let mut buffer = vec![0; BUFFER_BYTES];
        let (mut hasher, mut size_bytes) = (Sha256::new(), 0);
        loop {
            let read = read_some(content, &mut buffer)?;
            if read == 0 {
                break;
            }
            size_bytes += read as u64;
            if size_bytes > limit_bytes {
                return Err(BlobError::TooLarge { limit_bytes });
            }
            hasher.update(&buffer[..read]);
            part.file.write_all(&buffer[..read]).map_err(failed("write", &part.path))?;
        }
        let hash = BlobHash(hasher.finalize().into());
        if let Some(&expected) = expected.filter(|&&expected| expected != hash) {
            return Err(BlobError::WrongHash { expected, found: hash });
        }
        part.file.sync_all().map_err(failed("sync", &part.path))?;
        self.publish(&part.path, &hash)?;
        Ok(StoredBlob { hash, size_bytes })
    }

    fn renew(&self, hash: &BlobHash) -> Result<Option<u64>, BlobError> {
        let path = self.path(hash);
        let failed = failed("read", &path);
        let _storing = self.storing();
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        file.set_modified(SystemTime::now()).map_err(&failed)?;
        Ok(Some(file.metadata().map_err(&failed)?.len()))
    }

    fn size(&self, hash: &BlobHash) -> Result<Option<u64>, BlobError> {
        let path = self.path(hash);
        match fs::metadata(&path) {
            Ok(metadata) => Ok(Some(metadata.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("read", &path)(error)),
        }
    }

    fn get(&self, hash: &BlobHash, range: Option<Range<u64>>) -> Result<BlobReader, BlobError> {
        let path = self.path(hash);
        let failed = failed("read", &path);
        let mut file = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => BlobError::NotFound(*hash),
            _ => failed(error),
        })?;
        let size_bytes = file.metadata().map_err(&failed)?.len();
        let range = crate::blob::cut(range, size_bytes);
        if range == (0..size_bytes) {
            let content = crate::blob::Checked::new(file, *hash, size_bytes);
            return Ok(BlobReader { size_bytes, range, content: Box::new(content) });
        }
        file.seek(SeekFrom::Start(range.start)).map_err(&failed)?;
        let content = Box::new(file.take(range.end - range.start));
        Ok(BlobReader { size_bytes, range, content })
    }

    fn begin_upload(
        &self,
        owner: &Owner,
        hash: &BlobHash,
        size_bytes: u64,
        limits: &UploadLimits,
    ) -> Result<UploadId, BlobError> {
        let _beginning = self.beginning.lock().unwrap_or_else(PoisonError::into_inner);
        uploads::begin(&self.incoming, owner, hash, size_bytes, limits)
    }

    fn append_upload(
        &self,
        upload: &UploadId,
        offset_bytes: u64,
        content: &mut dyn Read,
    ) -> Result<u64, BlobError> {
        uploads::append(&self.incoming, upload, offset_bytes, content)
    }

    fn upload(&self, upload: &UploadId) -> Result<Upload, BlobError> {
        uploads::status(&self.incoming, upload)
    }

    fn finish_upload(&self, upload: &UploadId) -> Result<StoredBlob, BlobError> {
        let (path, stored) = uploads::complete(&self.incoming, upload)?;
        self.publish(&path, &stored.hash)?;
        Ok(stored)
    }

    fn abandon_upload(&self, upload: &UploadId) -> Result<(), BlobError> {
        uploads::abandon(&self.incoming, upload)
    }

    fn collect(&self, is_used: &dyn Fn(&BlobHash) -> bool, age: Duration) -> Result<Collected, BlobError> {
        let mut collected = Collected::default();
        for folder in list(&self.blobs)? {
            for path in list(&folder)? {
                let Ok(hash) = name(&path).parse() else { continue };
                if is_used(&hash) {
                    continue;
                }
                let _deleting = self.deleting();
                if let Some(bytes) = delete_if_older(&path, age)? {
                    collected.blobs += 1;
                    collected.bytes += bytes;
                }
            }
        }
        for path in list(&self.incoming)? {
            collected.uploads += u64::from(delete_if_older(&path, UPLOAD_AGE)?.is_some());
        }
        Ok(collected)
    }

    fn check(&self) -> Result<(), BlobError> {
        let mut part = self.begin_part()?;
        let written = part.file.write_all(CHECK).and_then(|()| part.file.sync_all());
        written.map_err(failed("write", &part.path))
    }

    fn usage(&self) -> Result<BlobUsage, BlobError> {
        let mut usage = BlobUsage::default();
        for folder in list(&self.blobs)? {
            for path in list(&folder)? {
                // One that was deleted meanwhile does not count.
                let Ok(metadata) = fs::metadata(&path) else { continue };
                usage.blobs += 1;
                usage.bytes += metadata.len();
            }
        }
        Ok(usage)
    }
}

/// Makes a folder if it is missing. Only its owner may look into it: it has secret data.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Reads until the buffer is full or the content ends, so that writes are large.
pub(crate) fn read_some(content: &mut dyn Read, buffer: &mut [u8]) -> Result<usize, BlobError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match content.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(BlobError::Content(error)),
        }
    }
    Ok(filled)
}

/// Deletes a file to which nothing was written for `age`, and returns its length if it did.
fn delete_if_older(path: &Path, age: Duration) -> Result<Option<u64>, BlobError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("read", path)(error)),
    };
    let written = metadata.modified().map_err(failed("read", path))?;
    // A file from the future, as after a step of the clock, is young.
    let is_older = SystemTime::now().duration_since(written).is_ok_and(|elapsed| elapsed >= age);
    if !is_older || !metadata.is_file() {
        return Ok(None);
    }
    fs::remove_file(path).map_err(failed("delete", path))?;
    Ok(Some(metadata.len()))
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, BlobError> {
    let failed = failed("list", folder);
    let entries = fs::read_dir(folder).map_err(&failed)?;
    entries.map(|entry| Ok(entry.map_err(&failed)?.path())).collect()
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn sync_folder(folder: &Path) -> Result<(), BlobError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed("sync", folder))
}
