//! Short tasks on the runs' CPUs, under the conditions of a run: a process of the launcher in the runs' groups does
//! them.

#![allow(unsafe_code)]

use crate::affinity::bind_to_cpus;
use crate::launcher::{StepResult, at};
use crate::protocol::{Errand, Step};
use crate::sys::{self, Cloned, Shareable, SharedPage, check};
use crate::{ReferenceTime, pace, warmth};
use model::Nanos;
use rustix::fd::BorrowedFd;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

pub(crate) type Times = [AtomicU64; 4];

// SAFETY: only atomic numbers.
unsafe impl Shareable for Times {}

/// Executes an errand and returns its times: for the contention probe the time of one loop, for a reference its parts,
/// otherwise how long the errand took.
pub(crate) fn run(
    page: &SharedPage<Times>,
    errand: Errand,
    cpus: &[u32],
    group: Option<BorrowedFd<'_>>,
) -> StepResult<[u64; 4]> {
    let only = |time| [time, Nanos::ZERO, Nanos::ZERO, Nanos::ZERO];
    let load = |time: &AtomicU64| time.load(Ordering::Relaxed);
    page.iter().for_each(|time| time.store(0, Ordering::Relaxed));
    let pid = match sys::clone(0, group).map_err(at(Step::Clone))? {
        Cloned::Child => {
            if bind_to_cpus(cpus).is_ok() {
                let begin = Instant::now();
                let times = match errand {
                    Errand::Pace => only(pace::read()),
                    Errand::WarmMemory { bytes } => {
                        warmth::write(bytes as usize);
                        only(Nanos::from(begin.elapsed()))
                    }
                    // If there is too little memory for this, the time is 0.
                    Errand::Reference => ReferenceTime::read()
                        .map_or([Nanos::ZERO; 4], |time| [time.compute, time.cache, time.memory, time.wall]),
                };
                for (place, time) in page.iter().zip(times).rev() {
                    place.store(time.0, Ordering::Relaxed);
                }
                // 0 would mean that nothing was done.
                page[0].fetch_max(1, Ordering::Relaxed);
            }
            // SAFETY: ends this process only; the launcher's exit handlers must not run here.
            unsafe { libc::_exit(0) }
        }
        Cloned::Parent { pid, .. } => pid,
    };
    // SAFETY: waits for a child of this process; its status is not needed.
    check(unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) }).map_err(at(Step::Wait))?;
    match page.each_ref().map(load) {
        [0, ..] => Err((Step::Affinity, io::Error::from_raw_os_error(libc::EINVAL))),
        times_ns => Ok(times_ns),
    }
}
