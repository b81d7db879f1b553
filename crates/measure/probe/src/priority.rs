//! Real-time scheduling, in bursts that end before the kernel would stop them.

use super::Priority;
use model::{Nanos, Reading};
use std::io;
use system::{Roots, files};

/// Above every usual program; nothing is gained by more, and the kernel's own threads of real time stay above.
const REAL_TIME_LEVEL: libc::c_int = 1;
/// What the kernel lets real-time tasks have of its period, of which a burst takes only a part: it counts time that
/// was not theirs as well.
const PART_TAKEN: f64 = 0.9;
/// The kernel's defaults (`Documentation/scheduler/sched-rt-group.rst`).
const USUAL_PERIOD: Nanos = Nanos::from_millis(1000);
const USUAL_RUN_TIME: Nanos = Nanos::from_millis(950);

/// How long the loop runs at a time, and how long it rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bursts {
    pub length: Nanos,
    pub rest: Nanos,
}

/// The thread's scheduling; it goes back with this.
#[derive(Debug)]
pub(super) struct Raised {
    is_real_time: bool,
    refused: Option<io::Error>,
}

impl Raised {
    /// Sets the calling thread's priority.
    pub(super) fn to(priority: Priority) -> Self {
        match priority {
            Priority::Normal => Self { is_real_time: false, refused: None },
            Priority::RealTime => match schedule(libc::SCHED_FIFO, REAL_TIME_LEVEL) {
                Ok(()) => Self { is_real_time: true, refused: None },
                Err(error) => Self { is_real_time: false, refused: Some(error) },
            },
        }
    }

    /// Returns what is weaker than it was to be.
    pub(super) fn weakness(&self) -> Option<String> {
        self.refused.as_ref().map(|error| {
            format!(
                "real-time scheduling was refused ({error}), so what other programs took is among the detours; run it as \
                 root, outside of control groups without real-time share"
            )
        })
    }

    /// Returns how long the loop may run at a time.
    pub(super) fn bursts(&self, roots: &Roots, looking: Nanos) -> Bursts {
        if !self.is_real_time {
            return Bursts { length: looking, rest: Nanos::ZERO };
        }
        let read = |name: &str| files::value::<i64>(&roots.proc.join("sys/kernel").join(name));
        limited(read("sched_rt_runtime_us"), read("sched_rt_period_us"), looking)
    }
}

fn limited(run_time_us: Reading<i64>, period_us: Reading<i64>, looking: Nanos) -> Bursts {
    let nanos = |us: i64| u64::try_from(us).ok().map(Nanos::from_micros);
    let period = period_us.known().and_then(|us| nanos(*us)).unwrap_or(USUAL_PERIOD);
    let run_time = match run_time_us {
        // The kernel writes -1 for no limit.
        Reading::Known(us) if us < 0 => return Bursts { length: looking, rest: Nanos::ZERO },
        Reading::Known(us) => nanos(us).unwrap_or(USUAL_RUN_TIME),
        Reading::Unavailable(_) => USUAL_RUN_TIME,
    };
    let length = Nanos((run_time.0 as f64 * PART_TAKEN) as u64);
    Bursts { length, rest: period.saturating_sub(length) }
}

impl Drop for Raised {
    fn drop(&mut self) {
        if self.is_real_time {
            // The thread ends soon in any case.
            let _ = schedule(libc::SCHED_OTHER, 0);
        }
    }
}

#[allow(unsafe_code)]
fn schedule(policy: libc::c_int, level: libc::c_int) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: level };
    // SAFETY: 0 is the calling thread, and the parameters live until the call has returned.
    match unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_stay_below_the_kernels_limit() {
        let looking = Nanos::from_millis(10_000);
        let check = |run_time: Reading<i64>, period: Reading<i64>, length_ms: u64, rest_ms: u64| {
            let expected =
                Bursts { length: Nanos::from_millis(length_ms), rest: Nanos::from_millis(rest_ms) };
            assert_eq!(limited(run_time, period, looking), expected);
        };
        let none = || Reading::unavailable("gone");
        check(Reading::Known(950_000), Reading::Known(1_000_000), 855, 145);
        check(none(), none(), 855, 145);
        check(Reading::Known(-1), Reading::Known(1_000_000), 10_000, 0);
        check(Reading::Known(40_000), Reading::Known(100_000), 36, 64);
    }

    #[test]
    fn usual_is_one_burst() {
        let raised = Raised::to(Priority::Normal);
        assert_eq!(raised.weakness(), None);
        let looking = Nanos::from_millis(10_000);
        assert_eq!(raised.bursts(&Roots::host(), looking), Bursts { length: looking, rest: Nanos::ZERO });
    }
}
