//! Which judgehost makes which statement now. Kept in memory only: what is still to be made follows from the problems.

use contest_rules::{JudgehostId, WantedStatement};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a judgehost may take for one form: it stops itself after two minutes at most, and has to send the result.
const LEASE: Duration = Duration::from_secs(240);
/// How often a form is tried that no judgehost ends.
const TRIES_MAX: u32 = 3;
/// More failures than problems of a server; then all are forgotten, and tried again.
const FAILURES_MAX: usize = 10_000;

#[derive(Default)]
pub struct StatementLeases(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    last: u64,
    leases: HashMap<u64, Lease>,
    failures: HashMap<WantedStatement, (u32, String)>,
}

struct Lease {
    host: JudgehostId,
    wanted: WantedStatement,
    until: Instant,
}

/// What comes of looking for something to make.
#[derive(Debug, PartialEq, Eq)]
pub enum Offer {
    /// The number of the lease, and what to make.
    Task(u64, WantedStatement),
    /// It was tried often enough, and the last time it failed because of this.
    GivenUp(WantedStatement, String),
    Nothing,
}

impl StatementLeases {
    /// Leases one of the forms to a judgehost that makes none yet.
    pub fn offer(
        &self,
        host: &JudgehostId,
        wanted: impl Iterator<Item = WantedStatement>,
        now: Instant,
    ) -> Offer {
        let mut inner = self.lock();
        inner.lose(|lease| lease.until <= now);
        if inner.leases.values().any(|lease| lease.host == *host) {
            return Offer::Nothing;
        }
        for wanted in wanted {
            if inner.leases.values().any(|lease| lease.wanted == wanted) {
                continue;
            }
            if inner.failures.get(&wanted).is_some_and(|(tries, _)| *tries >= TRIES_MAX) {
                let (_, reason) = inner.failures.remove(&wanted).unwrap_or_default();
                return Offer::GivenUp(wanted, reason);
            }
            inner.last += 1;
            let number = inner.last;
            let lease = Lease { host: host.clone(), wanted: wanted.clone(), until: now + LEASE };
            inner.leases.insert(number, lease);
            return Offer::Task(number, wanted);
        }
        Offer::Nothing
    }

    /// Returns what a judgehost makes under a lease that it has.
    pub fn leased(&self, host: &JudgehostId, number: u64) -> Option<WantedStatement> {
        let inner = self.lock();
        inner.leases.get(&number).filter(|lease| lease.host == *host).map(|lease| lease.wanted.clone())
    }

    /// Ends a lease; with a reason, it counts as a failure.
    pub fn end(&self, number: u64, failure: Option<String>) {
        let mut inner = self.lock();
        let Some(lease) = inner.leases.remove(&number) else { return };
        if let Some(reason) = failure {
            inner.fail(lease.wanted, reason);
        }
    }

    /// Ends the lease of a judgehost that was started anew: what it made may be what ended it.
    pub fn lost(&self, host: &JudgehostId) {
        self.lock().lose(|lease| lease.host == *host);
    }

    pub fn is_making(&self, wanted: &WantedStatement, now: Instant) -> bool {
        self.lock().leases.values().any(|lease| lease.wanted == *wanted && lease.until > now)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn lose(&mut self, is_lost: impl Fn(&Lease) -> bool) {
        let lost: Vec<u64> =
            self.leases.iter().filter(|(_, lease)| is_lost(lease)).map(|(number, _)| *number).collect();
        for lease in lost.iter().filter_map(|number| self.leases.remove(number)).collect::<Vec<_>>() {
            self.fail(lease.wanted, format!("judgehost '{}' did not end it", lease.host));
        }
    }

    fn fail(&mut self, wanted: WantedStatement, reason: String) {
        if self.failures.len() >= FAILURES_MAX {
            self.failures.clear();
        }
        let failure = self.failures.entry(wanted).or_default();
        *failure = (failure.0 + 1, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_rules::StatementForm;

    fn wanted(language: &str) -> WantedStatement {
        WantedStatement {
            contest: "c".parse().unwrap(),
            problem: "p".parse().unwrap(),
            package: contest_rules::BlobHash("0".repeat(64).into()),
            form: StatementForm::pdf(language),
        }
    }

    fn host(id: &str) -> JudgehostId {
        id.parse().unwrap()
    }

    #[test]
    fn each_form_is_made_by_one_judgehost_at_a_time() {
        let (leases, now) = (StatementLeases::default(), Instant::now());
        let all = || ["en", "ru"].map(wanted).into_iter();
        assert_eq!(leases.offer(&host("a"), all(), now), Offer::Task(1, wanted("en")));
        assert_eq!(leases.offer(&host("a"), all(), now), Offer::Nothing, "it makes one already");
        assert_eq!(leases.offer(&host("b"), all(), now), Offer::Task(2, wanted("ru")));
        assert_eq!(leases.offer(&host("c"), all(), now), Offer::Nothing);
        assert!(leases.is_making(&wanted("en"), now));
        assert_eq!((leases.leased(&host("b"), 1), leases.leased(&host("a"), 1)), (None, Some(wanted("en"))));
        leases.end(1, None);
        assert_eq!(leases.leased(&host("a"), 1), None);
        assert_eq!(leases.offer(&host("c"), all(), now), Offer::Task(3, wanted("en")));
    }

    #[test]
    fn what_no_judgehost_ends_is_given_up() {
        let (leases, mut now) = (StatementLeases::default(), Instant::now());
        let offer = |now| leases.offer(&host("a"), std::iter::once(wanted("en")), now);
        assert_eq!(offer(now), Offer::Task(1, wanted("en")));
        assert_eq!(offer(now + LEASE / 2), Offer::Nothing);
        now += LEASE;
        assert!(!leases.is_making(&wanted("en"), now));
        assert_eq!(offer(now), Offer::Task(2, wanted("en")), "the first lease has ended");
        leases.lost(&host("b"));
        assert_eq!(leases.leased(&host("a"), 2), Some(wanted("en")));
        leases.lost(&host("a"));
        // What is returned does not count.
        assert_eq!(offer(now), Offer::Task(3, wanted("en")));
        leases.end(3, None);
        assert_eq!(offer(now), Offer::Task(4, wanted("en")));
        leases.end(4, Some("no memory".to_owned()));
        assert_eq!(offer(now), Offer::GivenUp(wanted("en"), "no memory".to_owned()));
        assert_eq!(offer(now), Offer::Task(5, wanted("en")), "it counts anew if it is still wanted");
    }
}
