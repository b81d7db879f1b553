//! A long line in tiles: each goes through many iterations while it is in the cache.
//!
//! A tile has copies of its neighbours' nodes (ghosts), one for each iteration that it does alone; the part that is
//! right shrinks by one node on each side and iteration, and is the tile itself at the end.

use super::aligned::{ALIKE, Aligned, LINE, opposite};
use super::rule::Rule;
use super::{Observed, SimulateError};
use crate::model::Ends;
use crate::simd::{Rows, Run, Stepper, soon_count};
use rayon::prelude::*;

/// Nodes of a tile: with two sources it and its scratch take 32 KiB of the first cache's 48.
const TILE: usize = 2048;
/// Iterations at once: even, so that times end where they began.
const DEPTH: usize = 32;

pub(super) struct Line {
    tiles: Vec<Tile>,
    nodes: u64,
    room: u64,
}

struct Tile {
    /// Its first node.
    first: u64,
    below: usize,
    nodes: usize,
    above: usize,
    /// A margin, ghosts, nodes, ghosts, what fills the last vector, a margin.
    times: Aligned,
    /// Without margins; what fills the last vector has no detours.
    next: Vec<Aligned>,
    /// When the first rare source strikes in each block.
    soon: Vec<u32>,
}

/// Nodes at one end of a tile.
struct Edge {
    times: Vec<u32>,
    next: Vec<Vec<u32>>,
}

impl Line {
    /// The least number of nodes that makes more than one tile.
    pub(super) const NODES_MIN: u64 = 2 * TILE as u64;

    /// Sets up the line at time 0.
    pub(super) fn new(rule: &Rule, ends: Ends, nodes: u64) -> Self {
        let count = nodes / TILE as u64;
        let tiles = (0..count)
            .into_par_iter()
            .map(|tile| {
                let (first, end) = (nodes * tile / count, nodes * (tile + 1) / count);
                let below = if tile > 0 || ends == Ends::Periodic { DEPTH } else { 0 };
                let above = if tile + 1 < count || ends == Ends::Periodic { DEPTH } else { 0 };
                let own = (end - first) as usize;
                let full = (below + own + above).next_multiple_of(LINE);
                let mut next: Vec<_> = rule.beats().iter().map(|_| Aligned::new(full, u32::MAX)).collect();
                for (source, next) in next.iter_mut().enumerate() {
                    for (at, event) in next[below..below + own].iter_mut().enumerate() {
                        *event = rule.first(source, first + at as u64);
                    }
                }
                let times = Aligned::new(full + 2 * LINE, 0);
                Tile { first, below, nodes: own, above, times, next, soon: vec![0; soon_count(full)] }
            })
            .collect();
        Self { tiles, nodes, room: rule.room(0) }
    }

    /// Does this many iterations.
    pub(super) fn advance(
        &mut self,
        rule: &mut Rule,
        stepper: &Stepper,
        mut iterations: u64,
    ) -> Result<(), SimulateError> {
        while iterations > 0 {
            if self.room == 0 {
                self.move_base(rule)?;
            }
            let depth = (DEPTH as u64).min(iterations).min(self.room);
            self.exchange();
            let (nodes, rule) = (self.nodes, &*rule);
            self.tiles.par_iter_mut().for_each_init(Aligned::default, |scratch, tile| {
                tile.advance(rule, stepper, nodes, depth as usize, scratch);
            });
            iterations -= depth;
            self.room -= depth;
        }
        Ok(())
    }

