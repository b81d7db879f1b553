//! How the numbers of a lattice lie in memory.

use super::aligned::{Aligned, LINE};
use crate::model::{Ends, Stencil};
use crate::simd::{Run, SEES_MAX, Stepper, soon_count};

/// What all bands of a lattice have in common.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Shape {
    pub(super) stencil: Stencil,
    pub(super) ends: Ends,
    /// Adjacent numbers that belong to one place in the row.
    pub(super) lanes: usize,
    /// Numbers of a row without its margins.
    pub(super) width: usize,
    /// Rows of a slab.
    pub(super) rows: usize,
    /// Slabs of the lattice.
    pub(super) slabs: usize,
}

impl Shape {
    /// Numbers of a row with what fills its last vector.
    pub(super) fn full(&self) -> usize {
        self.width.next_multiple_of(LINE)
    }

    /// From a row of times to the next. A single replica needs one number beyond each end, so two rows share a margin.
    pub(super) fn stride(&self) -> usize {
        self.full() + if self.lanes == 1 { LINE } else { 2 * LINE }
    }

    /// Numbers of a slab of times: rows, each behind its margin, and the last one's other margin.
    pub(super) fn slab(&self) -> usize {
        self.stride() * self.rows + LINE
    }

    /// Numbers of a slab of next detours.
    pub(super) fn numbers(&self) -> usize {
        self.full() * self.rows
    }

    /// Numbers of a slab that say when rare sources strike.
    pub(super) fn soon(&self) -> usize {
        soon_count(self.full()) * self.rows
    }

    /// Nodes of a slab, counted with lanes.
    pub(super) fn nodes(&self) -> usize {
        self.width * self.rows
    }

    /// Returns the rows of a slab of times, without margins.
    pub(super) fn rows_of<'s>(&'s self, slab: &'s [u32]) -> impl Iterator<Item = &'s [u32]> {
        (0..self.rows).map(|row| &slab[row * self.stride() + LINE..][..self.width])
    }

    /// Brings what is next to a row, of which this begins with the margin, to what lies beyond its ends: no node, or the
    /// other end. Rows are closed one after the other, since this may reach into the next one's margin.
    pub(super) fn close(&self, row: &mut [u32]) {
        let end = LINE + self.width;
        // Always as much, which the compiler makes a few stores.
        row[end..end + LINE].fill(0);
        if self.ends == Ends::Periodic {
            row.copy_within(end - self.lanes..end, LINE - self.lanes);
            row.copy_within(LINE..LINE + self.lanes, end);
        }
    }

    /// Closes all rows.
    pub(super) fn close_all(&self, runs: &[Run], to: &mut [u32]) {
        for run in runs {
            (0..run.count).for_each(|row| self.close(&mut to[run.to - LINE + row * self.stride()..]));
        }
    }

    /// Says where the rows of a slab lie: `from` what is below, itself, and above before an iteration, `to` after it, and
    /// its next detours as the band's slab `at`. `number` counts slabs of the lattice.
    #[inline(always)]
    pub(super) fn lay(&self, from: [usize; 3], to: usize, at: usize, number: usize, runs: &mut Vec<Run>) {
        let [below, own, above] = from.map(|slab| slab + LINE);
        let place = |slab: usize, row: usize| slab + row * self.stride();
        let run = |row: usize, count: usize, sees: [usize; SEES_MAX]| Run {
            count,
            around: place(own - LINE, row),
            sees,
            to: place(to + LINE, row),
            next: at * self.numbers() + row * self.full(),
            soon: at * self.soon() + row * soon_count(self.full()),
            first: (number * self.nodes() + row * self.width) as u64,
        };
        match self.stencil {
            Stencil::Line => runs.push(run(0, 1, [0; SEES_MAX])),
            Stencil::Square4 => runs.push(run(0, 1, [below, above, 0, 0])),
            Stencil::Square8 => runs.push(run(0, 1, [own, below, above, 0])),
            // Rows next to the first and the last are elsewhere; beyond an open end there is no node, and the node itself
            // changes no maximum.
            Stencil::Cube6 => {
                let last = self.rows - 1;
                let beyond = |row: usize, other: usize| if self.ends == Ends::Periodic { other } else { row };
                let mut push = |row: usize, count: usize, before: usize, behind: usize| {
                    let sees = [place(below, row), place(above, row), place(own, before), place(own, behind)];
                    runs.push(run(row, count, sees));
                };
                push(0, 1, beyond(0, last), last.min(1));
                if last > 1 {
                    push(1, last - 1, 0, 2);
                }
                if last > 0 {
                    push(last, 1, last - 1, beyond(last, 0));
                }
            }
        }
    }

    /// Returns times of which a node sees three places of a row: those before an iteration, or the highest of three rows
    /// where a stencil wants that, which the rows then have instead.
    pub(super) fn around<'t>(
        &self,
        stepper: &Stepper,
        from: &'t [u32],
        runs: &mut [Run],
        highest: &'t mut Aligned,
    ) -> &'t [u32] {
        if self.stencil != Stencil::Square8 {
            return from;
        }
        let slab = self.slab();
        if highest.len() < runs.len() * slab {
            highest.reset(runs.len() * slab, 0);
        }
        for (at, run) in runs.iter_mut().enumerate() {
            let [own, below, above, _] = run.sees.map(|row| &from[row.saturating_sub(LINE)..][..slab]);
            run.around = at * slab;
            stepper.highest(&[below, own, above], &mut highest[run.around..][..slab]);
        }
        highest
    }
}
