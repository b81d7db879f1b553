//! Traces that were made, and measured speeds: the documents of `tauto sim import` and `generate`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A trace that was made of what others recorded, or made up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimImportReport {
    pub trace: String,
    pub hosts: u64,
    pub jobs: u64,
    /// What was left out or looks unusual, a sentence each.
    pub remarks: Vec<String>,
}

/// How much the speed of rented machines differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimNoiseReport {
    pub path: String,
    /// The machines of each size that were kept for as long.
    pub groups: Vec<SimNoiseGroup>,
}

/// Measurements of machines of a size that were kept for as long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimNoiseGroup {
    pub size: String,
    pub lifespan: String,
    pub machines: u32,
    pub measurements: u64,
    /// How fast the middle one was, in the unit of the source.
    pub median: f64,
    /// How much slower than the middle one the others were.
    pub slowdowns: Vec<SimSlowdown>,
    /// The noise of a host of this kind: the slowdown that one in a hundred measurements reaches.
    pub noise_permille: u32,
}

/// A part of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimSlowdown {
    /// The percentage of the measurements that were not slower.
    pub percent: u32,
    /// How much longer equal work takes than in the middle, in thousandths; below 0 where it is faster.
    pub permille: i32,
}
