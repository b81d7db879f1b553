//! Documents of experiments: `tauto bench`, `tauto lab`, `tauto noise`, `tauto policy` and `tauto sim`.

mod bench;
mod lab;
mod noise;
mod policy;
mod sim;
mod sim_contest;
mod sim_import;
mod sim_right_size;

pub use bench::{BenchAgainst, BenchHooks, BenchStop, MachineChange, ReferenceRatio, ReferenceTimes};
pub use bench::{
    BenchComparison, BenchComparisonReport, BenchDetails, BenchLoad, BenchOutlier, BenchReport, BenchResult,
    BenchRun, BenchSeries, ComparedFile, ComparedResult, LowestTime, Ratio, TimeSummary,
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
