//! What one run of a program did, and what went on around it.

use crate::{
    Baseline, Bytes, CpuSet, HardwareCounts, Hertz, InstructionCount, LimitKind, Nanos, Unusual,
    without_error_numbers,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// What one run of a program did.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// How the main process ended, or which limit ended it.
    pub end: RunEnd,
    pub usage: Usage,
    /// What went on around it.
    pub evidence: Evidence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunEnd {
    /// The main process left with this code.
    Exited(u8),
    /// The main process died by this signal of its own making.
    Signaled(u8),
    /// This limit was passed. Most often we ended the run then.
    Limit(LimitKind),
}

/// What one run used. By default nothing is known but the two times, without which there is no run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// User and system time of all processes together, from the group's own counter.
    pub cpu_time: Nanos,
    /// The user part of it; kernels count it by ticks, so it is coarser than the sum.
    pub user_time: Reading<Nanos>,
    pub system_time: Reading<Nanos>,
    /// From the program's first instruction until its main process is reaped.
    pub wall_time: Nanos,
    /// Instructions that all processes together have executed in user mode. Of a run that was ended at its limit on them, it
    /// is that limit: how far beyond it a run gets before it is ended is chance.
    pub instructions: Reading<InstructionCount>,
    /// The most memory the group held at once, without page cache.
    pub memory_peak: Reading<Bytes>,
    /// The largest resident set of the main process and its waited-for children.
    pub max_rss: Reading<Bytes>,
    /// Bytes written to standard output and standard error.
    pub output: Reading<Bytes>,
    /// Context switches because something else wanted the CPU.
    pub forced_switches: Reading<u64>,
    /// Context switches because the program waited.
    pub voluntary_switches: Reading<u64>,
    /// Page faults served without input or output.
    pub minor_faults: Reading<u64>,
    /// Page faults that waited for a device.
    pub major_faults: Reading<u64>,
}

/// What went on around a run; only causes outside the run's own group count as disturbance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The CPUs on which the run was allowed.
    pub cpus: CpuSet,
    /// Time that the hypervisor took from those CPUs during the run.
    pub steal: Reading<Nanos>,
    /// Interrupts served on those CPUs during the run.
    pub interrupts: Reading<u64>,
    /// Soft interrupts served on those CPUs during the run.
    pub softirqs: Reading<u64>,
    /// Time for which a quota stopped the run.
    pub throttled: Reading<Nanos>,
    /// Time for which the run was ready and had no CPU: its run-queue wait (pressure stall information).
    pub cpu_pressure: Reading<Nanos>,
    /// CPU time that others used on those CPUs during the run.
    pub others_cpu_time: Reading<Nanos>,
    /// How often the run's tasks moved from one CPU to another.
    pub migrations: Reading<u64>,
    /// The lowest clock frequency of those CPUs, read when the run had ended.
    pub frequency: Reading<Hertz>,
    /// How often heat slowed those CPUs down during the run.
    pub heat_throttles: Reading<u64>,
    /// How much slower than at its best the core was: the worse of a look just before the run and one just after it, but no
    /// more than a guard saw during the run.
    pub core_slowdown: Reading<Slowdown>,
    /// What a guard saw and did, where there was one.
    pub guard: Reading<Guard>,
    /// What of ours ran on other CPUs meanwhile. It is no disturbance and decides nothing.
    pub neighbours: Reading<Neighbours>,
    /// What differs from what is usual on those CPUs. It is no disturbance and decides nothing.
    pub unusual: Reading<Vec<Unusual>>,
    /// What the processor's counters saw of the run, in user mode. It decides nothing.
    pub hardware: Reading<HardwareCounts>,
    /// How far the run had those CPUs for itself.
    pub isolation: Isolation,
    /// The virtual machine around it, if it had one.
    pub machine: Option<MachineUse>,
}

/// A run's virtual machine, seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineUse {
    /// Whether a program executed its instructions, and not the processor: then the times inside say nothing about any machine.
    pub is_emulated: bool,
    /// All that it used, start and guest's kernel included: the run inside used no more.
    pub cpu_time: Nanos,
    /// From its creation until it had the run's request.
    pub start_time: Nanos,
    /// The most memory that the hypervisor had, the guest's included; `None` where the kernel does not say.
    pub memory_peak: Option<Bytes>,
}

impl fmt::Display for MachineUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_emulated, cpu_time, start_time, memory_peak } = self;
        let kind = if *is_emulated { "emulated" } else { "executed by the processor" };
        let memory = memory_peak.map_or_else(String::new, |peak| format!(", {peak} of memory"));
        write!(f, "{kind}; {cpu_time} of CPU time in all, {start_time} to start{memory}")
    }
}

