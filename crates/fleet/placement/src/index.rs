//! Hosts in the order in which they are considered, so that a decision looks at few of them.
//!
//! Hosts of a kind are in parts by their score before the job is placed, in steps of a thousandth. Each part knows a bound
//! of what fits on any of its hosts. A bound is raised when a host comes or changes, and lowered when a search has seen
//! the whole part in vain; so it may be too high, which costs time, but never too low.

use super::host::Room;
use super::{Host, HostId};
use std::collections::{BTreeMap, BTreeSet};

/// All hosts that take jobs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    kinds: Vec<Kind>,
    by_traits: BTreeMap<Traits, u32>,
}

/// What hosts of a kind have in common.
type Traits = ([u32; 7], u64, String);

#[derive(Clone, Debug, Default)]
struct Kind {
    parts: BTreeMap<u16, Part>,
}

/// Hosts with the same score.
#[derive(Clone, Debug)]
struct Part {
    hosts: BTreeSet<HostId>,
    bound: Room,
}

impl Index {
    /// Returns the number of a host's kind; hosts are of one kind if only their noise and names differ.
    pub(crate) fn kind_of(&mut self, host: &Host, promise: String) -> u32 {
        let Host { capacity, numa_nodes, threads, pool, cluster, labels, price, noise_permille: _ } = host;
        let numbers =
            [capacity.cpu_milli, capacity.memory_mib, *numa_nodes, *threads, *pool, *cluster, *price];
        let kinds = &mut self.kinds;
        *self.by_traits.entry((numbers, *labels, promise)).or_insert_with(|| {
            kinds.push(Kind::default());
            kinds.len() as u32 - 1
        })
    }

    pub(crate) fn kinds(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// Enters a host, or changes where it is.
    pub(crate) fn set(&mut self, kind: u32, host: HostId, old: Option<u16>, new: Option<u16>, room: &Room) {
        let parts = &mut self.kinds[kind as usize].parts;
        if old != new
            && let Some(key) = old
            && let Some(part) = parts.get_mut(&key)
        {
            part.hosts.remove(&host);
            if part.hosts.is_empty() {
                parts.remove(&key);
            }
        }
        let Some(key) = new else { return };
        let part = parts.entry(key).or_insert_with(|| Part { hosts: BTreeSet::new(), bound: Room::NONE });
        part.bound.raise(room);
        if old != new {
            part.hosts.insert(host);
        }
    }

    pub(crate) fn any(&self, kind: u32) -> Option<HostId> {
        self.kinds[kind as usize].parts.values().find_map(|part| part.hosts.first().copied())
    }

    /// Calls `look` with the hosts of a kind that may have room, the highest score first and then the lowest number, until
    /// it returns `false`.
    pub(crate) fn search(
        &mut self,
        kind: u32,
        demand: &Room,
        room_of: impl Fn(HostId) -> Room,
        mut look: impl FnMut(HostId) -> bool,
    ) {
        for part in self.kinds[kind as usize].parts.values_mut().rev() {
            if !part.bound.covers(demand) {
                continue;
            }
            let mut bound = Room::NONE;
            for host in &part.hosts {
                let room = room_of(*host);
                bound.raise(&room);
                if room.covers(demand) && !look(*host) {
                    return;
                }
            }
            part.bound = bound;
        }
    }

    /// Removes all hosts, but not the kinds.
    pub(crate) fn clear(&mut self) {
        self.kinds.iter_mut().for_each(|kind| kind.parts.clear());
    }
}
