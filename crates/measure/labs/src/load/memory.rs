//! The load that streams over memory.

use super::cache::last_cache;
use model::Bytes;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use system::Roots;

/// All threads together use this many times the last-level cache, so that almost nothing is found in it.
const CACHES: u64 = 4;
/// The minimum for a thread.
const SHARE_MIN: Bytes = Bytes::from_mib(16);
/// Words between two counts: 1 MiB.
const BATCH_WORDS: usize = (1 << 20) / size_of::<u64>();

/// Returns how much memory each of `threads` streams over.
pub(super) fn share(threads: usize) -> Bytes {
    Bytes(last_cache(&Roots::host()).0.saturating_mul(CACHES) / threads.max(1) as u64).max(SHARE_MIN)
}

/// Reads and writes word after word for ever; counts the bytes of the changed words.
pub(super) fn work(share: Bytes, done: &AtomicU64) -> ! {
    let mut words = vec![0_u64; (share.0 as usize / size_of::<u64>()).max(BATCH_WORDS)];
    loop {
        for batch in words.chunks_mut(BATCH_WORDS) {
            for word in batch.iter_mut() {
                *word = word.wrapping_add(1);
            }
            black_box(&*batch);
            done.fetch_add(size_of_val(batch) as u64, Ordering::Relaxed);
        }
    }
}
