//! How many CPUs a service needs: the document of `tauto sim right-size`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a change from a quota to a cpuset saves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimRightSizeReport {
    /// The trace of the service under a quota.
    pub quota_trace: SimTrace,
    /// Its trace in a cpuset; `null` if the other one counts for both.
    pub cpuset_trace: Option<SimTrace>,
    pub goal_ns: u64,
    pub quantile: f64,
    pub machine_cpus: u32,
    pub seed: u64,
    /// The smallest quota; `null` if the whole machine is not enough.
    pub quota: Option<SimSize>,
    /// The smallest cpuset; `null` likewise.
    pub cpuset: Option<SimSize>,
    /// How many periods of 100 ms the trace has; 0 without a quota.
    pub periods: u64,
    /// In how many of them the quota stopped the service.
    pub stopped_periods: u64,
    /// By how many CPUs the quota is larger; `null` if one of both is not enough.
    pub saved_cpus: Option<f64>,
    /// The same in per cent of the quota; `null` likewise.
    pub saved_percent: Option<f64>,
    /// Lower end of the 95 % interval of the CPUs saved; `null` likewise, or with a single block.
    pub saved_cpus_low: Option<f64>,
    /// Upper end of it; `null` likewise.
    pub saved_cpus_high: Option<f64>,
    /// How many blocks of the quota's trace were drawn again for it.
    pub blocks: u64,
    pub block_ns: u64,
    /// What the model leaves out, a sentence each.
    pub left_out: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimTrace {
    pub path: String,
    pub intervals: u64,
    /// How long it is.
    pub length_ns: u64,
    pub mean_cpus: f64,
    /// How many CPUs it uses in the interval that uses most.
    pub peak_cpus: f64,
}

/// The fewest CPUs for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimSize {
    pub cpus: f64,
    /// The delay of half of the work.
    pub delay_p50_ns: u64,
    pub delay_ns: u64,
}
