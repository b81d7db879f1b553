//! `tauto lab noise`.

use super::{ComparedWithArticle, LabSetting};
use crate::experiments::noise::{ExchangeInjection, ExchangeSpread};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The article's figures from our own measurement and model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabNoiseReport {
    pub setting: LabSetting,
    /// Calls of the counting function, for each CPU and load.
    pub calls: Vec<LabNoiseCalls>,
    /// Sources of noise that were found, for each CPU and load.
    pub sources: Vec<LabNoiseSource>,
    /// What injected noise adds to an iteration of processes over MPI.
    pub injected: Vec<LabNoiseInjected>,
    /// Why nothing was measured over MPI; `null` if it was.
    pub not_injected: Option<String>,
    pub figures: Vec<LabNoiseFigure>,
    /// The article's statements.
    #[serde(rename = "beside")]
    pub compared: Vec<ComparedWithArticle>,
}

/// Calls of the counting function on one CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabNoiseCalls {
    pub cpu: u32,
    /// `one_cpu` or `all_cpus` at work.
    pub load: String,
    /// What a call was to take.
    pub call_wanted_ns: u64,
    /// How many were made.
    pub calls: u64,
    /// Their median after the first quarter second.
    pub median_ns: f64,
    pub max_ns: f64,
    /// The median in the first quarter second as a multiple of that; `null` where the calls ended too soon.
    pub first_quarter_ratio: Option<f64>,
}

/// A periodic source that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabNoiseSource {
    pub cpu: u32,
    /// `one_cpu` or `all_cpus` at work.
    pub load: String,
    /// How often a second.
    pub frequency_hz: f64,
    /// How long, on the mean.
    pub length_ns: f64,
    /// The part of all time that it takes.
    pub share: f64,
}

/// What the noise of a figure, injected, adds to an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabNoiseInjected {
    /// The figure in the article whose noise and T_C these are.
    pub figure: u32,
    /// How many processes, each on a dedicated CPU.
    pub ranks: u32,
    /// `alone`, `blocking` or `overlapped`.
    pub work: String,
    /// As measured, round by round; `null` where processes share CPUs.
    pub measured: Option<ExchangeSpread>,
    /// As computed, with the same phases.
    pub computed: ExchangeSpread,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabNoiseFigure {
    /// Its number in the article.
    pub number: u32,
    /// T_C.
    pub call_ns: u64,
    pub sources: Vec<ExchangeInjection>,
    /// Where the parameters stand in the article, and what it leaves open.
    pub origin: String,
    /// The name of these parameters for `tauto noise predict --preset`.
    pub preset: String,
    pub curves: Vec<LabNoiseCurve>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabNoiseCurve {
    /// How the nodes are arranged: `line` or `square`.
    pub shape: String,
    pub points: Vec<LabNoisePoint>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabNoisePoint {
    pub nodes: u32,
    /// The mean time of an iteration as simulated, without messages: the article's M_P over 1000.
    pub iteration_ns: f64,
    /// Half of its interval with confidence 0.99.
    pub half_ns: f64,
    /// By how much it is longer than with three nodes under the same noise.
    pub over_three_ns: f64,
    /// Half of its interval with confidence 0.99.
    pub over_three_half_ns: f64,
    pub replicas: u32,
    /// The same iteration by formulas.
    pub closed_ns: f64,
    /// By how much it is longer than with three nodes, by formulas.
    pub closed_over_three_ns: f64,
}
