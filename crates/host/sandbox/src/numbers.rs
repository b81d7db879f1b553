//! The kernel's counters that go on from run to run, and are seen: the numbers of inodes and sessions.
//!
//! Pipes, sockets and entries of `/proc` take their inode number from one counter of the machine, memory files from
//! another. A run could leave either at a number that means something to the next. Nothing resets them, so they are
//! moved on by a random amount, the more the further the last run has moved them.
//!
//! Each CPU takes a batch of numbers at once from what all share (`get_next_ino` in fs/inode.c, `shmem_reserve_inode` in
//! mm/shmem.c). The CPU that begins a batch shows how many numbers other CPUs have used, which reveals nothing about a run. So a usual
//! run never has to begin one: what is left for it is more than it uses.

#![allow(unsafe_code)]

use crate::sys::check;
use rustix::fd::OwnedFd;
use rustix::fs::MemfdFlags;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// How many numbers a CPU takes at once.
const BATCH: u32 = 1024;
/// By how many numbers at most a counter is moved on before each run: one costs about 1 us.
const USUAL_MAX: u32 = 32;
/// Which step since the last run is unusual: a run that uses none of its own takes 11 of one counter and 1 of the other.
const UNUSUAL: u32 = 32;
/// How many numbers of a batch are left for a run. One that uses more finds others' use in its step, and is unusual anyway.
const ROOM: u32 = 256;
/// How much further than such a step a counter is moved on at most.
const FACTOR: u32 = 8;
/// By how many at most in any case, which takes some 20 ms.
const UNUSUAL_MAX: u32 = 16 << 10;
/// For how many CPUs the last number is kept; those beyond share a place with others.
const CPUS: usize = 64;

#[derive(Debug)]
pub struct Numbers {
    pipes: Counter,
    memory_files: Counter,
}

/// The last number of each CPU; 0 is never a number, so it means that there was no run.
type Counter = [AtomicU32; CPUS];

impl Default for Numbers {
    fn default() -> Self {
        let none = || std::array::from_fn(|_| AtomicU32::new(0));
        Self { pipes: none(), memory_files: none() }
    }
}

impl Numbers {
    /// Moves both counters on, those of the CPU on which this process is.
    pub fn move_on(&self) -> io::Result<()> {
        // SAFETY: no arguments.
        let cpu = unsafe { libc::sched_getcpu() }.max(0) as usize % CPUS;
        move_on(&self.pipes[cpu], take_sockets)?;
        move_on(&self.memory_files[cpu], take_memory_files)
    }

    pub fn continue_from(&self, other: &Self) {
        let counters = [(&self.pipes, &other.pipes), (&self.memory_files, &other.memory_files)];
        for (to, from) in counters.iter().flat_map(|(to, from)| to.iter().zip(from.iter())) {
            to.store(from.load(SeqCst), SeqCst);
        }
    }
}

/// Moves the counter of memory files on, of the CPU on which this process is, by so much that the next number does not tell what
/// it was.
pub fn move_memory_files_on() -> io::Result<()> {
    take_memory_files(1 + random()? % UNUSUAL_MAX).map(|_| ())
}

/// Takes at least this many numbers of sockets, which are those of pipes and cost less; returns the last.
fn take_sockets(count: u32) -> io::Result<u32> {
    let mut last = 0;
    for at in 0..count.div_ceil(2) {
        let pair = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        if at + 1 == count.div_ceil(2) {
            last = number_of(&pair.1)?;
        }
    }
    Ok(last)
}

fn take_memory_files(count: u32) -> io::Result<u32> {
    let mut last = 0;
    for at in 0..count {
        let file = rustix::fs::memfd_create("", MemfdFlags::CLOEXEC)?;
        if at + 1 == count {
            last = number_of(&file)?;
        }
    }
    Ok(last)
}

fn number_of(file: &OwnedFd) -> io::Result<u32> {
    Ok(rustix::fs::fstat(file)?.st_ino as u32)
}

fn move_on(last: &AtomicU32, take: impl Fn(u32) -> io::Result<u32>) -> io::Result<()> {
    let now = take(1)?;
    let mut at = take(1 + random()? % steps_max(last.load(SeqCst), now))?;
    if left_of_batch(at) < ROOM {
        at = take(left_of_batch(at) + 1 + random()? % (BATCH / 2))?;
    }
    last.store(at, SeqCst);
    Ok(())
}

