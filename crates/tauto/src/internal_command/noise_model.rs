//! How fast the propagation model is simulated, and how near its formulas come.

use anyhow::Context;
use noise::closed::{closed_form, crossover_nodes};
use noise::model::{Reported, Scenario, Stencil};
use noise::simd::Instructions;
use noise::simulate::{Plan, Simulation, StopRule, simulate};
use noise::{Occurrence, Source};
use serde_json::{Value, json};
use std::time::Instant;

const ITERATIONS: u64 = 200;
const ROUNDS: usize = 5;
const STENCILS: [(Stencil, &str); 4] =
    [(Stencil::Line, "1d"), (Stencil::Square4, "2d"), (Stencil::Square8, "2d8"), (Stencil::Cube6, "3d")];
/// The grid of parameters on which formulas are held to the simulation.
const RATES: [f64; 3] = [1e-4, 1e-3, 1e-2];
const LENGTHS: [f64; 4] = [0.01, 0.1, 1.0, 8.0];
const PARTS: [f64; 7] = [0.125, 0.5, 1.0, 2.0, 4.0, 16.0, 64.0];
/// Larger lattices take minutes each.
const GRID_NODES_MAX: f64 = 30_000.0;
const GRID_COMPUTE_NS: f64 = 100e3;

fn periodic(frequency_hz: f64, length_ns: f64) -> Source {
    Source { occurrence: Occurrence::Periodic { frequency_hz }, length_ns }
}

/// Takes times with every kind of instructions on one thread, and of the largest case on all.
///
/// # Errors
/// When a simulation cannot be done.
pub fn speed() -> anyhow::Result<Vec<Value>> {
    let two = vec![periodic(1000.0, 13e3), periodic(8.0, 160e3)];
    let one = vec![periodic(8.0, 160e3)];
    let mut rows = Vec::new();
    let all = [Instructions::Avx512, Instructions::Avx2, Instructions::Portable];
    let one_thread =
        rayon::ThreadPoolBuilder::new().num_threads(1).build().context("cannot start a thread")?;
    for (sources, source_count) in [(&two, 2), (&one, 1)] {
        for (stencil, name) in STENCILS {
            for instructions in all.into_iter().filter(|choice| choice.is_there()) {
                for nodes in [1_000, 100_000, 1_000_000] {
                    let scenario = Scenario { stencil, ..Scenario::article(75e3, sources.clone()) };
                    let (best_s, units, bytes) =
                        one_thread.install(|| time(&scenario, nodes, instructions))?;
                    rows.push(json!({
                        "stencil": name, "sources": source_count, "instructions": instructions.name(),
                        "nodes": nodes, "threads": 1, "node_iterations_per_s": units / best_s,
                        "bytes_per_node": bytes,
                    }));
                }
            }
        }
    }
    let scenario = Scenario::article(75e3, two);
    let start = Instant::now();
    let mut simulation = Simulation::new(&scenario, 1_000_000, 1, 0, Instructions::best())?;
    simulation.advance(1000)?;
    rows.push(json!({
        "stencil": "1d", "sources": 2, "instructions": Instructions::best().name(), "nodes": 1_000_000,
        "threads": rayon::current_num_threads(), "whole_s": start.elapsed().as_secs_f64(),
    }));
    Ok(rows)
}

/// The shortest of some rounds, the node-iterations of each, and the bytes of a node.
fn time(scenario: &Scenario, nodes: u64, instructions: Instructions) -> anyhow::Result<(f64, f64, f64)> {
    let mut simulation = Simulation::new(scenario, nodes, 1, 0, instructions)?;
    let numbers = (simulation.lattice().nodes() * simulation.replicas() as u64) as f64;
    let mut best_s = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        simulation.advance(ITERATIONS)?;
        best_s = best_s.min(start.elapsed().as_secs_f64());
    }
    Ok((best_s, numbers * ITERATIONS as f64, simulation.bytes() as f64 / numbers))
}

/// Holds formulas to the simulation, for the mean over all nodes after 1000 iterations.
///
/// # Errors
/// When a simulation cannot be done.
pub fn grid() -> anyhow::Result<Vec<Value>> {
    let mut rows = Vec::new();
    for (stencil, name) in STENCILS {
        for rate in RATES {
            for length in LENGTHS {
                let source = periodic(rate / GRID_COMPUTE_NS * 1e9, length * GRID_COMPUTE_NS);
                let scenario = Scenario { stencil, ..Scenario::article(GRID_COMPUTE_NS, vec![source]) };
                let crossover = crossover_nodes(&scenario);
                for part in PARTS {
                    let nodes = (crossover * part).round().max(1.0);
                    if nodes > GRID_NODES_MAX {
                        continue;
                    }
                    let nodes = nodes as u64;
                    let plan = Plan {
                        reported: Reported::Mean,
                        seed: 11,
                        stop: StopRule { replicas_max: 256, ..StopRule::default() },
                        instructions: Instructions::best(),
                    };
                    // The reference does not matter here: what is compared is the time itself.
                    let point = simulate(&scenario, nodes, 1, &plan, |_| true)?
                        .context("a simulation that nobody stopped has a result")?;
                    let closed = closed_form(&scenario, point.nodes, Reported::Mean);
                    let extra = point.iteration.mean_ns - closed.quiet_ns;
                    rows.push(json!({
                        "stencil": name, "rate": rate, "length": length, "part": part, "nodes": point.nodes,
                        "simulated_ns": point.iteration.mean_ns, "half_ns": point.iteration.half_ns,
                        "formula_ns": closed.iteration_ns,
                        "off_of_iteration": closed.iteration_ns / point.iteration.mean_ns - 1.0,
                        "off_of_extra": (closed.iteration_ns - closed.quiet_ns) / extra - 1.0,
                        "replicas": point.replicas,
                    }));
                }
            }
        }
    }
    Ok(rows)
}
