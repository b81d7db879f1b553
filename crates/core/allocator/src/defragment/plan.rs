//! What is planned, and how it is carried out.

use crate::defragment::{Distance, Prices, price};
use crate::machine::Machine;
use crate::{LeaseId, Leases, NoFit, Placement, Request, allocate};
use model::{Bytes, CpuSet, counted};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub moves_max: u32,
    /// The most that all moves may cost together.
    pub price_max: u64,
}

/// Moves that make room, in the order in which they are to be made.
#[derive(Clone, Debug)]
pub struct Plan {
    pub moves: Vec<Move>,
    pub price: u64,
    /// How good the plan is known to be.
    pub proof: Proof,
    pub after: Leases,
}

/// How good a plan is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// No plan has fewer moves, and none with as many moves costs less: all were examined.
    Best,
    /// The search covered likely places only; no plan has fewer moves than this.
    AtLeast(u32),
}

/// One lease moves from some cores to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub lease: LeaseId,
    /// CPUs that it runs on before the move.
    pub from: CpuSet,
    /// CPUs that it runs on after the move.
    pub to: CpuSet,
    /// CPUs that it keeps idle after the move.
    pub to_idle: CpuSet,
    /// How far the farthest of its cores goes.
    pub distance: Distance,
    /// Memory that stays on NUMA nodes on which it has no core any more.
    pub memory_left: Bytes,
    pub price: u64,
}

impl Limits {
    /// The only limit is what a search can handle: a plan of more moves would be a new placement of everything.
    pub const WIDE: Self = Self { moves_max: 1000, price_max: u64::MAX };
}

pub(super) fn relocate(leases: &mut Leases, slot: usize, cores: Vec<u32>, prices: &Prices) -> Move {
    let before = leases.at(slot).clone();
    leases.relocate(slot, cores);
    let lease = leases.at(slot);
    let (distance, memory_left, price) = price::of_cores(leases.machine(), prices, &before, &lease.cores);
    Move {
        lease: lease.id.clone(),
        from: before.cpus,
        to: lease.cpus.clone(),
        to_idle: lease.idle.clone(),
        distance,
        memory_left,
        price,
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&counted(self.moves_max, "move"))?;
        match self.price_max {
            u64::MAX => Ok(()),
            price => write!(f, " and a price of {price}"),
        }
    }
}

impl Plan {
    /// Returns what the request would get after all moves.
    ///
    /// # Errors
    /// When the request does not fit, since the plan was made for something else.
    pub fn placement(&self, request: &Request) -> Result<Placement, Box<NoFit>> {
        allocate(&self.after, request)
    }
}

/// Returns the narrowest span of which one domain has all these cells.
pub(super) fn span_of(machine: &Machine, cells: impl Iterator<Item = usize> + Clone) -> crate::Span {
    let holds = |part: usize| cells.clone().all(|cell| machine.parts[part].cells.contains(&cell));
    let parts: Vec<usize> = (0..machine.parts.len()).filter(|part| holds(*part)).collect();
    let inside = |span: &crate::Span| parts.iter().any(|part| machine.is_within(*part, *span));
    crate::Span::ALL.into_iter().find(inside).unwrap_or(crate::Span::Machine)
}
