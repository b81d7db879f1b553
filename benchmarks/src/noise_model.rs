//! How fast the propagation model is simulated.

use anyhow::Context;
use noise::model::{Scenario, Stencil};
use noise::simd::Instructions;
use noise::simulate::Simulation;
use noise::{Occurrence, Source};
use serde_json::{Value, json};
use std::time::Instant;

const ITERATIONS: u64 = 200;
const ROUNDS: usize = 5;
pub(super) const STENCILS: [(Stencil, &str); 4] =
    [(Stencil::Line, "1d"), (Stencil::Square4, "2d"), (Stencil::Square8, "2d8"), (Stencil::Cube6, "3d")];
pub(super) fn periodic(frequency_hz: f64, length_ns: f64) -> Source {
    Source { occurrence: Occurrence::Periodic { frequency_hz }, length_ns }
}

/// Takes times with every kind of instructions on one thread, and of the largest case on all.
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

/// Returns how many node-iterations a second one sparse source takes on one thread, once caches and clock are warm.
pub fn sparse(nodes: u64, square: bool, iterations: u64) -> anyhow::Result<f64> {
    let stencil = if square { Stencil::Square4 } else { Stencil::Line };
    let scenario = Scenario { stencil, ..Scenario::article(75e3, vec![periodic(8.0, 160e3)]) };
    let one_thread =
        rayon::ThreadPoolBuilder::new().num_threads(1).build().context("cannot start a thread")?;
    one_thread.install(|| {
        let mut simulation = Simulation::new(&scenario, nodes, 1, 0, Instructions::best())?;
        simulation.advance(ITERATIONS)?;
        let start = Instant::now();
        simulation.advance(iterations)?;
        let numbers = simulation.lattice().nodes() * simulation.replicas() as u64;
        Ok((numbers * iterations) as f64 / start.elapsed().as_secs_f64())
    })
}

/// Returns the shortest of some rounds, the node-iterations of each, and the bytes of a node.
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
