//! Small work on the CPUs of runs, from where a run would be: a process of the launcher in the runs' groups.

#![allow(unsafe_code)]

use crate::child;
use crate::launcher::{StepResult, at};
use crate::protocol::{Errand, Step};
use crate::sys::{self, Cloned, SharedPage, check};
use crate::{ReferenceTime, pace, warmth};
use model::Nanos;
use rustix::fd::BorrowedFd;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Where the process leaves its times.
pub(crate) type Times = [AtomicU64; 4];

/// Does an errand and returns the times of its answer: of a look at the pace the time of a loop, of a reference its parts, else
/// how long it took.
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
            if child::bind_to_cpus(cpus).is_ok() {
                let begin = Instant::now();
                let times = match errand {
                    Errand::Pace => only(pace::read()),
                    Errand::WarmMemory { bytes } => {
                        warmth::write(bytes as usize);
                        only(Nanos::from(begin.elapsed()))
                    }
                    // Too little memory for this is told as a time of nothing.
                    Errand::Reference => ReferenceTime::read()
                        .map_or([Nanos::ZERO; 4], |time| [time.compute, time.cache, time.memory, time.wall]),
                };
                for (place, time) in page.iter().zip(times).rev() {
                    place.store(time.0, Ordering::Relaxed);
                }
                // What was done in no time was done all the same.
                page[0].fetch_max(1, Ordering::Relaxed);
            }
            // SAFETY: ends this process and nothing else; what the launcher would do at its end is not ours to do.
            unsafe { libc::_exit(0) }
        }
        Cloned::Parent { pid, .. } => pid,
    };
    // SAFETY: waits for our own child; nobody asks for its status.
    check(unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) }).map_err(at(Step::Wait))?;
    match page.each_ref().map(load) {
        [0, ..] => Err((Step::Affinity, io::Error::from_raw_os_error(libc::EINVAL))),
        times_ns => Ok(times_ns),
    }
}
