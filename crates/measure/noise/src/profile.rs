//! What a probe measured on one machine, raw.

use model::{CpuId, Nanos, Reading};

/// A reading of the processor's time-stamp counter, or a difference of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticks(pub u64);

/// Ticks of the time-stamp counter in a second; seldom a whole number of MHz.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TickRate(pub f64);

impl TickRate {
    /// Returns the nanoseconds in this many ticks.
    pub fn nanos(self, ticks: Ticks) -> f64 {
        ticks.0 as f64 * 1e9 / self.0
    }
}

/// How much longer than an undisturbed turn of the gap loop a detour is at least.
pub const RESOLUTION: Nanos = Nanos(100);

/// Everything that one probe measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Where it was measured.
    pub machine: MachineLine,
    /// When it began, in seconds since 1970.
    pub began_unix_s: u64,
    /// What the CPUs did that were not measured.
    pub load: NodeLoad,
    /// How long a second is.
    pub rate: TickRate,
    /// What was measured on each CPU, in the order of their numbers.
    pub cpus: Vec<CpuProfile>,
    /// What makes the profile weaker than it could be, a sentence each, such as memory that could not be locked.
    pub weaknesses: Vec<String>,
}

/// What one has to know of a machine to compare profiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineLine {
    /// Its identity, as stored with time limits.
    pub identity: String,
    /// The host's name.
    pub host: String,
    /// The processor's name.
    pub processor: String,
    /// The kernel's release.
    pub kernel: String,
}

/// What the other CPUs did meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeLoad {
    /// One CPU was measured at a time, the others were left as they were.
    OneCpu,
    /// All were measured at the same time.
    AllCpus,
}

/// What was measured on one CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuProfile {
    pub cpu: CpuId,
    /// Durations of equal pieces of work.
    pub quanta: Reading<QuantumTrace>,
    /// What was stolen from a loop that only reads the clock.
    pub gaps: Reading<GapTrace>,
}

/// Calls of a counting function, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantumTrace {
    /// What a call was calibrated to take: the article's T_C.
    pub target: Nanos,
    /// When each call began, from the beginning of the trace.
    pub starts: Vec<Ticks>,
    /// How long each took.
    pub lengths: Vec<Ticks>,
}

/// Detours of a loop that only reads the clock.
#[derive(Clone, Debug, PartialEq)]
pub struct GapTrace {
    /// Length of an undisturbed turn of the loop.
    pub turn: Ticks,
    /// A turn is a detour from here on.
    pub threshold: Ticks,
    /// When the loop looked, from the beginning of the trace; in order, without overlap.
    pub bursts: Vec<Burst>,
    /// What it saw, in the order of their starts, each within a burst.
    pub detours: Vec<Detour>,
    /// What the kernel counted on this CPU from the first burst's begin to the last one's end.
    pub counts: KernelCounts,
}

/// A time in which the loop looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    pub begin: Ticks,
    pub end: Ticks,
}

/// One interruption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detour {
    /// When it began, from the beginning of the trace.
    pub start: Ticks,
    /// How long it lasted, an undisturbed turn taken off.
    pub length: Ticks,
}

/// What the kernel counted on one CPU over an interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelCounts {
    /// How long the interval was.
    pub interval: Nanos,
    /// Interrupts by the kernel's name and words, such as `LOC Local timer interrupts`.
    pub interrupts: Reading<Vec<(String, u64)>>,
    /// Soft interrupts by name, such as `TIMER`.
    pub softirqs: Reading<Vec<(String, u64)>>,
    /// Time that the hypervisor took, in the kernel's ticks.
    pub steal: Reading<Nanos>,
    /// How long the probe waited for its CPU (`/proc/PID/schedstat`).
    pub run_delay: Reading<Nanos>,
    /// How often the probe was made to leave its CPU.
    pub forced_switches: Reading<u64>,
    /// Events by name with when they began, where the kernel's tracing can be read: in ticks of the trace.
    pub events: Reading<Vec<(String, Vec<Ticks>)>>,
}
