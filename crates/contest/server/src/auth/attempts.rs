//! Limits on failed logins, in bounded memory.

use contest_rules::AccountId;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

const WINDOW: Duration = Duration::from_mins(5);
/// One address cannot lock an account: this comes before the account's limit.
const PAIR_MAX: u32 = 10;
/// A whole site may share one address.
const ADDRESS_MAX: u32 = 200;
const ACCOUNT_MAX: u32 = 100;
/// Logins, tokens and passwords of one account in the window: each is kept in the log for good.
const CHANGES_MAX: u32 = 100;
/// Teams that register from one address in the window: a class in its room.
const REGISTRATIONS_MAX: u32 = 60;
/// The most keys of a kind; then those of the oldest window go first.
const KEYS_MAX: usize = 20_000;
/// How long an account that has logged in from an address is not kept out by failures of others: a contest with its preparation.
const KNOWN_FOR: Duration = Duration::from_hours(24);

/// An account as it is counted: all names that no account can have are one, since they may be of any length.
type Name = Option<AccountId>;

/// Failed logins of the last minutes.
#[derive(Default)]
pub struct Attempts {
    inner: Mutex<Inner>,
    /// Notified when a guess ends.
    ended: Notify,
}

#[derive(Default)]
struct Inner {
    pairs: Counts<(Name, IpAddr)>,
    addresses: Counts<IpAddr>,
    accounts: Counts<Name>,
    changes: Counts<AccountId>,
    registrations: Counts<IpAddr>,
    /// Guesses that are being checked: as many as passwords are hashed at once.
    checking: Vec<(Name, IpAddr)>,
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
    /// Returns how many more it may have.
    /// Fails when it has reached the limit, with how long that lasts.
    fn left(&self, key: &K, max: u32, now: Instant) -> Result<u32, Duration> {
        let Some((count, since)) = self.counts.get(key) else { return Ok(max) };
        let Some(wait) = WINDOW.checked_sub(now.duration_since(*since)) else { return Ok(max) };
        max.checked_sub(*count).filter(|left| *left > 0).ok_or(wait)
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

impl Inner {
    /// Returns whether one more guess may be checked: not where those that are being checked use up the limit, should all be
    /// wrong.
    /// Fails when the account cannot log in from the address, with how long that lasts.
    fn has_room(&self, pair: &(Name, IpAddr), now: Instant) -> Result<bool, Duration> {
        let checking = |is_same: &dyn Fn(&(Name, IpAddr)) -> bool| {
            u32::try_from(self.checking.iter().filter(|other| is_same(other)).count()).unwrap_or(u32::MAX)
        };
        let is_free = self.pairs.left(pair, PAIR_MAX, now)? > checking(&|other| other == pair);
        if self.known.get(pair).is_some_and(|since| now.duration_since(*since) < KNOWN_FOR) {
            return Ok(is_free);
        }
        let (account, address) = pair;
        let of_address = self.addresses.left(address, ADDRESS_MAX, now)?;
        let of_account = self.accounts.left(account, ACCOUNT_MAX, now)?;
        Ok(is_free
            && of_address > checking(&|other| other.1 == *address)
            && of_account > checking(&|other| other.0 == *account))
    }

    fn fail(&mut self, pair: &(Name, IpAddr), now: Instant) {
        self.pairs.add(pair.clone(), now);
        self.addresses.add(pair.1, now);
        self.accounts.add(pair.0.clone(), now);
    }
}

impl Attempts {
    /// Returns how long the account cannot log in from an address, if it cannot.
    pub fn blocked(&self, account: &str, address: IpAddr, now: Instant) -> Option<Duration> {
        self.lock().has_room(&(account.parse().ok(), network(address)), now).err()
    }

    /// Begins to check a guess. While it is checked it counts as wrong, so that guesses at the same moment are no more than
    /// the limit. Waits where others that are being checked decide whether there is one more.
    /// Fails when the account cannot log in from the address, with how long that lasts.
    pub async fn guess(&self, account: &str, address: IpAddr) -> Result<Guess<'_>, Duration> {
        let pair: (Name, IpAddr) = (account.parse().ok(), network(address));
        loop {
            // Before the check: an end right after it is noticed, too.
            let ended = self.ended.notified();
            {
                let mut inner = self.lock();
                if inner.has_room(&pair, Instant::now())? {
                    inner.checking.push(pair.clone());
                    return Ok(Guess { attempts: self, pair });
                }
            }
            ended.await;
        }
    }

    /// Watches a login that may have to wait: a client that goes away before it was answered has taken a place from others, which
    /// counts as a failure of the address.
    pub fn watch(&self, address: IpAddr) -> Watch<'_> {
        Watch { attempts: self, address: network(address), is_answered: false }
    }

