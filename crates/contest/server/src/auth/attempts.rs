//! Limits on failed logins, in bounded memory.

use contest::AccountId;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_mins(5);
/// One address cannot lock an account: this comes before the account's limit.
const PAIR_MAX: u32 = 10;
/// A whole site may share one address.
const ADDRESS_MAX: u32 = 200;
const ACCOUNT_MAX: u32 = 100;
/// Logins, tokens and passwords of one account in the window: each is kept in the log for good.
const CHANGES_MAX: u32 = 100;
/// The most keys of a kind; then those of the oldest window go first.
const KEYS_MAX: usize = 20_000;
/// For so long somebody who has logged in from an address is not kept out by others: a contest with its preparation.
const KNOWN_FOR: Duration = Duration::from_hours(24);

/// An account as it is counted: all names that no account can have are one, since they may be of any length.
type Name = Option<AccountId>;

/// Failed logins of the last minutes.
#[derive(Default)]
pub struct Attempts {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    pairs: Counts<(Name, IpAddr)>,
    addresses: Counts<IpAddr>,
    accounts: Counts<Name>,
    changes: Counts<AccountId>,
    /// Who has logged in from where.
    known: HashMap<(Name, IpAddr), Instant>,
}

struct Counts<K> {
    counts: HashMap<K, (u32, Instant)>,
}

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Self { counts: HashMap::new() }
    }
}

impl<K: Hash + Eq + Clone> Counts<K> {
    /// Returns how long it is over the limit, if it is.
    fn blocked(&self, key: &K, max: u32, now: Instant) -> Option<Duration> {
        let (count, since) = self.counts.get(key)?;
        let left = WINDOW.checked_sub(now.duration_since(*since))?;
        (*count >= max).then_some(left)
    }

    fn add(&mut self, key: K, now: Instant) {
        let is_old = |since: &Instant| now.duration_since(*since) >= WINDOW;
        if !self.counts.contains_key(&key) && self.counts.len() >= KEYS_MAX {
            self.counts.retain(|_, (_, since)| !is_old(since));
            if self.counts.len() >= KEYS_MAX {
                let fewest = self.counts.iter().min_by_key(|(_, count)| **count).map(|(key, _)| key.clone());
                fewest.map(|key| self.counts.remove(&key));
            }
        }
        let entry = self.counts.entry(key).or_insert((0, now));
        if is_old(&entry.1) {
            *entry = (0, now);
        }
        entry.0 = entry.0.saturating_add(1);
    }
}

/// Returns what counts as one address: of IPv6 the network of 64 bits, since a machine has all its addresses.
pub fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) & !0 << 64).into()),
        v4 => v4,
    }
}

impl Attempts {
    /// Returns how long the account cannot log in from an address, if it cannot.
    pub fn blocked(&self, account: &str, address: IpAddr, now: Instant) -> Option<Duration> {
        let (address, account): (IpAddr, Name) = (network(address), account.parse().ok());
        let pair = (account, address);
        let inner = self.lock();
        let is_known = inner.known.get(&pair).is_some_and(|since| now.duration_since(*since) < KNOWN_FOR);
        let of_pair = inner.pairs.blocked(&pair, PAIR_MAX, now);
        if is_known || of_pair.is_some() {
            return of_pair;
        }
        let of_address = inner.addresses.blocked(&address, ADDRESS_MAX, now);
        of_address.or_else(|| inner.accounts.blocked(&pair.0, ACCOUNT_MAX, now))
    }

    /// Counts a failed login.
    pub fn failed(&self, account: &str, address: IpAddr, now: Instant) {
        let (address, account): (IpAddr, Name) = (network(address), account.parse().ok());
        let mut inner = self.lock();
        inner.pairs.add((account.clone(), address), now);
        inner.addresses.add(address, now);
        inner.accounts.add(account, now);
    }

