//! The contestants and their passwords.

use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use subtle::ConstantTimeEq;

/// More names would not fit on a board.
pub const CONTESTANTS_MAX: usize = 2_000;
/// Longest name: names are ids as those of teams (CLICS).
const NAME_BYTES_MAX: usize = 36;
const PASSWORD_BYTES_MAX: usize = 64;

/// A participant, with the name of its requests.
#[derive(Clone, PartialEq, Eq)]
pub struct Contestant {
    /// Their name, as in `user=`.
    pub name: String,
    pub password: String,
}

impl Contestant {
    /// Returns why this cannot be one, as the end of a sentence that begins with the name.
    pub fn problem(&self) -> Option<String> {
        let name = self.name.as_bytes();
        let is_name = (1..=NAME_BYTES_MAX).contains(&name.len())
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(byte))
            && !name.starts_with(b"-")
            && !name.starts_with(b".")
            && !name.ends_with(b".");
        if !is_name {
            return Some(format!(
                "is not a valid name: use 1 to {NAME_BYTES_MAX} of a-z A-Z 0-9 _ . -, with a letter, a digit or _ first"
            ));
        }
        let is_password = (1..=PASSWORD_BYTES_MAX).contains(&self.password.len())
            && self.password.bytes().all(|byte| byte.is_ascii_graphic());
        (!is_password).then(|| {
            format!("has no usable password: use 1 to {PASSWORD_BYTES_MAX} ASCII characters without spaces")
        })
    }
}

/// All contestants. Passwords are kept as hashes under a key of this process, which costs a microsecond for each answer.
#[derive(Clone, Default)]
pub(crate) struct Contestants {
    key: [u8; 32],
    hashes: Arc<RwLock<HashMap<String, [u8; 32]>>>,
    changes: Arc<AtomicU64>,
}

impl Contestants {
    pub fn new(key: [u8; 32]) -> Self {
        Self { key, ..Self::default() }
    }

    /// Takes contestants in, or their new passwords. Returns the names that are new.
    pub fn admit(&self, contestants: &[Contestant]) -> Vec<String> {
        let mut hashes = self.hashes.write().unwrap_or_else(PoisonError::into_inner);
        let mut new = Vec::new();
        for one in contestants {
            if hashes.insert(one.name.clone(), self.hash(&one.password)).is_none() {
                new.push(one.name.clone());
            }
        }
        self.changes.fetch_add(1, Ordering::Relaxed);
        new
    }

    /// Returns how often contestants were taken in. What was known before may not be true any more.
    pub fn generation(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    pub fn knows(&self, name: &str, password: &str) -> bool {
        let hash = self.hash(password);
        let hashes = self.hashes.read().unwrap_or_else(PoisonError::into_inner);
        hashes.get(name).is_some_and(|expect| bool::from(expect.ct_eq(&hash)))
    }

    fn hash(&self, password: &str) -> [u8; 32] {
        Sha256::new().chain_update(self.key).chain_update(password).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, password: &str) -> Contestant {
        Contestant { name: name.to_owned(), password: password.to_owned() }
    }

    #[test]
    fn names_and_passwords_belong_together() {
        let all = Contestants::new([7; 32]);
        assert_eq!(all.admit(&[one("ann", "a1"), one("bob", "b1")]), ["ann", "bob"]);
        assert!(all.knows("ann", "a1") && !all.knows("ann", "b1") && !all.knows("eve", "a1"));
        assert!(all.admit(&[one("ann", "a2")]).is_empty());
        assert!(all.knows("ann", "a2") && !all.knows("ann", "a1"));
    }

    #[test]
    fn names_must_fit_into_an_address() {
        for name in ["", "a b", "ann&passwd=x", "ä", "-a", "a.", &"n".repeat(37)] {
            assert!(one(name, "x").problem().is_some_and(|why| why.contains("name")), "{name}");
        }
        assert!(one("ann", "").problem().is_some_and(|why| why.contains("password")));
        assert_eq!(one("ann-1", "x").problem(), None);
    }
}
