//! The kernel's counters that go on from run to run, and are seen: the numbers of inodes and sessions.
//!
//! Pipes, sockets and entries of `/proc` take their inode number from one counter of the machine, memory files from
//! another. A run could leave either at a number that means something to the next. Nothing resets them, so they are
//! moved on by a random amount, the more the further the last run has moved them.

#![allow(unsafe_code)]

use crate::sys::check;
use rustix::fs::MemfdFlags;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// By how many numbers at most a counter is moved on before each run: one costs 1 to 4 us.
const USUAL_MAX: u32 = 32;
/// Which step since the last run is unusual: more than it takes to make a run.
const UNUSUAL: u32 = 64;
/// How much further than such a step a counter is moved on at most.
const FACTOR: u32 = 8;
/// By how many at most in any case, which takes 20 to 70 ms. Each CPU takes 1024 numbers at once from what all share, so
/// after that many a step contains what other CPUs have used.
const UNUSUAL_MAX: u32 = 16 << 10;

/// Where the counters were when the last run began.
#[derive(Debug, Default)]
pub struct Numbers {
    pipes: AtomicU32,
    memory_files: AtomicU32,
}

impl Numbers {
    /// Moves both counters on, those of the CPU on which this process is.
    pub fn move_on(&self) -> io::Result<()> {
        let pipe = || Ok(rustix::fs::fstat(rustix::pipe::pipe()?.0)?.st_ino as u32);
        let memory =
            || Ok(rustix::fs::fstat(rustix::fs::memfd_create("", MemfdFlags::CLOEXEC)?)?.st_ino as u32);
        move_on(&self.pipes, pipe)?;
        move_on(&self.memory_files, memory)
    }
}

fn move_on(last: &AtomicU32, take: impl Fn() -> io::Result<u32>) -> io::Result<()> {
    let now = take()?;
    for _ in 0..random()? % steps_max(last.load(SeqCst), now) {
        take()?;
    }
    last.store(take()?, SeqCst);
    Ok(())
}

/// Returns below which bound the number of steps is chosen. 0 is never a number, so it means that there was no run.
fn steps_max(last: u32, now: u32) -> u32 {
    match now.wrapping_sub(last) {
        _ if last == 0 => USUAL_MAX,
        step if step < UNUSUAL => USUAL_MAX,
        step => step.saturating_mul(FACTOR).min(UNUSUAL_MAX),
    }
}

/// Returns a random number.
pub fn random() -> io::Result<u32> {
    let mut bytes = [0; 4];
    // SAFETY: the buffer is as long as said.
    let length = check(unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) } as i64)?;
    if length != bytes.len() as i64 {
        return Err(io::Error::from_raw_os_error(libc::EIO));
    }
    Ok(u32::from_ne_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_moved_on_further_after_a_run_that_moved_it_far() {
        for (last, now, expected) in [
            (0, 5_000_000, USUAL_MAX),
            (100, 100, USUAL_MAX),
            (100, 163, USUAL_MAX),
            (100, 164, 512),
            (u32::MAX, 999, 8000),
            (1, 3_000_000, UNUSUAL_MAX),
        ] {
            assert_eq!(steps_max(last, now), expected, "{last} {now}");
        }
    }

    #[test]
    fn as_many_numbers_are_taken_as_were_drawn() {
        let counter = AtomicU32::new(0);
        let take = || Ok(counter.fetch_add(1, SeqCst) + 1);
        let last = AtomicU32::new(0);
        let mut seen = Vec::new();
        for _ in 0..64 {
            let before = counter.load(SeqCst);
            move_on(&last, take).unwrap();
            assert_eq!(last.load(SeqCst), counter.load(SeqCst));
            seen.push(counter.load(SeqCst) - before);
        }
        assert!(seen.iter().all(|steps| (2..USUAL_MAX + 2).contains(steps)), "{seen:?}");
        // That all draws are equal has a chance of 2^-315.
        assert!(seen.iter().any(|steps| *steps != seen[0]), "{seen:?}");
    }
}
