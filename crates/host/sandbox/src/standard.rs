//! Which standard descriptors this process was started without.
//!
//! Before `main` the standard library opens `/dev/null` in place of a closed descriptor. After that, a closed output
//! cannot be distinguished from one that is discarded on purpose.

#![allow(unsafe_code)]

use rustix::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A bit for each of the descriptors 0 to 2.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// A function that the loader calls before `main`, and so before the standard library checks the descriptors.
#[used]
// SAFETY: the section contains pointers to such functions, and `record_closed` needs nothing that is set up later.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = record_closed;

extern "C" fn record_closed() {
    for descriptor in 0..3 {
        // SAFETY: plain values only.
        if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } == -1 {
            CLOSED.fetch_or(1 << descriptor, Relaxed);
        }
    }
}

pub fn was_closed_at_start(descriptor: BorrowedFd<'_>) -> bool {
    let bit = 1_u8.checked_shl(descriptor.as_raw_fd().unsigned_abs()).unwrap_or(0);
    CLOSED.load(Relaxed) & bit != 0
}
