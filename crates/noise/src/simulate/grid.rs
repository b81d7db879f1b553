//! A lattice as slabs one behind the other: rows of a rectangle, planes of a box, or all of a short line.
//!
//! Slabs are grouped into bands, each with copies of its neighbours' slabs (ghosts). A band then does several
//! iterations alone. It does so as a wave through its slabs, so that each slab is in the cache when its next iterations
//! want it; times between the first and the last of these iterations live in rings of three slabs.

use super::aligned::{Aligned, LINE};
use super::rule::Rule;
use super::{Observed, SimulateError};
use crate::model::{Ends, Lattice, SOURCES_MAX, Stencil};
use crate::simd::{K_MAX, Row, Stepper};
use rayon::prelude::*;

/// A slab that an iteration reads again must still be in the second cache: so many slabs times so many bytes.
const CACHE_BYTES: usize = 1 << 20;
/// More iterations at once save nothing more.
const DEPTH_MAX: usize = 8;
/// Ghosts are computed twice, so a band has so many times more slabs of its own.
const BAND_SLABS: usize = 12;
/// So many bands keep as many threads busy.
const BANDS_MAX: usize = 64;

pub(super) struct Grid {
    shape: Shape,
    depth: usize,
    bands: Vec<Band>,
    room: u64,
}

/// What all bands have in common.
#[derive(Clone, Copy)]
struct Shape {
    stencil: Stencil,
    ends: Ends,
    /// Numbers beside each other that belong to one place in the row.
    lanes: usize,
    /// Numbers of a row without its two margins.
    width: usize,
    /// Rows of a slab.
    rows: usize,
    /// Slabs of the lattice.
    slabs: usize,
}

struct Band {
    /// Its first slab in the lattice.
    first: usize,
    /// Its own slabs.
    slabs: usize,
    /// Ghost slabs below and above.
    below: usize,
    above: usize,
    /// Times of ghosts and own slabs, rows with margins.
    times: Aligned,
    /// Next detours of ghosts and own slabs, for each source; what fills a row's last vector has none.
    next: Vec<Aligned>,
}

impl Shape {
    /// Numbers of a row with what fills its last vector.
    fn full(&self) -> usize {
        self.width.next_multiple_of(LINE)
    }

    /// From a row of times to the next: a margin on each side.
    fn stride(&self) -> usize {
        self.full() + 2 * LINE
    }

    fn slab(&self) -> usize {
        self.stride() * self.rows
    }

    /// Numbers of a slab of next detours.
    fn numbers(&self) -> usize {
        self.full() * self.rows
    }

    /// Nodes of a slab, counted with lanes.
    fn nodes(&self) -> usize {
        self.width * self.rows
    }
}

impl Grid {
    /// Sets up the lattice at time 0.
    pub(super) fn new(rule: &Rule, stencil: Stencil, ends: Ends, lattice: Lattice, lanes: usize) -> Self {
        let (x, y, z) = (lattice.x as usize, lattice.y as usize, lattice.z as usize);
        let (rows, slabs) = match stencil {
            Stencil::Line => (1, 1),
            Stencil::Square4 | Stencil::Square8 => (1, y),
            Stencil::Cube6 => (y, z),
        };
        let shape = Shape { stencil, ends, lanes, width: x * lanes, rows, slabs };
        let sources = rule.beats().len();
        let bytes = shape.numbers() * 4 * (sources + 3);
        let depth = (CACHE_BYTES / bytes.max(1)).clamp(2, DEPTH_MAX).min(slabs.max(2));
        // A lattice that is shorter than its ghosts would be would take copies of copies.
        let depth = if ends == Ends::Periodic && slabs > 1 { depth.min(slabs) } else { depth };
        let count = (slabs / (BAND_SLABS * depth)).clamp(1, BANDS_MAX);
        let bands: Vec<Band> = (0..count)
            .into_par_iter()
            .map(|band| Band::new(rule, &shape, depth, slabs * band / count, slabs * (band + 1) / count))
            .collect();
        Self { shape, depth, bands, room: rule.room(0) }
    }

