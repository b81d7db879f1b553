//! The load that computes.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

/// Steps between two counts: about a millisecond.
const BATCH: u64 = 1 << 20;

/// Computes for ever; counts steps.
pub(super) fn work(done: &AtomicU64) -> ! {
    let mut state = black_box(1_u64);
    loop {
        for _ in 0..BATCH {
            // One dependent multiplication and addition (Knuth's MMIX generator): no memory, no waiting.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        }
        black_box(state);
        done.fetch_add(BATCH, Ordering::Relaxed);
    }
}
