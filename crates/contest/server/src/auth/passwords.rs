//! Hashing and checking passwords, by a bounded number of threads.

use crate::Problem;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use model::message;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Each needs 19 MiB and about 20 ms of a CPU, which judging needs too.
const AT_ONCE: usize = 2;
/// More than all teams of a large contest that log in within a second.
const WAITING_MAX: usize = 1000;
const WAIT_MAX: Duration = Duration::from_secs(20);
/// Longer ones are refused, so that no client makes the server hash megabytes.
pub const PASSWORD_BYTES_MAX: usize = 256;

pub struct Passwords {
    slots: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// A hash that no password has: checking an account that does not exist takes as long as one that does.
    of_unknown: String,
}

impl Passwords {
    pub fn new() -> Result<Self, argon2::password_hash::Error> {
        let of_unknown = hash(&crate::random::hex_256())?;
        Ok(Self { slots: Arc::new(Semaphore::new(AT_ONCE)), waiting: AtomicUsize::new(0), of_unknown })
    }

    /// Waits until a password may be hashed or checked.
    pub async fn slot(&self) -> Result<Slot, Problem> {
        let busy = || Problem::unavailable(message!("logins-busy", "too many people log in at once"));
        // Counts down also when the waiting request is dropped.
        let waiting = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING_MAX {
            return Err(busy());
        }
        let permit = tokio::time::timeout(WAIT_MAX, self.slots.clone().acquire_owned()).await;
        drop(waiting);
        Ok(Slot { _permit: permit.map_err(|_| busy())?.map_err(Problem::internal)? })
    }

    pub async fn hash(&self, password: String) -> Result<String, Problem> {
        if password.is_empty() || password.len() > PASSWORD_BYTES_MAX {
            let detail = message!(
                "wrong-password-length",
                "a password has 1 to {max} bytes",
                max = PASSWORD_BYTES_MAX
            );
            return Err(Problem::invalid_field("password", detail));
        }
        let (hash, _slot) = self.slot().await?.work(move || hash(&password)).await?;
        hash.map_err(Problem::internal)
    }

    /// Returns whether a password has a hash; `None` for an account without password, which takes as long. The slot comes
    /// back, for what has to be noted before the next one is checked.
    pub async fn verify(
        &self,
        slot: Slot,
        password: String,
        hash: Option<String>,
    ) -> Result<(bool, Slot), Problem> {
        if password.len() > PASSWORD_BYTES_MAX {
            return Ok((false, slot));
        }
        let exists = hash.is_some();
        let hash = hash.unwrap_or_else(|| self.of_unknown.clone());
        let verify = move || {
            let hash = PasswordHash::new(&hash)?;
            Argon2::default().verify_password(password.as_bytes(), &hash)
        };
        let (verified, slot) = slot.work(verify).await?;
        Ok((verified.is_ok() && exists, slot))
    }
}

/// Counts one that waits, until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The right to hash or check a password now.
pub struct Slot {
    _permit: OwnedSemaphorePermit,
}

impl Slot {
    /// Works on a thread of its own: those for blocking work may all wait for a disk or a database. The thread keeps the slot
    /// when the request that wants the result is dropped.
    async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, Self), Problem> {
        let (sender, result) = oneshot::channel();
        let thread = std::thread::Builder::new().name("password".to_owned());
        // Fails only when no request waits for the result any more.
        thread.spawn(move || drop(sender.send((work(), self)))).map_err(Problem::internal)?;
        result.await.map_err(Problem::internal)
    }
}

/// Returns the Argon2id hash of a password, in PHC format. Takes about 20 ms.
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
            let slot = passwords.slot().await.unwrap();
            let (is_right, _slot) = passwords.verify(slot, password.to_owned(), hash).await.unwrap();
            assert_eq!(is_right, expect);
        }
    }

    #[tokio::test]
    async fn dropped_requests_wait_no_more() {
        let passwords = Passwords::new().unwrap();
        let slots = [passwords.slot().await.unwrap(), passwords.slot().await.unwrap()];
        for _ in 0..WAITING_MAX + 1 {
            let gone = tokio::time::timeout(Duration::ZERO, passwords.slot()).await;
            assert!(gone.is_err(), "it waits for one of the two");
        }
        drop(slots);
        assert!(passwords.slot().await.is_ok());
    }

    #[tokio::test]
    async fn a_thread_keeps_its_slot() {
        let passwords = Passwords::new().unwrap();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let work = passwords.slot().await.unwrap().work(move || ended.recv().is_err());
        assert!(
            tokio::time::timeout(Duration::ZERO, work).await.is_err(),
            "no request waits for it any more"
        );
        assert_eq!(passwords.slots.available_permits(), AT_ONCE - 1);
        drop(end);
        let _both = tokio::time::timeout(WAIT_MAX, passwords.slots.acquire_many(2)).await.unwrap();
    }
}