/// What a guard on a run's own CPU saw of the core during the run, and did about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// How often it looked.
    pub looks: u64,
    /// At how many of these looks the core was slower than at its best by as much as the rule counts.
    pub slow_looks: u64,
    /// How much slower it was on average during the run: a look after which the run was held until the core was calm
    /// counts as calm.
    pub slowdown: Slowdown,
    /// For how long it kept the run from going on. Neither CPU time nor wall time of the run has this in it.
    pub held: Nanos,
}

/// What of ours ran on other CPUs while a run went on: a cache and memory are shared with it all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// What helped, by kind, such as `compiler`.
    pub helpers: BTreeSet<String>,
    pub timed_cpus: CpuSet,
}

impl Neighbours {
    pub fn is_empty(&self) -> bool {
        self.helpers.is_empty() && self.timed_cpus.is_empty()
    }
}

impl fmt::Display for Neighbours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all: Vec<String> = self.helpers.iter().map(|helper| format!("a {helper}")).collect();
        if !self.timed_cpus.is_empty() {
            all.push(format!("timed runs on CPUs {}", self.timed_cpus));
        }
        write!(
            f,
            "at the same time ran {}",
            if all.is_empty() { "nothing of ours".to_owned() } else { all.join(", ") }
        )
    }
}

/// How far a run had its CPUs for itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Isolation {
    /// What kept others away.
    pub kind: IsolationKind,
    /// Why it is no stronger, where a stronger one was wanted.
    pub weaker_because: Option<String>,
    /// What the kernel says, if it was lost during the run.
    pub lost: Option<String>,
}

/// What keeps others away from a run's CPUs, the weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum IsolationKind {
    /// Nothing: the run may be anywhere, like all others.
    #[default]
    None,
    /// The run is bound to its CPUs by its affinity; others may be there too.
    Affinity,
    /// A cpuset binds the run to its CPUs and memory nodes; others may be there too.
    CpuSet,
    /// A cpuset partition of kind `isolated`: the kernel balances no task of others to these CPUs.
    Partition,
}

/// How much longer a loop takes that keeps all of a core's execution units busy than it took at best on that CPU, in
/// thousandths. A program that shares the core shows in it, also where nothing else shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slowdown(pub u32);

impl From<Slowdown> for u32 {
    fn from(slowdown: Slowdown) -> Self {
        slowdown.0
    }
}

/// A value that was read, or the reason why it could not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading<T> {
    /// The value as read.
    Known(T),
    /// Why there is none.
    Unavailable(String),
}

/// A cause of lost time that the evidence shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OffCpuCause {
    /// The hypervisor ran something else.
    Steal(Nanos),
    Throttled(Nanos),
    /// Other programs ran on the run's CPUs.
    Others(Nanos),
    /// The processor slowed itself down so often because it was too hot.
    Heat(u64),
    /// The core did this much less than it can: another program shares it, or its clock is lower.
    SlowCore(Slowdown),
    /// Others could come to the run's CPUs since the kernel took their isolation away.
    IsolationLost(String),
}

impl<T> Default for Reading<T> {
    fn default() -> Self {
        Self::Unavailable("not read".to_owned())
    }
}

impl<T> Reading<T> {
    /// Makes the reading that says why there is none.
    pub fn unavailable(why: impl Into<String>) -> Self {
        Self::Unavailable(without_error_numbers(&why.into()))
    }

    /// Returns a reading of the borrowed value.
    pub fn as_ref(&self) -> Reading<&T> {
        match self {
            Self::Known(value) => Reading::Known(value),
            Self::Unavailable(why) => Reading::Unavailable(why.clone()),
        }
    }

    /// Changes the value, where there is one.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Self::Known(value) => Reading::Known(change(value)),
            Self::Unavailable(why) => Reading::Unavailable(why),
        }
    }

    /// Takes the value out, where there is one.
    pub fn into_known(self) -> Option<T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unavailable(_) => None,
        }
    }

    /// Returns the value where there is one.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unavailable(_) => None,
        }
    }
}

impl<T: fmt::Display> fmt::Display for Reading<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(value) => value.fmt(f),
            Self::Unavailable(why) => write!(f, "unavailable: {why}"),
        }
    }
}

