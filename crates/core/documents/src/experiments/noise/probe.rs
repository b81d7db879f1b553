//! What a probe measured: the document of `tauto noise probe`.

use crate::document::Document;
use crate::values::{Unavailable, value_or_reason};
use model::{Nanos, Reading};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The report of one probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseProbeReport {
    /// The machine's identity: the hash that is stored with time limits.
    pub identity: String,
    /// The host's name.
    pub host: String,
    /// The processor's name.
    pub processor: String,
    /// The kernel's release.
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

/// What was measured on one CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseCpu {
    /// Its number.
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
    /// How long it looked.
    pub watched_ns: f64,
    /// An undisturbed turn of the loop.
    pub turn_ns: f64,
    /// A turn is a detour from here on.
    pub threshold_ns: f64,
    /// In how many pieces it looked.
    pub bursts: u64,
    /// How many detours there were.
    pub count: u64,
    /// How many of them took 1 us or more.
    pub count_of_1_us: u64,
    /// How long they took together.
    pub stolen_ns: f64,
    /// The part of the time that they took.
    pub share: f64,
    /// Their lengths; `null` if there was no detour.
    pub lengths: Option<NoiseLengths>,
    /// What the kernel counted meanwhile.
    pub kernel: NoiseKernelCounts,
}

/// Lengths of detours or calls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseLengths {
    /// The shortest.
    pub min_ns: f64,
    /// The median.
    pub p50_ns: f64,
    /// The 99th percentile.
    pub p99_ns: f64,
    /// The longest.
    pub max_ns: f64,
    /// The mean.
    pub mean_ns: f64,
}

/// Calls of equal work.
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
    /// Makes it of readings.
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
        let mut named = |reading: &Named, field: &str| match reading {
            Reading::Known(counts) => Some(counts.iter().cloned().collect()),
            Reading::Unavailable(why) => {
                unavailable.insert(field.to_owned(), why.clone());
                None
            }
        };
        let (interrupts, softirqs, events) =
            (named(interrupts, "interrupts"), named(softirqs, "softirqs"), named(events, "events"));
        Self {
            interval_ns: interval.0,
            interrupts,
            softirqs,
            steal_ns: value_or_reason(steal, "steal_ns", &mut unavailable),
            run_delay_ns: value_or_reason(run_delay, "run_delay_ns", &mut unavailable),
            forced_switches: value_or_reason(forced_switches, "forced_switches", &mut unavailable),
            events,
            unavailable,
        }
    }
}

impl Document for NoiseProbeReport {
    const SCHEMA: &'static str = "tautochrone/noise-probe/1";
}
