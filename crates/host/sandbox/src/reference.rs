//! A fixed amount of work: its times show how much a machine changed between two measurements.
//!
//! One part computes in registers and needs a whole core, one uses all of a second-level cache, and one waits for memory that no
//! second-level cache holds.

#![allow(unsafe_code)]

use crate::pace;
use model::Nanos;
use rustix::time::{ClockId, clock_gettime};
use std::time::Instant;

/// Some 2 ms on a core of 2.5 GHz.
const LOOPS: u64 = 16;
/// As much as many second-level caches have: a neighbour that shares it doubles the time.
const CACHE_BYTES: usize = 1 << 20;
/// Some 1 ms where all of it is there.
const CACHE_STEPS: u64 = 200_000;
/// More than a second-level cache has, and less than most third-level ones.
const MEMORY_BYTES: usize = 4 << 20;
/// What a processor fetches at a time.
const LINE_BYTES: usize = 64;
/// Some 2 ms where each waits for a third-level cache.
const MEMORY_STEPS: u64 = 40_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReferenceTime {
    pub compute: Nanos,
    pub cache: Nanos,
    pub memory: Nanos,
    pub wall: Nanos,
}

impl ReferenceTime {
    /// Does the work on the CPU that this thread is on; none where there is no memory for it.
    pub(crate) fn read() -> Option<Self> {
        let memory = Memory::new()?;
        let begin = Instant::now();
        let compute = cpu_time_of(|| pace::compute(LOOPS));
        let cache = cpu_time_of(|| memory.walk(CACHE_BYTES, CACHE_STEPS));
        let memory = cpu_time_of(|| memory.walk(MEMORY_BYTES, MEMORY_STEPS));
        Some(Self { compute, cache, memory, wall: Nanos::from(begin.elapsed()) })
    }
}

fn cpu_time_of<T>(work: impl FnOnce() -> T) -> Nanos {
    let before = cpu_time();
    std::hint::black_box(work());
    cpu_time() - before
}

fn cpu_time() -> Nanos {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// Memory that is there, all of it zeros.
struct Memory(*mut libc::c_void);

impl Memory {
    fn new() -> Option<Self> {
        // SAFETY: new memory at no address of ours. Huge pages are sometimes to be had and sometimes not, which would change
        // the times, so there are none. The kernel may refuse that advice; then it has no huge pages.
        let begin = unsafe {
            let begin = libc::mmap(
                std::ptr::null_mut(),
                MEMORY_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            if begin == libc::MAP_FAILED {
                return None;
            }
            libc::madvise(begin, MEMORY_BYTES, libc::MADV_NOHUGEPAGE);
            begin
        };
        for line in (0..MEMORY_BYTES).step_by(LINE_BYTES) {
            // SAFETY: within what was mapped; volatile, so that each page is taken from the kernel now.
            unsafe { begin.cast::<u8>().add(line).write_volatile(0) };
        }
        Some(Self(begin))
    }

    /// Reads that many lines of it in a random order, each only when the one before is there: where the next is depends on what it holds.
    fn walk(&self, bytes: usize, steps: u64) -> u64 {
        /// Knuth's factor and summand for random numbers of 64 bits (MMIX).
        const FACTOR: u64 = 6_364_136_223_846_793_005;
        const SUMMAND: u64 = 1_442_695_040_888_963_407;
        let lines = (bytes.min(MEMORY_BYTES) / LINE_BYTES) as u64;
        let mut state = 1_u64;
        for _ in 0..steps {
            let line = (state >> 32) % lines;
            // SAFETY: the line lies within the mapping and begins at a multiple of 64.
            let value =
                unsafe { self.0.cast::<u8>().add(line as usize * LINE_BYTES).cast::<u64>().read_volatile() };
            state = state.wrapping_mul(FACTOR).wrapping_add(SUMMAND).wrapping_add(value);
        }
        state
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the same mapping, to which nothing points any more.
        unsafe { libc::munmap(self.0, MEMORY_BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_takes_time() {
        let time = ReferenceTime::read().unwrap();
        let parts = [time.compute, time.cache, time.memory, time.wall];
        assert!(parts.into_iter().all(|part| part > Nanos::ZERO), "{time:?}");
        // The same steps lead to the same place.
        let memory = Memory::new().unwrap();
        assert_eq!(memory.walk(CACHE_BYTES, 1000), memory.walk(CACHE_BYTES, 1000));
    }
}
