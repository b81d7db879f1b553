//! Passwords of HTTP Basic that were right a moment ago: a client sends them with each request, and each check by Argon2
//! costs 20 ms.

use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const LIFETIME: Duration = Duration::from_mins(10);
const ENTRIES_MAX: usize = 4096;

type Key = [u8; 32];

pub struct Verified {
    /// Random: a hash in memory says nothing about a password without it.
    salt: String,
    entries: Mutex<HashMap<Key, Instant>>,
}

impl Verified {
    pub fn new() -> Self {
        Self { salt: crate::random::hex_256(), entries: Mutex::default() }
    }

    /// A changed password has another hash, so nothing that was right with the old one is found.
    fn key(&self, password: &str, hash: &str) -> Key {
        let mut hasher = Sha256::new();
        for part in [&self.salt, hash, password] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().into()
    }

    /// Returns whether a password was right for an Argon2 hash.
    pub fn has(&self, password: &str, hash: &str, now: Instant) -> bool {
        let key = self.key(password, hash);
        self.lock().get(&key).is_some_and(|since| now.duration_since(*since) < LIFETIME)
    }

    /// Remembers that a password is right for an Argon2 hash.
    pub fn add(&self, password: &str, hash: &str, now: Instant) {
        let key = self.key(password, hash);
        let mut entries = self.lock();
        if entries.len() >= ENTRIES_MAX {
            entries.retain(|_, since| now.duration_since(*since) < LIFETIME);
        }
        if entries.len() < ENTRIES_MAX {
            entries.insert(key, now);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Instant>> {
        self.entries.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_right_passwords_are_verified() {
        let (verified, now) = (Verified::new(), Instant::now());
        verified.add("right", "hash", now);
        assert!(verified.has("right", "hash", now));
        assert!(!verified.has("wrong", "hash", now));
        assert!(!verified.has("right", "new hash", now));
        assert!(!verified.has("right", "hash", now + LIFETIME));
    }
}
