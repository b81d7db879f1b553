//! Ends a run, first by one request to the kernel, finally by every available means.
//!
//! A run ends with its init: the kernel then ends the whole PID namespace (pid_namespaces(7)). The init ends by itself
//! after it has reaped the main process, and only then can it report resource usage; so the group's processes are
//! killed first, and the init only if that does not suffice.

use crate::SandboxError;
use crate::process::kill;
use cgroup::SlotGroups;
use model::Nanos;
use rustix::fd::OwnedFd;
use std::time::Instant;

/// `cgroup.kill` signals the first thread of each process. If that thread has ended and others have not, it has no
/// effect (Linux 6.18), and each process must be killed as a whole. Usually all are dead before this time.
const EACH_EVERY: Nanos = Nanos::from_millis(20);
/// A process that uses no CPU time for this long is not merely freeing much memory. Once the init is killed, resources
/// other than CPU time and memory cannot be reported.
const ALL_MEANS_AFTER: Nanos = Nanos::from_millis(1_000);
/// A process that uses no CPU time for this long waits in the kernel for something that tauto cannot provide, or was
/// frozen by others. Some calls check for signals only at their end; a process in one uses CPU time, and ends by the limit
/// that it exceeded. The filter limits the longest that is known, `mincore`.
const GIVE_UP_AFTER: Nanos = Nanos::from_millis(5_000);
/// No known call takes this long, and a caller is waiting.
const GIVE_UP_AT_LAST: Nanos = Nanos::from_millis(120_000);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Wait(Nanos),
    KillEach,
    /// The same, and kill the init.
    AllMeans,
    GiveUp,
}

#[derive(Debug)]
pub struct Ending {
    begun: Instant,
    /// When the last action was taken, from the beginning.
    acted: Nanos,
    /// The CPU time at the last check, and when it last increased.
    used: Nanos,
    progressed: Nanos,
}

impl Ending {
    pub fn begin(groups: &SlotGroups, init: &OwnedFd) -> Result<Self, SandboxError> {
        let ending =
            Self { begun: Instant::now(), acted: Nanos::ZERO, used: Nanos::ZERO, progressed: Nanos::ZERO };
        if !groups.kill() {
            end_namespace(init)?;
        }
        Ok(ending)
    }

    /// Takes the next action; returns after what time to call this again.
    pub fn go_on(&mut self, groups: &SlotGroups, init: &OwnedFd) -> Result<Nanos, SandboxError> {
        let passed = Nanos::from(self.begun.elapsed());
        let used = groups.cpu_time()?;
        if used > self.used {
            (self.used, self.progressed) = (used, passed);
        }
        match next(passed, self.acted, self.progressed) {
            Step::Wait(time) => return Ok(time),
            Step::KillEach => groups.kill_each(),
            Step::AllMeans => {
                groups.kill_each();
                end_namespace(init)?;
            }
            Step::GiveUp => return Err(SandboxError::NotEnded { processes: groups.processes() }),
        }
        self.acted = passed;
        Ok(EACH_EVERY)
    }
}

fn next(passed: Nanos, acted: Nanos, progressed: Nanos) -> Step {
    let due = acted + EACH_EVERY;
    let idle = passed - progressed;
    if idle >= GIVE_UP_AFTER || passed >= GIVE_UP_AT_LAST {
        Step::GiveUp
    } else if passed < due {
        Step::Wait(due - passed)
    } else if idle >= ALL_MEANS_AFTER {
        Step::AllMeans
    } else {
        Step::KillEach
    }
}

fn end_namespace(init: &OwnedFd) -> Result<(), SandboxError> {
    kill(init).map_err(SandboxError::system("end the run"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_grow_with_time() {
        let ms = Nanos::from_millis;
        for (passed, acted, progressed, expected) in [
            (0, 0, 0, Step::Wait(ms(20))),
            (19, 0, 0, Step::Wait(ms(1))),
            (20, 0, 0, Step::KillEach),
            (35, 20, 0, Step::Wait(ms(5))),
            (999, 20, 0, Step::KillEach),
            (1_000, 980, 0, Step::AllMeans),
            (1_010, 1_000, 0, Step::Wait(ms(10))),
            (4_999, 1_000, 0, Step::AllMeans),
            (5_000, 4_999, 0, Step::GiveUp),
            (5_019, 4_999, 20, Step::AllMeans),
            (5_020, 4_999, 20, Step::GiveUp),
            (20_000, 19_000, 19_980, Step::KillEach),
            (120_000, 119_990, 119_990, Step::GiveUp),
        ] {
            assert_eq!(
                next(ms(passed), ms(acted), ms(progressed)),
                expected,
                "{passed} ms, last {acted} ms, CPU time {progressed} ms"
            );
        }
    }
}
