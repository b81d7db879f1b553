//! All plans of a small machine, the best first.

use super::Limits;
use super::board::{Board, CountMove, Need};
use crate::Request;
use crate::choice::Counts;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// States examined before the search gives up: some milliseconds.
const STATES_MAX: usize = 4_000;
/// Larger machines have more states than that after one move.
const LEASES_MAX: usize = 24;
const CELLS_MAX: usize = 12;

pub(crate) enum Outcome {
    Found(Vec<CountMove>),
    /// There is no plan within the limits.
    None,
    TooLarge,
}

/// Where every lease is.
type State = Vec<Counts>;

/// A way to a state.
struct Route {
    state: State,
    /// The previous state, and the move that leads here.
    before: Option<(usize, CountMove)>,
}

/// Looks for the plan with the fewest moves, and of those the cheapest.
pub(crate) fn search(board: &Board<'_>, request: &Request, limits: Limits) -> Outcome {
    let movable = board.needs.iter().flatten().count();
    if movable > LEASES_MAX || board.machine().cells.len() > CELLS_MAX {
        return Outcome::TooLarge;
    }
    let mut board = board.clone();
    let mut ways = vec![Route { state: board.counts.clone(), before: None }];
    // A state may be reached in fewer moves for a higher price, which matters where the price is limited.
    let mut seen: BTreeMap<State, Vec<(u32, u64)>> = BTreeMap::new();
    seen.insert(board.counts.clone(), vec![(0, 0)]);
    let mut open = BinaryHeap::from([Reverse((0u32, 0u64, 0usize))]);
    while let Some(Reverse((moves, price, at))) = open.pop() {
        for (slot, counts) in ways[at].state.clone().into_iter().enumerate() {
            if board.counts[slot] != counts {
                // Taken off the board first, since another lease may still be at the target.
                board.put(slot, Counts::new());
            }
        }
        for (slot, counts) in ways[at].state.clone().into_iter().enumerate() {
            if board.counts[slot] != counts {
                board.put(slot, counts);
            }
        }
        if board.fits(request) {
            return Outcome::Found(way_to(&ways, at));
        }
        if moves >= limits.moves_max {
            continue;
        }
        for slot in 0..board.counts.len() {
            let Some(need) = board.needs[slot].clone() else { continue };
            let Some(targets) = targets(&board, slot, &need) else { return Outcome::TooLarge };
            for to in targets {
                let made = board.make(slot, to);
                let label = (moves + 1, price.saturating_add(made.price));
                let labels = seen.entry(board.counts.clone()).or_default();
                let known = labels.iter().any(|known| known.0 <= label.0 && known.1 <= label.1);
                if label.1 <= limits.price_max && !known {
                    labels.push(label);
                    ways.push(Route { state: board.counts.clone(), before: Some((at, made.clone())) });
                    open.push(Reverse((label.0, label.1, ways.len() - 1)));
                }
                board.undo(&made);
                if ways.len() > STATES_MAX {
                    return Outcome::TooLarge;
                }
            }
        }
    }
    Outcome::None
}

fn way_to(ways: &[Route], mut at: usize) -> Vec<CountMove> {
    let mut moves = Vec::new();
    while let Some((before, made)) = &ways[at].before {
        moves.push(made.clone());
        at = *before;
    }
    moves.reverse();
    moves
}

/// Lists all cells, with counts, to which a lease could move now; `None` if there are too many.
fn targets(board: &Board<'_>, slot: usize, need: &Need) -> Option<Vec<Counts>> {
    let machine = board.machine();
    let supply = board.supply(need, Some(slot), &[]);
    let mut open: Vec<(usize, u32, Counts)> = vec![(0, need.cores, Counts::new())];
    let mut targets: Vec<Counts> = Vec::new();
    while let Some((cell, missing, counts)) = open.pop() {
        if missing == 0 {
            let cells = counts.iter().map(|(cell, _)| *cell);
            let holds = |part: usize| cells.clone().all(|cell| machine.parts[part].cells.contains(&cell));
            let allowed = |part| machine.is_within(part, need.within) && holds(part);
            if counts != board.counts[slot] && (0..machine.parts.len()).any(allowed) {
                targets.push(counts);
            }
            continue;
        }
        if cell == machine.cells.len() {
            continue;
        }
        for taken in 0..=supply.of_cell(cell).min(missing) {
            let mut counts = counts.clone();
            if taken > 0 {
                counts.push((cell, taken));
            }
            open.push((cell + 1, missing - taken, counts));
        }
        if open.len() + targets.len() > STATES_MAX {
            return None;
        }
    }
    Some(targets)
}
