//! Traces that were made, and measured speeds: the documents of `tauto sim import` and `generate`.

use crate::document::Document;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A trace that was made of what others recorded, or made up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimImportReport {
    /// The file.
    pub trace: String,
    /// How many hosts it has.
    pub hosts: u64,
    /// How many jobs it has.
    pub jobs: u64,
    /// What was left out or looks unusual, a sentence each.
    pub remarks: Vec<String>,
}

/// How much the speed of rented machines differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimNoiseReport {
    /// The file of the measurements.
    pub path: String,
    /// The machines of each size that were kept for as long.
    pub groups: Vec<SimNoiseGroup>,
}

/// Measurements of machines of a size that were kept for as long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimNoiseGroup {
    /// The machines' size.
    pub size: String,
    /// How long they were kept.
    pub lifespan: String,
    /// How many machines there were.
    pub machines: u32,
    /// How many measurements.
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
    /// So many per cent of the measurements were not slower than this.
    pub percent: u32,
    /// How much longer equal work takes than in the middle, in thousandths; below 0 where it is faster.
    pub permille: i32,
}

impl Document for SimImportReport {
    const SCHEMA: &'static str = "tautochrone/sim-import/1";
}

impl Document for SimNoiseReport {
    const SCHEMA: &'static str = "tautochrone/sim-noise/1";
}