    /// Does so many iterations.
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
            let depth = (self.depth as u64).min(iterations).min(self.room);
            self.exchange();
            let (shape, rule) = (self.shape, &*rule);
            self.bands.par_iter_mut().for_each_init(Rings::default, |rings, band| {
                band.advance(rule, stepper, &shape, depth as usize, rings);
            });
            iterations -= depth;
            self.room -= depth;
        }
        Ok(())
    }

    /// Brings all times near to 0 again.
    fn move_base(&mut self, rule: &mut Rule) -> Result<(), SimulateError> {
        let shape = self.shape;
        let extremes = |band: &Band| {
            let mut lanes = vec![(u32::MAX, 0_u32); shape.lanes];
            for place in band.rows(&shape).flat_map(|row| row.chunks_exact(shape.lanes)) {
                for ((low, high), time) in lanes.iter_mut().zip(place) {
                    *low = (*low).min(*time);
                    *high = (*high).max(*time);
                }
            }
            lanes
        };
        let lanes = self.bands.par_iter().map(extremes).reduce(
            || vec![(u32::MAX, 0); shape.lanes],
            |a, b| a.iter().zip(&b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect(),
        );
        // Random gaps tell parts from wholes by the lowest bit.
        let by: Vec<u32> = lanes.iter().map(|(low, _)| low & !1).collect();
        self.bands.par_iter_mut().for_each(|band| band.move_base(&shape, &by));
        rule.move_base(&by);
        let latest = lanes.iter().zip(&by).map(|((_, high), by)| high - by).max().unwrap_or(0);
        self.room = rule.room(latest);
        if self.room == 0 { Err(SimulateError::Apart) } else { Ok(()) }
    }

    /// Copies own slabs to where neighbours need them.
    fn exchange(&mut self) {
        let (stride, numbers) = (self.shape.slab(), self.shape.numbers());
        let count = self.bands.len();
        let edges: Vec<_> = self.bands.iter().map(|band| band.edges(&self.shape, self.depth)).collect();
        for (at, band) in self.bands.iter_mut().enumerate() {
            if band.below > 0 {
                let (_, upper) = &edges[(at + count - 1) % count];
                upper.put(band, 0, stride, numbers);
            }
            if band.above > 0 {
                let (lower, _) = &edges[(at + 1) % count];
                lower.put(band, band.below + band.slabs, stride, numbers);
            }
        }
    }

    /// Says where each replica stands.
    pub(super) fn observe(&self, rule: &Rule) -> Vec<Observed> {
        let lanes = self.shape.lanes;
        let partial: Vec<Vec<(u32, u64)>> = self
            .bands
            .par_iter()
            .map(|band| {
                let mut lane = vec![(0_u32, 0_u64); lanes];
                for row in band.rows(&self.shape) {
                    for place in row.chunks_exact(lanes) {
                        for ((max, sum), time) in lane.iter_mut().zip(place) {
                            *max = (*max).max(*time);
                            *sum += u64::from(*time);
                        }
                    }
                }
                lane
            })
            .collect();
        let nodes = (self.shape.nodes() / lanes * self.shape.slabs) as f64;
        let last = self.bands.last().and_then(|band| band.rows(&self.shape).last()).unwrap_or(&[]);
        let edge = &last[last.len() - lanes..];
        (0..lanes)
            .map(|lane| {
                let max = partial.iter().map(|band| band[lane].0).max().unwrap_or(0);
                let sum: u64 = partial.iter().map(|band| band[lane].1).sum();
                let ns = |ticks: f64| (rule.base(lane) as f64 + ticks) * rule.tick_ns();
                Observed {
                    edge_ns: ns(f64::from(edge[lane])),
                    maximum_ns: ns(f64::from(max)),
                    mean_ns: ns(sum as f64 / nodes),
                }
            })
            .collect()
    }

    /// How many bytes it keeps between iterations.
    pub(super) fn bytes(&self) -> usize {
        let words = |band: &Band| band.times.len() + band.next.iter().map(|next| next.len()).sum::<usize>();
        self.bands.iter().map(words).sum::<usize>() * 4
    }
}

/// Slabs at one end of a band.
struct Edge {
    slabs: usize,
    times: Vec<u32>,
    next: Vec<Vec<u32>>,
}

