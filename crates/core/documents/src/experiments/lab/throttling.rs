//! `tauto lab throttling`.

use super::{ComparedWithArticle, LabSetting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A server of bursts under a CPU quota and on whole CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabThrottlingReport {
    pub setting: LabSetting,
    pub workload: LabWorkload,
    /// Every way of giving it CPUs.
    pub arms: Vec<LabThrottlingArm>,
    /// The smallest sizes that are good enough, for several targets.
    pub sizing: Vec<LabSizing>,
    /// The article's numbers.
    #[serde(rename = "beside")]
    pub compared: Vec<ComparedWithArticle>,
}

/// What the server did. Times without another word are CPU time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabWorkload {
    /// Decides when what is due.
    pub seed: u64,
    pub bursts_per_second: f64,
    pub requests_per_burst: u32,
    pub request_ns: u64,
    /// Into how many parts it is cut.
    pub parts: u32,
    /// Threads that serve.
    pub threads: u32,
    /// What a round of housekeeping needs.
    pub chores_ns: u64,
    /// Mean wall-clock time from one to the next.
    pub chores_every_ns: u64,
    /// Threads that do it together.
    pub chore_threads: u32,
    /// Mean number of CPUs that all of it takes.
    pub cpus_needed: f64,
}

/// One way of giving CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabThrottlingArm {
    /// Name for people.
    pub name: String,
    /// `quota` or `cpus`.
    pub mode: String,
    /// How many CPUs it amounts to.
    pub cpus: f64,
    /// CPU time in each period; `null` unless `mode` is `quota`.
    pub quota_ns: Option<u64>,
    /// Length of a period; `null` unless `mode` is `quota`.
    pub period_ns: Option<u64>,
    /// Which CPUs; `null` unless `mode` is `cpus`.
    pub cpu_list: Option<String>,
    /// Whether it is in the comparison; else it serves to find the right size.
    pub compared: bool,
    pub all: LabThrottlingRun,
    pub runs: Vec<LabThrottlingRun>,
}

/// The results of one run, or of all of an arm's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabThrottlingRun {
    pub requests: u64,
    /// Those of them that were given up; their latency is a lower bound.
    pub given_up: u64,
    /// Median of the latencies: times from when requests were due until they were done.
    pub p50_ns: u64,
    pub p90_ns: u64,
    pub p99_ns: u64,
    /// The longest latency.
    pub max_ns: u64,
    /// Requests served in a second of wall-clock time.
    pub served_per_second: f64,
    /// CPU time that the server used.
    pub cpu_time_ns: u64,
    /// Wall-clock time from begin to end.
    pub wall_time_ns: u64,
    /// Periods of the quota in which something ran.
    pub periods: u64,
    /// Periods in which it was used up.
    pub throttled_periods: u64,
    /// For how long threads were stopped, added up over CPUs.
    pub throttled_ns: u64,
    /// Every latency, in the order in which requests were due; empty where this is all runs together.
    pub latencies_ns: Vec<u64>,
    /// Throttling in the course of the run; empty where this is all runs together.
    pub ticks: Vec<LabTick>,
}

/// A look at what the quota has done so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LabTick {
    /// When, from the beginning of the run.
    pub at_ns: u64,
    /// Periods in which the quota was used up.
    pub throttled_periods: u64,
    /// For how long threads were stopped.
    pub throttled_ns: u64,
}

/// The smallest sizes that meet a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabSizing {
    /// What the 99th percentile of latencies must not exceed.
    pub target_ns: u64,
    /// CPUs as a quota; `null` if no size that was tried meets the target.
    pub quota_cpus: Option<f64>,
    /// Whole CPUs; `null` if no size that was tried meets the target.
    pub whole_cpus: Option<f64>,
    /// Which part of the quota's CPUs whole ones save; `null` likewise.
    pub saving: Option<f64>,
}
