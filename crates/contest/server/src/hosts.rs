//! What the server knows about judgehosts beside the log: when they were last heard of, and what they run.

use api::judgehost::ReferenceTime;
use contest::pools::{Drift, DriftRule, Drifted};
use contest::{Instant, JudgehostId};
use model::Nanos;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How often a judgehost sends a heartbeat.
pub const HEARTBEAT_S: u32 = 5;
/// How long a lease lasts after a heartbeat: five may be lost.
pub const LEASE_S: u32 = 30;
/// After so long without a word a judgehost is shown as away.
pub const AWAY_MS: i64 = 15_000;
/// After so long without a word, or with a job that it does not take, nothing waits for a judgehost.
const GONE_MS: i64 = 60_000;
/// More than any fleet; then the one that was not heard of for the longest time is forgotten.
const HOSTS_MAX: usize = 10_000;

/// Judgehosts as they were last heard of.
pub struct Hosts {
    /// Since when it is noted who was heard of.
    began: Instant,
    hosts: Mutex<HashMap<JudgehostId, Host>>,
}

/// A judgehost as it was last heard of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// When.
    pub seen: Instant,
    /// Which start of it.
    pub instance: String,
    /// How many jobs it had.
    pub jobs: u32,
    /// The tags of jobs that it does not take at present.
    pub excluded: Vec<String>,
    /// The times of its reference program.
    drift: Drift,
    /// The last one of them.
    last_reference: Option<Nanos>,
}

impl Host {
    /// Returns a judgehost that has just started.
    pub fn started(instance: &str) -> Self {
        Self { instance: instance.to_owned(), ..Self::default() }
    }

    /// Takes times of the reference program, and returns what was found, if the judgehost has become slower.
    pub fn measured(&mut self, times: &[ReferenceTime]) -> Option<Drifted> {
        let rule = DriftRule::default();
        self.last_reference = times.last().map(|time| Nanos(time.cpu_time_ns)).or(self.last_reference);
        let add = |time: &ReferenceTime| {
            let at = Instant(i64::try_from(time.at_unix_ms).unwrap_or(i64::MAX));
            self.drift.add(&rule, at, Nanos(time.cpu_time_ns))
        };
        // All of them, also after one that tells.
        times.iter().map(add).fold(None, Option::or)
    }

    /// Returns the time of the reference program at first, and the last one.
    pub fn reference(&self) -> (Option<Nanos>, Option<Nanos>) {
        (self.drift.expected(&DriftRule::default()), self.last_reference)
    }
}

impl Hosts {
    /// Returns none, at an instant.
    pub fn new(began: Instant) -> Self {
        Self { began, hosts: Mutex::default() }
    }

    /// Returns whether a judgehost will take a job with these tags: it was heard of lately, and does not exclude them.
    pub fn takes(&self, id: &JudgehostId, tags: &[String], now: Instant) -> bool {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let host = hosts.get(id);
        let seen = host.map_or(self.began, |host| host.seen.max(self.began));
        (now - seen).0 < GONE_MS
            && host.is_none_or(|host| !tags.iter().any(|tag| host.excluded.contains(tag)))
    }

    /// Notes that a judgehost was heard of, and returns what was known before.
    pub fn heard(&self, id: &JudgehostId, change: impl FnOnce(&mut Host)) -> Option<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let before = hosts.get(id).cloned();
        if before.is_none() && hosts.len() >= HOSTS_MAX {
            let oldest = hosts.iter().min_by_key(|(_, host)| host.seen).map(|(id, _)| id.clone());
            oldest.map(|id| hosts.remove(&id));
        }
        change(hosts.entry(id.clone()).or_default());
        before
    }

    /// Changes what is known about a judgehost, and returns something of it.
    pub fn with<T>(&self, id: &JudgehostId, change: impl FnOnce(&mut Host) -> T) -> Option<T> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner).get_mut(id).map(change)
    }

    /// Returns what is known about a judgehost.
    pub fn get(&self, id: &JudgehostId) -> Option<Host> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_away_or_does_not_want_a_job_takes_none() {
        let minute = |minute: i64| Instant(minute * 60_000);
        let hosts = Hosts::new(minute(10));
        let host: JudgehostId = "h".parse().unwrap();
        let tags = ["language:c".to_owned(), "package:00".to_owned()];
        assert!(hosts.takes(&host, &tags, minute(10)), "nobody was heard of before the start");
        assert!(!hosts.takes(&host, &tags, minute(11)));
        hosts.heard(&host, |entry| entry.seen = minute(11));
        assert!(hosts.takes(&host, &tags, minute(11)));
        hosts.heard(&host, |entry| entry.excluded = vec!["package:00".to_owned()]);
        assert!(!hosts.takes(&host, &tags, minute(11)) && hosts.takes(&host, &tags[..1], minute(11)));
        assert!(!hosts.takes(&host, &[], minute(12)));
    }

    #[test]
    fn a_judgehost_that_became_slower_is_found() {
        let mut host = Host::default();
        let minute = |minute: u64, cpu_time_ns| ReferenceTime { cpu_time_ns, at_unix_ms: minute * 60_000 };
        let usual: Vec<_> = (0..120).map(|at| minute(at, 1_000_000)).collect();
        assert_eq!(host.measured(&usual), None);
        let slow: Vec<_> = (120..180).map(|at| minute(at, 1_100_000)).collect();
        let found = host.measured(&slow).map(|found| (found.expected, found.lowest));
        assert_eq!(found, Some((Nanos(1_000_000), Nanos(1_100_000))));
        assert_eq!(host.reference(), (Some(Nanos(1_000_000)), Some(Nanos(1_100_000))));
    }
}
