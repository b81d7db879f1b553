//! Everything that a profile says: the document of `tauto noise report`.

use super::{NoiseCompareReport, NoiseSourcesReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sources, what removes them, and what changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseReport {
    pub sources: NoiseSourcesReport,
    /// T_C: how long an iteration computes for which costs and gains are reported.
    pub iteration_ns: u64,
    /// What the noise of each CPU costs; without a CPU whose noise leaves no time for work.
    pub costs: Vec<NoiseCost>,
    /// What would remove each source, that with the largest gain on a long line first.
    pub advice: Vec<NoiseAdvice>,
    /// The sources of the earlier profile; `null` without `--before`.
    pub before: Option<NoiseSourcesReport>,
    /// What changed on each CPU that both profiles have, as in `tautochrone/noise-compare/1`; `null` without
    /// `--before`.
    pub comparison: Option<NoiseCompareReport>,
    /// Which sources have gone, come or changed, a sentence each, for people.
    pub changed_sources: Vec<String>,
}

/// What the noise of one CPU costs a program whose every process runs on one like it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseCost {
    pub cpu: u32,
    pub at: Vec<NoiseCostAt>,
}

/// What noise costs at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseCostAt {
    /// For whom a process waits: `1d` or `2d`.
    pub stencil: String,
    pub nodes: u64,
    /// By how much an iteration is longer.
    pub extra_ns: f64,
    /// What remains of that without all that settings of this machine can remove.
    pub not_removable_ns: f64,
}

/// What would remove one source, and what that would gain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseAdvice {
    pub cpu: u32,
    /// The source in a few words.
    pub source: String,
    /// What it is and what to do.
    pub what: String,
    /// Ids of settings of `tauto machine check` that govern it.
    pub settings: Vec<String>,
    /// Whether a setting of this machine could remove it.
    pub removable: bool,
    /// The part of the time of one process that it takes.
    pub share: f64,
    /// What removing it alone gains; empty where noise leaves no time for work.
    pub gains: Vec<NoiseGain>,
    /// Whether the formulas were checked by simulation for such a source.
    pub is_checked: bool,
}

/// What removing one source gains at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseGain {
    /// For whom a process waits: `1d` or `2d`.
    pub stencil: String,
    pub nodes: u64,
    /// By how much an iteration would be shorter.
    pub gain_ns: f64,
}
