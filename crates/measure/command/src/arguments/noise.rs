//! Arguments of `tauto noise`.

mod check;
mod compare;
mod exchange;
mod predict;
mod probe;
mod report;
mod sources;
mod trace;
mod units;

pub use check::NoiseCheckArguments;
pub use compare::NoiseCompareArguments;
pub use exchange::ExchangeArguments;
pub use predict::{
    PredictArguments, PredictEnds, PredictPhases, PredictReported, PredictStencil, PredictWindow,
};
pub use probe::NoiseProbeArguments;
pub use report::NoiseReportArguments;
pub use sources::NoiseSourcesArguments;
pub use trace::TraceArguments;

use clap::Subcommand;

/// What to do with the machine's noise.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum NoiseCommand {
    /// Measure the time taken from a computing program, on each CPU
    #[command(after_help = probe::PROBE_EXAMPLES)]
    Probe(Box<NoiseProbeArguments>),
    /// Check whether the machine's noise is within a budget
    #[command(after_help = check::CHECK_EXAMPLES)]
    Check(NoiseCheckArguments),
    /// Compare the noise of two machines, or of two days
    #[command(after_help = compare::COMPARE_EXAMPLES)]
    Compare(NoiseCompareArguments),
    /// Find the sources of a profile's noise: frequency, length, and matching kernel counters
    #[command(after_help = sources::SOURCES_EXAMPLES)]
    Sources(NoiseSourcesArguments),
    /// Write a page: charts, sources, their cost, how to remove them, and what tuning has changed
    #[command(after_help = report::REPORT_EXAMPLES)]
    Report(NoiseReportArguments),
    /// Predict the effect of noise on a program of many nodes that wait for their neighbours
    #[command(after_help = predict::PREDICT_EXAMPLES)]
    Predict(Box<PredictArguments>),
    /// Measure the effect of noise on processes that exchange messages with their neighbours, over real MPI
    #[command(after_help = exchange::EXCHANGE_EXAMPLES)]
    Exchange(Box<ExchangeArguments>),
}