    /// Notes a successful login.
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
        let blocked = inner.changes.left(account, CHANGES_MAX, now).err();
        if blocked.is_none() {
            inner.changes.add(account.clone(), now);
        }
        blocked
    }

    /// Counts a team that registers from an address, and returns how long no more can, if none can.
    pub fn registered(&self, address: IpAddr, now: Instant) -> Option<Duration> {
        let (mut inner, address) = (self.lock(), network(address));
        let blocked = inner.registrations.left(&address, REGISTRATIONS_MAX, now).err();
        if blocked.is_none() {
            inner.registrations.add(address, now);
        }
        blocked
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A guess that is being checked; dropped, it counts no more.
pub struct Guess<'a> {
    attempts: &'a Attempts,
    pair: (Name, IpAddr),
}

impl Guess<'_> {
    /// Counts it as wrong for good.
    pub fn failed(self, now: Instant) {
        self.attempts.lock().fail(&self.pair, now);
    }
}

impl Drop for Guess<'_> {
    fn drop(&mut self) {
        let checking = &mut self.attempts.lock().checking;
        if let Some(index) = checking.iter().position(|pair| *pair == self.pair) {
            checking.swap_remove(index);
        }
        self.attempts.ended.notify_waiters();
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
    use std::pin::pin;
    use tokio::time::timeout;

    impl Attempts {
        fn failed(&self, account: &str, address: IpAddr, now: Instant) {
            self.lock().fail(&(account.parse().ok(), network(address)), now);
        }
    }

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

    #[tokio::test]
    async fn guesses_being_checked_count_until_they_end() {
        let (attempts, here) = (Attempts::default(), IpAddr::from([10, 0, 0, 1]));
        (1..PAIR_MAX).for_each(|_| attempts.failed("a", here, Instant::now()));
        let last = attempts.guess("a", here).await.unwrap();
        let mut next = pin!(attempts.guess("a", here));
        assert!(timeout(Duration::ZERO, &mut next).await.is_err(), "it waits for the last one");
        assert_eq!(attempts.blocked("a", here, Instant::now()), None, "the last one may be right");
        assert!(attempts.guess("b", here).await.is_ok(), "others do not wait");
        drop(last);
        // The last one was right.
        let next = next.await.unwrap();
        let mut one_more = pin!(attempts.guess("a", here));
        assert!(timeout(Duration::ZERO, &mut one_more).await.is_err());
        next.failed(Instant::now());
        assert!(one_more.await.is_err_and(|wait| wait <= WINDOW), "no guess is left");
        assert_eq!(attempts.lock().checking.len(), 0);
    }

    #[tokio::test]
    async fn guesses_being_checked_count_for_addresses_and_accounts() {
        let (attempts, here) = (Attempts::default(), IpAddr::from([10, 0, 0, 1]));
        (1..ADDRESS_MAX).for_each(|number| attempts.failed(&format!("b{number}"), here, Instant::now()));
        let last = attempts.guess("c", here).await.unwrap();
        assert!(timeout(Duration::ZERO, attempts.guess("d", here)).await.is_err(), "of the address");
        drop(last);
        let there = |last: u32| IpAddr::from([10, 0, 1, last as u8]);
        (1..ACCOUNT_MAX).for_each(|number| attempts.failed("e", there(number), Instant::now()));
        let _last = attempts.guess("e", there(200)).await.unwrap();
        assert!(timeout(Duration::ZERO, attempts.guess("e", there(201))).await.is_err(), "of the account");
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
    fn known_addresses_are_not_locked_out_by_others() {
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
    fn abandoned_logins_count() {
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
    fn names_of_any_length_are_one_key() {
        let attempts = Attempts::default();
        let (now, here) = (Instant::now(), IpAddr::from([10, 0, 0, 1]));
        for number in 0..PAIR_MAX as usize {
            attempts.failed(&"x".repeat(100_000 + number), here, now);
        }
        assert_eq!(attempts.lock().pairs.counts.len(), 1);
        assert!(attempts.blocked(&"y".repeat(1000), here, now).is_some());
    }

    #[test]
    fn keys_of_attempts_are_bounded() {
        let attempts = Attempts::default();
        let (now, here) = (Instant::now(), IpAddr::from([10, 0, 0, 1]));
        for number in 0..KEYS_MAX + 10 {
            attempts.lock().accounts.add(number.to_string().parse().ok(), now);
        }
        assert_eq!(attempts.lock().accounts.counts.len(), KEYS_MAX);
        assert_eq!(attempts.blocked("0", here, now), None);
    }
}
