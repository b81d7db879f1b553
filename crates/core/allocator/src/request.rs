//! A request for CPUs.

use std::fmt;
use std::num::NonZeroU32;

/// A request for CPUs that no other lease uses at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub cpus: NonZeroU32,
    /// How the SMT siblings of the CPUs are used.
    pub siblings: Siblings,
    /// What it does to its neighbours.
    pub class: Class,
    /// The kind of core, as an index into the topology's kinds; `None` for the fastest that has room.
    pub kind: Option<usize>,
    /// The kernel's number of the NUMA node that it must be on.
    pub numa_node: Option<u32>,
    /// The widest part of the machine that it may be spread over.
    pub within: Span,
}

/// How the SMT siblings of granted CPUs are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Siblings {
    /// They are leased too and stay idle: each granted CPU is a whole core. Timed runs need this.
    Idle,
    /// They count as CPUs: the fewest whole cores with the requested number of CPUs.
    Used,
}

/// What a run does to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It computes in its own caches.
    Compute,
    /// It uses much memory and last-level cache, and slows others that do the same.
    MemoryBound {
        /// How many leases of this class, itself included, it tolerates in one L3 domain.
        per_l3_max: NonZeroU32,
    },
}

/// A part of the machine over which a lease is spread, the narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Span {
    L3Domain,
    /// CPUs with the same nearest memory.
    NumaNode,
    Die,
    Package,
    Machine,
}

impl Request {
    /// Requests this many timed CPUs, anywhere.
    pub fn timed(cpus: NonZeroU32) -> Self {
        Self {
            cpus,
            siblings: Siblings::Idle,
            class: Class::Compute,
            kind: None,
            numa_node: None,
            within: Span::Machine,
        }
    }
}

impl Span {
    /// All spans, the narrowest first.
    pub const ALL: [Self; 5] = [Self::L3Domain, Self::NumaNode, Self::Die, Self::Package, Self::Machine];

    pub fn id(self) -> &'static str {
        match self {
            Self::L3Domain => "l3_domain",
            Self::NumaNode => "numa_node",
            Self::Die => "die",
            Self::Package => "package",
            Self::Machine => "machine",
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::L3Domain => "L3 domain",
            Self::NumaNode => "NUMA node",
            Self::Die => "die",
            Self::Package => "package",
            Self::Machine => "machine",
        })
    }
}
