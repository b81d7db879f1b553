//! The `.noise` file: gzip (RFC 1952) around one CBOR item (RFC 8949). `docs/noise-format.md` describes it.
//!
//! Times are coded as what they differ from the one before, so that most take one to three bytes before gzip.
//!
//! Traces of other programs, such as the kernel's osnoise tracer, are read as well: `docs/noise-import.md`.

mod foreign;
mod ftq;
mod netgauge;
mod osnoise;
mod read;
mod sysjitter;
mod write;

pub use foreign::{Foreign, ForeignHints};

use crate::Profile;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use std::io::{self, Read, Write};

/// What a file says it is.
const NAME: &str = "tautochrone/noise";
/// The version of the format that is written, and the newest that is read.
pub const FORMAT_VERSION: u32 = 1;
/// An hour on hundreds of CPUs is less; what unpacks to more is not ours.
const UNPACKED_BYTES_MAX: u64 = 1 << 30;
/// What is said of more than one profile in a file.
const BEHIND: &str = "something stands behind its end; profiles are compared as files of their own";
/// How gzip begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Why bytes are not a profile.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// Nothing is in it.
    #[error("the file is empty; measure again with 'tauto noise probe'")]
    Empty,
    /// It is something else.
    #[error("this is not a .noise file ({0}); 'tauto noise probe -o FILE' writes one")]
    Foreign(String),
    /// Its end is missing.
    #[error("the file ends in the middle: it was not written or copied completely")]
    Truncated,
    /// It is from a later version.
    #[error(
        "the file has version {0} of the format and this tauto reads up to {FORMAT_VERSION}; use a newer tauto"
    )]
    Newer(u64),
    /// It unpacks to more than any profile.
    #[error("the file unpacks to more than {} MiB, which no profile does", UNPACKED_BYTES_MAX >> 20)]
    TooLarge,
    /// A line of another program's trace is not what it should be.
    #[error("line {line}: expected {expected}; found '{found}'")]
    Line {
        /// Which line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
        /// The begin of what is there.
        found: String,
    },
    /// It begins as it should, and holds what it should not.
    #[error("the file is damaged: {0}")]
    Damaged(String),
}

/// Makes the bytes of a file; the same profile makes the same bytes.
///
/// # Panics
/// Never: writing into memory does not fail.
pub fn encode(profile: &Profile) -> Vec<u8> {
    let item = write::profile(profile);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&item).expect("memory takes all that is written");
    packed.finish().expect("memory takes all that is written")
}

/// Reads the bytes of a file, also of another program's.
///
/// # Errors
/// When they are neither a profile nor such a trace.
pub fn decode_any(bytes: &[u8], hints: ForeignHints) -> Result<Profile, FormatError> {
    let is_ours = bytes.len() < GZIP.len() || bytes.starts_with(&GZIP);
    if is_ours && hints.format.is_none() { decode(bytes) } else { foreign::import(bytes, hints) }
}

/// Reads the bytes of a profile.
///
/// # Errors
/// When they are no profile, or not a whole one.
pub fn decode(bytes: &[u8]) -> Result<Profile, FormatError> {
    if bytes.is_empty() {
        return Err(FormatError::Empty);
    }
    if bytes.len() < GZIP.len() && GZIP.starts_with(bytes) {
        return Err(FormatError::Truncated);
    }
    if !bytes.starts_with(&GZIP) {
        return Err(FormatError::Foreign("it does not begin as gzip does".to_owned()));
    }
    let mut item = Vec::new();
    let mut unpacking = GzDecoder::new(bytes).take(UNPACKED_BYTES_MAX + 1);
    let unpacked = unpacking.read_to_end(&mut item);
    if item.len() as u64 > UNPACKED_BYTES_MAX {
        return Err(FormatError::TooLarge);
    }
    match unpacked {
        Ok(_) if unpacking.get_ref().get_ref().is_empty() => {}
        Ok(_) => return Err(FormatError::Damaged(BEHIND.to_owned())),
        // What came out so far tells whether it would have been a profile.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(read::foreign(&item).unwrap_or(FormatError::Truncated));
        }
        Err(error) => return Err(FormatError::Damaged(format!("gzip cannot unpack it: {error}"))),
    }
    read::profile(&item)
}

#[cfg(test)]
mod tests;
