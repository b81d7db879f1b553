//! The allocator from outside: against brute force on small machines, and its guarantees on random ones.

#![allow(clippy::unwrap_used)]
// Some machines have one domain, written as a range of cores.
#![allow(clippy::single_range_in_vec_init)]

mod brute_force;
mod promises;
mod words;

use allocator::{Machine, Request};
use model::{CacheDomain, Core, CoreKind, CpuId, CpuSet, Domain, NumaNode, Topology};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

fn number(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

fn timed(cpus: u32) -> Request {
    Request::timed(number(cpus))
}

fn cpus(list: &str) -> CpuSet {
    list.parse().unwrap()
}

fn machine(topology: &Topology) -> Arc<Machine> {
    Arc::new(Machine::new(topology, &CpuSet::new()).unwrap())
}

/// Makes a machine without SMT from ranges of cores: packages, NUMA nodes, L3 domains, kinds.
fn made_of(
    cores: u32,
    packages: &[Range<u32>],
    nodes: &[Range<u32>],
    caches: &[Range<u32>],
    kinds: &[Range<u32>],
) -> Topology {
    let set = |range: &Range<u32>| -> CpuSet { range.clone().map(CpuId).collect() };
    let all = set(&(0..cores));
    Topology {
        packages: packages.iter().map(|range| Domain { os_id: None, cpus: set(range) }).collect(),
        numa_nodes: (0..)
            .zip(nodes)
            .map(|(os_id, range)| NumaNode {
                os_id,
                cpus: set(range),
                memory: None,
                distances: BTreeMap::new(),
            })
            .collect(),
        l3_domains: caches
            .iter()
            .map(|range| CacheDomain { os_id: None, cpus: set(range), size: None })
            .collect(),
        cores: (0..cores)
            .map(|core| Core {
                os_id: None,
                cpus: set(&(core..core + 1)),
                kind: kinds.iter().position(|range| range.contains(&core)),
            })
            .collect(),
        core_kinds: (0..)
            .zip(kinds)
            .map(|(kind, range): (u32, _)| CoreKind { name: format!("kind{kind}"), cpus: set(range) })
            .collect(),
        allowed: all,
        ..Topology::default()
    }
}
