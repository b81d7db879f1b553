//! Numbers that begin at a cache line, so that vectors do not lie across two.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest vector.
const LINE_BYTES: usize = 64;
/// Numbers of a cache line.
pub(super) const LINE: usize = LINE_BYTES / 4;

/// A slice of its own.
#[derive(Default)]
pub struct Aligned {
    words: Vec<u32>,
    from: usize,
    count: usize,
}

impl Aligned {
    pub(super) fn new(count: usize, value: u32) -> Self {
        let mut aligned = Self::default();
        aligned.reset(count, value);
        aligned
    }

    /// Makes it so long, and every number this value.
    pub(super) fn reset(&mut self, count: usize, value: u32) {
        self.words.clear();
        self.words.resize(count + LINE - 1, value);
        // Where no alignment can be had, it is only slower.
        self.from = self.words.as_ptr().align_offset(LINE_BYTES).min(LINE - 1);
        self.count = count;
    }
}

/// Bytes after which addresses look alike to a load that waits for stores before it.
const ALIKE_BYTES: usize = 4096;
/// Numbers of them.
pub(super) const ALIKE: usize = ALIKE_BYTES / 4;

/// From where on a buffer lies half of [`ALIKE`] from another, so that neither's loads seem to be the other's stores.
pub(super) fn opposite(buffer: &[u32], other: &[u32]) -> usize {
    let wanted = other.as_ptr().addr() + ALIKE_BYTES / 2;
    wanted.wrapping_sub(buffer.as_ptr().addr()) % ALIKE_BYTES / 4
}

impl Deref for Aligned {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.words[self.from..][..self.count]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.words[self.from..][..self.count]
    }
}
