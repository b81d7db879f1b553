//! Plans of moves that make room.
//!
//! A plan is data: an ordered list of moves, each to cores that are free at that point or the lease's own. So two
//! leases never swap places directly: one of them moves through free cores, or the plan is a different one.
//!
//! No lease is spread over a wider part of the machine than before or changes its kind of core, and pinned leases stay.

mod board;
mod exact;
mod gather;
mod price;
mod room;

use crate::allocate::plural;
use crate::machine::Machine;
use crate::{LeaseId, Leases, NoFit, Placement, Request, allocate, runs};
use board::{Board, CountMove};
use model::{Bytes, CpuSet};
use std::fmt;

pub use price::{Distance, Prices};

/// How far a plan may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many moves.
    pub moves_max: u32,
    /// The most that all moves may cost together.
    pub price_max: u64,
}

/// Moves that make room, in the order in which they are to be made.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The moves.
    pub moves: Vec<Move>,
    /// What they cost together.
    pub price: u64,
    /// How good the plan is known to be.
    pub proof: Proof,
    /// The leases after all moves.
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
    /// The lease.
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
    /// What the move costs.
    pub price: u64,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPlan {
    /// No moves help.
    #[error("no moves make room: {0}")]
    Impossible(Box<NoFit>),
    /// No plan was found within the limits.
    #[error("no plan of at most {limits} was found{}", if *all_seen { "; there is none" } else { "; not all could be looked at" })]
    NotFound {
        /// The limits of a plan.
        limits: Limits,
        /// Whether all plans were examined.
        all_seen: bool,
    },
}

impl Limits {
    /// The only limit is what a search can handle: a plan of more moves would be a new placement of everything.
    pub const WIDE: Self = Self { moves_max: 1000, price_max: u64::MAX };
}

/// Plans the fewest moves, and of those the cheapest, after which a request fits; `None` if it fits already.
///
/// On small machines all plans are examined. On large ones only likely ones are, and the plan reports the least
/// possible number of moves.
///
/// # Errors
/// When no moves help, or no plan was found within the limits.
pub fn make_room(
    leases: &Leases,
    request: &Request,
    prices: &Prices,
    limits: Limits,
) -> Result<Plan, NoPlan> {
    if allocate(leases, request).is_ok() {
        return Ok(carry_out(leases, &[], prices, Proof::Best));
    }
    let board = Board::new(leases, prices);
    let bound = room::fewest_moves(&board, request)
        .ok_or_else(|| NoPlan::Impossible(Box::new(NoFit::of(leases, request))))?;
    match exact::search(&board, request, limits) {
        exact::Outcome::Found(moves) => return Ok(carry_out(leases, &moves, prices, Proof::Best)),
        exact::Outcome::None => return Err(NoPlan::NotFound { limits, all_seen: true }),
        exact::Outcome::TooLarge => {}
    }
    match room::search(board, request, limits) {
        Some(moves) => Ok(carry_out(leases, &moves, prices, Proof::AtLeast(bound))),
        None => Err(NoPlan::NotFound { limits, all_seen: false }),
    }
}

/// Plans moves after which leases spread over narrower parts of the machine and fewer runs of neighbouring cores.
///
/// Each move improves the placement of its lease and worsens no other, so the result is never worse than before; it
/// need not be the best.
pub fn gather(leases: &Leases, prices: &Prices, limits: Limits) -> Plan {
    gather::plan(leases, prices, limits)
}

/// Turns moves that are counted by cell into moves of cores.
fn carry_out(leases: &Leases, moves: &[CountMove], prices: &Prices, proof: Proof) -> Plan {
    let mut after = leases.clone();
    let moves: Vec<Move> = moves
        .iter()
        .map(|count_move| {
            let cores = concrete(&after, count_move);
            relocate(&mut after, count_move.slot, cores, prices)
        })
        .collect();
    Plan { price: moves.iter().map(|made| made.price).sum(), moves, proof, after }
}

/// Chooses the cores of a move: the lease's own where it keeps some in a cell, and free ones for the rest.
fn concrete(leases: &Leases, count_move: &CountMove) -> Vec<u32> {
    let machine = leases.machine();
    let own = &leases.at(count_move.slot).cores;
    let mut cores = Vec::new();
    for (cell, count) in &count_move.to {
        let kept = own.iter().rev().filter(|core| machine.cores[**core as usize].cell == *cell);
        let kept: Vec<u32> = kept.take(*count as usize).copied().collect();
        let missing = *count as usize - kept.len();
        cores.extend(kept);
        runs::take(machine.cells[*cell].cores.clone(), missing, |core| leases.is_free(core), &mut cores);
    }
    cores
}

fn relocate(leases: &mut Leases, slot: usize, cores: Vec<u32>, prices: &Prices) -> Move {
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
        write!(f, "{} move{}", self.moves_max, plural(self.moves_max))?;
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
fn span_of(machine: &Machine, cells: impl Iterator<Item = usize> + Clone) -> crate::Span {
    let holds = |part: usize| cells.clone().all(|cell| machine.parts[part].cells.contains(&cell));
    let parts: Vec<usize> = (0..machine.parts.len()).filter(|part| holds(*part)).collect();
    let inside = |span: &crate::Span| parts.iter().any(|part| machine.is_within(*part, *span));
    crate::Span::ALL.into_iter().find(inside).unwrap_or(crate::Span::Machine)
}
