//! Uploads as files: hash and length are in the name, and the file's length is where the upload stands.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{BUFFER_BYTES, failed, list, name, read_some};
use crate::blob::check_uploads;
use crate::{BlobError, BlobHash, Owner, StoredBlob, Upload, UploadId, UploadLimits, random};

const PREFIX: &str = "upload-";

struct Open {
    path: PathBuf,
    name: Name,
    file: File,
}

struct Name {
    owner: Owner,
    hash: BlobHash,
    size_bytes: u64,
}

/// Opens the file of an upload. Only names that [`begin`] makes are accepted: no other file can be meant.
fn open(incoming: &Path, upload: &UploadId) -> Result<Open, BlobError> {
    let name = parse(&upload.0).ok_or(BlobError::NoUpload)?;
    let path = incoming.join(format!("{PREFIX}{}", upload.0));
    let file = OpenOptions::new().read(true).write(true).open(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => BlobError::NoUpload,
        _ => failed("open", &path)(error),
    })?;
    Ok(Open { path, name, file })
}

/// Reads `<32 digits>-<length>-<hash>-<owner>`.
fn parse(id: &str) -> Option<Name> {
    let mut parts = id.split('-');
    let (token, size, hash, owner) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex =
        |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_size = size.bytes().all(|byte| byte.is_ascii_digit());
    if !is_hex(token, 32) || !is_hex(owner, 16) || !is_size || parts.next().is_some() {
        return None;
    }
    Some(Name { owner: Owner(owner.to_owned()), hash: hash.parse().ok()?, size_bytes: size.parse().ok()? })
}

pub fn begin(
    incoming: &Path,
    owner: &Owner,
    hash: &BlobHash,
    size_bytes: u64,
    limits: &UploadLimits,
) -> Result<UploadId, BlobError> {
    let files = list(incoming)?;
    let ids = files.iter().filter_map(|path| name(path).strip_prefix(PREFIX));
    let open: Vec<(&str, Name)> = ids.filter_map(|id| Some((id, parse(id)?))).collect();
    let is_same = |name: &Name| name.owner == *owner && name.hash == *hash && name.size_bytes == size_bytes;
    if let Some((id, _)) = open.iter().find(|(_, name)| is_same(name)) {
        return Ok(UploadId((*id).to_owned()));
    }
    let open: Vec<(Owner, u64)> = open.into_iter().map(|(_, name)| (name.owner, name.size_bytes)).collect();
    check_uploads(&open, owner, size_bytes, limits)?;
    let token = random::token().map_err(failed("name a file in", incoming))?;
    let id = format!("{token}-{size_bytes}-{hash}-{}", owner.0);
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
            if end > self.name.size_bytes {
                return Err(BlobError::TooLarge { limit_bytes: self.name.size_bytes });
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
    let Name { owner, hash, size_bytes } = open.name;
    Ok(Upload { owner, hash, size_bytes, received_bytes })
}

/// Checks that an upload is complete and right, syncs it, and returns its file.
pub fn complete(incoming: &Path, upload: &UploadId) -> Result<(PathBuf, StoredBlob), BlobError> {
    let mut open = open(incoming, upload)?;
    let failed = failed("read", &open.path);
    open.file.lock().map_err(&failed)?;
    let received_bytes = open.file.metadata().map_err(&failed)?.len();
    if received_bytes != open.name.size_bytes {
        return Err(BlobError::Incomplete { received_bytes, size_bytes: open.name.size_bytes });
    }
    let (found, _) = BlobHash::of_reader(&mut open.file).map_err(&failed)?;
    if found != open.name.hash {
        fs::remove_file(&open.path).map_err(&failed)?;
        return Err(BlobError::WrongHash { expected: open.name.hash, found });
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
