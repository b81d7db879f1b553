//! A slot whose runs come with evidence of disturbances.

use cpus::{BestPace, QuietCpus};
use microvm::{Machines, Prepared};
use model::{Baseline, Bytes, CpuSet, Nanos, Reading, RunResult, Slowdown};
use ruling::RuleNumbers;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use sandbox::{
    Counting, Hold, Input, Output, Ran, ReferenceTime, RootView, RunIo, RunPlan, SandboxError, Slot,
};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use system::{CounterReader, Roots};

/// How often the core is probed while waiting for it to be calm: each probing takes a millisecond of its CPU.
const LOOK_EVERY: Nanos = Nanos::from_millis(100);
/// Waiting and holding use the same threshold as the rule.
const SLOW_CORE: Slowdown = RuleNumbers::CURRENT.slow_core;

/// A slot, the counters of its CPUs, and their best readings.
#[derive(Debug)]
pub struct TimedSlot {
    slot: Slot,
    /// What runs are in, and what they see there.
    inside: Option<(Arc<Machines>, RootView)>,
    cpus: CpuSet,
    counters: CounterReader,
    best: BestPace,
    usual: Reading<Baseline>,
    // Declared after the slot: interrupts are restored when no timed run is left.
    quiet: Option<QuietCpus>,
}

/// What a run is started in.
enum Start {
    Machine(Box<Prepared>),
    Container(RunIo),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CalmWait {
    pub time: Nanos,
    /// The state of the core at its end.
    pub slowdown: Reading<Slowdown>,
    /// How long the next run may be held while its core is contended: what is left of the patience if the core was not
    /// calm at once. On a core that was, a guard would only cost the run time.
    pub hold: Nanos,
}

impl TimedSlot {
    /// Makes it for runs on these CPUs, which are kept quiet as long as it exists.
    pub(crate) fn new(
        slot: Slot,
        inside: Option<(Arc<Machines>, RootView)>,
        cpus: &CpuSet,
        quiet: Option<QuietCpus>,
    ) -> Self {
        let counters = CounterReader::open(&Roots::host(), cpus);
        Self {
            slot,
            inside,
            cpus: cpus.clone(),
            counters,
            best: BestPace::at(Path::new(BestPace::FOLDER)),
            usual: Reading::unavailable("not compared with a stored profile"),
            quiet,
        }
    }

    /// Compares each run with the usual values of these CPUs.
    pub fn compare_with(&mut self, usual: Reading<Baseline>) {
        self.usual = usual;
    }

    pub fn quiet(&self) -> Option<&QuietCpus> {
        self.quiet.as_ref()
    }

    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Sets the root that runs see from now on; changing it takes some ms.
    pub fn show(&mut self, root: &RootView) {
        match &mut self.inside {
            Some((_, inside)) => inside.clone_from(root),
            None => self.slot.show(root),
        }
    }

    pub fn cpus(&self) -> &CpuSet {
        &self.cpus
    }

    /// Runs a plan on the slot's CPUs, with evidence.
    ///
    /// # Errors
    /// On an internal failure, or when the slot's `stop` becomes readable.
    pub fn run(&mut self, plan: &RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        self.run_with(plan, io, None)
    }

    /// Makes the template of the machine that a run of this plan would be in, if runs have machines, and it is not there.
    pub fn make_ready(&self, plan: &RunPlan) -> Result<(), SandboxError> {
        let Some((machines, root)) = &self.inside else { return Ok(()) };
        let plan = RunPlan { cpus: Some(self.cpus.clone()), ..plan.clone() };
        let io = RunIo { stdout: Output::Discard, ..RunIo::captured(Input::Empty) };
        machines.prepare(&self.slot, root, &plan, io).map(drop)
    }

