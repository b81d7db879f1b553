//! What a run's limits on time are checked against.

use crate::child::Report;
use crate::emulated::INSTRUCTIONS_PER_NANOSECOND_MAX;
use crate::ending::Ending;
use crate::guard::Guard;
use crate::pause::Pause;
use crate::plan::RunPlan;
use crate::protocol::Execution;
use crate::{SandboxError, sys};
use cgroup::SlotGroups;
use counter::Counts;
use model::{InstructionCount, LimitKind, Nanos};
use rustix::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long building a run may take, on a machine however busy; it usually takes some milliseconds.
const SETUP_MAX: Nanos = Nanos::from_millis(60_000);
/// The minimum time between two checks of a run: each costs some microseconds of a CPU.
pub const LOOK_FLOOR: Nanos = Nanos::from_millis(1);
/// Between two looks at a run's count there is this many times as long as one takes.
const LOOKS_PART: u64 = 20;
/// How often a run's count is looked at, whatever its limit is: it has to grow.
const COUNT_LOOKS_EVERY: Nanos = Nanos::from_millis(250);

/// What shows how much time a run has used, and what ends it.
#[derive(Clone)]
pub struct Watched<'a> {
    pub groups: &'a SlotGroups,
    pub init: Arc<OwnedFd>,
    pub plan: &'a RunPlan,
    started: Instant,
    /// Where the run reports when the program was executed, and what was used before: both times begin then.
    report: &'a Report,
    parallel: u64,
    pub guard: Option<&'a Guard>,
    /// The handle that may pause the run, and for how long it had paused earlier runs.
    pub pause: Option<(&'a Pause, Duration)>,
    /// Where the run's instructions are counted, if they are.
    pub counts: Option<&'a Counts>,
    /// For how long the guard may hold the run, in wall-clock time.
    pub patience: Nanos,
}

pub struct LimitCheck {
    pub exceeded: Option<LimitKind>,
    /// The time until the next check; `None` if there is no limit.
    pub next: Option<Nanos>,
    /// The run's count so far, if it is counted, and its CPU time.
    pub counted: Option<(InstructionCount, Nanos)>,
}

/// What the processor has counted of a run, and its limit.
pub struct ClockLook {
    count: InstructionCount,
    limit: InstructionCount,
}

impl ClockLook {
    pub fn is_exceeded(&self) -> bool {
        self.count > self.limit
    }

    pub fn left(&self) -> InstructionCount {
        InstructionCount(self.limit.0.saturating_sub(self.count.0))
    }
}

impl<'a> Watched<'a> {
    pub fn new(groups: &'a SlotGroups, plan: &'a RunPlan, init: OwnedFd, report: &'a Report) -> Self {
        let (parallel, started) = (plan.parallel(), Instant::now());
        let (init, guard, pause, patience) = (Arc::new(init), None, None, Nanos::ZERO);
        Self { groups, init, plan, started, report, parallel, guard, pause, counts: None, patience }
    }

    /// Checks the limits on time, as if they were greater by `grace`.
    pub fn check(&self, grace: Nanos) -> Result<LimitCheck, SandboxError> {
        let (mut exceeded, mut next) = (None, None);
        let mut due = |time: Nanos| next = Some(next.map_or(time, |earlier: Nanos| earlier.min(time)));
        let begun = self.report.begun();
        if begun.is_none() {
            let taken = self.without_pauses(Nanos::from(self.started.elapsed()));
            if taken >= SETUP_MAX {
                return Err(SandboxError::NotBegun { after: SETUP_MAX });
            }
            due(SETUP_MAX - taken);
        }
        if let Some(limit) = self.plan.limits.wall_time {
            let limit = limit + self.patience + grace;
            let used = begun.map_or(Nanos::ZERO, |begun| self.wall_time(begun));
            if used >= limit {
                exceeded = Some(LimitKind::WallTime);
            }
            due((limit - used).max(LOOK_FLOOR));
        }
        if let Some(limit) = self.plan.limits.cpu_time {
            let limit = limit + grace;
            let used = Execution::cpu_time(begun, self.groups.cpu_time()?);
            if used >= limit {
                exceeded = Some(LimitKind::CpuTime);
            }
            // Even if all its CPUs are busy, the run does not reach its limit earlier.
            due(Nanos((limit - used).0 / self.parallel).max(LOOK_FLOOR));
        }
        let mut counted = None;
        if let Some(counts) = self.counts {
            let begin = Instant::now();
            let count = counts.instructions().map_err(SandboxError::system("read the run's instructions"))?;
            // Many processes make a look long.
            let rest = Nanos::from(begin.elapsed()).saturating_mul(LOOKS_PART);
            counted = Some((count, Execution::cpu_time(begun, self.groups.cpu_time()?)));
            due(rest.max(COUNT_LOOKS_EVERY));
            if let Some(limit) = self.plan.limits.instructions {
                if count > limit {
                    exceeded = Some(LimitKind::Instructions);
                }
                let left = limit.0.saturating_sub(count.0) / INSTRUCTIONS_PER_NANOSECOND_MAX;
                due(Nanos(left / self.parallel).max(LOOK_FLOOR).max(rest));
            }
        }
        // The counter itself wakes the supervising thread.
        if grace > Nanos::ZERO
            && let Some(clock) = self.clock()
        {
            if clock.is_exceeded() {
                exceeded = Some(LimitKind::Instructions);
            }
            due(Nanos(clock.left().0 / INSTRUCTIONS_PER_NANOSECOND_MAX / self.parallel).max(LOOK_FLOOR));
        }
        Ok(LimitCheck { exceeded, next, counted })
    }

    /// Returns what the processor's counter shows, if it limits the run. If it cannot be read any more, the result says why.
    pub fn clock(&self) -> Option<ClockLook> {
        let (clock, limit) = (self.groups.clock()?, self.plan.limits.instructions?);
        let count = Execution::instructions(self.report.begun(), clock.count().ok()?);
        Some(ClockLook { count, limit })
    }

    pub fn end(&self) -> Result<Ending, SandboxError> {
        // A held process cannot even die.
        if let Some(guard) = self.guard {
            guard.release();
        }
        if let Some((pause, _)) = self.pause {
            pause.give_up();
        }
        Ending::begin(self.groups, &self.init)
    }

    fn wall_time(&self, begun: Execution) -> Nanos {
        self.without_pauses(Nanos(sys::clock_ns(libc::CLOCK_MONOTONIC).saturating_sub(begun.at_ns)))
    }

    fn without_pauses(&self, time: Nanos) -> Nanos {
        let paused = self.pause.map_or(Nanos::ZERO, |(pause, before)| pause.since(before));
        time.saturating_sub(paused)
    }
}
