//! The chain of hashes over a log: each event's hash covers the hash before it, its number and its text.
//!
//! It finds damage: a bit that flipped, a row that a tool changed, an event that another log had. It does not protect from a person
//! who may write to the store, who can compute the hashes again.

use sha2::{Digest, Sha256};

use crate::StoreError;

pub type Link = [u8; 32];

/// What stands for the hash before the first event.
pub const START: Link = [0; 32];

/// As many events are chained or checked in one statement: some megabytes.
pub const PAGE: u32 = 10_000;

/// Returns the hash of an event that follows another.
pub fn link(before: &Link, seq: u64, body: &[u8]) -> Link {
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update(seq.to_be_bytes());
    hasher.update(body);
    hasher.finalize().into()
}

#[derive(Clone, Debug)]
pub struct Check {
    seq: u64,
    link: Link,
}

impl Check {
    /// Begins after an event with this hash; [`START`] and 0 are the beginning.
    pub fn after(seq: u64, link: Link) -> Self {
        Self { seq, link }
    }

    pub fn seq(&self) -> u64 {
        self.seq
    }

    pub fn next(&mut self, seq: u64, body: &[u8], stored: &[u8]) -> Result<(), StoreError> {
        let expected = self.seq + 1;
        if seq != expected {
            return Err(missing(expected, seq));
        }
        self.link = link(&self.link, seq, body);
        if self.link[..] != *stored {
            return Err(changed(seq));
        }
        self.seq = seq;
        Ok(())
    }

    /// Takes that there are no more, and which event was the last that was written.
    pub fn end(&self, head: u64) -> Result<(), StoreError> {
        ends(self.seq, head)
    }
}

pub fn missing(seq: u64, next: u64) -> StoreError {
    damaged(format!("event {seq} is missing before event {next}"))
}

pub fn changed(seq: u64) -> StoreError {
    damaged(format!("event {seq} is not what was written, by its hash"))
}

/// Compares the last event that is there with the last that was written.
pub fn ends(last: u64, head: u64) -> Result<(), StoreError> {
    if last == head {
        return Ok(());
    }
    Err(damaged(format!("the log ends with event {last}, and event {head} was written last")))
}

fn damaged(what: String) -> StoreError {
    StoreError::Damaged(format!("{what}: restore the last backup ('tauto server restore')"))
}

/// Returns a hash as it was stored.
pub fn stored(bytes: &[u8], seq: u64) -> Result<Link, StoreError> {
    bytes.try_into().map_err(|_| changed(seq))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_covers_the_one_before_the_number_and_the_text() {
        let base = link(&START, 1, b"a");
        assert_ne!(base, link(&base, 1, b"a"));
        assert_ne!(base, link(&START, 2, b"a"));
        assert_ne!(base, link(&START, 1, b"b"));
        // SHA-256 of 32 zero bytes, 00 00 00 00 00 00 00 01, "a": stores have it, so it never changes.
        let text: String = base.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(text, "00f87f5348b32d1caf5e59cbfadc31d568b7b2d04679e0d52b5aad8c5d4dfeed");
    }

    #[test]
    fn a_gap_in_the_chain_is_named() {
        let one = link(&START, 1, b"a");
        let two = link(&one, 2, b"b");
        let mut check = Check::after(0, START);
        check.next(1, b"a", &one).unwrap();
        let message = |result: Result<(), StoreError>| result.unwrap_err().to_string();
        assert!(message(check.clone().next(3, b"c", &two)).contains("event 2 is missing before event 3"));
        for (body, hash) in [(b"c", &two[..]), (b"b", &one[..]), (b"b", &[])] {
            let text = message(check.clone().next(2, body, hash));
            assert!(text.contains("event 2 is not what was written"), "{text}");
        }
        check.next(2, b"b", &two).unwrap();
        check.end(2).unwrap();
        let text = message(check.end(4));
        assert!(text.contains("the log ends with event 2, and event 4 was written last"), "{text}");
    }
}