    /// Runs a plan on the slot's CPUs, with evidence. A guard holds the run while its core is contended, but no longer
    /// than `patience`; if that is zero there is no guard.
    pub fn run_held(&mut self, plan: &RunPlan, io: RunIo, patience: Nanos) -> Result<Ran, SandboxError> {
        let best = self.best.of(&self.cpus).filter(|_| patience > Nanos::ZERO);
        self.run_with(plan, io, best.map(|best| Hold { best, slow_core: SLOW_CORE, patience }))
    }

    fn run_with(&mut self, plan: &RunPlan, io: RunIo, hold: Option<Hold>) -> Result<Ran, SandboxError> {
        let plan = RunPlan { cpus: Some(self.cpus.clone()), counting: Counting::Hardware, ..plan.clone() };
        // What may take seconds comes before the time that is looked at.
        let prepared = match &self.inside {
            Some((machines, root)) => {
                Start::Machine(Box::new(machines.prepare(&self.slot, root, &plan, io)?))
            }
            None => Start::Container(io),
        };
        let before = self.counters.read();
        // A machine's clock would go on while it is held.
        let hold = hold.filter(|_| self.inside.is_none());
        let mut ran = match (prepared, hold) {
            (Start::Machine(machine), _) => machine.run(&mut self.slot)?,
            (Start::Container(io), Some(hold)) => self.slot.run_guarded(&plan, io, hold)?,
            (Start::Container(io), None) => self.slot.run(&plan, io)?,
        };
        let after = self.counters.read();
        let RunResult { evidence, usage, .. } = &mut ran.result;
        let held = evidence.guard.known().map_or(Nanos::ZERO, |guard| guard.held);
        // The guard's CPU time is not others' time, and the counters went on while it held the run.
        let used = evidence.machine.as_ref().map_or(usage.cpu_time, |machine| machine.cpu_time);
        let (cpu_time, wall_time) = (used + ran.guard_cpu_time, usage.wall_time + held);
        let stolen_inside = evidence.steal.known().copied().filter(|_| evidence.machine.is_some());
        after.since(&before).fill(evidence, cpu_time, wall_time);
        if let (Reading::Known(steal), Some(inside)) = (&mut evidence.steal, stolen_inside) {
            *steal = *steal + inside;
        }
        evidence.frequency = self.counters.frequency();
        if hold.is_none() {
            evidence.guard = Reading::unavailable("the run had no guard");
        }
        evidence.core_slowdown = Reading::unavailable("not measured: the time does not depend on it");
        evidence.neighbours = Reading::unavailable("not recorded for this run");
        if evidence.guard.known().is_some() {
            evidence.unusual = Reading::unavailable("a guard causes interrupts and switches of its own");
        } else {
            ran.result.compare_with(&self.usual);
        }
        Ok(ran)
    }

    /// Probes how much slower the core is now than at its best.
    pub fn core_slowdown(&mut self) -> Result<Reading<Slowdown>, SandboxError> {
        let time = self.slot.pace(&self.cpus)?;
        Ok(self.best.compare(&self.cpus, time))
    }

    /// Does a fixed amount of work on the slot's CPUs and returns what it took, if there was memory for it.
    pub fn reference(&mut self) -> Result<Option<ReferenceTime>, SandboxError> {
        self.slot.reference(&self.cpus)
    }

    /// Starts a guard for the next held run; starting it just before the run would delay that by some ms.
    pub fn post_guard(&mut self) {
        self.slot.post_guard(&self.cpus);
    }

    /// Brings as much memory as a run used into the caches, as if that run had just ended; does nothing if it is not
    /// known.
    pub fn warm_memory(&mut self, used: &Reading<Bytes>) -> Result<(), SandboxError> {
        if let Some(used) = used.known() {
            self.slot.warm_memory(&self.cpus, *used)?;
        }
        Ok(())
    }

