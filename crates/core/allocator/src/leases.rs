//! Which lease has which core.

use crate::machine::{Machine, Standing};
use crate::shared::SharedSet;
use crate::{Class, Request, Siblings, Span};
use model::{Bytes, CpuId, CpuSet};
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId(Arc<str>);

/// Cores that one holder has for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub id: LeaseId,
    /// The request that it was granted for.
    pub request: Request,
    pub cpus: CpuSet,
    pub idle: CpuSet,
    /// The kernel's numbers of the NUMA nodes that its memory is on.
    pub memory_nodes: Vec<u32>,
    /// How much memory it holds there.
    pub memory: Bytes,
    /// Whether it may not be moved, as a timed run may not while it runs.
    pub pinned: bool,
    pub(crate) cores: Vec<u32>,
}

/// A lease of which only the CPUs are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    pub id: LeaseId,
    /// CPUs that it runs on; it holds the whole of their cores.
    pub cpus: CpuSet,
    /// What it does to its neighbours.
    pub class: Class,
    /// The widest part of the machine that it may be spread over when it is moved.
    pub within: Span,
    pub memory: Bytes,
    pub pinned: bool,
}

/// All leases of one machine.
///
/// Architecture Invariant: every usable core is free or in exactly one lease. It is asserted whenever a core
/// changes hands.
#[derive(Clone, Debug)]
pub struct Leases {
    machine: Arc<Machine>,
    owners: Vec<Owner>,
    /// Leases by slot; slots are reused.
    slots: Vec<Option<Lease>>,
    /// Free slots, so that finding one needs no search.
    vacant: Vec<usize>,
    by_id: BTreeMap<LeaseId, usize>,
    pub(crate) free: Vec<u32>,
    /// Memory-bound leases in each cache.
    pub(crate) neighbours: Vec<Neighbours>,
    pub(crate) shared: BTreeMap<LeaseId, SharedSet>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Free,
    Slot(u32),
    Unusable,
}

/// The memory-bound leases in one cache.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    /// Slot and how many neighbours the lease bears, itself included.
    leases: Vec<(u32, u32)>,
}

/// Why a lease could not be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("there is a lease '{0}' already")]
    IdInUse(LeaseId),
    /// There is nothing to lease.
    #[error("the lease '{0}' names no CPU")]
    NoCpu(LeaseId),
    #[error("the lease '{id}' names CPU {cpu}, which is not online on this machine")]
    NoSuchCpu { id: LeaseId, cpu: CpuId },
    /// A CPU's core is in another lease.
    #[error("the leases '{id}' and '{other}' both hold the core of CPU {cpu}; a core is leased as a whole")]
    Overlap {
        id: LeaseId,
        /// The lease that has the core.
        other: LeaseId,
        cpu: CpuId,
    },
    /// A CPU's core is not for leases.
    #[error("the lease '{id}' names CPU {cpu}, whose core is {why}")]
    Unusable { id: LeaseId, cpu: CpuId, why: &'static str },
}

