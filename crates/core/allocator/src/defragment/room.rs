//! Makes room on large machines: chooses a part of the machine and moves leases out of it.

use super::Limits;
use super::board::{Board, CountMove, Need, needs_of};
use crate::choice::{Choice, Counts, Supply};
use crate::machine::Machine;
use crate::{Class, Request};

/// Places tried before the search gives up; each takes about a microsecond.
const TRIES_MAX: u32 = 12_000;
/// A moved lease may make room for itself at its target by moving others; those may not do the same.
const DEPTH_MAX: u32 = 1;
/// How many parts are examined to make room for a lease that was moved away.
const INNER_PARTS_MAX: usize = 8;

/// A part that could be cleared, and the fewest moves that this takes.
struct Candidate {
    part: usize,
    need: usize,
    moves_min: u32,
    missing: u32,
}

struct Search<'b, 'l> {
    board: &'b mut Board<'l>,
    tries: u32,
}

/// Returns the fewest moves that could make room anywhere; `None` if no moves can.
///
/// A lease that leaves a part frees at most the cores that it has there. So the count assumes that the largest leases
/// leave.
pub(crate) fn fewest_moves(board: &Board<'_>, request: &Request) -> Option<u32> {
    let needs: Vec<Need> = needs_of(board.machine(), request);
    let nothing = vec![false; board.free.len()];
    candidates(board, &needs, &nothing).into_iter().map(|candidate| candidate.moves_min).min()
}

/// Looks for moves in likely places: few of them, and of those the cheapest.
pub(crate) fn search(mut board: Board<'_>, request: &Request, limits: Limits) -> Option<Vec<CountMove>> {
    let needs: Vec<Need> = needs_of(board.machine(), request);
    let nothing = vec![false; board.free.len()];
    let mut search = Search { board: &mut board, tries: 0 };
    search.best(&needs, &nothing, usize::MAX, limits, 0)
}

/// Lists the parts in which there could be room, those with few moves first.
fn candidates(board: &Board<'_>, needs: &[Need], banned: &[bool]) -> Vec<Candidate> {
    let machine = board.machine();
    let mut found = Vec::new();
    for (at, need) in needs.iter().enumerate() {
        let open = Need { class: Class::Compute, ..need.clone() };
        let free = board.supply(need, None, banned);
        let unbarred = board.supply(&open, None, banned);
        // For each cell, the leases in it and how many cores each would free.
        let mut gains: Vec<Vec<(usize, u32)>> = vec![Vec::new(); machine.cells.len()];
        for (slot, counts) in board.counts.iter().enumerate().filter(|(slot, _)| board.needs[*slot].is_some())
        {
            for (cell, count) in counts {
                if !banned[*cell] && board.may_use(&open, None, *cell) {
                    gains[*cell].push((slot, *count));
                }
            }
        }
        let mut by_slot = vec![0u32; board.counts.len()];
        for part in machine.by_rank.iter().copied().filter(|part| machine.is_within(*part, need.within)) {
            let missing = need.cores.saturating_sub(unbarred.of_part(machine, part));
            let slots = gains[machine.parts[part].cells.clone()].iter().flatten();
            for (slot, count) in slots.clone() {
                by_slot[*slot] += count;
            }
            let mut sizes: Vec<u32> =
                slots.map(|(slot, _)| std::mem::take(&mut by_slot[*slot])).filter(|size| *size > 0).collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            let mut left = missing;
            let moves = sizes.iter().take_while(|size| {
                let goes_on = left > 0;
                left = left.saturating_sub(**size);
                goes_on
            });
            let mut moves_min = moves.count() as u32;
            if left > 0 {
                continue;
            }
            // Enough is free, so it is the neighbours that are in the way.
            if moves_min == 0 && free.of_part(machine, part) < need.cores {
                moves_min = 1;
            }
            found.push(Candidate { part, need: at, moves_min, missing });
        }
    }
    found.sort_by_key(|candidate| (candidate.moves_min, candidate.missing));
    found
}

impl Search<'_, '_> {
    fn best(
        &mut self,
        needs: &[Need],
        banned: &[bool],
        parts_max: usize,
        limits: Limits,
        depth: u32,
    ) -> Option<Vec<CountMove>> {
        let mut best: Option<(usize, u64, Vec<CountMove>)> = None;
        for candidate in candidates(self.board, needs, banned).into_iter().take(parts_max) {
            let fewest = candidate.moves_min as usize;
            let hopeless = best.as_ref().is_some_and(|(moves, ..)| fewest > *moves);
            if hopeless || candidate.moves_min > limits.moves_max || self.tries > TRIES_MAX {
                break;
            }
            for cheap_first in [false, true] {
                let moves =
                    self.clear(&candidate, &needs[candidate.need], banned, cheap_first, limits, depth);
                let Some(moves) = moves else { continue };
                let cost = (moves.len(), moves.iter().map(|made| made.price).sum::<u64>());
                let within = cost.0 <= limits.moves_max as usize && cost.1 <= limits.price_max;
                if within && best.as_ref().is_none_or(|best| cost < (best.0, best.1)) {
                    best = Some((cost.0, cost.1, moves));
                }
            }
        }
        best.map(|(.., moves)| moves)
    }

