//! What may stand after `tauto noise`.

mod check;
mod compare;
mod probe;

pub use check::NoiseCheckArguments;
pub use compare::NoiseCompareArguments;
pub use probe::NoiseProbeArguments;

use clap::Subcommand;

/// What to do with the machine's noise.
#[derive(Debug, Subcommand)]
pub enum NoiseCommand {
    /// Measure what is taken from a program that computes, on each CPU
    #[command(after_help = probe::PROBE_EXAMPLES)]
    Probe(Box<NoiseProbeArguments>),
    /// Say whether the machine is quieter than a budget
    #[command(after_help = check::CHECK_EXAMPLES)]
    Check(NoiseCheckArguments),
    /// Compare the noise of two machines, or of two days
    #[command(after_help = compare::COMPARE_EXAMPLES)]
    Compare(NoiseCompareArguments),
}
