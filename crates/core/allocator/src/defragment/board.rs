//! Leases counted by cell, on which moves are tried and undone.
//!
//! Cores of one cell are equivalent for any request, so which of them a lease has matters only when a move is carried
//! out.

use super::{Prices, price, span_of};
use crate::choice::{Counts, Supply};
use crate::machine::{Cell, Group, Machine};
use crate::{Class, Lease, Leases, Request, Siblings, Span};

/// A lease moves to other cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountMove {
    pub slot: usize,
    pub from: Counts,
    pub to: Counts,
    pub price: u64,
}

/// Leases counted by cell.
#[derive(Clone)]
pub(crate) struct Board<'l> {
    pub leases: &'l Leases,
    pub prices: &'l Prices,
    pub free: Vec<u32>,
    /// Cores by cell of each slot, ascending; empty where there is no lease.
    pub counts: Vec<Counts>,
    /// What each slot needs when it is moved; `None` for leases that stay.
    pub needs: Vec<Option<Need>>,
    /// Memory-bound leases in each cache, and how many each bears.
    neighbours: Vec<Vec<(usize, u32)>>,
}

/// What some cores must be.
#[derive(Clone, Debug)]
pub(crate) struct Need {
    pub cores: u32,
    pub group: Group,
    pub within: Span,
    pub numa_node: Option<u32>,
    pub class: Class,
}

impl Need {
    fn may_be(&self, cell: &Cell) -> bool {
        self.group.has(cell) && self.numa_node.is_none_or(|node| cell.numa_node == Some(node))
    }
}

impl<'l> Board<'l> {
    pub fn new(leases: &'l Leases, prices: &'l Prices) -> Self {
        let machine = leases.machine();
        let slots = 0..leases.slot_count();
        let counts: Vec<Counts> = slots
            .clone()
            .map(|slot| leases.slot(slot).map_or_else(Counts::new, |lease| count(machine, &lease.cores)))
            .collect();
        let mut board = Self {
            leases,
            prices,
            free: leases.free.clone(),
            needs: slots.map(|slot| leases.slot(slot).and_then(|lease| need_of(machine, lease))).collect(),
            neighbours: vec![Vec::new(); machine.cache_count],
            counts: vec![Counts::new(); counts.len()],
        };
        for (slot, counts) in counts.into_iter().enumerate() {
            // The free cores do not include those.
            board.enter_neighbours(slot, &counts);
            board.counts[slot] = counts;
        }
        board
    }

    pub fn machine(&self) -> &'l Machine {
        self.leases.machine()
    }

    /// Counts the available cores by cell: free cores and those of `own`, but none of the `banned` cells.
    pub fn supply(&self, need: &Need, own: Option<usize>, banned: &[bool]) -> Supply {
        let machine = self.machine();
        let own_counts: &[(usize, u32)] = own.map_or(&[], |slot| &self.counts[slot]);
        Supply::new(machine, |cell| {
            if banned.get(cell).copied().unwrap_or(false) || !self.may_use(need, own, cell) {
                return 0;
            }
            self.free[cell]
                + own_counts.iter().find(|(other, _)| *other == cell).map_or(0, |(_, count)| *count)
        })
    }

    /// Returns whether a need may have cores of a cell; those of `own` count as its own.
    pub fn may_use(&self, need: &Need, own: Option<usize>, at: usize) -> bool {
        let cell = &self.machine().cells[at];
        if !need.may_be(cell) {
            return false;
        }
        let Class::MemoryBound { per_l3_max } = need.class else { return true };
        let others = self.neighbours[cell.cache].iter().filter(|(slot, _)| Some(*slot) != own);
        let (mut count, mut least) = (0, per_l3_max.get());
        for (_, bears) in others {
            count += 1;
            least = least.min(*bears);
        }
        count < least
    }

    /// Returns whether a request fits in the current state.
    pub fn fits(&self, request: &Request) -> bool {
        let machine = self.machine();
        needs_of(machine, request)
            .iter()
            .any(|need| self.supply(need, None, &[]).best_part(machine, need.cores, need.within).is_some())
    }

    /// Prices a move and makes it.
    pub fn make(&mut self, slot: usize, mut to: Counts) -> CountMove {
        to.sort_unstable();
        let from = self.counts[slot].clone();
        let memory = self.leases.at(slot).memory;
        let price = price::of_counts(self.machine(), self.prices, memory, &from, &to);
        self.put(slot, to.clone());
        CountMove { slot, from, to, price }
    }

    pub fn undo(&mut self, made: &CountMove) {
        self.put(made.slot, made.from.clone());
    }

    /// Puts a lease into other cells.
    pub fn put(&mut self, slot: usize, counts: Counts) {
        for (cell, count) in &self.counts[slot] {
            self.free[*cell] += count;
        }
        for (cell, count) in &counts {
            self.free[*cell] -= count;
        }
        self.enter_neighbours(slot, &counts);
        self.counts[slot] = counts;
    }

    fn enter_neighbours(&mut self, slot: usize, counts: &[(usize, u32)]) {
        let machine = self.machine();
        let Some(Lease { request: Request { class: Class::MemoryBound { per_l3_max }, .. }, .. }) =
            self.leases.slot(slot)
        else {
            return;
        };
        for (cell, _) in &self.counts[slot] {
            self.neighbours[machine.cells[*cell].cache].retain(|(other, _)| *other != slot);
        }
        for (cell, _) in counts {
            let there = &mut self.neighbours[machine.cells[*cell].cache];
            if there.iter().all(|(other, _)| *other != slot) {
                there.push((slot, per_l3_max.get()));
            }
        }
    }
}

/// Lists the groups that a request may be served from, the best first.
pub(crate) fn needs_of(machine: &Machine, request: &Request) -> Vec<Need> {
    let Request { class, within, numa_node, .. } = *request;
    let need = |(group, cores): (&Group, u32)| Need { cores, group: group.clone(), within, numa_node, class };
    machine.groups_for(request).map(need).collect()
}

/// Returns what a lease needs elsewhere: the same number of cores, a span that is no wider, its kind of core.
fn need_of(machine: &Machine, lease: &Lease) -> Option<Need> {
    let first = machine.cell_of(*lease.cores.first()? as usize);
    let cells = lease.cores.iter().map(|core| machine.cores[*core as usize].cell);
    let alike = cells.clone().all(|cell| {
        let cell = &machine.cells[cell];
        cell.kind == first.kind && (lease.request.siblings == Siblings::Idle || cell.threads == first.threads)
    });
    if lease.pinned || !alike {
        return None;
    }
    let threads = (lease.request.siblings == Siblings::Used).then_some(first.threads);
    Some(Need {
        cores: lease.cores.len() as u32,
        group: Group { kind: first.kind, threads },
        within: span_of(machine, cells).min(lease.request.within),
        numa_node: lease.request.numa_node,
        class: lease.request.class,
    })
}

pub(crate) fn count(machine: &Machine, cores: &[u32]) -> Counts {
    let mut counts = Counts::new();
    for core in cores {
        let cell = machine.cores[*core as usize].cell;
        match counts.last_mut() {
            Some((last, count)) if *last == cell => *count += 1,
            _ => counts.push((cell, 1)),
        }
    }
    counts
}
