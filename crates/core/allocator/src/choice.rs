//! Where to place cores, counted by cell: which part of the machine, and how many cores of each of its cells.

use crate::Span;
use crate::machine::Machine;
use std::cmp::Reverse;

/// How many cores are available in each cell, ready to be summed over any part.
pub(crate) struct Supply {
    /// Sums of all cells before each one.
    sums: Vec<u32>,
}

/// Cores by cell.
pub(crate) type Counts = Vec<(usize, u32)>;

/// A part of the machine that has room, and what would be taken from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub part: usize,
    pub counts: Counts,
}

impl Supply {
    /// Counts for each cell what `free` returns.
    pub fn new(machine: &Machine, mut free: impl FnMut(usize) -> u32) -> Self {
        let mut sums = Vec::with_capacity(machine.cells.len() + 1);
        let mut sum = 0;
        sums.push(sum);
        for cell in 0..machine.cells.len() {
            sum += free(cell);
            sums.push(sum);
        }
        Self { sums }
    }

    /// Counts the available cores of a part.
    pub fn of_part(&self, machine: &Machine, part: usize) -> u32 {
        let cells = &machine.parts[part].cells;
        self.sums[cells.end] - self.sums[cells.start]
    }

    pub fn of_cell(&self, cell: usize) -> u32 {
        self.sums[cell + 1] - self.sums[cell]
    }

    /// Finds the best part for some cores within a span: the narrowest that holds them; of those the one with the
    /// fewest free cores, so that large blocks stay whole; then the one in the fullest surroundings; then the one with
    /// the higher numbers, since the lowest CPUs serve most interrupts.
    pub fn best_part(&self, machine: &Machine, cores: u32, within: Span) -> Option<usize> {
        self.best_part_in(machine, cores, within, 0)
    }

    /// Finds the best part for some cores in another part.
    pub fn best_part_in(&self, machine: &Machine, cores: u32, within: Span, outer: usize) -> Option<usize> {
        let outer = &machine.parts[outer].cells;
        let mut best: Option<(usize, u32)> = None;
        for part in &machine.by_rank {
            let part = *part;
            if let Some((chosen, _)) = best
                && machine.parts[chosen].rank != machine.parts[part].rank
            {
                break;
            }
            let had = self.of_part(machine, part);
            let cells = &machine.parts[part].cells;
            let is_inside = outer.start <= cells.start && cells.end <= outer.end;
            if had < cores || !is_inside || !machine.is_within(part, within) {
                continue;
            }
            // By number a later part is the higher one, so that it also wins where all else is the same.
            let better = best.is_none_or(|(chosen, least)| {
                had < least
                    || (had == least
                        && self.surroundings(machine, part).le(self.surroundings(machine, chosen)))
            });
            if better {
                best = Some((part, had));
            }
        }
        best.map(|(part, _)| part)
    }

    /// Returns how many cores are available in the parts around one, from the nearest.
    fn surroundings<'s>(&'s self, machine: &'s Machine, part: usize) -> impl Iterator<Item = u32> + 's {
        let around = |part: &usize| machine.parts[*part].parent;
        std::iter::successors(machine.parts[part].parent, around).map(|part| self.of_part(machine, part))
    }

    /// Chooses where some cores go; `None` if no part within the span holds them.
    pub fn choose(&self, machine: &Machine, cores: u32, within: Span) -> Option<Choice> {
        let part = self.best_part(machine, cores, within)?;
        let mut counts = Counts::new();
        self.fill(machine, part, cores, &mut counts);
        Some(Choice { part, counts })
    }

    /// Takes cores of a part from as few of its children as can be, and so on inside the last of them.
    pub fn fill(&self, machine: &Machine, part: usize, mut cores: u32, counts: &mut Counts) {
        let children = &machine.parts[part].children;
        if children.is_empty() {
            let cells = machine.parts[part].cells.clone();
            let mut open: Vec<(u32, usize)> =
                cells.map(|cell| (self.of_cell(cell), cell)).filter(|(had, _)| *had > 0).collect();
            while cores > 0 {
                let (had, cell) = take_next(&mut open, cores);
                counts.push((cell, had.min(cores)));
                cores -= had.min(cores);
            }
            return;
        }
        let mut open: Vec<(u32, usize)> = children
            .iter()
            .map(|child| (self.of_part(machine, *child), *child))
            .filter(|(had, _)| *had > 0)
            .collect();
        while cores > 0 {
            let (had, child) = take_next(&mut open, cores);
            self.fill(machine, child, had.min(cores), counts);
            cores -= had.min(cores);
        }
    }
}

/// Takes the smallest that holds all, or else the largest; of equal ones the last.
fn take_next(open: &mut Vec<(u32, usize)>, cores: u32) -> (u32, usize) {
    let holds = (0..open.len())
        .filter(|at| open[*at].0 >= cores)
        .min_by_key(|at| (open[*at].0, Reverse(open[*at].1)));
    let next = holds.or_else(|| (0..open.len()).max_by_key(|at| open[*at]));
    open.swap_remove(next.expect("the part holds what is taken of it"))
}
