//! Small work on the CPUs of runs, from where a run would be: a process of the launcher in the runs' groups.

#![allow(unsafe_code)]

use crate::child;
use crate::launcher::{StepResult, at};
use crate::protocol::{Errand, Step};
use crate::sys::{self, Cloned, SharedPage, check};
use crate::{pace, warmth};
use model::Nanos;
use rustix::fd::BorrowedFd;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Does an errand; gives what its answer takes: of a look at the pace the time of a loop, else how long it took.
pub(crate) fn run(
    page: &SharedPage<AtomicU64>,
    errand: Errand,
    cpus: &[u32],
    group: Option<BorrowedFd<'_>>,
) -> StepResult<u64> {
    page.store(0, Ordering::Relaxed);
    let pid = match sys::clone(0, group).map_err(at(Step::Clone))? {
        Cloned::Child => {
            if child::bind_to_cpus(cpus).is_ok() {
                let begin = Instant::now();
                let time = match errand {
                    Errand::Pace => pace::read(),
                    Errand::WarmMemory { bytes } => {
                        warmth::write(bytes as usize);
                        Nanos::from(begin.elapsed())
                    }
                };
                page.store(time.0.max(1), Ordering::Relaxed);
            }
            // SAFETY: ends this process and nothing else; what the launcher would do at its end is not ours to do.
            unsafe { libc::_exit(0) }
        }
        Cloned::Parent { pid, .. } => pid,
    };
    // SAFETY: waits for our own child; nobody asks for its status.
    check(unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) }).map_err(at(Step::Wait))?;
    match page.load(Ordering::Relaxed) {
        0 => Err((Step::Affinity, io::Error::from_raw_os_error(libc::EINVAL))),
        time_ns => Ok(time_ns),
    }
}
