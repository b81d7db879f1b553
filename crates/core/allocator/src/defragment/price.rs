//! What a move costs.

use crate::Lease;
use crate::machine::{Cell, Machine};
use model::Bytes;

/// What moves cost, in points that only compare moves with each other.
///
/// A move within an L3 domain refills the core's own caches, within a NUMA node the L3 cache too; beyond it memory
/// stays behind, and each access to it crosses the machine for as long as the lease lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// For each core replaced by one in an L3 domain in which the lease already has cores.
    pub same_l3_domain: u64,
    /// For each core replaced by one on the same NUMA node.
    pub same_numa_node: u64,
    /// For each core replaced by one on another NUMA node.
    pub other_numa_node: u64,
    /// For each GiB (parts in proportion) that stays on a NUMA node on which the lease has no core any more.
    pub gib_left: u64,
}

/// How far a core moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// It stays in an L3 domain of the lease.
    SameL3Domain,
    /// It stays on a NUMA node of the lease.
    SameNumaNode,
    OtherNumaNode,
}

impl Default for Prices {
    fn default() -> Self {
        Self { same_l3_domain: 1, same_numa_node: 4, other_numa_node: 16, gib_left: 32 }
    }
}

impl Distance {
    pub fn id(self) -> &'static str {
        match self {
            Self::SameL3Domain => "same_l3_domain",
            Self::SameNumaNode => "same_numa_node",
            Self::OtherNumaNode => "other_numa_node",
        }
    }

    /// Returns how far a cell is from the nearest of some others.
    fn between<'c>(from: impl Iterator<Item = &'c Cell>, to: &Cell) -> Self {
        let one = |from: &Cell| match () {
            () if from.cache == to.cache => Self::SameL3Domain,
            () if from.numa_node == to.numa_node => Self::SameNumaNode,
            () => Self::OtherNumaNode,
        };
        from.map(one).min().unwrap_or(Self::OtherNumaNode)
    }
}

impl Prices {
    fn of(&self, distance: Distance) -> u64 {
        match distance {
            Distance::SameL3Domain => self.same_l3_domain,
            Distance::SameNumaNode => self.same_numa_node,
            Distance::OtherNumaNode => self.other_numa_node,
        }
    }

    fn of_memory(&self, left: Bytes) -> u64 {
        const GIB: u128 = 1 << 30;
        let price = (u128::from(left.0) * u128::from(self.gib_left)).div_ceil(GIB);
        u64::try_from(price).unwrap_or(u64::MAX)
    }
}

/// Prices a move of cores: the farthest, the memory left, the price.
pub(crate) fn of_cores(
    machine: &Machine,
    prices: &Prices,
    before: &Lease,
    after: &[u32],
) -> (Distance, Bytes, u64) {
    let mut farthest = Distance::SameL3Domain;
    let mut price = 0u64;
    for core in after.iter().filter(|core| !before.cores.contains(core)) {
        let from = before.cores.iter().map(|core| machine.cell_of(*core as usize));
        let distance = Distance::between(from, machine.cell_of(*core as usize));
        farthest = farthest.max(distance);
        price = price.saturating_add(prices.of(distance));
    }
    let left = memory_left(before.memory, &before.memory_nodes, &machine.memory_nodes_of(after));
    (farthest, left, price.saturating_add(prices.of_memory(left)))
}

/// Prices a move counted by cell as the cheapest move of cores that does it: as many cores as possible stay.
pub(crate) fn of_counts(
    machine: &Machine,
    prices: &Prices,
    memory: Bytes,
    from: &[(usize, u32)],
    to: &[(usize, u32)],
) -> u64 {
    let mut price = 0u64;
    for (cell, count) in to {
        let had = from.iter().find(|(other, _)| other == cell).map_or(0, |(_, count)| *count);
        let cells = from.iter().map(|(cell, _)| &machine.cells[*cell]);
        let distance = Distance::between(cells, &machine.cells[*cell]);
        price =
            price.saturating_add(u64::from(count.saturating_sub(had)).saturating_mul(prices.of(distance)));
    }
    if memory.0 == 0 {
        return price;
    }
    let nodes = |counts: &[(usize, u32)]| {
        let mut nodes: Vec<u32> =
            counts.iter().filter_map(|(cell, _)| machine.cells[*cell].numa_node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    };
    price.saturating_add(prices.of_memory(memory_left(memory, &nodes(from), &nodes(to))))
}

/// Memory is assumed to be spread evenly over the lease's nodes.
fn memory_left(memory: Bytes, before: &[u32], after: &[u32]) -> Bytes {
    let left = before.iter().filter(|node| !after.contains(node)).count() as u64;
    match before.len() as u64 {
        0 => Bytes(0),
        nodes => Bytes((u128::from(memory.0) * u128::from(left) / u128::from(nodes)) as u64),
    }
}