impl LeaseId {
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Neighbours {
    /// Returns whether one more lease with this limit would be too many for itself or for another.
    pub(crate) fn bar(&self, bears: u32) -> bool {
        let least = self.leases.iter().map(|(_, bears)| *bears).fold(bears, u32::min);
        self.leases.len() as u32 >= least
    }

    pub(crate) fn slots(&self) -> &[(u32, u32)] {
        &self.leases
    }
}

impl Leases {
    /// Makes the state in which nothing is leased.
    pub fn new(machine: Arc<Machine>) -> Self {
        let owner = |core: &crate::machine::LocatedCore| match core.standing {
            Standing::Usable => Owner::Free,
            Standing::Housekeeping | Standing::NotAllowed => Owner::Unusable,
        };
        let owners: Vec<Owner> = machine.cores.iter().map(owner).collect();
        let is_free = |core: &usize| owners[*core] == Owner::Free;
        let free =
            machine.cells.iter().map(|cell| cell.cores.clone().filter(is_free).count() as u32).collect();
        Self {
            free,
            owners,
            slots: Vec::new(),
            vacant: Vec::new(),
            by_id: BTreeMap::new(),
            neighbours: vec![Neighbours::default(); machine.cache_count],
            shared: BTreeMap::new(),
            machine,
        }
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    pub fn iter(&self) -> impl Iterator<Item = &Lease> {
        self.by_id.values().filter_map(|slot| self.slots[*slot].as_ref())
    }

    pub fn get(&self, id: &LeaseId) -> Option<&Lease> {
        self.by_id.get(id).and_then(|slot| self.slots[*slot].as_ref())
    }

    /// Counts free cores that may be leased.
    pub fn free_cores(&self) -> u32 {
        self.free.iter().sum()
    }

    /// Returns how many cores are free in each NUMA node.
    pub fn free_cores_of_nodes(&self) -> impl Iterator<Item = u32> {
        let mut nodes: BTreeMap<Option<u32>, u32> = BTreeMap::new();
        for (cell, free) in self.machine.cells.iter().zip(&self.free) {
            *nodes.entry(cell.numa_node).or_default() += free;
        }
        nodes.into_values()
    }

    /// Enters a lease that was made elsewhere.
    pub fn record(&mut self, lease: Recorded) -> Result<&Lease, RecordError> {
        let Recorded { id, cpus, class, within, memory, pinned } = lease;
        if self.by_id.contains_key(&id) {
            return Err(RecordError::IdInUse(id));
        }
        let Some(count) = NonZeroU32::new(cpus.len() as u32) else { return Err(RecordError::NoCpu(id)) };
        let mut cores = Vec::with_capacity(cpus.len());
        for cpu in cpus.iter() {
            let Some(core) = self.machine.core_of(cpu) else {
                return Err(RecordError::NoSuchCpu { id, cpu });
            };
            let why = match (self.owners[core], self.machine.cores[core].standing) {
                (Owner::Slot(slot), _) => {
                    let other = self.at(slot as usize).id.clone();
                    return Err(RecordError::Overlap { id, other, cpu });
                }
                (_, Standing::Housekeeping) => "kept for housekeeping",
                (_, Standing::NotAllowed) => "not wholly allowed to this process",
                (_, Standing::Usable) => {
                    cores.push(core as u32);
                    continue;
                }
            };
            return Err(RecordError::Unusable { id, cpu, why });
        }
        cores.sort_unstable();
        cores.dedup();
        // When moved, a lease with idle siblings needs the same number of cores; one with siblings in use needs the
        // fewest that hold it.
        let siblings = if cores.len() == cpus.len() { Siblings::Idle } else { Siblings::Used };
        let kind = self.machine.cell_of(cores[0] as usize).kind;
        let request = Request { cpus: count, siblings, class, kind, numa_node: None, within };
        let all: CpuSet =
            cores.iter().flat_map(|core| &self.machine.cores[*core as usize].cpus).copied().collect();
        let idle = all.difference(&cpus);
        let memory_nodes = self.machine.memory_nodes_of(&cores);
        let slot = self.enter(Lease { id, request, cpus, idle, memory_nodes, memory, pinned, cores });
        Ok(self.at(slot))
    }

    /// Ends a lease and returns it; `None` if there is none of that name. If it was shared, its holders lose it too.
    ///
    /// # Panics
    /// Never, unless another lease has one of its cores.
    pub fn release(&mut self, id: &LeaseId) -> Option<Lease> {
        let slot = self.by_id.remove(id)?;
        let lease = self.slots[slot].take()?;
        self.vacant.push(slot);
        self.shared.remove(id);
        self.leave(&lease.cores, slot, &lease.request);
        Some(lease)
    }

    /// Records how much memory a lease holds, and whether it may be moved; `false` if there is none of that name.
    pub fn note(&mut self, id: &LeaseId, memory: Bytes, pinned: bool) -> bool {
        let Some(slot) = self.by_id.get(id) else { return false };
        let Some(lease) = self.slots[*slot].as_mut() else { return false };
        (lease.memory, lease.pinned) = (memory, pinned);
        true
    }

    /// Moves a lease to other cores; each must be free or its own.
    pub(crate) fn relocate(&mut self, slot: usize, mut cores: Vec<u32>) {
        cores.sort_unstable();
        let Some(mut lease) = self.slots[slot].take() else { return };
        self.leave(&lease.cores, slot, &lease.request);
        (lease.cpus, lease.idle) = split(&self.machine, &lease.request, &cores);
        lease.memory_nodes = self.machine.memory_nodes_of(&cores);
        lease.cores = cores;
        self.take(&lease.cores, slot, &lease.request);
        self.slots[slot] = Some(lease);
    }

    pub(crate) fn enter(&mut self, lease: Lease) -> usize {
        let slot = self.vacant.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.take(&lease.cores, slot, &lease.request);
        self.by_id.insert(lease.id.clone(), slot);
        self.slots[slot] = Some(lease);
        slot
    }

    fn take(&mut self, cores: &[u32], slot: usize, request: &Request) {
        for core in cores {
            let owner = &mut self.owners[*core as usize];
            assert_eq!(*owner, Owner::Free, "core {core} would have two owners");
            *owner = Owner::Slot(slot as u32);
            self.free[self.machine.cores[*core as usize].cell] -= 1;
        }
        if let Class::MemoryBound { per_l3_max } = request.class {
            for cache in self.caches(cores) {
                self.neighbours[cache].leases.push((slot as u32, per_l3_max.get()));
            }
        }
    }

    fn leave(&mut self, cores: &[u32], slot: usize, request: &Request) {
        for core in cores {
            let owner = &mut self.owners[*core as usize];
            assert_eq!(*owner, Owner::Slot(slot as u32), "core {core} is another's");
            *owner = Owner::Free;
            self.free[self.machine.cores[*core as usize].cell] += 1;
        }
        if matches!(request.class, Class::MemoryBound { .. }) {
            for cache in self.caches(cores) {
                self.neighbours[cache].leases.retain(|(other, _)| *other != slot as u32);
            }
        }
    }

    fn caches(&self, cores: &[u32]) -> Vec<usize> {
        let mut caches: Vec<usize> =
            cores.iter().map(|core| self.machine.cell_of(*core as usize).cache).collect();
        caches.sort_unstable();
        caches.dedup();
        caches
    }

    pub(crate) fn is_free(&self, core: usize) -> bool {
        self.owners[core] == Owner::Free
    }

    pub(crate) fn owner(&self, core: usize) -> Owner {
        self.owners[core]
    }

    pub(crate) fn slot_count(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn slot(&self, slot: usize) -> Option<&Lease> {
        self.slots[slot].as_ref()
    }

    /// Returns the lease in a slot that is in use.
    pub(crate) fn at(&self, slot: usize) -> &Lease {
        self.slots[slot].as_ref().expect("the slot is in use")
    }

    /// Returns the lease that has a CPU's core.
    pub fn holder_of(&self, cpu: CpuId) -> Option<&Lease> {
        match self.owners[self.machine.core_of(cpu)?] {
            Owner::Slot(slot) => self.slot(slot as usize),
            Owner::Free | Owner::Unusable => None,
        }
    }

    /// Checks all invariants.
    ///
    /// # Panics
    /// When a core has two owners or is lost, or a count is wrong.
    pub fn assert_consistent(&self) {
        let mut seen = vec![false; self.owners.len()];
        for (id, slot) in &self.by_id {
            let lease = self.at(*slot);
            assert_eq!(&lease.id, id, "the lease is filed under its own name");
            for core in &lease.cores {
                assert!(!std::mem::replace(&mut seen[*core as usize], true), "core {core} is in two leases");
                assert_eq!(self.owners[*core as usize], Owner::Slot(*slot as u32), "core {core} of '{id}'");
            }
        }
        for (core, owner) in self.owners.iter().enumerate() {
            assert_eq!(seen[core], matches!(owner, Owner::Slot(_)), "core {core} has an owner and no lease");
        }
        assert_eq!(self.vacant.len() + self.by_id.len(), self.slots.len(), "each slot is in use or vacant");
        assert!(self.vacant.iter().all(|slot| self.slots[*slot].is_none()), "a vacant slot has no lease");
        for (at, cell) in self.machine.cells.iter().enumerate() {
            let free = cell.cores.clone().filter(|core| self.is_free(*core)).count();
            assert_eq!(self.free[at] as usize, free, "free cores of cell {at}");
        }
    }
}

/// Splits the CPUs of some cores into those that run and those that idle.
pub(crate) fn split(machine: &Machine, request: &Request, cores: &[u32]) -> (CpuSet, CpuSet) {
    let of_core = |core: &u32| machine.cores[*core as usize].cpus.as_slice();
    match request.siblings {
        Siblings::Idle => {
            let firsts = cores.iter().flat_map(|core| of_core(core).iter().take(1).copied());
            let others = cores.iter().flat_map(|core| of_core(core).iter().skip(1).copied());
            (firsts.collect(), others.collect())
        }
        Siblings::Used => {
            let all: Vec<CpuId> = cores.iter().flat_map(of_core).copied().collect();
            let wanted = (request.cpus.get() as usize).min(all.len());
            (all[..wanted].iter().copied().collect(), all[wanted..].iter().copied().collect())
        }
    }
}
