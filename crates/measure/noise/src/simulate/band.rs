//! Some slabs of a lattice, which do several iterations alone as a wave.

use super::aligned::{ALIKE, Aligned, LINE, opposite};
use super::rule::Rule;
use super::shape::Shape;
use crate::model::Ends;
use crate::simd::{Rows, Run, Stepper, soon_count};

/// How a wave goes through the slabs of a band.
#[derive(Clone, Copy)]
pub(super) struct Wave {
    /// Iterations at once.
    pub(super) depth: usize,
    /// Slabs of an iteration before the next iteration's turn.
    pub(super) group: usize,
}

pub(super) struct Band {
    /// Its first slab in the lattice.
    first: usize,
    /// Its own slabs.
    pub(super) slabs: usize,
    /// Ghost slabs below and above.
    pub(super) below: usize,
    pub(super) above: usize,
    /// Times of ghosts and own slabs.
    pub(super) times: Aligned,
    /// Next detours of ghosts and own slabs, for each source; what fills a row's last vector has none.
    pub(super) next: Vec<Aligned>,
    /// When the first rare source strikes in each block.
    pub(super) soon: Vec<u32>,
}

/// Slabs at one end of a band.
pub(super) struct Edge {
    times: Vec<u32>,
    next: Vec<Vec<u32>>,
    soon: Vec<u32>,
}

impl Edge {
    pub(super) fn put(&self, shape: &Shape, band: &mut Band, at: usize) {
        band.times[at * shape.slab()..][..self.times.len()].copy_from_slice(&self.times);
        for (next, from) in band.next.iter_mut().zip(&self.next) {
            next[at * shape.numbers()..][..from.len()].copy_from_slice(from);
        }
        band.soon[at * shape.soon()..][..self.soon.len()].copy_from_slice(&self.soon);
    }
}

/// Slabs between the first and the last iteration of a wave: for each iteration the few that the next one reads.
#[derive(Default)]
pub(super) struct Rings {
    times: Aligned,
    /// Of three rows the highest, where a stencil wants that.
    highest: Aligned,
    /// Where the rows of a group lie.
    runs: Vec<Run>,
    /// What it was used for last.
    shape: Option<Shape>,
}

impl Rings {
    /// Makes it so long for a shape, with zeros where nothing will be written: beyond the ends of rows.
    fn fit(&mut self, shape: &Shape, count: usize) {
        if self.shape != Some(*shape) || self.times.len() < count {
            self.times.reset(count, 0);
            self.shape = Some(*shape);
        }
    }
}

/// Where slabs lie: one behind the other, from the begin again at the end.
#[derive(Clone, Copy)]
struct SlabRing {
    step: usize,
    end: usize,
}

impl SlabRing {
    /// A ring of this many slabs: from one to the next is at least a slab, and that much less than a multiple of [`ALIKE`] that
    /// what an iteration reads lies before what it writes, as loads that wait for stores see it.
    fn ring(shape: &Shape, slabs: usize) -> Self {
        let less = if shape.rows > 1 { 6 * LINE } else { 4 * LINE };
        let step = (shape.slab() + less).next_multiple_of(ALIKE) - less;
        Self { step, end: slabs * step }
    }

    fn of(self, slab: usize) -> usize {
        slab * self.step % self.end
    }

    /// Returns where the slab behind the one at a place is.
    fn after(self, place: usize) -> usize {
        if place + self.step == self.end { 0 } else { place + self.step }
    }
}

