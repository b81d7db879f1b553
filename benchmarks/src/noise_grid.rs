//! How near the formulas of the propagation model come to its simulation.
//!
//! Other seeds than those of the fit, and parameters between its own but for its corners; only the square's term that
//! comes back with many nodes was fitted to this grid.

use crate::noise_model::{STENCILS, periodic};
use noise::closed::{closed_form, crossover_nodes};
use noise::model::{Phases, Reported, Scenario, Stencil};
use noise::simd::Instructions;
use noise::simulate::{Estimate, Observed, SimulateError, Simulation, estimate};
use rayon::prelude::*;
use serde_json::{Value, json};

/// `f T_C`: the fit had 10^-4, 10^-3 and 10^-2.
const RATES: [f64; 5] = [1e-4, 3e-4, 6e-4, 3e-3, 1e-2];
/// `d / T_C`: the fit had 0.01, 0.1, 1 and 8.
const LENGTHS: [f64; 5] = [0.01, 0.03, 0.3, 3.0, 8.0];
/// `P / P*`: the fit had 1/8, 1/2, 1, 2, 4, 16 and 64.
const PARTS: [f64; 8] = [0.125, 0.2, 0.7, 1.4, 3.0, 8.0, 32.0, 64.0];
/// Two sources at once, each as `f T_C` and `d / T_C`: often and short with rarely and long, alike, and of one length.
/// The first is that of the article's figure 4 with a `T_C` of 75 us, with which the rule was fitted as well.
const PAIRS: [[(f64, f64); 2]; 6] = [
    [(0.075, 0.173), (0.0006, 2.13)],
    [(0.02, 0.15), (0.001, 1.8)],
    [(0.006, 0.08), (0.0004, 0.7)],
    [(0.03, 0.02), (0.0005, 3.0)],
    [(0.003, 0.4), (0.0015, 0.9)],
    [(0.004, 0.3), (0.0005, 0.3)],
];
const PAIR_PARTS: [f64; 4] = [0.5, 2.0, 8.0, 32.0];
/// Larger lattices take minutes each.
const NODES_MAX: f64 = 30_000.0;
const COMPUTE_NS: f64 = 100e3;
const ITERATIONS: u64 = 1000;
const SEED: u64 = 20_261_122;
/// The mean is to be known to this part of the extra time ...
const PRECISION: f64 = 0.01;
const CONFIDENCE: f64 = 0.99;
/// ... by this many replicas at most, checked after this many.
const REPLICAS_MAX: u64 = 512;
const BATCH: u64 = 32;

/// Holds formulas to the simulation: one source, for the mean over all nodes and for the edge, and two sources.
pub fn grid() -> anyhow::Result<Vec<Value>> {
    let mut rows = Vec::new();
    for (stencil, name) in STENCILS {
        for (rate, length) in RATES.iter().flat_map(|rate| LENGTHS.map(|length| (*rate, length))) {
            rows.extend(points(stencil, name, &[(rate, length)], &PARTS)?);
        }
        for pair in PAIRS {
            rows.extend(points(stencil, name, &pair, &PAIR_PARTS)?);
        }
    }
    Ok(rows)
}

/// Some numbers of nodes with the same sources.
fn points(stencil: Stencil, name: &str, sources: &[(f64, f64)], parts: &[f64]) -> anyhow::Result<Vec<Value>> {
    let source = |(rate, length): &(f64, f64)| periodic(rate / COMPUTE_NS * 1e9, length * COMPUTE_NS);
    let base = Scenario::article(COMPUTE_NS, sources.iter().map(source).collect());
    let scenario = Scenario { stencil, phases: Phases::Own, iterations: ITERATIONS, ..base };
    let crossover = crossover_nodes(&scenario);
    let mut rows = Vec::new();
    for part in parts {
        let nodes = (crossover * part).round().max(2.0);
        if nodes > NODES_MAX {
            continue;
        }
        let simulated = observe(&scenario, nodes as u64)?;
        for (reported, name_of) in [(Reported::Mean, "mean"), (Reported::Edge, "edge")] {
            let Estimate { mean_ns, half_ns } = iteration(&simulated, reported);
            let closed = closed_form(&scenario, nodes as u64, reported);
            let extra = mean_ns - closed.quiet_ns;
            rows.push(json!({
                "stencil": name, "reported": name_of,
                "rates": sources.iter().map(|(rate, _)| *rate).collect::<Vec<_>>(),
                "lengths": sources.iter().map(|(_, length)| *length).collect::<Vec<_>>(),
                "part": part, "nodes": stencil.lattice(nodes as u64).nodes(),
                "simulated_ns": mean_ns, "half_ns": half_ns, "formula_ns": closed.iteration_ns,
                "off_of_iteration": closed.iteration_ns / mean_ns - 1.0,
                "off_of_extra": (closed.iteration_ns - closed.quiet_ns) / extra - 1.0,
                "replicas": simulated.len(),
            }));
        }
    }
    Ok(rows)
}

/// Returns where replicas stand at the end: as many as make the mean over nodes precise.
fn observe(scenario: &Scenario, nodes: u64) -> Result<Vec<Observed>, SimulateError> {
    let mut all: Vec<Observed> = Vec::new();
    while (all.len() as u64) < REPLICAS_MAX {
        let at_once = noise::simulate::replicas_at_once(scenario.stencil, nodes);
        let from = all.len();
        let batch: Result<Vec<Vec<Observed>>, SimulateError> = (from..from + BATCH as usize)
            .into_par_iter()
            .step_by(at_once)
            .map(|first| {
                let best = Instructions::best();
                let mut simulation = Simulation::new(scenario, nodes, SEED, first as u64, best)?;
                simulation.advance(ITERATIONS)?;
                Ok(simulation.observe())
            })
            .collect();
        all.extend(batch?.into_iter().flatten());
        let mean = iteration(&all, Reported::Mean);
        if mean.half_ns <= PRECISION * (mean.mean_ns - COMPUTE_NS) {
            break;
        }
    }
    Ok(all)
}

fn iteration(replicas: &[Observed], reported: Reported) -> Estimate {
    let of = |observed: &Observed| match reported {
        Reported::Edge => observed.edge_ns,
        Reported::Maximum => observed.maximum_ns,
        Reported::Mean => observed.mean_ns,
    };
    let values: Vec<f64> = replicas.iter().map(|one| of(one) / ITERATIONS as f64).collect();
    estimate(&values, CONFIDENCE)
}
