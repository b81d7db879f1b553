//! The placements of two threads that a machine has.

use model::{CpuId, Topology};

/// How two CPUs are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceKind {
    /// Two threads of one core.
    Siblings,
    /// Two cores that share their L3 cache.
    SameL3,
    /// Two cores of one NUMA node that share no L3 cache.
    OtherL3,
    /// Two NUMA nodes of one package.
    OtherNumaNode,
    /// Two packages.
    OtherPackage,
    /// Any CPUs that the kernel chooses.
    Unpinned,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    pub kind: PlaceKind,
    /// The two CPUs, or why this machine does not have it; no CPUs if the kernel chooses.
    pub cpus: Result<Option<(CpuId, CpuId)>, String>,
}

impl PlaceKind {
    /// Every placement, the nearest first.
    pub const ALL: [Self; 6] = [
        Self::Siblings,
        Self::SameL3,
        Self::OtherL3,
        Self::OtherNumaNode,
        Self::OtherPackage,
        Self::Unpinned,
    ];

    /// Returns the name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Siblings => "SMT siblings",
            Self::SameL3 => "same L3, two cores",
            Self::OtherL3 => "other L3",
            Self::OtherNumaNode => "other NUMA node",
            Self::OtherPackage => "other package",
            Self::Unpinned => "not pinned",
        }
    }

    /// Returns what a machine needs for it.
    const fn takes(self) -> &'static str {
        match self {
            Self::Siblings => "two threads in a core (SMT)",
            Self::SameL3 => "two cores below one L3 cache",
            Self::OtherL3 => "several L3 caches in a NUMA node",
            Self::OtherNumaNode => "several NUMA nodes in a package",
            Self::OtherPackage => "several packages",
            Self::Unpinned => "two CPUs",
        }
    }

    /// Returns how two CPUs are related; `None` for a CPU that is not in the topology.
    pub fn of(topology: &Topology, first: CpuId, second: CpuId) -> Option<Self> {
        if topology.core_of(first)?.cpus.contains(second) {
            return Some(Self::Siblings);
        }
        let package = |cpu| topology.packages.iter().position(|package| package.cpus.contains(cpu));
        if package(first) != package(second) {
            return Some(Self::OtherPackage);
        }
        let node = |cpu| topology.numa_node_of(cpu).map(|node| node.os_id);
        if node(first) != node(second) {
            return Some(Self::OtherNumaNode);
        }
        // If the machine reports no L3 cache, its cores are assumed to share whatever there is.
        let l3 = |cpu| topology.l3_domains.iter().position(|domain| domain.cpus.contains(cpu));
        Some(if l3(first) == l3(second) { Self::SameL3 } else { Self::OtherL3 })
    }
}

/// Finds two CPUs for each placement, among those that this process may use: the first match from the last CPU
/// downwards, since the lowest serve most interrupts.
pub fn places(topology: &Topology) -> Vec<Placement> {
    let cpus: Vec<_> = topology.allowed.iter().rev().collect();
    PlaceKind::ALL
        .into_iter()
        .map(|kind| {
            let pair = || {
                cpus.iter().enumerate().find_map(|(at, first)| {
                    let fits = |second: &&CpuId| PlaceKind::of(topology, *first, **second) == Some(kind);
                    cpus[at + 1..].iter().find(fits).map(|second| (*first, *second))
                })
            };
            let cpus = if kind == PlaceKind::Unpinned {
                if cpus.len() > 1 { Ok(None) } else { Err(missing(kind)) }
            } else {
                pair().map(Some).ok_or_else(|| missing(kind))
            };
            Placement { kind, cpus }
        })
        .collect()
}

fn missing(kind: PlaceKind) -> String {
    format!(
        "this machine cannot show '{}': among the CPUs allowed here there are not {}; a machine that has them shows it \
         with 'tauto lab placement'",
        kind.name(),
        kind.takes()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CacheDomain, Core, CpuSet, Domain, NumaNode};
    use std::collections::BTreeMap;

    fn set(list: &str) -> CpuSet {
        list.parse().unwrap()
    }

    fn topology(cores: &[&str], l3: &[&str], nodes: &[&str], packages: &[&str], allowed: &str) -> Topology {
        let node = |(at, cpus): (usize, &&str)| NumaNode {
            os_id: at as u32,
            cpus: set(cpus),
            memory: None,
            distances: BTreeMap::new(),
        };
        Topology {
            cores: cores.iter().map(|cpus| Core { os_id: None, cpus: set(cpus), kind: None }).collect(),
            l3_domains: l3
                .iter()
                .map(|cpus| CacheDomain { os_id: None, cpus: set(cpus), size: None })
                .collect(),
            numa_nodes: nodes.iter().enumerate().map(node).collect(),
            packages: packages.iter().map(|cpus| Domain { os_id: None, cpus: set(cpus) }).collect(),
            allowed: set(allowed),
            ..Topology::default()
        }
    }

    fn found(topology: &Topology) -> Vec<String> {
        places(topology)
            .into_iter()
            .map(|place| match place.cpus {
                Ok(Some((first, second))) => format!("{}: {first} {second}", place.kind.name()),
                Ok(None) => place.kind.name().to_owned(),
                Err(_) => format!("no {}", place.kind.name()),
            })
            .collect()
    }

    #[test]
    fn a_machine_with_everything_shows_everything() {
        let machine = topology(
            &["0,8", "1,9", "2,10", "3,11", "4,12", "5,13", "6,14", "7,15"],
            &["0,1,8,9", "2-3,10-11", "4,5,12,13", "6,7,14,15"],
            &["0-3,8-11", "4-5,12-13", "6-7,14-15"],
            &["0-3,8-11", "4-7,12-15"],
            "0-15",
        );
        assert_eq!(
            found(&machine),
            [
                "SMT siblings: 15 7",
                "same L3, two cores: 15 14",
                "other L3: 11 9",
                "other NUMA node: 15 13",
                "other package: 15 11",
                "not pinned"
            ]
        );
    }

    #[test]
    fn a_small_machine_says_what_it_lacks() {
        let machine = topology(&["0", "1"], &["0-1"], &["0-1"], &["0-1"], "0-1");
        assert_eq!(
            found(&machine),
            [
                "no SMT siblings",
                "same L3, two cores: 1 0",
                "no other L3",
                "no other NUMA node",
                "no other package",
                "not pinned"
            ]
        );
        let words = places(&machine)[0].cpus.clone().unwrap_err();
        assert!(
            words.contains("two threads in a core (SMT)") && words.contains("tauto lab placement"),
            "{words}"
        );
        let one = topology(&["0", "1"], &[], &["0-1"], &["0-1"], "1");
        assert!(found(&one).iter().all(|place| place.starts_with("no ")), "{:?}", found(&one));
        let no_l3 = topology(&["0", "1"], &[], &["0-1"], &["0-1"], "0-1");
        assert_eq!(found(&no_l3)[1], "same L3, two cores: 1 0");
    }
}
