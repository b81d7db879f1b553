//! `tauto lab affinity`.

use super::{ComparedWithArticle, LabSetting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sender and a receiver with and without pinning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabAffinityReport {
    pub setting: LabSetting,
    pub interval_ns: u64,
    /// Without pinning, then pinned.
    pub arms: Vec<LabAffinityArm>,
    /// The pinned `received_variation` as a multiple of the other; `null` if a series does not vary.
    pub variation_ratio: Option<f64>,
    /// Lower end of its 95 % interval; `null` likewise.
    pub variation_low: Option<f64>,
    /// Upper end of it; `null` likewise.
    pub variation_high: Option<f64>,
    /// What made the difference, a sentence each, for people.
    pub explanation: Vec<String>,
    /// The article's numbers.
    #[serde(rename = "beside")]
    pub compared: Vec<ComparedWithArticle>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabAffinityArm {
    /// Name for people.
    pub name: String,
    /// CPU of the receiver; `null` if it was not pinned.
    pub receiver_cpu: Option<u32>,
    /// CPU of the sender; `null` if it was not pinned.
    pub sender_cpu: Option<u32>,
    /// Messages sent in a second, mean.
    pub sent_per_second: f64,
    /// Messages received in a second, mean.
    pub received_per_second: f64,
    /// Standard deviation of the messages received in an interval, as a part of their mean; `null` of fewer than two
    /// intervals, or without a message.
    pub received_variation: Option<f64>,
    /// The same of the messages sent.
    pub sent_variation: Option<f64>,
    /// Fewest messages received in an interval.
    pub received_min: f64,
    /// Most messages received in an interval.
    pub received_max: f64,
    pub runs: Vec<LabAffinityRun>,
}

/// One run; the lists have one number for each interval. The first interval is in no mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LabAffinityRun {
    pub sent: Vec<u64>,
    pub received: Vec<u64>,
    pub receiver: LabThreadCounts,
    pub sender: LabThreadCounts,
    /// Each thread over all of the run.
    pub threads: Vec<LabThread>,
}

/// What a program's threads did in each interval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LabThreadCounts {
    /// Moves to another CPU; `null` where the kernel has no `/proc/PID/sched`.
    pub migrations: Option<Vec<u64>>,
    pub voluntary_switches: Vec<u64>,
    pub forced_switches: Vec<u64>,
    /// For how long they were ready and had no CPU.
    pub waited_ns: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LabThread {
    /// `sender` or `receiver`.
    pub program: String,
    pub thread: u32,
    pub name: String,
    /// On which CPUs it was seen.
    pub cpus: String,
    /// Moves to another CPU; `null` where the kernel has no `/proc/PID/sched`.
    pub migrations: Option<u64>,
    pub voluntary_switches: u64,
    pub forced_switches: u64,
    pub ran_ns: u64,
    /// For how long it was ready and had no CPU.
    pub waited_ns: u64,
}
