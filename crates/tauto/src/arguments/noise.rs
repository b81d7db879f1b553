//! What may stand after `tauto noise`.

mod check;
mod compare;
mod exchange;
mod predict;
mod probe;
mod report;
mod sources;

pub use check::NoiseCheckArguments;
pub use compare::NoiseCompareArguments;
pub use exchange::ExchangeArguments;
pub use predict::{
    PredictArguments, PredictEnds, PredictPhases, PredictReported, PredictStencil, PredictWindow,
};
pub use probe::NoiseProbeArguments;
pub use report::NoiseReportArguments;
pub use sources::NoiseSourcesArguments;

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
    /// Say which sources a profile's noise comes from: how often, how long, and what the kernel says they are
    #[command(after_help = sources::SOURCES_EXAMPLES)]
    Sources(NoiseSourcesArguments),
    /// Write one page: pictures, sources, what they cost, what removes them, and what tuning has changed
    #[command(after_help = report::REPORT_EXAMPLES)]
    Report(NoiseReportArguments),
    /// Predict what noise does to a program of many nodes that wait for their neighbours
    #[command(after_help = predict::PREDICT_EXAMPLES)]
    Predict(Box<PredictArguments>),
    /// Measure what noise does to processes that exchange messages with their neighbours, over real MPI
    #[command(after_help = exchange::EXCHANGE_EXAMPLES)]
    Exchange(Box<ExchangeArguments>),
}
