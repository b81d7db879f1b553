//! What is promised of measuring noise, each part against something else that measures or computes the same.

mod oslat;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

/// What is compared.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Part {
    /// Detours of 1 us and more against oslat of rt-tests, timer interrupts against a plain trace
    Oslat,
}

/// Runs one part and prints it.
///
/// # Errors
///
/// The binary fails, or the other program is missing.
pub fn run(tauto: &Path, part: Part, rounds: usize, seconds: u32, json: bool) -> Result<ExitCode> {
    match part {
        Part::Oslat => oslat::run(tauto, rounds, seconds, json),
    }
}
