//! Brings the cores of scattered leases together again.

use super::board::{Board, count};
use super::room::nearest_first;
use super::{Limits, Move, Plan, Prices, Proof, price, relocate};
use crate::machine::Machine;
use crate::{Leases, runs};

/// Passes over all leases; moves of one pass may free cores that another lease waits for.
const PASSES_MAX: usize = 8;

/// How scattered some cores are: how wide a span, how many caches, how many runs.
type Scatter = (usize, usize, usize);

pub(crate) fn plan(leases: &Leases, prices: &Prices, limits: Limits) -> Plan {
    let mut after = leases.clone();
    let mut board = Board::new(leases, prices);
    let mut moves: Vec<Move> = Vec::new();
    let mut paid = 0u64;
    for _ in 0..PASSES_MAX {
        let before = moves.len();
        let mut scattered: Vec<(Scatter, usize)> = (0..after.slot_count())
            .filter_map(|slot| after.slot(slot).map(|lease| (scatter(after.machine(), &lease.cores), slot)))
            .collect();
        // The worst first: it has the most to gain from what is free now.
        scattered.sort_unstable_by(|a, b| b.cmp(a));
        for (scatter, slot) in scattered {
            if moves.len() >= limits.moves_max as usize {
                break;
            }
            let Some(cores) = better(&after, &board, slot, scatter) else { continue };
            let (.., price) = price::of_cores(after.machine(), prices, after.at(slot), &cores);
            if paid.saturating_add(price) <= limits.price_max {
                paid += price;
                board.put(slot, count(after.machine(), &cores));
                moves.push(relocate(&mut after, slot, cores, prices));
            }
        }
        if moves.len() == before {
            break;
        }
    }
    Plan { moves, price: paid, proof: Proof::AtLeast(0), after }
}

/// Finds the cores on which a lease is most compact, its own counting as free; of those the nearest.
fn better(leases: &Leases, board: &Board<'_>, slot: usize, now: Scatter) -> Option<Vec<u32>> {
    let machine = leases.machine();
    if now == (0, 1, 1) {
        return None;
    }
    let need = board.needs[slot].as_ref()?;
    let supply = board.supply(need, Some(slot), &[]);
    let own = &leases.at(slot).cores;
    let is_free = |core: usize| leases.is_free(core) || own.contains(&(core as u32));
    let places = nearest_first(machine, &supply, need, &board.counts[slot]).map(|choice| {
        let mut cores = Vec::new();
        for (cell, count) in choice.counts {
            runs::take(machine.cells[cell].cores.clone(), count as usize, is_free, &mut cores);
        }
        cores.sort_unstable();
        cores
    });
    places.filter(|cores| scatter(machine, cores) < now).min_by_key(|cores| scatter(machine, cores))
}

fn scatter(machine: &Machine, cores: &[u32]) -> Scatter {
    let holds =
        |part: &&usize| cores.iter().all(|core| machine.parts[**part].cores.contains(&(*core as usize)));
    let rank = machine.by_rank.iter().find(holds).and_then(|part| machine.parts[*part].rank);
    let mut caches: Vec<usize> = cores.iter().map(|core| machine.cell_of(*core as usize).cache).collect();
    caches.sort_unstable();
    caches.dedup();
    let runs = cores.windows(2).filter(|pair| pair[1] != pair[0] + 1).count() + 1;
    (rank.unwrap_or(usize::MAX), caches.len(), runs)
}
