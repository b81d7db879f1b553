//! What a probe measured: the document of `tauto noise probe`.

use crate::values::{Unavailable, value_or_reason};
use model::{Nanos, Reading};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseProbeReport {
    /// The machine's identity: the hash that is stored with time limits.
    pub identity: String,
    pub host: String,
    pub processor: String,
    pub kernel: String,
    /// When it began, in seconds since 1970.
    pub began_unix_s: u64,
    /// `one-cpu` or `all-cpus`.
    pub load: String,
    /// Ticks of the time-stamp counter in a second.
    pub counter_hz: f64,
    /// What makes it weaker than it could be, a sentence each.
    pub weaknesses: Vec<String>,
    /// What was measured on each CPU.
    pub cpus: Vec<NoiseCpu>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseCpu {
    pub cpu: u32,
    /// What was taken from a loop that reads the clock; `null` if the CPU went away.
    pub detours: Option<NoiseDetours>,
    /// Calls of equal work; `null` if none were asked for, or the CPU went away.
    pub calls: Option<NoiseCalls>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// What was taken from a loop that reads the clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseDetours {
    pub watched_ns: f64,
    /// An undisturbed turn of the loop.
    pub turn_ns: f64,
    /// A turn is a detour from here on.
    pub threshold_ns: f64,
    /// In how many pieces it looked.
    pub bursts: u64,
    pub count: u64,
    /// How many of them took 1 us or more.
    pub count_of_1_us: u64,
    pub stolen_ns: f64,
    /// The part of the time that they took.
    pub share: f64,
    /// Their lengths; `null` if there was no detour.
    pub lengths: Option<NoiseLengths>,
    pub kernel: NoiseKernelCounts,
}

/// Lengths of detours or calls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseLengths {
    pub min_ns: f64,
    pub p50_ns: f64,
    pub p99_ns: f64,
    pub max_ns: f64,
    pub mean_ns: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseCalls {
    /// How many.
    pub count: u64,
    /// What one was calibrated to take.
    pub target_ns: u64,
    /// Their lengths after the first 250 ms.
    pub lengths: NoiseLengths,
    /// The first 250 ms; `null` if the calls ended before there was as much again.
    pub warm_up: Option<NoiseWarmUp>,
}

/// The first 250 ms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseWarmUp {
    /// Median of its calls as a multiple of the later median.
    pub slower: f64,
    /// The same of its slowest 5 ms.
    pub slowest_window: f64,
    /// When the last window of 5 ms ended that was more than 5 % slow.
    pub settled_after_ns: u64,
}

/// What the kernel counted on one CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseKernelCounts {
    /// Over how long.
    pub interval_ns: u64,
    /// Interrupts by the kernel's name and words.
    pub interrupts: Option<BTreeMap<String, u64>>,
    /// Soft interrupts by name.
    pub softirqs: Option<BTreeMap<String, u64>>,
    /// Time that the hypervisor took.
    pub steal_ns: Option<u64>,
    /// How long the probe waited for its CPU.
    pub run_delay_ns: Option<u64>,
    /// Involuntary context switches of the probe.
    pub forced_switches: Option<u64>,
    /// Events of the kernel's tracing by name.
    pub events: Option<BTreeMap<String, u64>>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// Counts by name.
type Named = Reading<Vec<(String, u64)>>;

impl NoiseKernelCounts {
    pub fn new(
        interval: Nanos,
        interrupts: &Named,
        softirqs: &Named,
        steal: &Reading<Nanos>,
        run_delay: &Reading<Nanos>,
        forced_switches: &Reading<u64>,
        events: &Named,
    ) -> Self {
        let mut unavailable = Unavailable::new();
        let reasons = &mut unavailable;
        let map = |counts: &Vec<(String, u64)>| counts.iter().cloned().collect::<BTreeMap<_, _>>();
        let (interrupts, softirqs, events) =
            (interrupts.as_ref().map(map), softirqs.as_ref().map(map), events.as_ref().map(map));
        Self {
            interval_ns: interval.0,
            interrupts: value_or_reason(&interrupts, "interrupts", reasons),
            softirqs: value_or_reason(&softirqs, "softirqs", reasons),
            steal_ns: value_or_reason(steal, "steal_ns", reasons),
            run_delay_ns: value_or_reason(run_delay, "run_delay_ns", reasons),
            forced_switches: value_or_reason(forced_switches, "forced_switches", reasons),
            events: value_or_reason(&events, "events", reasons),
            unavailable,
        }
    }
}
