//! `tauto lab placement`.

use super::{LabBeside, LabSetting};
use crate::document::Document;
use serde::{Deserialize, Serialize};

/// The same two threads, near to each other and far away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabPlacementReport {
    /// How it was made.
    pub setting: LabSetting,
    /// Every placement.
    pub places: Vec<LabPlace>,
    /// Every work.
    pub works: Vec<LabPlacementWork>,
    /// The article's numbers.
    pub beside: Vec<LabBeside>,
}

/// A placement of two threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabPlace {
    /// For people.
    pub name: String,
    /// The CPUs; `null` where the kernel chooses, or where `missing` says why there are none.
    pub cpus: Option<Vec<u32>>,
    /// Why this machine cannot show it.
    pub missing: Option<String>,
}

/// What the threads did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabPlacementWork {
    /// For people.
    pub name: String,
    /// What it is, and what a batch of it is.
    pub what: String,
    /// One for each placement that this machine has, and before them one for a thread alone where it works alone.
    pub results: Vec<LabPlacementResult>,
}

/// What came of it in one placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabPlacementResult {
    /// The placement's name, or `one thread alone`.
    pub place: String,
    /// Threads at work.
    pub threads: u32,
    /// All its runs taken together.
    pub all: LabPlacementRun,
    /// How many times as much is done in a second as by one thread alone; `null` where none works alone.
    pub times_alone: Option<f64>,
    /// Its 99th percentile as a multiple of that of the nearest placement; `null` of a thread alone.
    pub p99_times_nearest: Option<f64>,
    /// Each run.
    pub runs: Vec<LabPlacementRun>,
}

/// One run, or all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabPlacementRun {
    /// Batches that were done.
    pub batches: u64,
    /// Half of the batches took no longer.
    pub p50_ns: u64,
    /// 99 of 100.
    pub p99_ns: u64,
    /// All of them.
    pub max_ns: u64,
    /// Batches of all threads in a second.
    pub batches_per_second: f64,
}

impl Document for LabPlacementReport {
    const SCHEMA: &'static str = "tautochrone/lab-placement/1";
}
