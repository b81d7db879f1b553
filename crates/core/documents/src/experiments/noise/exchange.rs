//! `tauto noise exchange`.

use crate::MachineIdentity;
use crate::values::Unavailable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Processes that compute and exchange messages with their neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseExchangeReport {
    pub machine: MachineIdentity,
    /// The MPI library, as it calls itself.
    pub library: String,
    /// What a call of the counting function was to take: the article's T_C.
    pub call_wanted_ns: u64,
    pub call_steps: u64,
    pub message_bytes: u64,
    /// Iterations of each arm, in all rounds together.
    pub iterations: u64,
    /// Iterations of a block, which begins with all ranks together.
    pub block_iterations: u32,
    /// The part of a call that waits for messages in the overlapped arm, from 0 to 1.
    pub boundary_part: f64,
    /// How often MPI was called while the rest of a call overlapped with messages.
    pub tests: u32,
    pub injections: Vec<ExchangeInjection>,
    /// `own`: each rank has its own phases; `common`: all have the same.
    pub phases: String,
    pub seed: u64,
    /// How long reading the clock takes.
    pub clock_ns: f64,
    /// Calls from the beginning of load, which count nowhere else; `null` if there were none.
    pub warm_up: Option<ExchangeWarmUp>,
    /// One for each number of ranks.
    pub sizes: Vec<ExchangeSize>,
    pub complete: bool,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// A source of noise that was added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeInjection {
    /// How often in a second.
    pub frequency_hz: f64,
    /// How long each time.
    pub length_ns: f64,
    /// On which ranks; `null` means all.
    pub ranks: Option<Vec<u32>>,
}

/// The beginning of load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeWarmUp {
    pub slice_ns: u64,
    /// The median call in each slice.
    pub calls_ns: Vec<f64>,
    /// How many times as long a call took in the first quarter second as in the last half second.
    pub first_quarter_ratio: f64,
}

/// What was measured with this many ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeSize {
    /// Processes.
    pub ranks: u32,
    pub cpus: Vec<u32>,
    /// Whether ranks shared a CPU; then the times are those of the scheduler, not of the model.
    pub cpus_shared: bool,
    /// Blocks at whose end a rank was on another CPU than its own.
    pub blocks_moved: u64,
    /// What was done, with and without injected noise.
    pub arms: Vec<ExchangeArm>,
    pub added: Vec<ExchangeAdded>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeArm {
    /// `alone`, `bare`, `blocking` or `overlapped`.
    pub work: String,
    pub injected: bool,
    /// The time of an iteration: T_1 of `alone`, T_P of the others.
    pub iteration: ExchangeSpread,
    /// N_P: the time of an iteration minus that of `alone`, round by round; `null` of `alone` and where noise was
    /// injected.
    pub beyond_alone: Option<ExchangeSpread>,
    /// Median time of an iteration in the counting function, injected detours included.
    pub counting_ns: f64,
    /// Detours injected, on all ranks together.
    pub detours: u64,
    /// Their mean length as measured; `null` without detours.
    pub detour_mean_ns: Option<f64>,
    /// Detours that fell due while a rank waited or talked, and so cost nothing.
    pub detours_absorbed: u64,
    /// The time of an iteration in each round, the ranks' mean.
    pub times_ns: Vec<f64>,
}

/// What injected noise adds to an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeAdded {
    /// To which work.
    pub work: String,
    /// With noise minus without, round by round; `null` where ranks share CPUs.
    pub measured: Option<ExchangeSpread>,
    /// As the model computes it with the same phases.
    pub computed: ExchangeSpread,
}

/// How the values of all rounds are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeSpread {
    pub mean_ns: f64,
    pub median_ns: f64,
    /// Lower end of the median's 95 % interval.
    pub low_ns: f64,
    /// Upper end of it.
    pub high_ns: f64,
}