impl Band {
    pub(super) fn new(
        rule: &Rule,
        stepper: &Stepper,
        shape: &Shape,
        depth: usize,
        first: usize,
        end: usize,
    ) -> Self {
        let periodic = shape.ends == Ends::Periodic && shape.slabs > 1;
        let below = if periodic || first > 0 { depth } else { 0 };
        let above = if periodic || end < shape.slabs { depth } else { 0 };
        let slabs = end - first;
        let total = below + slabs + above;
        let empty = |_: &super::Beat| Aligned::new(total * shape.numbers(), u32::MAX);
        let mut next: Vec<Aligned> = rule.beats().iter().map(empty).collect();
        for (source, next) in next.iter_mut().enumerate() {
            let own = &mut next[below * shape.numbers()..][..slabs * shape.numbers()];
            for (row, events) in own.chunks_exact_mut(shape.full()).enumerate() {
                let from = first * shape.nodes() + row * shape.width;
                for (at, event) in events[..shape.width].iter_mut().enumerate() {
                    *event = rule.first(source, (from + at) as u64);
                }
            }
        }
        let (times, soon) = (Aligned::new(total * shape.slab(), 0), vec![u32::MAX; total * shape.soon()]);
        let mut band = Self { first, slabs, below, above, times, next, soon };
        band.look_ahead(rule, stepper, shape);
        band
    }

    /// Finds when rare sources strike its own slabs.
    fn look_ahead(&mut self, rule: &Rule, stepper: &Stepper, shape: &Shape) {
        let count = soon_count(shape.full());
        for row in self.below * shape.rows..(self.below + self.slabs) * shape.rows {
            let (event, soon) = (row * shape.full(), &mut self.soon[row * count..][..count]);
            stepper.look_ahead(rule, &mut self.next, event, shape.full(), soon);
        }
    }

    /// Its own rows, without margins.
    pub(super) fn rows<'b>(&'b self, shape: &'b Shape) -> impl Iterator<Item = &'b [u32]> {
        self.times[self.below * shape.slab()..][..self.slabs * shape.slab()]
            .chunks_exact(shape.slab())
            .flat_map(|slab| shape.rows_of(slab))
    }

    pub(super) fn move_base(&mut self, rule: &Rule, stepper: &Stepper, shape: &Shape, by: &[u32]) {
        let own = self.below * shape.slab()..(self.below + self.slabs) * shape.slab();
        for slab in self.times[own].chunks_exact_mut(shape.slab()) {
            for row in 0..shape.rows {
                let own = &mut slab[row * shape.stride() + LINE..][..shape.width];
                own.iter_mut().zip(by.iter().cycle()).for_each(|(time, by)| *time -= by);
                shape.close(&mut slab[row * shape.stride()..]);
            }
        }
        let own = self.below * shape.numbers()..(self.below + self.slabs) * shape.numbers();
        for next in &mut self.next {
            for row in next[own.clone()].chunks_exact_mut(shape.full()) {
                row[..shape.width].iter_mut().zip(by.iter().cycle()).for_each(|(event, by)| *event -= by);
            }
        }
        self.look_ahead(rule, stepper, shape);
    }

    /// Copies what the bands below and above need.
    pub(super) fn edges(&self, shape: &Shape, depth: usize) -> (Edge, Edge) {
        let slabs = depth.min(self.slabs);
        let part = |all: &[u32], at: usize, size: usize| all[at * size..][..slabs * size].to_vec();
        let copy = |at: usize| Edge {
            times: part(&self.times, at, shape.slab()),
            next: self.next.iter().map(|next| part(next, at, shape.numbers())).collect(),
            soon: part(&self.soon, at, shape.soon()),
        };
        (copy(self.below), copy(self.below + self.slabs - slabs))
    }

    /// Returns how many bytes it keeps between iterations.
    pub(super) fn bytes(&self) -> usize {
        let next: usize = self.next.iter().map(|next| next.len()).sum();
        (self.times.len() + next + self.soon.len()) * 4
    }

