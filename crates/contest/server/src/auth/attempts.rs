//! Limits on failed logins, in bounded memory.

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
/// The most keys of a kind; then those of the oldest window go first.
const KEYS_MAX: usize = 20_000;

/// Failed logins of the last minutes.
#[derive(Default)]
pub struct Attempts {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    pairs: Counts<(String, IpAddr)>,
    addresses: Counts<IpAddr>,
    accounts: Counts<String>,
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
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) & !0 << 64).into()),
        v4 => v4,
    }
}

impl Attempts {
    /// Returns how long the account cannot log in from an address, if it cannot.
    pub fn blocked(&self, account: &str, address: IpAddr, now: Instant) -> Option<Duration> {
        let address = network(address);
        let inner = self.lock();
        inner
            .pairs
            .blocked(&(account.to_owned(), address), PAIR_MAX, now)
            .or_else(|| inner.addresses.blocked(&address, ADDRESS_MAX, now))
            .or_else(|| inner.accounts.blocked(&account.to_owned(), ACCOUNT_MAX, now))
    }

    /// Counts a failed login.
    pub fn failed(&self, account: &str, address: IpAddr, now: Instant) {
        let address = network(address);
        let mut inner = self.lock();
        inner.pairs.add((account.to_owned(), address), now);
        inner.addresses.add(address, now);
        inner.accounts.add(account.to_owned(), now);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
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
    fn memory_is_bounded() {
        let attempts = Attempts::default();
        let (now, here) = (Instant::now(), IpAddr::from([10, 0, 0, 1]));
        for number in 0..KEYS_MAX + 10 {
            attempts.lock().accounts.add(number.to_string(), now);
        }
        assert_eq!(attempts.lock().accounts.counts.len(), KEYS_MAX);
        assert_eq!(attempts.blocked("0", here, now), None);
    }
}
