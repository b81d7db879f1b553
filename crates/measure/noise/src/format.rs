//! The `.noise` file: gzip (RFC 1952) around one CBOR item (RFC 8949). `docs/noise-format.md` describes it.
//!
//! Times are coded as what they differ from the one before, so that most take one to three bytes before gzip.
//!
//! Traces of other programs, such as the kernel's osnoise tracer, are read as well: `docs/noise-import.md`.

mod error;
mod foreign;
mod ftq;
mod netgauge;
mod osnoise;
mod read;
mod sysjitter;
mod write;

use error::{BEHIND, NAME, UNPACKED_BYTES_MAX};
pub use error::{FORMAT_VERSION, FormatError};
pub use foreign::{Foreign, ForeignHints};

use crate::Profile;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use std::io::{self, Read, Write};

const GZIP: [u8; 2] = [0x1f, 0x8b];

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
        // What was read so far shows whether it would have been a profile.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(read::foreign(&item).unwrap_or(FormatError::Truncated));
        }
        Err(error) => return Err(FormatError::Damaged(format!("gzip cannot unpack it: {error}"))),
    }
    read::profile(&item)
}

#[cfg(test)]
mod tests;
