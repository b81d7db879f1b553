//! Ends a run whose limit on time has passed, if the thread that supervises it does not get to do so.
//!
//! Where all CPUs belong to timed runs, whose groups have the highest weight, a usual thread gets less than a hundredth
//! of a CPU: runs were ended a minute after their limit. A watchdog is in the real-time class, where it precedes every
//! program. It is a thread of its own, since what supervising costs is up to the program: one that prints byte by byte
//! would keep a CPU busy.

#![allow(unsafe_code)]

use crate::ending::Ending;
use crate::sys;
use crate::watched::Watched;
use model::{LimitKind, Nanos};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Usually the supervising thread has ended the run by then.
const GRACE: Nanos = Nanos::from_millis(20);
/// Above a guard, which must release a run that is to end.
const PRIORITY: i32 = 2;

/// Watches until the other end of the channel is gone. Returns the limit for which it has ended the run.
///
/// If the run cannot be watched or ended, the supervising thread reports that.
pub fn watch(watched: &Watched<'_>, is_over: &Receiver<()>) -> Option<LimitKind> {
    // It has this from the thread that started it, except where threads are to start in the usual class.
    let _urgency = Urgency::begin();
    let mut exceeded = None;
    let mut ending: Option<Ending> = None;
    loop {
        let next = match &mut ending {
            Some(ending) => ending.go_on(watched.groups, &watched.init).ok(),
            None => {
                let check = watched.check(GRACE).ok()?;
                if check.exceeded.is_some() {
                    exceeded = check.exceeded;
                    ending = watched.end().ok();
                }
                // A program that waits just below its limit costs little this way.
                check.next.map(|time| time.max(GRACE))
            }
        };
        let received = match next {
            Some(time) => is_over.recv_timeout(Duration::from_nanos(time.0)),
            None => is_over.recv().map_err(RecvTimeoutError::from),
        };
        if received != Err(RecvTimeoutError::Timeout) {
            return exceeded;
        }
    }
}

/// The calling thread is in the real-time class until this is dropped, and so are threads that it starts, if the kernel
/// permits it (sched(7); sched-rt-group.rst).
pub struct Urgency {
    /// The policy and priority from before.
    before: Option<(i32, libc::sched_param)>,
}

impl Urgency {
    pub fn begin() -> Self {
        Self { before: raise() }
    }
}

impl Drop for Urgency {
    fn drop(&mut self) {
        if let Some((policy, param)) = &self.before {
            // Lowering itself needs no privilege.
            let _ = set(*policy, param);
        }
    }
}

fn raise() -> Option<(i32, libc::sched_param)> {
    let mut param = libc::sched_param { sched_priority: 0 };
    // SAFETY: 0 is the calling thread.
    let policy = unsafe { libc::sched_getscheduler(0) };
    // SAFETY: as above; the structure lives through the call.
    sys::check(unsafe { libc::sched_getparam(0, &raw mut param) }).ok()?;
    // A user may have given it a higher priority.
    let is_usual = [libc::SCHED_OTHER, libc::SCHED_BATCH, libc::SCHED_IDLE]
        .contains(&(policy & !libc::SCHED_RESET_ON_FORK));
    (is_usual && set(libc::SCHED_RR, &libc::sched_param { sched_priority: PRIORITY }))
        .then_some((policy, param))
}

fn set(policy: i32, param: &libc::sched_param) -> bool {
    // SAFETY: 0 is the calling thread; the structure lives through the call.
    sys::check(unsafe { libc::sched_setscheduler(0, policy, param) }).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> i32 {
        // SAFETY: 0 is the calling thread.
        unsafe { libc::sched_getscheduler(0) }
    }

    #[test]
    fn a_thread_is_urgent_only_as_long_as_it_has_to_be() {
        let before = policy();
        let urgency = Urgency::begin();
        let during = if urgency.before.is_some() { libc::SCHED_RR } else { before };
        assert_eq!(policy(), during);
        drop(urgency);
        assert_eq!(policy(), before);
    }
}
