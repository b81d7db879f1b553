//! How near the formulas of the propagation model come to its simulation where detours come at random times, from one node
//! to many: rare and frequent, shorter than an iteration and far longer.

use crate::noise_model::STENCILS;
use anyhow::Context;
use noise::closed::closed_form;
use noise::model::{Reported, Scenario, Stencil};
use noise::simd::Instructions;
use noise::simulate::{Estimate, Plan, Reference, SimulateError, StopRule, simulate};
use noise::{Occurrence, Source};
use rayon::prelude::*;
use serde_json::{Value, json};

const FREQUENCIES_HZ: [f64; 4] = [10.0, 70.0, 400.0, 2000.0];
const LENGTHS_NS: [f64; 4] = [1e3, 3e4, 4e5, 1e7];
const COMPUTE_NS: [f64; 4] = [1e4, 1e5, 1e6, 1e7];
const NODES: [u64; 8] = [1, 2, 3, 4, 8, 27, 100, 400];
/// A simulation of more detours than this takes minutes: an iteration of all nodes has no more of them.
const DETOURS_MAX: f64 = 100.0;
/// Of an iteration's time.
const PRECISION: f64 = 0.005;
const UNITS_MAX: u64 = 1_000_000_000;
const SEED: u64 = 20_261_123;

/// Holds formulas to the simulation for one random source.
pub fn grid() -> anyhow::Result<Vec<Value>> {
    let mut points = Vec::new();
    for (stencil, name) in STENCILS {
        for rate_hz in FREQUENCIES_HZ {
            for length_ns in LENGTHS_NS {
                let source = Source { occurrence: Occurrence::Random { rate_hz }, length_ns };
                for compute_ns in COMPUTE_NS.into_iter().filter(|_| source.share() < 0.95) {
                    let scenario =
                        Scenario { stencil, ..Scenario::article(compute_ns, vec![source.clone()]) };
                    points.extend(NODES.map(|nodes| (scenario.clone(), name, nodes)));
                }
            }
        }
    }
    points
        .into_par_iter()
        .filter_map(|(scenario, name, nodes)| point(&scenario, name, nodes).transpose())
        .collect()
}

/// Returns one point; none where it would take too long, or is on a line already.
fn point(scenario: &Scenario, name: &str, nodes: u64) -> anyhow::Result<Option<Value>> {
    let [source] = &scenario.sources[..] else { return Ok(None) };
    let rate = source.frequency_hz() * scenario.compute_ns / 1e9;
    let is_known = scenario.stencil != Stencil::Line && nodes < 3;
    if is_known || rate * nodes as f64 > DETOURS_MAX {
        return Ok(None);
    }
    let plan = Plan {
        reported: Reported::Mean,
        seed: SEED,
        stop: StopRule {
            precision: PRECISION,
            floor_ns: PRECISION * scenario.compute_ns,
            replicas_max: 1_000_000,
            units_max: UNITS_MAX,
            ..StopRule::default()
        },
        instructions: Instructions::best(),
    };
    // Compared with itself, so that it is an iteration's time that is to be known.
    let simulated = match simulate(scenario, nodes, &mut Reference::new(nodes), &plan, |_| true) {
        // What is too rare or too long compared with an iteration is refused, and never reported.
        Err(SimulateError::Scenario(_) | SimulateError::Apart) => return Ok(None),
        simulated => simulated?,
    };
    let simulated = simulated.context("the simulation ended before it began")?;
    let Estimate { mean_ns, half_ns } = simulated.iteration;
    let closed = closed_form(scenario, nodes, Reported::Mean);
    Ok(Some(json!({
        "stencil": name, "rate": rate, "length": source.length_ns / scenario.compute_ns,
        "nodes": simulated.nodes, "simulated_ns": mean_ns, "half_ns": half_ns, "formula_ns": closed.iteration_ns,
        "off_of_iteration": closed.iteration_ns / mean_ns - 1.0, "checked": closed.is_checked,
        "replicas": simulated.replicas,
    })))
}
