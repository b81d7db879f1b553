//! What is measured, and why it cannot be.

use model::{CpuId, CpuSet, Nanos};
use noise::{CpuProfile, NodeLoad, Ticks};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The article's T_C in its second figure.
pub const USUAL_QUANTUM: Nanos = Nanos::from_micros(155);

/// The article's number of calls.
pub const USUAL_CALLS: u32 = 100_000;

/// Why there are no calls where none were asked for.
pub const NO_CALLS: &str = "no calls of the counting function were asked for";

/// How long a CPU rests before its first call, so that its frequency goes down and the way up can be seen.
pub(super) const REST: Duration = Duration::from_secs(1);

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Plan {
    pub cpus: CpuSet,
    /// One after the other, or all at the same time.
    pub load: NodeLoad,
    /// How long the gap loop looks on each.
    pub looking: Nanos,
    /// How long a call of the counting function is to take.
    pub quantum: Nanos,
    /// How often it is called; 0 leaves it out.
    pub calls: u32,
    /// As what the probe runs.
    pub priority: Priority,
    /// Whether the kernel's events are recorded as well.
    pub events: bool,
}

/// As what the probe runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// As any program: what others take is noise, too.
    Normal,
    /// Before all usual programs, in bursts that end before the kernel would stop them: interrupts, the kernel's own
    /// and the hypervisor's time remain.
    RealTime,
}

/// The current step, for a progress line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Calls of the counting function; about so long.
    Quanta(CpuSet, Nanos),
    /// The gap loop.
    Gaps(CpuSet, Nanos),
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum NoiseError {
    /// No CPU was named.
    #[error("there is no CPU to measure")]
    NoCpus,
    #[error("cannot measure {}: online are {online}", asked.named())]
    Offline { asked: CpuSet, online: CpuSet },
    /// CPUs may not be used.
    #[error("this process may not use all of {}: it is kept on {}", asked.named(), allowed.named())]
    NotAllowed {
        asked: CpuSet,
        /// What may be used.
        allowed: CpuSet,
    },
    /// There is no memory for what will be measured.
    #[error("there is no memory for {0} detours; measure for fewer seconds")]
    NoMemory(usize),
    /// Time does not go on.
    #[error("the machine's clock did not go on while it was measured; measure again")]
    NoClock,
    /// The caller asked for the end.
    #[error("the probe was asked to end")]
    Asked,
    /// A thread cannot be had.
    #[error("a thread for the measurement cannot be started")]
    Thread(#[source] std::io::Error),
}

/// Why the measurement of one CPU ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// It is on another CPU.
    Moved { to: CpuId, after: Ticks },
    /// The caller wants it to end.
    Asked,
}

/// Whether the caller wants it to end.
pub(super) struct Watch<'a> {
    pub(super) asked: &'a (dyn Fn() -> bool + Sync),
    /// One of the threads has given up, for a reason that stops all.
    pub(super) failed: AtomicBool,
}

impl Watch<'_> {
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || (self.asked)()
    }
}

/// What one CPU gave.
pub(super) struct Measured {
    pub(super) profile: CpuProfile,
    pub(super) weaknesses: Vec<String>,
}
