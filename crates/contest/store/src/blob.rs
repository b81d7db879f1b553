//! Blobs: contents that are named by their hash.

use std::fmt;
use std::io::{Error, ErrorKind, Read};
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::BlobError;

/// An unused blob is deleted only at this age: its event may still be on its way.
pub const UNUSED_AGE: Duration = Duration::from_hours(1);
/// An upload is deleted when nothing was added to it for this long.
pub const UPLOAD_AGE: Duration = Duration::from_hours(24);
/// The most uploads that can be open.
pub const UPLOADS_MAX: usize = 1024;

/// The SHA-256 hash of a content. Its text is 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobHash(pub [u8; 32]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 hash: write 64 of 0-9 and a-f")]
pub struct NoHash;

impl BlobHash {
    pub fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    /// Returns the hash of what a reader has, and its length.
    pub fn of_reader(content: &mut dyn Read) -> std::io::Result<(Self, u64)> {
        let (mut hash, mut length) = (Sha256::new(), 0);
        let mut piece = vec![0; 128 << 10];
        loop {
            match content.read(&mut piece) {
                Ok(0) => return Ok((Self(hash.finalize().into()), length)),
                Ok(count) => {
                    hash.update(&piece[..count]);
                    length += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl FromStr for BlobHash {
    type Err = NoHash;

    fn from_str(text: &str) -> Result<Self, NoHash> {
        if text.len() != 64 {
            return Err(NoHash);
        }
        let mut bytes = [0; 32];
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = digit(digits[0])? << 4 | digit(digits[1])?;
        }
        Ok(Self(bytes))
    }
}

fn digit(character: u8) -> Result<u8, NoHash> {
    match character {
        b'0'..=b'9' => Ok(character - b'0'),
        b'a'..=b'f' => Ok(character - b'a' + 10),
        _ => Err(NoHash),
    }
}

/// Returns bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredBlob {
    pub hash: BlobHash,
    pub size_bytes: u64,
}

/// The name of an upload. A client that knows it can add to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UploadId(pub String);

/// The owner of an upload: no other owner sees it or adds to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner(pub(crate) String);

impl Owner {
    /// Returns the owner with a name of any kind.
    pub fn named(name: &str) -> Self {
        Self(BlobHash::of(name.as_bytes()).to_string()[..16].to_owned())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UploadLimits {
    /// The longest content.
    pub bytes: u64,
    /// How many an owner may have open.
    pub of_owner: usize,
    /// How many bytes an owner's open uploads may have announced.
    pub bytes_of_owner: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    pub owner: Owner,
    pub hash: BlobHash,
    pub size_bytes: u64,
    pub received_bytes: u64,
}

/// Checks whether an owner may begin one more upload. `open` has the owner and length of each open one.
pub(crate) fn check_uploads(
    open: &[(Owner, u64)],
    owner: &Owner,
    size_bytes: u64,
    limits: &UploadLimits,
) -> Result<(), BlobError> {
    if size_bytes > limits.bytes {
        return Err(BlobError::TooLarge { limit_bytes: limits.bytes });
    }
    if open.len() >= UPLOADS_MAX {
        return Err(BlobError::TooManyUploads(open.len()));
    }
    let own: Vec<u64> =
        open.iter().filter(|(of, _)| of == owner).map(|(_, size_bytes)| *size_bytes).collect();
    let bytes = own.iter().copied().fold(0, u64::saturating_add);
    if own.len() >= limits.of_owner || bytes.saturating_add(size_bytes) > limits.bytes_of_owner {
        return Err(BlobError::OwnerFull { uploads: own.len(), bytes });
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    pub blobs: u64,
    pub bytes: u64,
    /// Uploads and files to which nothing was added for long.
    pub uploads: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlobUsage {
    pub blobs: u64,
    pub bytes: u64,
}

/// A blob's content as it is read. Of one that is read whole, the last bytes come only if the hash is right: else the error is
/// [`std::io::ErrorKind::InvalidData`] and has [`BlobError::Damaged`] in it.
pub struct BlobReader {
    pub size_bytes: u64,
    pub range: Range<u64>,
    pub(crate) content: Box<dyn Read + Send>,
}

impl Read for BlobReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.content.read(buffer)
    }
}

pub(crate) fn cut(range: Option<Range<u64>>, size_bytes: u64) -> Range<u64> {
    let range = range.unwrap_or(0..size_bytes);
    let end = range.end.min(size_bytes);
    range.start.min(end)..end
}

/// A whole blob as it is read. It keeps the last bytes back until it has checked the hash.
pub(crate) struct Checked<R> {
    content: R,
    expected: BlobHash,
    hasher: Sha256,
    left_bytes: u64,
}

impl<R: Read> Checked<R> {
    pub fn new(content: R, expected: BlobHash, size_bytes: u64) -> Self {
        Self { content, expected, hasher: Sha256::new(), left_bytes: size_bytes }
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let damaged = || Error::new(ErrorKind::InvalidData, BlobError::Damaged(self.expected));
        let read = self.content.read(buffer)?;
        self.hasher.update(&buffer[..read]);
        let left_bytes = self.left_bytes.checked_sub(read as u64).ok_or_else(damaged)?;
        let is_cut = read == 0 && left_bytes > 0 && !buffer.is_empty();
        let is_complete = left_bytes == 0;
        if is_cut || (is_complete && self.hasher.clone().finalize()[..] != self.expected.0) {
            buffer.fill(0);
            return Err(damaged());
        }
        self.left_bytes = left_bytes;
        Ok(read)
    }
}

pub trait Blobs: Send + Sync {
    /// Stores a content of at most `limit_bytes`. When this returns, it is on the disk. A content that is there already counts as
    /// new: it is not collected within the next hour.
    /// After an error nothing is kept.
    fn put(
        &self,
        content: &mut dyn Read,
        limit_bytes: u64,
        expected: Option<&BlobHash>,
    ) -> Result<StoredBlob, BlobError>;

    /// Returns the length of a blob, or `None` if it is not here, and counts it as new: it is not collected within the next hour.
    fn renew(&self, hash: &BlobHash) -> Result<Option<u64>, BlobError>;

    /// Returns the length of a blob, or `None` if it is not here.
    fn size(&self, hash: &BlobHash) -> Result<Option<u64>, BlobError>;

    /// Opens a blob, or the part of it that is in `range`. A range that goes beyond the end is cut.
    fn get(&self, hash: &BlobHash, range: Option<Range<u64>>) -> Result<BlobReader, BlobError>;

    /// Returns the whole content, with its hash checked, of a blob that has at most `limit_bytes`.
    fn read(&self, hash: &BlobHash, limit_bytes: u64) -> Result<Vec<u8>, BlobError> {
        let mut reader = self.get(hash, None)?;
        if reader.size_bytes > limit_bytes {
            return Err(BlobError::TooLarge { limit_bytes });
        }
        let mut content = Vec::new();
        match reader.read_to_end(&mut content) {
            Ok(_) => Ok(content),
            Err(error) => Err(match error.downcast::<BlobError>() {
                Ok(error) => error,
                Err(error) => BlobError::Content(error),
            }),
        }
    }

    /// Begins an upload of a content of `size_bytes` with this hash, or returns the one that its owner has open.
    fn begin_upload(
        &self,
        owner: &Owner,
        hash: &BlobHash,
        size_bytes: u64,
        limits: &UploadLimits,
    ) -> Result<UploadId, BlobError>;

    /// Adds content at `offset_bytes`, which must be where the upload stands, and returns where it stands now. What came before an error
    /// is kept, so the sender can ask and go on.
    fn append_upload(
        &self,
        upload: &UploadId,
        offset_bytes: u64,
        content: &mut dyn Read,
    ) -> Result<u64, BlobError>;

    fn upload(&self, upload: &UploadId) -> Result<Upload, BlobError>;

    /// Makes a complete upload a blob. One with the wrong hash is deleted.
    fn finish_upload(&self, upload: &UploadId) -> Result<StoredBlob, BlobError>;

    fn abandon_upload(&self, upload: &UploadId) -> Result<(), BlobError>;

    /// Deletes the blobs of which `is_used` returns `false` and which were last stored at least `age` ago (use [`UNUSED_AGE`]), and
    /// uploads to which nothing was added for [`UPLOAD_AGE`].
    fn collect(&self, is_used: &dyn Fn(&BlobHash) -> bool, age: Duration) -> Result<Collected, BlobError>;

    /// Writes a content and deletes it, to see whether some can be stored.
    fn check(&self) -> Result<(), BlobError>;

    fn usage(&self) -> Result<BlobUsage, BlobError>;
}