impl Edge {
    fn put(&self, band: &mut Band, at: usize, stride: usize, numbers: usize) {
        band.times[at * stride..][..self.slabs * stride].copy_from_slice(&self.times);
        for (next, from) in band.next.iter_mut().zip(&self.next) {
            next[at * numbers..][..self.slabs * numbers].copy_from_slice(from);
        }
    }
}

/// Times between iterations: three slabs for each, one after the other.
#[derive(Default)]
struct Rings(Aligned);

impl Band {
    fn new(rule: &Rule, shape: &Shape, depth: usize, first: usize, end: usize) -> Self {
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
        Self { first, slabs, below, above, times: Aligned::new(total * shape.slab(), 0), next }
    }

    /// Its own rows, without margins.
    fn rows<'b>(&'b self, shape: &'b Shape) -> impl Iterator<Item = &'b [u32]> {
        self.times[self.below * shape.slab()..][..self.slabs * shape.slab()]
            .chunks_exact(shape.stride())
            .map(|row| &row[LINE..LINE + shape.width])
    }

    fn move_base(&mut self, shape: &Shape, by: &[u32]) {
        let own = self.below * shape.slab()..(self.below + self.slabs) * shape.slab();
        for row in self.times[own].chunks_exact_mut(shape.stride()) {
            for (time, by) in row[LINE..LINE + shape.width].iter_mut().zip(by.iter().cycle()) {
                *time -= by;
            }
            margins(row, shape);
        }
        let own = self.below * shape.numbers()..(self.below + self.slabs) * shape.numbers();
        for next in &mut self.next {
            for row in next[own.clone()].chunks_exact_mut(shape.full()) {
                for (event, by) in row[..shape.width].iter_mut().zip(by.iter().cycle()) {
                    *event -= by;
                }
            }
        }
    }

    /// Copies what the bands below and above need.
    fn edges(&self, shape: &Shape, depth: usize) -> (Edge, Edge) {
        let depth = depth.min(self.slabs);
        let copy = |at: usize| Edge {
            slabs: depth,
            times: self.times[at * shape.slab()..][..depth * shape.slab()].to_vec(),
            next: self
                .next
                .iter()
                .map(|next| next[at * shape.numbers()..][..depth * shape.numbers()].to_vec())
                .collect(),
        };
        (copy(self.below), copy(self.below + self.slabs - depth))
    }

    /// Does `depth` iterations of its own slabs, and of as many of its ghosts as that takes.
    fn advance(&mut self, rule: &Rule, stepper: &Stepper, shape: &Shape, depth: usize, rings: &mut Rings) {
        let total = self.below + self.slabs + self.above;
        let slab = shape.slab();
        // A single iteration has a ring too, from which it is copied once nobody reads what was there before.
        let levels = (depth - 1).max(1);
        rings.0.reset(levels * 3 * slab + slab, 0);
        let (rings, zeros) = rings.0.split_at_mut(levels * 3 * slab);
        // A ghost slab at the very edge knows its own neighbour no more with each iteration; the lattice's edge does.
        let low = |level: usize| if self.below > 0 { level } else { 0 };
        let high = |level: usize| total - if self.above > 0 { level } else { 0 };
        for wave in 0..total + depth {
            for level in 1..=depth {
                let Some(at) = wave.checked_sub(level - 1) else { break };
                if at < low(level) || at >= high(level) {
                    continue;
                }
                let first = self.number(shape, at);
                let mut parts: [&mut [u32]; SOURCES_MAX] = Default::default();
                let sources = self.next.len();
                for (part, next) in parts.iter_mut().zip(&mut self.next) {
                    *part = &mut next[at * shape.numbers()..][..shape.numbers()];
                }
                let next = &mut parts[..sources];
                let ring = |level: usize, at: usize| ((level - 1) * 3 + at % 3) * slab;
                let around = [at.checked_sub(1), Some(at), (at + 1 < total).then_some(at + 1)];
                if level == 1 {
                    let from = around.map(|at| match at {
                        Some(at) => &self.times[at * slab..][..slab],
                        None => &*zeros,
                    });
                    let to = &mut rings[ring(1, at)..][..slab];
                    advance_slab(rule, stepper, shape, from, to, next, first);
                } else if level < depth {
                    let (before, after) = rings.split_at_mut((level - 1) * 3 * slab);
                    let from = around.map(|at| match at {
                        Some(at) => &before[ring(level - 1, at)..][..slab],
                        None => &*zeros,
                    });
                    let to = &mut after[(at % 3) * slab..][..slab];
                    advance_slab(rule, stepper, shape, from, to, next, first);
                } else {
                    let from = around.map(|at| match at {
                        Some(at) => &rings[ring(level - 1, at)..][..slab],
                        None => &*zeros,
                    });
                    let to = &mut self.times[at * slab..][..slab];
                    advance_slab(rule, stepper, shape, from, to, next, first);
                }
            }
            if depth == 1
                && let Some(at) = wave.checked_sub(1)
                && (low(1)..high(1)).contains(&at)
            {
                self.times[at * slab..][..slab].copy_from_slice(&rings[(at % 3) * slab..][..slab]);
            }
        }
    }

