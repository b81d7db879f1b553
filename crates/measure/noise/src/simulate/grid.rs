//! A lattice as slabs one behind the other: rows of a rectangle, planes of a box, or all of a short line.
//!
//! Slabs are grouped into bands, each with copies of its neighbours' slabs (ghosts). A band then does several
//! iterations alone. It does so as a wave through its slabs, so that each slab is in the cache when its next iterations
//! want it; times between the first and the last of these iterations live in rings of a few slabs.

use super::band::{Band, Rings, Wave};
use super::rule::Rule;
use super::shape::Shape;
use super::{Observed, SimulateError};
use crate::model::{Ends, Lattice, Stencil};
use crate::simd::Stepper;
use rayon::prelude::*;
use std::cell::RefCell;

/// What a wave reads again must still be in the second cache.
const CACHE_BYTES: usize = 1 << 20;
/// What an iteration has written and the next one reads must still be in the first cache, with what else they touch.
const NEAR_BYTES: usize = 40 << 10;
/// More slabs of an iteration at once save nothing more.
const GROUP_MAX: usize = 8;
/// More iterations at once save nothing more.
const DEPTH_MAX: usize = 16;
/// Iterations of a single slab at once, which has no neighbours to wait for.
const ALONE_DEPTH: usize = 64;
/// Ghosts are computed twice, so a band has this many times more slabs of its own.
const BAND_SLABS: usize = 12;
/// Bands for each thread, which keep all of them busy.
const BANDS_MAX: usize = 64;

thread_local! {
    /// What a thread's bands need one after the other.
    static RINGS: RefCell<Rings> = RefCell::default();
}

pub(super) struct Grid {
    shape: Shape,
    wave: Wave,
    bands: Vec<Band>,
    room: u64,
}

impl Grid {
    /// Sets up the lattice at time 0.
    pub(super) fn new(
        rule: &Rule,
        stepper: &Stepper,
        stencil: Stencil,
        ends: Ends,
        lattice: Lattice,
        lanes: usize,
    ) -> Self {
        let (x, y, z) = (lattice.x as usize, lattice.y as usize, lattice.z as usize);
        let (rows, slabs) = match stencil {
            Stencil::Line => (1, 1),
            Stencil::Square4 | Stencil::Square8 => (1, y),
            Stencil::Cube6 => (y, z),
        };
        let shape = Shape { stencil, ends, lanes, width: x * lanes, rows, slabs };
        let wave = wave(&shape, rule.frequent().count());
        let count = (slabs / (BAND_SLABS * wave.depth)).clamp(1, BANDS_MAX);
        let band = |band| {
            Band::new(rule, stepper, &shape, wave.depth, slabs * band / count, slabs * (band + 1) / count)
        };
        let bands: Vec<Band> = (0..count).into_par_iter().map(band).collect();
        Self { shape, wave, bands, room: rule.room(0) }
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
                self.move_base(rule, stepper)?;
            }
            let depth = (self.wave.depth as u64).min(iterations).min(self.room);
            self.exchange();
            let (shape, rule) = (self.shape, &*rule);
            let wave = Wave { depth: depth as usize, ..self.wave };
            self.bands.par_iter_mut().for_each(|band| {
                RINGS.with_borrow_mut(|rings| band.advance(rule, stepper, &shape, wave, rings));
            });
            iterations -= depth;
            self.room -= depth;
        }
        Ok(())
    }

    /// Brings all times near to 0 again.
    fn move_base(&mut self, rule: &mut Rule, stepper: &Stepper) -> Result<(), SimulateError> {
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
        rule.move_base(&by);
        let moved = &*rule;
        self.bands.par_iter_mut().for_each(|band| band.move_base(moved, stepper, &shape, &by));
        let latest = lanes.iter().zip(&by).map(|((_, high), by)| high - by).max().unwrap_or(0);
        self.room = rule.room(latest);
        if self.room == 0 { Err(SimulateError::Apart) } else { Ok(()) }
    }

    /// Copies own slabs to where neighbours need them.
    fn exchange(&mut self) {
        let count = self.bands.len();
        if self.bands.iter().all(|band| band.below + band.above == 0) {
            return;
        }
        let edges: Vec<_> = self.bands.iter().map(|band| band.edges(&self.shape, self.wave.depth)).collect();
        for (at, band) in self.bands.iter_mut().enumerate() {
            if band.below > 0 {
                let (_, upper) = &edges[(at + count - 1) % count];
                upper.put(&self.shape, band, 0);
            }
            if band.above > 0 {
                let (lower, _) = &edges[(at + 1) % count];
                lower.put(&self.shape, band, band.below + band.slabs);
            }
        }
    }

    /// Returns where each replica stands.
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

    /// Returns how many bytes it keeps between iterations.
    pub(super) fn bytes(&self) -> usize {
        self.bands.iter().map(Band::bytes).sum()
    }
}

/// Chooses how deep a wave is, by what the caches hold.
fn wave(shape: &Shape, frequent: usize) -> Wave {
    if shape.slabs == 1 {
        return Wave { depth: ALONE_DEPTH, group: 1 };
    }
    let (times, events) = (shape.slab() * 4, shape.numbers() * 4 * frequent);
    let group = (1..=GROUP_MAX).rev().find(|group| (2 * group + 2) * times + group * events <= NEAR_BYTES);
    let group = group.unwrap_or(1);
    let depth = CACHE_BYTES / ((group + 2) * times + events);
    // A lattice that is shorter than its ghosts would be would take copies of copies.
    Wave { depth: depth.clamp(2, DEPTH_MAX).min(shape.slabs), group }
}
