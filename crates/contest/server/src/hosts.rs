//! What the server knows about judgehosts beside the log: when they were last heard of, and what they run.

use contest::{Instant, JudgehostId};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How often a judgehost sends a heartbeat.
pub const HEARTBEAT_S: u32 = 5;
/// How long a lease lasts after a heartbeat: five may be lost.
pub const LEASE_S: u32 = 30;
/// After so long without a word a judgehost is shown as away.
pub const AWAY_MS: i64 = 15_000;
/// More than any fleet; then the one that was not heard of for the longest time is forgotten.
const HOSTS_MAX: usize = 10_000;

/// Judgehosts as they were last heard of.
#[derive(Default)]
pub struct Hosts {
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
}

impl Hosts {
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

    /// Returns what is known about a judgehost.
    pub fn get(&self, id: &JudgehostId) -> Option<Host> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}
