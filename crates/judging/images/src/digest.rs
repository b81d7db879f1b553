//! Digests of content, by SHA-256.

use crate::error::{PartError, bad};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::io::{self, Read, Write};

const NAME: &str = "sha256:";

/// The SHA-256 of some content, written `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(String);

impl Digest {
    /// Reads `sha256:` and 64 lower-case digits; other algorithms are not in use.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix(NAME)?;
        let is_hex = hex.len() == 64 && hex.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        is_hex.then(|| Self(text.to_owned()))
    }

    pub(crate) fn read(text: &str) -> Result<Self, PartError> {
        Self::parse(text).ok_or_else(|| {
            bad(format!("'{text}' is no digest; expected 'sha256:' and 64 digits from 0 to f"))
        })
    }

    pub fn of(content: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update(content);
        Self::finished(hash)
    }

    /// The digits alone, which are also the name of its file.
    pub fn hex(&self) -> &str {
        &self.0[NAME.len()..]
    }

    fn finished(hash: Sha256) -> Self {
        let mut text = NAME.to_owned();
        for byte in hash.finalize() {
            text.push_str(&format!("{byte:02x}"));
        }
        Self(text)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Digests and counts what passes.
pub(crate) struct Hashing<T> {
    inner: T,
    hash: Sha256,
    bytes: u64,
}

impl<T> Hashing<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, hash: Sha256::new(), bytes: 0 }
    }

    pub(crate) fn get_ref(&self) -> &T {
        &self.inner
    }

    pub(crate) fn finish(self) -> (Digest, u64) {
        (Digest::finished(self.hash), self.bytes)
    }

    fn note(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

impl<T: Read> Read for Hashing<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.note(&buffer[..read]);
        Ok(read)
    }
}

impl<T: Write> Write for Hashing<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.note(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
