//! Plans of moves that make room.
//!
//! A plan is data: an ordered list of moves, each to cores that are free at that point or the lease's own. So two
//! leases never swap places directly: one of them moves through free cores, or the plan is a different one.
//!
//! No lease is spread over a wider part of the machine than before or changes its kind of core, and pinned leases stay.

mod board;
mod exact;
mod gather;
mod plan;
mod price;
mod room;

use crate::{Leases, NoFit, Request, allocate, runs};
use board::{Board, CountMove};
pub use plan::{Limits, Move, Plan, Proof};
use plan::{relocate, span_of};

pub use price::{Distance, Prices};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPlan {
    /// No moves help.
    #[error("no moves make room: {0}")]
    Impossible(Box<NoFit>),
    /// No plan was found within the limits.
    #[error("no plan of at most {limits} was found{}", if *all_seen { "; there is none" } else { "; not all could be checked" })]
    NotFound {
        limits: Limits,
        /// Whether all plans were examined.
        all_seen: bool,
    },
}

/// Plans the fewest moves, and of those the cheapest, after which a request fits; `None` if it fits already.
///
/// On small machines all plans are examined. On large ones only likely ones are, and the plan reports the least
/// possible number of moves.
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
