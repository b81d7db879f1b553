//! The options. The documentation of an option is its help text; a type has none, since it would replace its command's.

mod bench;
mod lab;
mod noise;
mod run;

pub use self::noise::{
    ExchangeArguments, NoiseCheckArguments, NoiseCommand, NoiseCompareArguments, NoiseProbeArguments,
    NoiseReportArguments, NoiseSourcesArguments, PredictArguments, PredictEnds, PredictPhases,
    PredictReported, PredictStencil, PredictWindow, TraceArguments,
};
pub use bench::{BENCH_EXAMPLES, BenchArguments, BenchClock, LoadChoice, LoadCpus, RunCount, SortChoice};
pub use lab::{
    AffinityArguments, ClockLabArguments, LAB_EXAMPLES, LabArguments, LabCommand, LoadOn, NoiseLabArguments,
    PeerArguments, PlacementArguments, ServerArguments, SharingArguments, SieveArguments, StabilityArguments,
    ThrottlingArguments,
};
pub use run::{RUN_EXAMPLES, RunArguments, SandboxArguments, Seccomp};