    /// Does some iterations of its own slabs, and of as many of its ghosts as that takes.
    pub(super) fn advance(
        &mut self,
        rule: &Rule,
        stepper: &Stepper,
        shape: &Shape,
        wave: Wave,
        rings: &mut Rings,
    ) {
        let Wave { depth, group } = wave;
        let total = self.below + self.slabs + self.above;
        let slab = shape.slab();
        if total == 1 {
            return self.advance_alone(rule, stepper, shape, depth, rings);
        }
        // An iteration reads the slabs of a group and one adjacent to it on each side.
        let kept = group + 2;
        // A single iteration has a ring too, from which it is copied once what was there before is not read any more.
        let levels = (depth - 1).max(1);
        let (in_band, in_ring) = (SlabRing { step: slab, end: usize::MAX }, SlabRing::ring(shape, kept));
        let ring = in_ring.end;
        rings.fit(shape, levels * ring);
        // A ghost slab at the very edge knows its own neighbour no more with each iteration; the lattice's edge does.
        let low = |level: usize| if self.below > 0 { level } else { 0 };
        let high = |level: usize| total - if self.above > 0 { level } else { 0 };
        for front in (0..total + depth).step_by(group) {
            for level in 1..=depth {
                // Each iteration is one slab behind the one before, whose slab above it reads.
                let Some(end) = (front + group + 1).checked_sub(level) else { break };
                let slabs = end.saturating_sub(group).max(low(level))..end.min(high(level));
                if slabs.is_empty() {
                    continue;
                }
                let is_last = level == depth && depth > 1;
                let (read, written) =
                    (if level == 1 { in_band } else { in_ring }, if is_last { in_band } else { in_ring });
                // Beyond an open end there is no node: the node itself changes no maximum.
                let mut around =
                    [slabs.start.saturating_sub(1), slabs.start, slabs.start].map(|at| read.of(at));
                let mut to = written.of(slabs.start);
                let mut number = (self.first + slabs.start + shape.slabs - self.below) % shape.slabs;
                rings.runs.clear();
                for at in slabs {
                    around[2] = if at + 1 < total { read.after(around[1]) } else { around[1] };
                    shape.lay(around, to, at, number, &mut rings.runs);
                    number = if number + 1 < shape.slabs { number + 1 } else { 0 };
                    around = [around[1], around[2], around[2]];
                    to = written.after(to);
                }
                let (before, after) = rings.times.split_at_mut((level - 1).min(levels) * ring);
                let last = before.len().saturating_sub(ring);
                let (from, to): (&[u32], &mut [u32]) = match level {
                    1 => (&self.times, after),
                    _ if is_last => (&before[last..], &mut self.times),
                    _ => (&before[last..], after),
                };
                let around = shape.around(stepper, from, &mut rings.runs, &mut rings.highest);
                let (next, soon, runs) = (&mut self.next[..], &mut self.soon[..], &rings.runs[..]);
                let (shift, full, stride, width) =
                    (shape.lanes, shape.full(), shape.stride(), shape.width as u64);
                stepper.step(
                    rule,
                    &mut Rows { around, shift, sees: from, to, next, soon, full, stride, width, runs },
                );
                shape.close_all(runs, to);
            }
            if depth == 1 {
                for at in front.saturating_sub(1).max(low(1))..(front + group - 1).min(high(1)) {
                    self.times[in_band.of(at)..][..slab]
                        .copy_from_slice(&rings.times[in_ring.of(at)..][..slab]);
                }
            }
        }
    }

    /// Does some iterations of its only slab: there and back between two places.
    fn advance_alone(
        &mut self,
        rule: &Rule,
        stepper: &Stepper,
        shape: &Shape,
        depth: usize,
        rings: &mut Rings,
    ) {
        let slab = shape.slab();
        rings.times.reset(slab + ALIKE, 0);
        rings.shape = None;
        let from = opposite(&rings.times, &self.times);
        let scratch = &mut rings.times[from..][..slab];
        rings.runs.clear();
        shape.lay([0; 3], 0, 0, self.first, &mut rings.runs);
        for level in 0..depth {
            let (from, to): (&[u32], &mut [u32]) =
                if level % 2 == 0 { (&self.times, scratch) } else { (scratch, &mut self.times) };
            let around = shape.around(stepper, from, &mut rings.runs, &mut rings.highest);
            let (next, soon, runs) = (&mut self.next[..], &mut self.soon[..], &rings.runs[..]);
            let (shift, full, stride, width) =
                (shape.lanes, shape.full(), shape.stride(), shape.width as u64);
            stepper.step(
                rule,
                &mut Rows { around, shift, sees: from, to, next, soon, full, stride, width, runs },
            );
            shape.close_all(&rings.runs, to);
        }
        if depth % 2 == 1 {
            self.times.copy_from_slice(scratch);
        }
    }
}
