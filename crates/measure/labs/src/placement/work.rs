//! The two threads' tasks, batch by batch.

use std::hint::{black_box, spin_loop};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// More than any L2 cache holds and less than any L3 cache, so that sharing uses the L3 cache.
const SHARED_BYTES: usize = 8 << 20;
/// One of this many accesses writes: mostly read.
const READS_PER_WRITE: u64 = 64;
/// Accesses in a batch: some microseconds.
const ACCESSES: u64 = 256;
/// Steps in a batch of computing: some tens of microseconds.
const STEPS: u64 = 1 << 15;
/// More than the L3 cache of most machines holds, so that it comes from memory.
const STREAM_BYTES: usize = 128 << 20;
/// How much is streamed in a batch: some tens of microseconds.
const STREAM_BATCH_WORDS: usize = (512 << 10) / size_of::<u64>();

/// The task of two threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Work {
    /// Each waits for the other through one cache line.
    PingPong,
    /// Both read at random from the same memory, and write now and then.
    Shared,
    /// Each computes by itself.
    Compute,
    /// Each streams over memory of its own.
    Stream,
}

/// One thread's part: executes a batch. It may end early once `stop` is set.
pub(super) type Batch = Box<dyn FnMut(&AtomicBool) + Send>;

/// The memory that both threads use.
#[derive(Debug)]
pub(super) struct SharedLines {
    line: Line,
    shared: Vec<AtomicU64>,
}

/// A single cache line; two, since processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line(AtomicU64);

impl Work {
    pub const ALL: [Self; 4] = [Self::PingPong, Self::Shared, Self::Compute, Self::Stream];

    /// Returns the name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PingPong => "ping-pong",
            Self::Shared => "shared set",
            Self::Compute => "computing",
            Self::Stream => "streaming",
        }
    }

    /// Returns its description for display.
    pub const fn what(self) -> &'static str {
        match self {
            Self::PingPong => "two threads answer each other through one cache line; a batch is a round trip",
            Self::Shared => {
                "two threads read 8 MiB that both share at random, and write every 64th time; a batch is 256 accesses"
            }
            Self::Compute => "two threads compute in registers, each by itself; a batch is 32,768 steps",
            Self::Stream => "two threads each read 128 MiB of their own in order; a batch is 512 KiB",
        }
    }

    /// Returns whether a single thread can do it.
    pub const fn works_alone(self) -> bool {
        !matches!(self, Self::PingPong)
    }

    /// Makes the memory that both threads use, on the calling thread's node.
    pub(super) fn testbed(self) -> SharedLines {
        let words = if self == Self::Shared { SHARED_BYTES / size_of::<u64>() } else { 0 };
        SharedLines { line: Line::default(), shared: (0..words as u64).map(AtomicU64::new).collect() }
    }

    /// Makes one thread's part, on that thread, so that its own memory is near.
    pub(super) fn batch(self, testbed: Arc<SharedLines>, is_first: bool) -> Batch {
        match self {
            Self::PingPong if is_first => {
                let mut turn = 0;
                Box::new(move |stop| {
                    testbed.line.0.store(turn + 1, Relaxed);
                    turn += 2;
                    wait_for(&testbed.line.0, turn, stop);
                })
            }
            Self::PingPong => {
                let mut turn = 1;
                Box::new(move |stop| {
                    if wait_for(&testbed.line.0, turn, stop) {
                        testbed.line.0.store(turn + 1, Relaxed);
                        turn += 2;
                    }
                })
            }
            Self::Shared => {
                let mut state = if is_first { 1 } else { 7_919 };
                Box::new(move |_| state = roam(&testbed.shared, state))
            }
            Self::Compute => Box::new(|_| compute()),
            Self::Stream => {
                let own: Vec<u64> = (0..(STREAM_BYTES / size_of::<u64>()) as u64).collect();
                let mut at = 0;
                Box::new(move |_| {
                    black_box(own[at..at + STREAM_BATCH_WORDS].iter().fold(0, |sum: u64, word| sum ^ word));
                    at = (at + STREAM_BATCH_WORDS) % own.len();
                })
            }
        }
    }
}

/// Waits for a value; returns whether it arrived.
fn wait_for(line: &AtomicU64, value: u64, stop: &AtomicBool) -> bool {
    while line.load(Relaxed) != value {
        if stop.load(Relaxed) {
            return false;
        }
        spin_loop();
    }
    true
}

/// Goes from place to place; each is determined by what was read at the last one.
fn roam(shared: &[AtomicU64], mut state: u64) -> u64 {
    for access in 0..ACCESSES {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let place = &shared[(state >> 33) as usize % shared.len()];
        if access % READS_PER_WRITE == 0 {
            place.store(state, Relaxed);
        } else {
            state ^= place.load(Relaxed) & 1;
        }
    }
    state
}

/// Keeps several units of a core busy, as ordinary code does: four chains that do not depend on each other.
fn compute() {
    let mut chains = black_box([1_u64, 3, 5, 7]);
    for _ in 0..STEPS / 4 {
        for chain in &mut chains {
            *chain = chain.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        }
    }
    black_box(chains);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_of_each_work_ends() {
        let stop = AtomicBool::new(false);
        for work in [Work::Shared, Work::Compute, Work::Stream] {
            let mut batch = work.batch(Arc::new(work.testbed()), true);
            batch(&stop);
            batch(&stop);
        }
    }

    #[test]
    fn ping_answers_pong() {
        let testbed = Arc::new(Work::PingPong.testbed());
        let stop = Arc::new(AtomicBool::new(false));
        let mut second = Work::PingPong.batch(Arc::clone(&testbed), false);
        let answers = {
            let stop = Arc::clone(&stop);
            std::thread::spawn(move || (0..10).for_each(|_| second(&stop)))
        };
        let mut first = Work::PingPong.batch(Arc::clone(&testbed), true);
        (0..10).for_each(|_| first(&stop));
        answers.join().unwrap();
        assert_eq!(testbed.line.0.load(Relaxed), 20);
        stop.store(true, Relaxed);
        first(&stop);
        assert_eq!(testbed.line.0.load(Relaxed), 21, "no thread answers, and it ends");
    }
}
