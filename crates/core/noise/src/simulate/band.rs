//! Some slabs of a lattice, which do several iterations alone as a wave.

use super::aligned::{ALIKE, Aligned, LINE, opposite};
use super::rule::Rule;
use super::shape::Shape;
use crate::model::{Ends, SOURCES_MAX, Stencil};
use crate::simd::{Rows, Stepper, soon_count};

/// How a wave goes through the slabs of a band.
#[derive(Clone, Copy)]
pub(super) struct Wave {
    /// So many iterations at once.
    pub(super) depth: usize,
    /// So many slabs of an iteration before the next iteration's turn.
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
            let (mut parts, sources) = parts(&mut self.next, row * shape.full(), shape.full());
            stepper.look_ahead(rule, &mut parts[..sources], &mut self.soon[row * count..][..count]);
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
                let row = &mut slab[row * shape.stride() + LINE..][..shape.width];
                row.iter_mut().zip(by.iter().cycle()).for_each(|(time, by)| *time -= by);
            }
            shape.close(slab);
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
        // An iteration reads the slabs of a group and one beside it on each side.
        let kept = group + 2;
        // A single iteration has a ring too, from which it is copied once nobody reads what was there before.
        let levels = (depth - 1).max(1);
        let apart = ring_slab(shape);
        rings.times.reset((levels * kept + 1) * apart, 0);
        rings.highest.reset(if shape.stencil == Stencil::Square8 { slab } else { 0 }, 0);
        let (between, zeros) = rings.times.split_at_mut(levels * kept * apart);
        let place = |level: usize, at: usize| ((level - 1) * kept + at % kept) * apart;
        // A ghost slab at the very edge knows its own neighbour no more with each iteration; the lattice's edge does.
        let low = |level: usize| if self.below > 0 { level } else { 0 };
        let high = |level: usize| total - if self.above > 0 { level } else { 0 };
        for front in (0..total + depth).step_by(group) {
            for level in 1..=depth {
                // Each iteration is one slab behind the one before, whose slab above it reads.
                let Some(end) = (front + group + 1).checked_sub(level) else { break };
                for at in end.saturating_sub(group).max(low(level))..end.min(high(level)) {
                    let around = [at.checked_sub(1), Some(at), (at + 1 < total).then_some(at + 1)];
                    let (from, to) = if level == 1 {
                        let from =
                            around.map(|at| at.map_or(&zeros[..slab], |at| &self.times[at * slab..][..slab]));
                        (from, &mut between[place(1, at)..][..slab])
                    } else {
                        let (before, after) = between.split_at_mut((level - 1) * kept * apart);
                        let from = around.map(|at| {
                            at.map_or(&zeros[..slab], |at| &before[place(level - 1, at)..][..slab])
                        });
                        let to = if level < depth {
                            &mut after[at % kept * apart..][..slab]
                        } else {
                            &mut self.times[at * slab..][..slab]
                        };
                        (from, to)
                    };
                    let (mut parts, sources) = parts(&mut self.next, at * shape.numbers(), shape.numbers());
                    let mut slab = Slab {
                        shape,
                        from,
                        to,
                        next: &mut parts[..sources],
                        soon: &mut self.soon[at * shape.soon()..][..shape.soon()],
                        first: ((self.first + at + shape.slabs - self.below) % shape.slabs * shape.nodes())
                            as u64,
                    };
                    slab.advance(rule, stepper, &mut rings.highest);
                }
            }
            if depth == 1 {
                for at in front.saturating_sub(1).max(low(1))..(front + group - 1).min(high(1)) {
                    self.times[at * slab..][..slab].copy_from_slice(&between[place(1, at)..][..slab]);
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
        rings.times.reset(2 * slab + ALIKE, 0);
        rings.highest.reset(if shape.stencil == Stencil::Square8 { slab } else { 0 }, 0);
        let from = opposite(&rings.times, &self.times);
        let (scratch, zeros) = rings.times[from..].split_at_mut(slab);
        let (mut parts, sources) = parts(&mut self.next, 0, shape.numbers());
        for level in 0..depth {
            let (from, to): (&[u32], &mut [u32]) =
                if level % 2 == 0 { (&self.times, scratch) } else { (scratch, &mut self.times) };
            let from = [&*zeros, from, &*zeros];
            let (next, soon) = (&mut parts[..sources], &mut self.soon[..]);
            let mut slab = Slab { shape, from, to, next, soon, first: (self.first * shape.nodes()) as u64 };
            slab.advance(rule, stepper, &mut rings.highest);
        }
        if depth % 2 == 1 {
            self.times.copy_from_slice(scratch);
        }
    }
}

/// From one slab of a ring to the next: at least a slab, and so much less than a multiple of [`ALIKE`] that what an
/// iteration reads lies before what it writes, as loads that wait for stores see it.
fn ring_slab(shape: &Shape) -> usize {
    let less = if shape.rows > 1 { 6 * LINE } else { 4 * LINE };
    (shape.slab() + less).next_multiple_of(ALIKE) - less
}

/// Returns the same part of each source's numbers, and how many sources there are.
fn parts(next: &mut [Aligned], from: usize, count: usize) -> ([&mut [u32]; SOURCES_MAX], usize) {
    let mut parts: [&mut [u32]; SOURCES_MAX] = Default::default();
    let sources = next.len();
    for (part, next) in parts.iter_mut().zip(next) {
        *part = &mut next[from..][..count];
    }
    (parts, sources)
}

/// One slab in one iteration.
struct Slab<'s, 'n> {
    shape: &'s Shape,
    /// The slab below, itself, and the slab above.
    from: [&'s [u32]; 3],
    to: &'s mut [u32],
    next: &'s mut [&'n mut [u32]],
    soon: &'s mut [u32],
    first: u64,
}

impl Slab<'_, '_> {
    fn advance(&mut self, rule: &Rule, stepper: &Stepper, highest: &mut [u32]) {
        let (shape, from) = (self.shape, self.from);
        let [below, own, above] = from.map(|slab| &slab[LINE..]);
        match shape.stencil {
            Stencil::Line => self.step(rule, stepper, from[1], &[], 0..1),
            Stencil::Square4 => self.step(rule, stepper, from[1], &[below, above], 0..1),
            Stencil::Square8 => {
                stepper.highest(&from, highest);
                self.step(rule, stepper, highest, &[own], 0..1);
            }
            Stencil::Cube6 => self.step_plane(rule, stepper, own, [below, above]),
        }
        shape.close(self.to);
    }

    /// The rows of a plane: those in the middle at once, the first and the last apart, for whom rows beside them are
    /// elsewhere.
    fn step_plane(&mut self, rule: &Rule, stepper: &Stepper, own: &[u32], planes: [&[u32]; 2]) {
        let (rows, stride, plane) = (self.shape.rows, self.shape.stride(), self.from[1]);
        // Beyond an open end there is nobody: the node itself changes no maximum.
        let beyond = |row: usize, other: usize| if self.shape.ends == Ends::Periodic { other } else { row };
        let sees = |row: usize, before: usize, behind: usize| {
            let [below, above] = planes.map(|plane| &plane[row * stride..]);
            [below, above, &own[before * stride..], &own[behind * stride..]]
        };
        let first = sees(0, beyond(0, rows - 1), if rows > 1 { 1 } else { 0 });
        self.step(rule, stepper, plane, &first, 0..1);
        if rows > 2 {
            self.step(rule, stepper, &plane[stride..], &sees(1, 0, 2), 1..rows - 1);
        }
        if rows > 1 {
            let last = sees(rows - 1, rows - 2, beyond(rows - 1, 0));
            self.step(rule, stepper, &plane[(rows - 1) * stride..], &last, rows - 1..rows);
        }
    }

    /// Does some of its rows.
    fn step(
        &mut self,
        rule: &Rule,
        stepper: &Stepper,
        around: &[u32],
        sees: &[&[u32]],
        rows: std::ops::Range<usize>,
    ) {
        let (full, stride) = (self.shape.full(), self.shape.stride());
        let sources = self.next.len();
        let mut parts: [&mut [u32]; SOURCES_MAX] = Default::default();
        for (part, next) in parts.iter_mut().zip(self.next.iter_mut()) {
            *part = &mut next[rows.start * full..];
        }
        stepper.step(
            rule,
            &mut Rows {
                around,
                shift: self.shape.lanes,
                sees,
                to: &mut self.to[rows.start * stride + LINE..],
                next: &mut parts[..sources],
                soon: &mut self.soon[rows.start * soon_count(full)..],
                rows: rows.len(),
                full,
                stride,
                first: self.first + (rows.start * self.shape.width) as u64,
                width: self.shape.width as u64,
            },
        );
    }
}
