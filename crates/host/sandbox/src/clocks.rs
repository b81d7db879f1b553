//! The clocks of a run: those that count from the start of the machine begin at a random time.
//!
//! So they reveal nothing of the runs before. The wall clock stays the machine's.

#![allow(unsafe_code)]

use crate::numbers;
use crate::sys::{self, check};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::OFlags;
use std::io::{self, Write};

/// From linux/sched.h; libc does not have it.
const CLONE_NEWTIME: i32 = 0x80;
/// A run begins this long after the start of its machine at most: programs meet such machines, and sums of times fit
/// into all their types.
const UPTIME_SECONDS_MAX: u32 = 1 << 24;
const SECOND_NS: u64 = 1_000_000_000;

/// Gives this process a time namespace. Returns how far its `CLOCK_MONOTONIC` is ahead of the machine's, in nanoseconds;
/// 0 if the kernel has no time namespaces.
///
/// The process must have joined its user namespace, in which it needs all capabilities: setting clocks there is no right
/// to set those of the machine.
pub fn enter(host_proc: &OwnedFd) -> io::Result<i64> {
    // SAFETY: this process has one thread, and only its children's clocks change by this.
    match check(unsafe { libc::unshare(CLONE_NEWTIME) }) {
        Ok(_) => {}
        // Not configured (EINVAL), or limited to none (ENOSPC).
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSPC)) => return Ok(0),
        Err(error) => return Err(error),
    }
    let seconds = 1 + numbers::random()? % UPTIME_SECONDS_MAX;
    let begin_ns = u64::from(seconds) * SECOND_NS + u64::from(numbers::random()?) % SECOND_NS;
    let ahead = |clock| (begin_ns as i64).wrapping_sub(sys::clock_ns(clock) as i64);
    let monotonic_ns = ahead(libc::CLOCK_MONOTONIC);
    let offsets = format!(
        "monotonic {}\nboottime {}\n",
        seconds_and_rest(monotonic_ns),
        seconds_and_rest(ahead(libc::CLOCK_BOOTTIME))
    );
    // In one write, and before any process is in the namespace.
    sys::open_at(host_proc, "self/timens_offsets", OFlags::WRONLY)?.write_all(offsets.as_bytes())?;
    let namespace = sys::open_at(host_proc, "self/ns/time_for_children", OFlags::RDONLY)?;
    // SAFETY: only the clocks of this process change.
    check(unsafe { libc::setns(namespace.as_raw_fd(), CLONE_NEWTIME) })?;
    Ok(monotonic_ns)
}

/// Writes an offset as the kernel reads it: the rest is never negative.
fn seconds_and_rest(ns: i64) -> String {
    let second = SECOND_NS as i64;
    format!("{} {}", ns.div_euclid(second), ns.rem_euclid(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_whole_seconds_down_and_a_rest_up() {
        for (ns, written) in [(0, "0 0"), (1_500_000_000, "1 500000000"), (-1, "-1 999999999")] {
            assert_eq!(seconds_and_rest(ns), written);
        }
    }
}