    /// The number of the first node of a slab, counted through ghosts.
    fn number(&self, shape: &Shape, at: usize) -> u64 {
        ((self.first + at + shape.slabs - self.below) % shape.slabs * shape.nodes()) as u64
    }
}

/// Brings what is beside a row to what lies beyond its ends: nobody, or its other end.
fn margins(row: &mut [u32], shape: &Shape) {
    let (lanes, end) = (shape.lanes, LINE + shape.width);
    row[end..].fill(0);
    if shape.ends == Ends::Periodic {
        row.copy_within(end - lanes..end, LINE - lanes);
        row.copy_within(LINE..LINE + lanes, end);
    }
}

/// One iteration of one slab: `from` is the slab below, itself, and the slab above.
fn advance_slab(
    rule: &Rule,
    stepper: &Stepper,
    shape: &Shape,
    from: [&[u32]; 3],
    to: &mut [u32],
    next: &mut [&mut [u32]],
    first: u64,
) {
    let (stride, lanes, full) = (shape.stride(), shape.lanes, shape.full());
    let row_of = |slab: usize, row: usize| &from[slab][row * stride..][..stride];
    for row in 0..shape.rows {
        let own = row_of(1, row);
        let mut sees: [&[u32]; K_MAX] = [&own[LINE..][..full]; K_MAX];
        sees[1] = &own[LINE - lanes..][..full];
        sees[2] = &own[LINE + lanes..][..full];
        let count = match shape.stencil {
            Stencil::Line => 3,
            Stencil::Square4 => {
                sees[3] = &row_of(0, row)[LINE..][..full];
                sees[4] = &row_of(2, row)[LINE..][..full];
                5
            }
            Stencil::Square8 => {
                for (place, slab) in [(3, 0), (6, 2)] {
                    for shift in 0..3 {
                        sees[place + shift] = &row_of(slab, row)[LINE - lanes + shift * lanes..][..full];
                    }
                }
                9
            }
            Stencil::Cube6 => {
                sees[3] = &row_of(0, row)[LINE..][..full];
                sees[4] = &row_of(2, row)[LINE..][..full];
                let periodic = shape.ends == Ends::Periodic;
                // Beyond an open end there is nobody: the node itself changes no maximum.
                if row > 0 || periodic {
                    sees[5] = &row_of(1, (row + shape.rows - 1) % shape.rows)[LINE..][..full];
                }
                if row + 1 < shape.rows || periodic {
                    sees[6] = &row_of(1, (row + 1) % shape.rows)[LINE..][..full];
                }
                7
            }
        };
        let mut parts: [&mut [u32]; SOURCES_MAX] = Default::default();
        let sources = next.len();
        for (part, next) in parts.iter_mut().zip(next.iter_mut()) {
            *part = &mut next[row * full..][..full];
        }
        let to = &mut to[row * stride..][..stride];
        stepper.step(
            rule,
            &mut Row {
                sees: &sees[..count],
                to: &mut to[LINE..][..full],
                next: &mut parts[..sources],
                first: first + (row * shape.width) as u64,
            },
        );
        margins(to, shape);
    }
}
