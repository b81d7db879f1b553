//! What noise does to a program of many nodes: the document of `tauto noise predict`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What noise does to a program of many nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoisePredictReport {
    pub model: NoiseModel,
    /// The article's parameters that were taken; `null` if none were asked for.
    pub preset: Option<String>,
    /// From which profile the sources are, in words; `null` if they were given.
    pub profile: Option<String>,
    pub seed: u64,
    /// The instructions that were used; they change no number.
    pub instructions: String,
    /// The numbers of nodes, in order.
    pub points: Vec<NoisePoint>,
    /// Whether it was stopped before all was simulated.
    pub interrupted: bool,
}

/// A program and the noise under it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseModel {
    /// How long an iteration computes: T_C.
    pub compute_ns: f64,
    pub message_ns: f64,
    pub sources: Vec<NoiseModelSource>,
    /// For whom a node waits: `1d`, `2d`, `2d8` or `3d`.
    pub stencil: String,
    /// `open` or `periodic`.
    pub ends: String,
    /// `own-finish`, `computing` or `lengthened`.
    pub window: String,
    /// `one-offset`, `own` or `common`.
    pub phases: String,
    /// `edge`, `maximum` or `mean`.
    pub reported: String,
    pub iterations: u64,
    /// How many of them are not counted.
    pub warm_up: u64,
    /// The number of nodes with which differences are taken.
    pub reference_nodes: u64,
    /// The part of all time that the noise takes.
    pub share: f64,
    /// Number of nodes from which the extra time by formulas no longer grows.
    pub crossover_nodes: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseModelSource {
    /// `periodic` or `random`.
    pub occurrence: String,
    /// How often a second, on average.
    pub frequency_hz: f64,
    /// How long a detour takes.
    pub length_ns: f64,
}

/// One number of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoisePoint {
    pub nodes: u64,
    /// The lattice's sides.
    pub lattice: [u64; 3],
    /// Time of an iteration without noise.
    pub quiet_ns: f64,
    pub closed: NoiseClosedForm,
    /// What the simulation says; `null` if it was not simulated.
    pub simulated: Option<NoiseSimulated>,
}

/// What the formulas say of one number of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseClosedForm {
    pub iteration_ns: f64,
    pub extra_ns: f64,
    /// How much longer it is than one of the reference number of nodes.
    pub difference_ns: f64,
    /// Which formula: `one-node`, `linear`, `crossover`, `plateau` or `synchronised`.
    pub regime: String,
    /// Whether such parameters were checked against simulation.
    pub checked: bool,
}

/// What the simulation says of one number of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseSimulated {
    pub iteration_ns: f64,
    /// Half of its 99 % interval; `null` of a single replica.
    pub iteration_half_ns: Option<f64>,
    pub extra_ns: f64,
    /// How much longer it is than one of the reference number of nodes with the same noise.
    pub difference_ns: f64,
    /// Half of the interval of that; `null` of a single replica.
    pub difference_half_ns: Option<f64>,
    pub replicas: u64,
    /// Whether the difference is known as well as was asked.
    pub precise: bool,
    /// About how many replicas would make it so; `null` if it is, or if too few were done to say.
    pub replicas_wanted: Option<u64>,
    pub node_iterations: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{from_json, to_json};

    #[test]
    fn a_report_is_read_back() {
        let report = NoisePredictReport {
            model: NoiseModel {
                compute_ns: 75e3,
                message_ns: 0.0,
                sources: vec![NoiseModelSource {
                    occurrence: "periodic".to_owned(),
                    frequency_hz: 8.0,
                    length_ns: 160e3,
                }],
                stencil: "1d".to_owned(),
                ends: "open".to_owned(),
                window: "own-finish".to_owned(),
                phases: "one-offset".to_owned(),
                reported: "edge".to_owned(),
                iterations: 1000,
                warm_up: 0,
                reference_nodes: 3,
                share: 0.00128,
                crossover_nodes: 57.7,
            },
            preset: None,
            profile: None,
            seed: 1,
            instructions: "AVX2".to_owned(),
            points: vec![NoisePoint {
                nodes: 10,
                lattice: [10, 1, 1],
                quiet_ns: 75e3,
                closed: NoiseClosedForm {
                    iteration_ns: 76e3,
                    extra_ns: 1e3,
                    difference_ns: 700.0,
                    regime: "linear".to_owned(),
                    checked: true,
                },
                simulated: None,
            }],
            interrupted: false,
        };
        let text = to_json(&report);
        assert!(text.contains("\"schema\": \"tautochrone/noise-predict/1\""), "{text}");
        assert_eq!(from_json::<NoisePredictReport>(&text).ok(), Some(report));
    }
}