    /// Waits until the core is at its best, but no longer than `patience`; ends early when `stop` becomes readable.
    pub fn wait_until_calm(
        &mut self,
        patience: Nanos,
        stop: Option<&OwnedFd>,
    ) -> Result<CalmWait, SandboxError> {
        let begin = Instant::now();
        let mut was_slow = false;
        loop {
            let slowdown = self.core_slowdown()?;
            let time = Nanos::from(begin.elapsed());
            let is_slow = is_slow(&slowdown);
            if is_slow && !was_slow {
                was_slow = true;
                self.post_guard();
            }
            if !is_slow || time >= patience {
                let hold = if was_slow { patience.saturating_sub(time) } else { Nanos::ZERO };
                return Ok(CalmWait { time, slowdown, hold });
            }
            rest(LOOK_EVERY.min(patience.saturating_sub(time)), stop)?;
        }
    }
}

/// Returns whether a core was seen to be as slow as the rule counts.
pub fn is_slow(slowdown: &Reading<Slowdown>) -> bool {
    slowdown.known().is_some_and(|slowdown| *slowdown >= SLOW_CORE)
}

/// Records in a run's evidence the state of its core before and after it, but not as worse than a guard saw it during
/// the run. What only the guard sees is no excuse: a program can slow down the guard's readings with timers of its own.
pub fn note_slowdown(run: &mut RunResult, before: Reading<Slowdown>, after: Reading<Slowdown>) {
    let meanwhile = run.evidence.guard.known().map(|guard| guard.slowdown);
    let no_worse = |slowdown: Slowdown| meanwhile.map_or(slowdown, |meanwhile| meanwhile.min(slowdown));
    run.evidence.core_slowdown = match (before, after) {
        (Reading::Known(before), Reading::Known(after)) => Reading::Known(no_worse(before.max(after))),
        (Reading::Known(one), _) | (_, Reading::Known(one)) => Reading::Known(no_worse(one)),
        (_, unavailable) => unavailable,
    };
}

/// Leaves the CPUs alone for a while, unless `stop` becomes readable.
pub fn rest(time: Nanos, stop: Option<&OwnedFd>) -> Result<(), SandboxError> {
    let end = Instant::now() + Duration::from_nanos(time.0);
    loop {
        let left = Nanos::from(end.saturating_duration_since(Instant::now()));
        if left == Nanos::ZERO {
            return Ok(());
        }
        let timeout =
            Timespec { tv_sec: (left.0 / 1_000_000_000) as i64, tv_nsec: (left.0 % 1_000_000_000) as i64 };
        let mut polled: Vec<_> = stop.iter().map(|stop| PollFd::new(stop, PollFlags::IN)).collect();
        match rustix::event::poll(&mut polled, Some(&timeout)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Err(SandboxError::Interrupted),
            Err(error) => {
                return Err(SandboxError::System { what: "wait between two runs", source: error.into() });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Evidence, Guard, RunEnd, Usage};

    #[test]
    fn worse_of_two_probes_counts() {
        let noted = |before, after| {
            let evidence = Evidence::default();
            let mut run = RunResult { end: RunEnd::Exited(0), usage: Usage::default(), evidence };
            note_slowdown(&mut run, before, after);
            run.evidence.core_slowdown
        };
        let slower = |permille| Reading::Known(Slowdown(permille));
        assert_eq!(noted(slower(10), slower(400)), slower(400));
        assert_eq!(noted(slower(400), slower(10)), slower(400));
        assert_eq!(noted(Reading::default(), slower(10)), slower(10));
        assert_eq!(noted(Reading::default(), Reading::default()), Reading::default());
    }

    #[test]
    fn slowdown_is_at_most_what_a_guard_saw() {
        for (seen, noted) in [(30, 30), (500, 400)] {
            let guard = Guard { slowdown: Slowdown(seen), ..Guard::default() };
            let evidence = Evidence { guard: Reading::Known(guard), ..Evidence::default() };
            let mut run = RunResult { end: RunEnd::Exited(0), usage: Usage::default(), evidence };
            note_slowdown(&mut run, Reading::Known(Slowdown(10)), Reading::Known(Slowdown(400)));
            assert_eq!(run.evidence.core_slowdown, Reading::Known(Slowdown(noted)));
        }
    }
}
