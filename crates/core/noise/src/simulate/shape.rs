//! How the numbers of a lattice lie in memory.

use super::aligned::LINE;
use crate::model::{Ends, Stencil};
use crate::simd::soon_count;

/// What all bands of a lattice have in common.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) stencil: Stencil,
    pub(super) ends: Ends,
    /// Numbers beside each other that belong to one place in the row.
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

    /// Brings what is beside the rows of a slab to what lies beyond their ends: nobody, or the other end.
    pub(super) fn close(&self, slab: &mut [u32]) {
        let end = LINE + self.width;
        for row in 0..self.rows {
            let row = &mut slab[row * self.stride()..][..self.full() + 2 * LINE];
            row[end..LINE + self.full()].fill(0);
            if self.ends == Ends::Periodic {
                row.copy_within(end - self.lanes..end, LINE - self.lanes);
                row.copy_within(LINE..LINE + self.lanes, end);
            }
        }
    }
}
