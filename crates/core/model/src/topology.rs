//! How a machine's processors and memory lie to each other.

use crate::{Bytes, CpuId, CpuSet};
use std::collections::{BTreeMap, BTreeSet};

/// How a machine's processors and memory lie to each other.
///
/// Every list is ordered by the lowest CPU of its members, and an index into it is that member's *logical*
/// number; the kernel's own numbers, which may have gaps and repeat in every package, are `os_id`s. Only
/// online CPUs are in any set but `offline`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Physical packages (sockets).
    pub packages: Vec<Domain>,
    /// Dies; the packages again, without numbers, where none has several.
    pub dies: Vec<Domain>,
    /// Clusters of cores that share something below the L3 cache; empty where the machine reports none.
    pub clusters: Vec<Domain>,
    /// NUMA nodes, also those without CPUs (at the end, by number); one for all where there are none.
    pub numa_nodes: Vec<NumaNode>,
    /// Sets of CPUs that share an L3 cache; empty where there is none.
    pub l3_domains: Vec<CacheDomain>,
    pub cores: Vec<Core>,
    /// Kinds of core, the slowest first; one or none where all are alike.
    pub core_kinds: Vec<CoreKind>,
    /// CPUs that are there and switched off.
    pub offline: CpuSet,
    /// CPUs that this process may use by its control groups and affinity.
    pub allowed: CpuSet,
    /// Kernel numbers of the NUMA nodes whose memory this process may use.
    pub allowed_numa_nodes: BTreeSet<u32>,
}

/// CPUs that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// The kernel's number, where it gives one.
    pub os_id: Option<u32>,
    pub cpus: CpuSet,
}

/// CPUs that share a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheDomain {
    /// The kernel's number, where it gives one.
    pub os_id: Option<u32>,
    pub cpus: CpuSet,
    /// How much the cache holds, where the machine reports it.
    pub size: Option<Bytes>,
}

/// A core: CPUs that share execution units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// The kernel's number, where it gives one; unique in its package only.
    pub os_id: Option<u32>,
    /// The CPUs; more than one are SMT siblings.
    pub cpus: CpuSet,
    /// Index into [`Topology::core_kinds`].
    pub kind: Option<usize>,
}

/// A kind of core of a hybrid machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreKind {
    /// What the kernel calls it, such as `core` or `atom`, or its relative capacity.
    pub name: String,
    pub cpus: CpuSet,
}

/// Memory, and the CPUs that are nearest to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumaNode {
    pub os_id: u32,
    /// The CPUs; none where a node is memory alone.
    pub cpus: CpuSet,
    /// How much memory there is, where the machine reports it.
    pub memory: Option<Bytes>,
    /// Distance to each node by its kernel number; 10 is local (ACPI, SLIT).
    pub distances: BTreeMap<u32, u32>,
}

impl Topology {
    pub fn cpus(&self) -> CpuSet {
        self.cores.iter().flat_map(|core| core.cpus.iter()).collect()
    }

    pub fn core_of(&self, cpu: CpuId) -> Option<&Core> {
        self.cores.iter().find(|core| core.cpus.contains(cpu))
    }

    /// Returns the NUMA node that a CPU is nearest to.
    pub fn numa_node_of(&self, cpu: CpuId) -> Option<&NumaNode> {
        self.numa_nodes.iter().find(|node| node.cpus.contains(cpu))
    }

    pub fn l3_domain_of(&self, cpu: CpuId) -> Option<&CacheDomain> {
        self.l3_domains.iter().find(|domain| domain.cpus.contains(cpu))
    }

    /// Returns the kernel's numbers of the NUMA nodes that hold these CPUs.
    pub fn numa_nodes_of(&self, cpus: &CpuSet) -> Vec<u32> {
        let near = |node: &&NumaNode| !node.cpus.intersection(cpus).is_empty();
        self.numa_nodes.iter().filter(near).map(|node| node.os_id).collect()
    }

    /// Returns the CPUs together with all their SMT siblings.
    pub fn whole_cores(&self, cpus: &CpuSet) -> CpuSet {
        let touched = self.cores.iter().filter(|core| !core.cpus.intersection(cpus).is_empty());
        touched.flat_map(|core| core.cpus.iter()).collect()
    }
}
