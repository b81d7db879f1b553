//! Sessions of people who have logged in.

use crate::random;
use contest_rules::{AccountId, Instant, Millis};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Mutex;

/// How long a session lasts: a contest with its preparation and a day for the jury.
const SESSION_MS: i64 = 24 * 3_600_000;
/// Several for each account of a large contest; then the oldest ends.
const SESSIONS_MAX: usize = 50_000;
/// Logging in again and again ends one's own oldest session, and no one else's.
const SESSIONS_OF_ACCOUNT_MAX: usize = 20;

type Key = [u8; 32];

/// Sessions, by the hash of their secret: who reads the memory or a file of them cannot use them.
#[derive(Default)]
pub struct Sessions {
    sessions: Mutex<HashMap<Key, Session>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub account: AccountId,
    /// What the login rested on: the session ends with it.
    pub proof: Proof,
    pub expires: Instant,
}

/// What a login rested on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The password with this hash.
    Password(String),
    /// An address that the account names.
    Address,
    /// The OpenID provider, which knows the account by this subject; and the hash of the account's password then: another one
    /// ends all sessions.
    Oidc(String, Option<String>),
}

impl Session {
    /// Returns how long ago it began.
    pub fn age(&self, now: Instant) -> Millis {
        now - Instant(self.expires.0 - SESSION_MS)
    }
}

fn key(secret: &str) -> Key {
    Sha256::digest(secret.as_bytes()).into()
}

impl Sessions {
    pub fn begin(&self, account: AccountId, proof: Proof, now: Instant) -> (String, Session) {
        let secret = random::hex_256();
        let session = Session { account, proof, expires: Instant(now.0 + SESSION_MS) };
        let mut sessions = self.lock();
        let of_account = sessions.values().filter(|other| other.account == session.account).count();
        if of_account >= SESSIONS_OF_ACCOUNT_MAX {
            remove_oldest(&mut sessions, |other| other.account == session.account);
        }
        if sessions.len() >= SESSIONS_MAX {
            sessions.retain(|_, session| session.expires > now);
        }
        if sessions.len() >= SESSIONS_MAX {
            remove_oldest(&mut sessions, |_| true);
        }
        sessions.insert(key(&secret), session.clone());
        (secret, session)
    }

    pub fn find(&self, secret: &str, now: Instant) -> Option<Session> {
        self.lock().get(&key(secret)).filter(|session| session.expires > now).cloned()
    }

    pub fn end(&self, secret: &str) {
        self.lock().remove(&key(secret));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Session>> {
        self.sessions.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn remove_oldest(sessions: &mut HashMap<Key, Session>, is_candidate: impl Fn(&Session) -> bool) {
    let candidates = sessions.iter().filter(|(_, session)| is_candidate(session));
    if let Some(oldest) = candidates.min_by_key(|(_, session)| session.expires).map(|(key, _)| *key) {
        sessions.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends() {
        let sessions = Sessions::default();
        let account: AccountId = "a".parse().unwrap();
        let (secret, session) = sessions.begin(account, Proof::Address, Instant(0));
        assert_eq!(sessions.find(&secret, Instant(1)), Some(session.clone()));
        assert_eq!(sessions.find("other", Instant(1)), None);
        assert_eq!(sessions.find(&secret, session.expires), None);
        sessions.end(&secret);
        assert_eq!(sessions.find(&secret, Instant(1)), None);
    }

    #[test]
    fn an_account_has_a_limited_number() {
        let sessions = Sessions::default();
        let begin = |name: &str, at| sessions.begin(name.parse().unwrap(), Proof::Address, Instant(at)).0;
        let other = begin("b", 0);
        let first = begin("a", 1);
        for at in 0..SESSIONS_OF_ACCOUNT_MAX {
            begin("a", 2 + i64::try_from(at).unwrap());
        }
        assert_eq!(sessions.find(&first, Instant(100)), None);
        assert!(sessions.find(&other, Instant(100)).is_some());
    }
}