    fn move_base(&mut self, rule: &mut Rule) -> Result<(), SimulateError> {
        let (low, high) = self
            .tiles
            .par_iter()
            .map(|tile| {
                let times = tile.own().iter().copied();
                times.fold((u32::MAX, 0), |(low, high), time| (time.min(low), time.max(high)))
            })
            .reduce(|| (u32::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        // Random gaps tell parts from wholes by the lowest bit.
        let by = low & !1;
        self.tiles.par_iter_mut().for_each(|tile| {
            let own = tile.below..tile.below + tile.nodes;
            tile.times[own.start + LINE..own.end + LINE].iter_mut().for_each(|time| *time -= by);
            tile.next.iter_mut().for_each(|next| next[own.clone()].iter_mut().for_each(|event| *event -= by));
        });
        rule.move_base(&[by]);
        self.room = rule.room(high - by);
        if self.room == 0 { Err(SimulateError::Apart) } else { Ok(()) }
    }

    fn exchange(&mut self) {
        let edges: Vec<(Edge, Edge)> = self.tiles.par_iter().map(Tile::edges).collect();
        let count = edges.len();
        self.tiles.par_iter_mut().enumerate().for_each(|(at, tile)| {
            if tile.below > 0 {
                let (_, upper) = &edges[(at + count - 1) % count];
                upper.put(tile, 0);
            }
            if tile.above > 0 {
                let (lower, _) = &edges[(at + 1) % count];
                lower.put(tile, tile.below + tile.nodes);
            }
        });
    }

    /// Returns where it stands.
    pub(super) fn observe(&self, rule: &Rule) -> Observed {
        let of = |tile: &Tile| {
            let sum: u64 = tile.own().iter().map(|time| u64::from(*time)).sum();
            (tile.own().iter().copied().max().unwrap_or(0), sum)
        };
        let (max, sum) = self.tiles.par_iter().map(of).reduce(|| (0, 0), |a, b| (a.0.max(b.0), a.1 + b.1));
        let edge = self.tiles.last().and_then(|tile| tile.own().last()).copied().unwrap_or(0);
        let ns = |ticks: f64| (rule.base(0) as f64 + ticks) * rule.tick_ns();
        Observed {
            edge_ns: ns(f64::from(edge)),
            maximum_ns: ns(f64::from(max)),
            mean_ns: ns(sum as f64 / self.nodes as f64),
        }
    }

    /// Returns how many bytes it keeps between iterations.
    pub(super) fn bytes(&self) -> usize {
        let words = |tile: &Tile| {
            tile.times.len() + tile.soon.len() + tile.next.iter().map(|next| next.len()).sum::<usize>()
        };
        self.tiles.iter().map(words).sum::<usize>() * 4
    }
}

impl Edge {
    fn put(&self, tile: &mut Tile, at: usize) {
        tile.times[at + LINE..][..DEPTH].copy_from_slice(&self.times);
        for (next, from) in tile.next.iter_mut().zip(&self.next) {
            next[at..][..DEPTH].copy_from_slice(from);
        }
    }
}

impl Tile {
    fn own(&self) -> &[u32] {
        &self.times[self.below + LINE..][..self.nodes]
    }

    fn edges(&self) -> (Edge, Edge) {
        let copy = |at: usize| Edge {
            times: self.times[at + LINE..][..DEPTH].to_vec(),
            next: self.next.iter().map(|next| next[at..][..DEPTH].to_vec()).collect(),
        };
        (copy(self.below), copy(self.below + self.nodes - DEPTH))
    }

    fn advance(&mut self, rule: &Rule, stepper: &Stepper, nodes: u64, depth: usize, scratch: &mut Aligned) {
        let total = self.below + self.nodes + self.above;
        let full = total.next_multiple_of(LINE);
        // The margins of an open end are 0, which changes no maximum.
        scratch.reset(full + 2 * LINE + ALIKE, 0);
        let from = opposite(scratch, &self.times);
        let scratch = &mut scratch[from..][..full + 2 * LINE];
        stepper.look_ahead(rule, &mut self.next, 0, full, &mut self.soon);
        let first = (self.first + nodes - self.below as u64) % nodes;
        let run = Run { count: 1, to: LINE, first, ..Run::default() };
        for level in 1..=depth {
            let (from, to): (&[u32], &mut [u32]) =
                if level % 2 == 1 { (&self.times, scratch) } else { (scratch, &mut self.times) };
            // Whole vectors, also of ghosts that are wrong by now: what is right does not see them.
            let (next, soon) = (&mut self.next[..], &mut self.soon[..]);
            let mut step = Rows {
                around: from,
                shift: 1,
                sees: &[],
                to,
                next,
                soon,
                full,
                stride: full,
                width: nodes,
                runs: &[run],
            };
            stepper.step(rule, &mut step);
            to[LINE + total..].fill(0);
        }
        if depth % 2 == 1 {
            let own = LINE + self.below..LINE + self.below + self.nodes;
            self.times[own.clone()].copy_from_slice(&scratch[own]);
        }
    }
}