impl Usage {
    /// Makes what is known of a run where only its two times are; `why` nothing else is.
    pub fn of_times(cpu_time: Nanos, wall_time: Nanos, why: &str) -> Self {
        let count = || Reading::unavailable(why);
        Self {
            cpu_time,
            user_time: Reading::unavailable(why),
            system_time: Reading::unavailable(why),
            wall_time,
            instructions: Reading::unavailable(why),
            memory_peak: Reading::unavailable(why),
            max_rss: Reading::unavailable(why),
            output: Reading::unavailable(why),
            forced_switches: count(),
            voluntary_switches: count(),
            minor_faults: count(),
            major_faults: count(),
        }
    }
}

impl Evidence {
    /// Makes the evidence of a run on `cpus` around which nothing was read, and why.
    pub fn unknown(cpus: CpuSet, why: &str) -> Self {
        let (time, count) = (|| Reading::unavailable(why), || Reading::unavailable(why));
        Self {
            cpus,
            steal: time(),
            interrupts: count(),
            softirqs: count(),
            throttled: time(),
            cpu_pressure: time(),
            others_cpu_time: time(),
            migrations: count(),
            frequency: Reading::unavailable(why),
            heat_throttles: count(),
            core_slowdown: Reading::unavailable(why),
            guard: Reading::unavailable(why),
            neighbours: Reading::unavailable(why),
            unusual: Reading::unavailable(why),
            hardware: Reading::unavailable(why),
            isolation: Isolation { weaker_because: Some(why.to_owned()), ..Isolation::default() },
            machine: None,
        }
    }
}

impl RunResult {
    /// Makes the result of a run that ended with `end` without its program being executed, for which nothing was counted:
    /// it took no time and wrote nothing.
    pub fn never_executed(end: RunEnd, cpus: CpuSet, why: &str) -> Self {
        let usage =
            Usage { output: Reading::Known(Bytes(0)), ..Usage::of_times(Nanos::ZERO, Nanos::ZERO, why) };
        Self { end, usage, evidence: Evidence::unknown(cpus, why) }
    }

    /// Notes what differs from what is usual on the run's CPUs, or why that is not known.
    pub fn compare_with(&mut self, usual: &Reading<Baseline>) {
        self.evidence.unusual = match usual {
            Reading::Known(usual) => Reading::Known(usual.unusual_in(self)),
            Reading::Unavailable(why) => Reading::Unavailable(why.clone()),
        };
    }
}

impl Slowdown {
    /// Compares the time of the loop with its best; none where there is no best yet.
    pub fn of(time: Nanos, best: Nanos) -> Option<Self> {
        let permille = (u128::from(time.0.saturating_sub(best.0)) * 1000).checked_div(u128::from(best.0))?;
        Some(Self(u32::try_from(permille).unwrap_or(u32::MAX)))
    }

    /// Returns a time with as much added.
    pub const fn added_to(self, time: Nanos) -> Nanos {
        let slowed = time.0 as u128 * (1000 + self.0 as u128) / 1000;
        Nanos(if slowed > u64::MAX as u128 { u64::MAX } else { slowed as u64 })
    }
}

impl fmt::Display for Slowdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} %", self.0 / 10, self.0 % 10)
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { looks, slow_looks, held, .. } = self;
        write!(f, "{slow_looks} of {looks} looks at its core saw it shared, it was held for {held}")
    }
}

impl fmt::Display for OffCpuCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steal(time) => write!(f, "the hypervisor took {time}"),
            Self::Throttled(time) => write!(f, "a quota stopped the run for {time}"),
            Self::Others(time) => write!(f, "other programs used {time} of its CPUs"),
            Self::Heat(times) => write!(f, "heat slowed its CPUs down {times} times"),
            Self::SlowCore(slowdown) => {
                write!(f, "the probe loop on its core was {slowdown} slower than at its best")
            }
            Self::IsolationLost(why) => write!(f, "its CPUs were no longer isolated: {why}"),
        }
    }
}

impl IsolationKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Affinity => "affinity",
            Self::CpuSet => "cpuset",
            Self::Partition => "partition",
        }
    }
}

impl fmt::Display for IsolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit code {code}"),
            Self::Signaled(signal) => write!(f, "signal {signal}"),
            Self::Limit(kind) => write!(f, "{kind} limit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowdown_is_shown_in_per_cent() {
        let best = Nanos(1000);
        assert_eq!(Slowdown::of(Nanos(1456), best), Some(Slowdown(456)));
        assert_eq!(Slowdown::of(Nanos(990), best), Some(Slowdown(0)));
        assert_eq!(Slowdown::of(best, Nanos::ZERO), None);
        assert_eq!(Slowdown(456).to_string(), "45.6 %");
        assert_eq!(Slowdown(500).added_to(Nanos(2000)), Nanos(3000));
        assert_eq!(Slowdown(500).added_to(Nanos(u64::MAX)), Nanos(u64::MAX));
    }
}
