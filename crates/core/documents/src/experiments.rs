//! Documents of experiments: `tauto bench`, `tauto lab`, `tauto noise`, `tauto policy` and `tauto sim`.

mod bench;
mod lab;
mod noise;
mod policy;
mod sim;
mod sim_contest;
mod sim_import;
mod sim_right_size;

pub use bench::{
    BenchAgainst, BenchComparison, BenchComparisonReport, BenchDetails, BenchHooks, BenchLoad, BenchOutlier,
    BenchReport, BenchResult, BenchRun, BenchSeries, BenchStop, ComparedFile, ComparedResult, LowestTime,
    MachineChange, Ratio, ReferenceRatio, ReferenceTimes, TimeSummary,
};
pub use lab::*;
pub use noise::*;
pub use policy::{PoliciesReport, PolicyCheckReport, PolicyEntry, PolicyMistake, PolicySection};
pub use sim::*;
pub use sim_contest::{
    SimContestReport, SimMachines, SimPolicy, SimPool, SimPrice, SimQueue, SimTimes, SimWrong,
};
pub use sim_import::{SimImportReport, SimNoiseGroup, SimNoiseReport, SimSlowdown};
pub use sim_right_size::{SimRightSizeReport, SimSize, SimTrace};