    /// Moves leases out of a part until there is room; leaves the board as it was.
    fn clear(
        &mut self,
        candidate: &Candidate,
        need: &Need,
        banned: &[bool],
        cheap_first: bool,
        limits: Limits,
        depth: u32,
    ) -> Option<Vec<CountMove>> {
        let machine = self.board.machine();
        let cells = machine.parts[candidate.part].cells.clone();
        // Cleared cells must not be filled again; cells banned before stay banned.
        let mut closed = banned.to_vec();
        closed[cells.clone()].fill(true);
        let mut tried = vec![false; self.board.counts.len()];
        let mut moves: Vec<CountMove> = Vec::new();
        let had = |board: &Board<'_>| board.supply(need, None, banned).of_part(machine, candidate.part);
        let mut missing = need.cores.saturating_sub(had(self.board));
        while missing > 0 && moves.len() < limits.moves_max as usize && self.tries <= TRIES_MAX {
            let Some(slot) = self.victim(need, &cells, missing, &tried, cheap_first) else { break };
            tried[slot] = true;
            let inner = Limits { moves_max: limits.moves_max - moves.len() as u32, ..limits };
            if let Some(made) = self.evict(slot, &closed, inner, depth) {
                moves.extend(made);
                missing = need.cores.saturating_sub(had(self.board));
            }
        }
        for made in moves.iter().rev() {
            self.board.undo(made);
        }
        (missing == 0).then_some(moves)
    }

    /// Chooses the lease to move next: the smallest that frees all that is missing, or else the largest.
    fn victim(
        &mut self,
        need: &Need,
        cells: &std::ops::Range<usize>,
        missing: u32,
        tried: &[bool],
        cheap_first: bool,
    ) -> Option<usize> {
        let board = &mut *self.board;
        let mut gains: Vec<(u32, usize)> = Vec::new();
        for (slot, is_tried) in tried.iter().enumerate() {
            let inside = board.counts[slot].iter().filter(|(cell, _)| cells.contains(cell));
            if *is_tried || board.needs[slot].is_none() || inside.clone().next().is_none() {
                continue;
            }
            let gain = match need.class {
                Class::Compute => {
                    inside.filter(|(cell, _)| board.may_use(need, None, *cell)).map(|(_, count)| count).sum()
                }
                // Its leaving may also make free cores usable for the request.
                Class::MemoryBound { .. } => {
                    let had = |board: &Board<'_>| {
                        let mine = |cell: &usize| board.may_use(need, None, *cell);
                        cells.clone().filter(mine).map(|cell| board.free[cell]).sum::<u32>()
                    };
                    let before = had(board);
                    let counts = board.counts[slot].clone();
                    board.put(slot, Counts::new());
                    let gain = had(board) - before;
                    board.put(slot, counts);
                    // If several leases are in the way, moving the first frees nothing yet.
                    gain.max(u32::from(board.leases.at(slot).request.class != Class::Compute))
                }
            };
            if gain > 0 {
                gains.push((gain, slot));
            }
        }
        let price = |slot: usize| {
            let lease = board.leases.at(slot);
            (lease.memory.0, lease.cores.len())
        };
        let enough = gains.iter().filter(|(gain, _)| *gain >= missing);
        let enough = match cheap_first {
            true => enough.min_by_key(|(gain, slot)| (price(*slot), *gain)),
            false => enough.min_by_key(|(gain, slot)| (*gain, price(*slot))),
        };
        enough
            .or_else(|| gains.iter().max_by_key(|(gain, slot)| (*gain, std::cmp::Reverse(price(*slot)))))
            .map(|(_, slot)| *slot)
    }

    /// Moves a lease to the nearest place outside the closed cells, making room there if necessary.
    fn evict(&mut self, slot: usize, closed: &[bool], limits: Limits, depth: u32) -> Option<Vec<CountMove>> {
        self.tries += 1;
        let need = self.board.needs[slot].clone()?;
        let supply = self.board.supply(&need, Some(slot), closed);
        if let Some(choice) =
            nearest_first(self.board.machine(), &supply, &need, &self.board.counts[slot]).next()
        {
            return Some(vec![self.board.make(slot, choice.counts)]);
        }
        if depth >= DEPTH_MAX || limits.moves_max < 2 {
            return None;
        }
        let limits = Limits { moves_max: limits.moves_max - 1, ..limits };
        // Taken off the board, so that it does not block itself.
        let stays = self.board.needs[slot].take();
        let inner = self.best(std::slice::from_ref(&need), closed, INNER_PARTS_MAX, limits, depth + 1);
        self.board.needs[slot] = stays;
        let mut moves = inner?;
        for made in &moves {
            self.board.put(made.slot, made.to.clone());
        }
        let supply = self.board.supply(&need, Some(slot), closed);
        match nearest_first(self.board.machine(), &supply, &need, &self.board.counts[slot]).next() {
            Some(choice) => {
                moves.push(self.board.make(slot, choice.counts));
                Some(moves)
            }
            None => {
                for made in moves.iter().rev() {
                    self.board.undo(made);
                }
                None
            }
        }
    }
}

/// Chooses the best place in ever wider surroundings of where a lease is.
pub(crate) fn nearest_first<'a>(
    machine: &'a Machine,
    supply: &'a Supply,
    need: &'a Need,
    from: &Counts,
) -> impl Iterator<Item = Choice> + 'a {
    let holds = |part: &usize| from.iter().all(|(cell, _)| machine.parts[*part].cells.contains(cell));
    // Of nested parts the inner one comes later.
    let innermost = (0..machine.parts.len()).filter(holds).max();
    let around = std::iter::successors(innermost, |part| machine.parts[*part].parent);
    around.filter_map(|around| {
        let part = supply.best_part_in(machine, need.cores, need.within, around)?;
        let mut counts = Counts::new();
        supply.fill(machine, part, need.cores, &mut counts);
        Some(Choice { part, counts })
    })
}