/// Returns below which bound the number of steps is chosen.
fn steps_max(last: u32, now: u32) -> u32 {
    match now.wrapping_sub(last) {
        _ if last == 0 => USUAL_MAX,
        step if step < UNUSUAL => USUAL_MAX,
        step => step.saturating_mul(FACTOR).min(UNUSUAL_MAX),
    }
}

/// Returns how many numbers a CPU has before it begins another batch. A batch ends at a multiple of its size or begins
/// there, which depends on the counter; there, none is certain to be left.
fn left_of_batch(at: u32) -> u32 {
    at.wrapping_neg() % BATCH
}

pub fn random() -> io::Result<u32> {
    let mut bytes = [0; 4];
    // SAFETY: the buffer has the given length.
    let length = check(unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) } as i64)?;
    if length != bytes.len() as i64 {
        return Err(io::Error::from_raw_os_error(libc::EIO));
    }
    Ok(u32::from_ne_bytes(bytes))
}

/// Gives the kernel's random numbers a new beginning (random(4)): of a machine that is a copy of another, they would else be those
/// of every copy.
pub fn reseed(seed: &[u8; 32]) -> io::Result<()> {
    /// `RNDRESEEDCRNG` of linux/random.h.
    const RESEED: libc::c_ulong = 0x5207;
    let device = std::fs::File::options().write(true).open("/dev/urandom")?;
    std::io::Write::write_all(&mut &device, seed)?;
    // SAFETY: the request has no argument.
    check(unsafe { libc::ioctl(std::os::fd::AsRawFd::as_raw_fd(&device), RESEED) }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_moved_on_further_after_a_run_that_moved_it_far() {
        for (last, now, expected) in [
            (0, 5_000_000, USUAL_MAX),
            (100, 100, USUAL_MAX),
            (100, 131, USUAL_MAX),
            (100, 132, 256),
            (u32::MAX, 999, 8000),
            (1, 3_000_000, UNUSUAL_MAX),
        ] {
            assert_eq!(steps_max(last, now), expected, "{last} {now}");
        }
    }

    #[test]
    fn the_amount_is_random_and_leaves_enough_of_a_batch_for_a_usual_run() {
        let counter = AtomicU32::new(0);
        let take = |count| Ok(counter.fetch_add(count, SeqCst) + count);
        let last = AtomicU32::new(0);
        let mut seen = Vec::new();
        for _ in 0..640 {
            let before = counter.load(SeqCst);
            move_on(&last, take).unwrap();
            assert_eq!(last.load(SeqCst), counter.load(SeqCst));
            // A run that uses 250 numbers begins no batch.
            let at = last.load(SeqCst);
            assert_eq!(at / BATCH, (at + 250) / BATCH);
            seen.push(counter.load(SeqCst) - before);
            // A run.
            counter.fetch_add(UNUSUAL - 2, SeqCst);
        }
        let (usual, renewed): (Vec<u32>, Vec<u32>) =
            seen.into_iter().partition(|steps| (2..USUAL_MAX + 2).contains(steps));
        // Each has fewer chances than 2^-100 of being wrong.
        assert!(usual.iter().any(|steps| *steps != usual[0]), "{usual:?}");
        assert!(renewed.iter().all(|steps| *steps < USUAL_MAX + ROOM + BATCH / 2), "{renewed:?}");
        assert!(renewed.len() < usual.len() / 4, "{} of {}", renewed.len(), usual.len());
    }

    #[test]
    fn requested_count_of_numbers_is_taken() {
        for take in [take_sockets, take_memory_files] {
            // Others take numbers too, so these are at least as many.
            let before = take(1).unwrap();
            assert!(take(100).unwrap().wrapping_sub(before) >= 100);
        }
    }

    #[test]
    fn new_launcher_continues_the_counters() {
        let (old, new) = (Numbers::default(), Numbers::default());
        old.pipes[3].store(7, SeqCst);
        new.continue_from(&old);
        assert_eq!(new.pipes[3].load(SeqCst), 7);
    }
}
