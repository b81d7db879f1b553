//! `tauto lab placement`.

use super::{ComparedWithArticle, LabSetting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The same two threads, near to each other and far away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabPlacementReport {
    pub setting: LabSetting,
    pub places: Vec<LabPlace>,
    pub works: Vec<LabPlacementWork>,
    /// The article's numbers.
    #[serde(rename = "beside")]
    pub compared: Vec<ComparedWithArticle>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LabPlace {
    /// Name for people.
    pub name: String,
    /// The two CPUs; `null` where the kernel chooses, or `missing` says why there are none.
    pub cpus: Option<Vec<u32>>,
    /// Why this machine cannot show it; `null` if it can.
    pub missing: Option<String>,
}

/// What the threads did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabPlacementWork {
    /// Name for people.
    pub name: String,
    /// What two threads do, and what a batch of it is.
    pub what: String,
    /// One for each placement that this machine has, and before them one for a thread alone where it works alone.
    pub results: Vec<LabPlacementResult>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabPlacementResult {
    /// The placement's name, or `one thread alone`.
    pub place: String,
    /// Threads at work.
    pub threads: u32,
    pub all: LabPlacementRun,
    /// Batches in a second as a multiple of those of one thread alone; `null` where no thread works alone, or where it
    /// was not measured.
    pub times_alone: Option<f64>,
    /// Why that multiple was not measured: the runs gave one that is impossible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_measured: Option<String>,
    /// Its 99th percentile as a multiple of that of the nearest placement; `null` of a thread alone.
    pub p99_times_nearest: Option<f64>,
    pub runs: Vec<LabPlacementRun>,
}

/// One run, or all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabPlacementRun {
    pub batches: u64,
    /// Median time of a batch.
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub max_ns: u64,
    pub batches_per_second: f64,
}
