//! Uploads as files: hash and length are in the name, and the file's length is where the upload stands.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{BUFFER_BYTES, failed, list, name, read_some};
use crate::{BlobError, BlobHash, StoredBlob, UPLOADS_MAX, Upload, UploadId, random};

const PREFIX: &str = "upload-";

struct Open {
    path: PathBuf,
    hash: BlobHash,
    size_bytes: u64,
    file: File,
}

/// Opens the file of an upload. Only names that [`begin`] makes are accepted: no other file can be meant.
fn open(incoming: &Path, upload: &UploadId) -> Result<Open, BlobError> {
    let (hash, size_bytes) = parse(&upload.0).ok_or(BlobError::NoUpload)?;
    let path = incoming.join(format!("{PREFIX}{}", upload.0));
    let file = OpenOptions::new().read(true).write(true).open(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => BlobError::NoUpload,
        _ => failed("open", &path)(error),
    })?;
    Ok(Open { path, hash, size_bytes, file })
}

/// Reads `<32 digits>-<length>-<hash>`.
fn parse(id: &str) -> Option<(BlobHash, u64)> {
    let mut parts = id.split('-');
    let (token, size, hash) = (parts.next()?, parts.next()?, parts.next()?);
    let is_token = token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_size = size.bytes().all(|byte| byte.is_ascii_digit());
    if !is_token || !is_size || parts.next().is_some() {
        return None;
    }
    Some((hash.parse().ok()?, size.parse().ok()?))
}

pub fn begin(
    incoming: &Path,
    hash: &BlobHash,
    size_bytes: u64,
    limit_bytes: u64,
) -> Result<UploadId, BlobError> {
    if size_bytes > limit_bytes {
        return Err(BlobError::TooLarge { limit_bytes });
    }
    let open = list(incoming)?.iter().filter(|path| name(path).starts_with(PREFIX)).count();
    if open >= UPLOADS_MAX {
        return Err(BlobError::TooManyUploads(open));
    }
    let token = random::token().map_err(failed("name a file in", incoming))?;
    let id = format!("{token}-{size_bytes}-{hash}");
    let path = incoming.join(format!("{PREFIX}{id}"));
    File::create_new(&path).map_err(failed("make", &path))?;
    Ok(UploadId(id))
}

pub fn append(
    incoming: &Path,
    upload: &UploadId,
    offset_bytes: u64,
    content: &mut dyn Read,
) -> Result<u64, BlobError> {
    let mut open = open(incoming, upload)?;
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut at = offset_bytes;
    loop {
        let read = read_some(content, &mut buffer)?;
        at = open.write(at, &buffer[..read])?;
        if read == 0 {
            return Ok(at);
        }
    }
}

impl Open {
    /// Writes a piece, and returns where the upload then stands. Locked for each piece, so that a sender that stalls keeps
    /// nobody from going on over another connection; the stalled one then finds another offset.
    fn write(&mut self, at: u64, piece: &[u8]) -> Result<u64, BlobError> {
        let failed = failed("write", &self.path);
        self.file.lock().map_err(&failed)?;
        let result = (|| {
            let received_bytes = self.file.metadata().map_err(&failed)?.len();
            if received_bytes != at {
                return Err(BlobError::WrongOffset { received_bytes });
            }
            let end = at + piece.len() as u64;
            if end > self.size_bytes {
                return Err(BlobError::TooLarge { limit_bytes: self.size_bytes });
            }
            self.file.seek(SeekFrom::Start(at)).map_err(&failed)?;
            if let Err(error) = self.file.write_all(piece) {
                // Not half a piece.
                let _ = self.file.set_len(at);
                return Err(failed(error));
            }
            Ok(end)
        })();
        self.file.unlock().map_err(&failed)?;
        result
    }
}

pub fn status(incoming: &Path, upload: &UploadId) -> Result<Upload, BlobError> {
    let open = open(incoming, upload)?;
    let received_bytes = open.file.metadata().map_err(failed("read", &open.path))?.len();
    Ok(Upload { hash: open.hash, size_bytes: open.size_bytes, received_bytes })
}

/// Checks that an upload is complete and right, syncs it, and returns its file.
pub fn complete(incoming: &Path, upload: &UploadId) -> Result<(PathBuf, StoredBlob), BlobError> {
    let mut open = open(incoming, upload)?;
    let failed = failed("read", &open.path);
    open.file.lock().map_err(&failed)?;
    let received_bytes = open.file.metadata().map_err(&failed)?.len();
    if received_bytes != open.size_bytes {
        return Err(BlobError::Incomplete { received_bytes, size_bytes: open.size_bytes });
    }
    let found = crate::blob::hash_all(&mut open.file).map_err(&failed)?;
    if found != open.hash {
        fs::remove_file(&open.path).map_err(&failed)?;
        return Err(BlobError::WrongHash { expected: open.hash, found });
    }
    // A blob's age counts from here.
    open.file.set_modified(SystemTime::now()).map_err(&failed)?;
    open.file.sync_all().map_err(&failed)?;
    Ok((open.path.clone(), StoredBlob { hash: found, size_bytes: received_bytes }))
}

pub fn abandon(incoming: &Path, upload: &UploadId) -> Result<(), BlobError> {
    let open = open(incoming, upload)?;
    fs::remove_file(&open.path).map_err(failed("delete", &open.path))
}
