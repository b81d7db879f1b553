//! The state of a run as bytes.

use super::RunError;
use super::state::{State, Written};
use sha2::{Digest, Sha256};
use std::io::Read;

/// A state of a run that was kept, from which [`Run::resume`](super::Run::resume) goes on.
pub struct Checkpoint(pub(super) State);

/// The version of what is kept: another one is not read.
const VERSION: u32 = 2;
/// The length of the hash at the end.
const HASH_BYTES: usize = 32;

/// Writes a state, with the SHA-256 of its bytes after them.
pub(super) fn write(state: &State) -> Vec<u8> {
    let mut bytes = postcard::to_allocvec(&(VERSION, state)).expect("the state has no open-ended parts");
    let hash = Sha256::digest(&bytes);
    bytes.extend_from_slice(&hash);
    bytes
}

impl Checkpoint {
    pub fn read(bytes: &[u8]) -> Result<Self, RunError> {
        let at = bytes.len().checked_sub(HASH_BYTES).ok_or(RunError::NoCheckpoint)?;
        let (bytes, hash) = bytes.split_at(at);
        if Sha256::digest(bytes)[..] != *hash {
            return Err(RunError::NoCheckpoint);
        }
        match postcard::from_bytes(bytes) {
            Ok((VERSION, state)) => Ok(Self(state)),
            _ => Err(RunError::NoCheckpoint),
        }
    }

    pub fn written(&self) -> Written {
        self.0.written
    }
}

impl Written {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let mut crc = crc32fast::Hasher::new_with_initial(self.crc);
        crc.update(bytes);
        *self = Self { bytes: self.bytes + bytes.len() as u64, crc: crc.finalize() };
    }

    /// Returns whether a file begins with what was written.
    pub fn is_in(self, file: impl Read) -> std::io::Result<bool> {
        let mut file = file.take(self.bytes);
        let mut found = Self::default();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(found == self),
                read => found.add(&buffer[..read]),
            }
        }
    }
}
