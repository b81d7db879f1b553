//! OS noise: how well and how fast it is measured, taken apart and predicted, each part against something else that
//! measures or computes the same.

mod exchange;
mod model;
mod oslat;
pub mod sources;
mod sparse;

use std::path::Path;

use anyhow::Result;

/// One of the parts of this benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Detours of 1 us and more against oslat of rt-tests, timer interrupts against a plain trace
    Oslat,
    /// Traces of known sources are taken apart
    Sources,
    /// How fast the propagation of noise is simulated, and how near its formulas come
    Model,
    /// What injected noise adds to processes over MPI, against what the model computes
    Exchange,
}

pub fn run(
    arms: &Path,
    tauto: &Path,
    part: Option<Part>,
    rounds: usize,
    seconds: u32,
    json: bool,
) -> Result<bool> {
    let mut all_reached = true;
    for part in super::tools::parts(part) {
        all_reached &= match part {
            Part::Oslat => oslat::run(tauto, rounds, seconds, json)?,
            Part::Sources => sources::run(arms, json)?,
            Part::Model => model::run(arms, json)?,
            Part::Exchange => exchange::run(tauto, json)?,
        };
    }
    Ok(all_reached)
}
