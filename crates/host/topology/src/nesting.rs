//! The topology as nested boxes, for pictures and for hwloc's XML.

use model::{CpuSet, Topology};
use std::cmp::Reverse;

/// The kind of a box; of two with the same CPUs the earlier kind is the outer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Package,
    Die,
    NumaNode,
    /// CPUs that share an L3 cache.
    L3Domain,
    Cluster,
    Core,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nested {
    pub level: Level,
    /// Its index in the topology's list of that level.
    pub index: usize,
    pub cpus: CpuSet,
    /// The boxes inside, by their lowest CPUs.
    pub children: Vec<Nested>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nesting {
    pub boxes: Vec<Nested>,
    /// Domains that overlap with another box without either being inside the other, and so cannot be placed.
    pub crossing: Vec<(Level, usize)>,
}

impl Level {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Die => "die",
            Self::NumaNode => "NUMA node",
            Self::L3Domain => "L3",
            Self::Cluster => "cluster",
            Self::Core => "core",
        }
    }
}

impl Nesting {
    /// Puts every domain into the smallest one that contains it.
    ///
    /// Dies are skipped if each is a package, and NUMA nodes without CPUs always.
    pub fn of(topology: &Topology) -> Self {
        let packages = || topology.packages.iter().map(|package| &package.cpus);
        let dies_told = !topology.dies.iter().map(|die| &die.cpus).eq(packages());
        let mut items: Vec<Nested> = Vec::new();
        let mut add = |level, sets: Vec<&CpuSet>| {
            let item = |(index, cpus): (usize, &CpuSet)| Nested {
                level,
                index,
                cpus: cpus.clone(),
                children: vec![],
            };
            items.extend(sets.into_iter().enumerate().filter(|(_, cpus)| !cpus.is_empty()).map(item));
        };
        add(Level::Package, packages().collect());
        if dies_told {
            add(Level::Die, topology.dies.iter().map(|domain| &domain.cpus).collect());
        }
        add(Level::NumaNode, topology.numa_nodes.iter().map(|node| &node.cpus).collect());
        add(Level::L3Domain, topology.l3_domains.iter().map(|domain| &domain.cpus).collect());
        add(Level::Cluster, topology.clusters.iter().map(|domain| &domain.cpus).collect());
        add(Level::Core, topology.cores.iter().map(|core| &core.cpus).collect());
        items.sort_by_key(|item| (Reverse(item.cpus.len()), item.level));
        let mut nesting = Self::default();
        for item in items {
            let place = (item.level, item.index);
            if !insert(&mut nesting.boxes, item) {
                nesting.crossing.push(place);
            }
        }
        nesting
    }
}

/// Puts a box that is no larger than any here into its place; returns whether there is one.
fn insert(boxes: &mut Vec<Nested>, item: Nested) -> bool {
    if let Some(outer) = boxes.iter_mut().find(|outer| item.cpus.is_subset(&outer.cpus)) {
        return insert(&mut outer.children, item);
    }
    if boxes.iter().any(|other| !other.cpus.intersection(&item.cpus).is_empty()) {
        return false;
    }
    let at = boxes.partition_point(|other| other.cpus.first() < item.cpus.first());
    boxes.insert(at, item);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Domain, NumaNode};

    fn names(boxes: &[Nested]) -> String {
        let name = |item: &Nested| match names(&item.children).as_str() {
            "" => format!("{}={}", item.level.name(), item.cpus),
            inner => format!("{}={}({inner})", item.level.name(), item.cpus),
        };
        boxes.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    fn check(packages: &[&str], nodes: &[&str], expected: &str, crossing: usize) {
        let cpus = |list: &&str| list.parse::<CpuSet>().unwrap();
        let node =
            |(os_id, list)| NumaNode { os_id, cpus: cpus(list), memory: None, distances: Default::default() };
        let topology = Topology {
            packages: packages.iter().map(|list| Domain { os_id: None, cpus: cpus(list) }).collect(),
            numa_nodes: (0..).zip(nodes).map(node).collect(),
            ..Topology::default()
        };
        let nesting = Nesting::of(&topology);
        assert_eq!(names(&nesting.boxes), expected);
        assert_eq!(nesting.crossing.len(), crossing);
    }

    #[test]
    fn smaller_set_is_always_inside() {
        check(&["0-3"], &["2-3", "0-1", ""], "package=0-3(NUMA node=0-1 NUMA node=2-3)", 0);
        check(&["0-1", "2-3"], &["0-3"], "NUMA node=0-3(package=0-1 package=2-3)", 0);
        check(&["0-3"], &["0-3"], "package=0-3(NUMA node=0-3)", 0);
        check(&["0-2", "3"], &["2-3"], "package=0-2 package=3", 1);
    }
}
