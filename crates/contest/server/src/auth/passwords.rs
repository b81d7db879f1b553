//! Hashing and checking passwords, by a bounded number of threads.

use crate::Problem;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Each needs 19 MiB and about 20 ms of a CPU, which judging needs too.
const AT_ONCE: usize = 2;
/// More than all teams of a large contest that log in within a second.
const WAITING_MAX: usize = 1000;
const WAIT_MAX: Duration = Duration::from_secs(20);
/// Longer ones are refused, so that nobody makes the server hash megabytes.
pub const PASSWORD_BYTES_MAX: usize = 256;

/// Hashes and checks passwords.
pub struct Passwords {
    slots: Semaphore,
    waiting: AtomicUsize,
    /// A hash that no password has: checking an account that does not exist takes as long as one that does.
    nobody: String,
}

impl Passwords {
    /// Makes it.
    ///
    /// # Errors
    ///
    /// When the system has no randomness.
    pub fn new() -> Result<Self, argon2::password_hash::Error> {
        let nobody = hash(&crate::random::hex_256())?;
        Ok(Self { slots: Semaphore::new(AT_ONCE), waiting: AtomicUsize::new(0), nobody })
    }

    async fn slot(&self) -> Result<SemaphorePermit<'_>, Problem> {
        let busy = || Problem::unavailable("too many people log in at once");
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING_MAX {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(busy());
        }
        let slot = tokio::time::timeout(WAIT_MAX, self.slots.acquire()).await;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        slot.map_err(|_| busy())?.map_err(Problem::internal)
    }

    /// Returns the Argon2id hash of a password, in PHC format.
    pub async fn hash(&self, password: String) -> Result<String, Problem> {
        if password.is_empty() || password.len() > PASSWORD_BYTES_MAX {
            let detail = format!("a password has 1 to {PASSWORD_BYTES_MAX} bytes");
            return Err(Problem::invalid_field("password", detail));
        }
        let _slot = self.slot().await?;
        let hashed = tokio::task::spawn_blocking(move || hash(&password)).await;
        hashed.map_err(Problem::internal)?.map_err(Problem::internal)
    }

    /// Returns whether a password has a hash; `None` for an account without password, which takes as long.
    pub async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Problem> {
        if password.len() > PASSWORD_BYTES_MAX {
            return Ok(false);
        }
        let exists = hash.is_some();
        let hash = hash.unwrap_or_else(|| self.nobody.clone());
        let _slot = self.slot().await?;
        let verified = tokio::task::spawn_blocking(move || {
            let hash = PasswordHash::new(&hash)?;
            Argon2::default().verify_password(password.as_bytes(), &hash)
        });
        Ok(verified.await.map_err(Problem::internal)?.is_ok() && exists)
    }
}

/// Returns the Argon2id hash of a password, in PHC format. Takes about 20 ms.
///
/// # Errors
///
/// When the system has no randomness.
pub fn hash(password: &str) -> Result<String, argon2::password_hash::Error> {
    Ok(Argon2::default().hash_password(password.as_bytes())?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_verified() {
        let passwords = Passwords::new().unwrap();
        let hash = passwords.hash("right".to_owned()).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        for (password, hash, expect) in
            [("right", Some(hash.clone()), true), ("wrong", Some(hash), false), ("right", None, false)]
        {
            assert_eq!(passwords.verify(password.to_owned(), hash).await.unwrap(), expect);
        }
    }
}