    /// Watches a login that may have to wait: whoever goes away before it was answered has taken a place from others, which
    /// counts as a failure of the address.
    pub fn watch(&self, address: IpAddr) -> Watch<'_> {
        Watch { attempts: self, address: network(address), is_answered: false }
    }

    /// Notes that somebody has logged in.
    pub fn succeeded(&self, account: &AccountId, address: IpAddr, now: Instant) {
        let known = &mut self.lock().known;
        if known.len() >= KEYS_MAX {
            known.retain(|_, since| now.duration_since(*since) < KNOWN_FOR);
        }
        if known.len() < KEYS_MAX {
            known.insert((Some(account.clone()), network(address)), now);
        }
    }

    /// Counts what an account did to itself, and returns how long it can do no more, if it cannot.
    pub fn changed(&self, account: &AccountId, now: Instant) -> Option<Duration> {
        let mut inner = self.lock();
        let blocked = inner.changes.blocked(account, CHANGES_MAX, now);
        if blocked.is_none() {
            inner.changes.add(account.clone(), now);
        }
        blocked
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A login that is not answered yet.
pub struct Watch<'a> {
    attempts: &'a Attempts,
    address: IpAddr,
    is_answered: bool,
}

impl Watch<'_> {
    /// Notes that there is an answer.
    pub fn answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.attempts.lock().addresses.add(self.address, Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_failures_block_for_a_while() {
        let attempts = Attempts::default();
        let (now, here) = (Instant::now(), IpAddr::from([10, 0, 0, 1]));
        for _ in 0..PAIR_MAX {
            assert_eq!(attempts.blocked("a", here, now), None);
            attempts.failed("a", here, now);
        }
        assert_eq!(attempts.blocked("a", here, now), Some(WINDOW));
        assert_eq!(attempts.blocked("b", here, now), None, "others at that address can log in");
        assert_eq!(
            attempts.blocked("a", IpAddr::from([10, 0, 0, 2]), now),
            None,
            "the account is not locked"
        );
        assert_eq!(attempts.blocked("a", here, now + WINDOW * 2), None);
    }

    #[test]
    fn an_ipv6_network_is_one_address() {
        let attempts = Attempts::default();
        let now = Instant::now();
        for last in 0..u16::try_from(PAIR_MAX).unwrap() {
            attempts.failed("a", IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]), now);
        }
        let other = IpAddr::from([0x2001, 0xdb8, 0, 1, 9, 9, 9, 9]);
        assert!(attempts.blocked("a", other, now).is_some());
    }

    #[test]
    fn others_keep_nobody_out_who_was_here() {
        let attempts = Attempts::default();
        let (now, here) = (Instant::now(), IpAddr::from([10, 0, 0, 1]));
        attempts.succeeded(&"a".parse().unwrap(), here, now);
        for number in 0..ADDRESS_MAX {
            attempts.failed(&format!("b{number}"), here, now);
            attempts.failed("a", IpAddr::from([10, 0, 1, number as u8]), now);
        }
        assert!(attempts.blocked("c", here, now).is_some(), "another one at this address");
        assert!(attempts.blocked("a", IpAddr::from([10, 0, 2, 1]), now).is_some(), "elsewhere");
        assert_eq!(attempts.blocked("a", here, now), None);
        for _ in 0..PAIR_MAX {
            attempts.failed("a", here, now);
        }
        assert!(attempts.blocked("a", here, now).is_some(), "passwords cannot be guessed here either");
    }

    #[test]
    fn going_away_counts() {
        let attempts = Attempts::default();
        let here = IpAddr::from([10, 0, 0, 1]);
        for _ in 0..ADDRESS_MAX {
            attempts.watch(here).answered();
        }
        assert_eq!(attempts.blocked("a", here, Instant::now()), None);
        for _ in 0..ADDRESS_MAX {
            drop(attempts.watch(here));
        }
        assert!(attempts.blocked("a", here, Instant::now()).is_some());
    }

    #[test]
    fn names_of_any_length_are_one() {
        let attempts = Attempts::default();
        let (now, here) = (Instant::now(), IpAddr::from([10, 0, 0, 1]));
        for number in 0..PAIR_MAX as usize {
            attempts.failed(&"x".repeat(100_000 + number), here, now);
        }
        assert_eq!(attempts.lock().pairs.counts.len(), 1);
        assert!(attempts.blocked(&"y".repeat(1000), here, now).is_some());
    }

    #[test]
    fn memory_is_bounded() {
        let attempts = Attempts::default();
        let (now, here) = (Instant::now(), IpAddr::from([10, 0, 0, 1]));
        for number in 0..KEYS_MAX + 10 {
            attempts.lock().accounts.add(number.to_string().parse().ok(), now);
        }
        assert_eq!(attempts.lock().accounts.counts.len(), KEYS_MAX);
        assert_eq!(attempts.blocked("0", here, now), None);
    }
}
