//! Secrets.

use sha2::{Digest, Sha256};

/// Returns 256 random bits as hexadecimal digits.
///
/// # Panics
///
/// When the system has no randomness: nothing safe can be done then.
pub fn hex_256() -> String {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    hex(&bytes)
}

/// Returns a short random id of 64 bits.
pub fn short_id() -> String {
    hex_256()[..16].to_owned()
}

pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the SHA-256 hash of a text as hexadecimal digits.
pub fn sha256_hex(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}
