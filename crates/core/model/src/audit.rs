//! What ran on a set of CPUs during an interval, and where each thread of a run ran.

use crate::{CpuId, CpuSet, Nanos, Reading};
use std::collections::BTreeMap;
use std::fmt;

/// What ran on a set of CPUs during an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    pub cpus: CpuSet,
    pub method: AuditMethod,
    /// For how long, in wall-clock time.
    pub interval: Nanos,
    /// How the time of all these CPUs together was divided.
    pub shares: Reading<CpuShares>,
    /// Everything that ran there but the run itself, what took most from the run or ran longest first.
    pub findings: Vec<Finding>,
    /// The run's threads, in the order of their numbers.
    pub threads: Vec<ThreadUse>,
    /// Events that found no room any more, so that nothing is known of them.
    pub lost_events: u64,
    /// What the method could not see, a sentence each.
    pub blind_spots: Vec<String>,
}

/// How an audit knows what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditMethod {
    /// The kernel recorded every switch and every interrupt.
    Events,
    /// From counters before and after, and looks in between.
    Estimate {
        /// Why there are no events.
        why: String,
    },
}

/// How the time of the CPUs was divided; together it is the interval times the number of CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuShares {
    pub run: Nanos,
    /// What we need for it: the supervisor and its launchers.
    pub ours: Nanos,
    /// Other processes and kernel threads.
    pub others: Nanos,
    pub interrupts: Nanos,
    pub soft_interrupts: Nanos,
    /// No task ran.
    pub idle: Nanos,
    /// Not known: no event showed it, or events were lost.
    pub unknown: Nanos,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunnerKind {
    /// The supervisor or a launcher of ours.
    Ours,
    /// A process of someone else.
    Process,
    KernelThread,
    /// A task that was gone before it could be inspected.
    GoneTask,
    Interrupt,
    SoftInterrupt,
}

/// Something that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: RunnerKind,
    /// Its name, such as `kworker/1:0` or `virtio0-input`.
    pub name: String,
    /// Its process's, interrupt's or soft interrupt's number, where there is one.
    pub number: Option<u32>,
    /// How many tasks of this name these are; 1 for what is no task.
    pub tasks: u64,
    /// Its control group, where it has one of its own and still could be asked.
    pub control_group: Option<String>,
    /// Its parent, where it is a task that is gone: the nearest ancestor that still existed.
    pub made_by: Option<String>,
    /// On which of the CPUs it ran.
    pub cpus: CpuSet,
    pub count: u64,
    pub total: Reading<Nanos>,
    pub longest: Reading<Nanos>,
    /// The part of the total in which one of the run's threads could have run.
    pub taken_from_run: Reading<Nanos>,
    pub advice: Advice,
}

/// How to move something from a CPU, and where that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What to do, or why nothing can be done.
    pub text: String,
    /// The kernel document that says so.
    pub source: &'static str,
}

/// What one thread of a run did, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadUse {
    /// Its number as the host sees it.
    pub thread: u32,
    pub name: String,
    /// How long it ran on each CPU.
    pub cpu_times: BTreeMap<CpuId, Nanos>,
    pub user_time: Reading<Nanos>,
    pub system_time: Reading<Nanos>,
    /// Context switches because something else wanted the CPU.
    pub forced_switches: Reading<u64>,
    /// Context switches because it waited.
    pub voluntary_switches: Reading<u64>,
    /// How often it went on on another CPU than before.
    pub migrations: u64,
}

impl Audit {
    /// Returns which part of the CPUs' time something is.
    pub fn part(&self, time: Nanos) -> f64 {
        let all = self.interval.0 as f64 * self.cpus.len() as f64;
        if all > 0.0 { time.0 as f64 / all } else { 0.0 }
    }
}

impl CpuShares {
    pub fn sum(&self) -> Nanos {
        let parts = [
            self.run,
            self.ours,
            self.others,
            self.interrupts,
            self.soft_interrupts,
            self.idle,
            self.unknown,
        ];
        Nanos(parts.iter().fold(0, |sum, part| sum.saturating_add(part.0)))
    }
}

impl ThreadUse {
    /// Returns how long it ran on all CPUs together.
    pub fn cpu_time(&self) -> Nanos {
        Nanos(self.cpu_times.values().fold(0, |sum, time| sum.saturating_add(time.0)))
    }
}

impl RunnerKind {
    /// Names the kind in documents; stays the same.
    pub fn id(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Process => "process",
            Self::KernelThread => "kernel_thread",
            Self::GoneTask => "gone_task",
            Self::Interrupt => "interrupt",
            Self::SoftInterrupt => "soft_interrupt",
        }
    }
}

impl fmt::Display for RunnerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ours => "tauto",
            Self::Process => "process",
            Self::KernelThread => "kernel thread",
            Self::GoneTask => "task, gone",
            Self::Interrupt => "interrupt",
            Self::SoftInterrupt => "soft interrupt",
        })
    }
}
