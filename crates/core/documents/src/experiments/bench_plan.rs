//! How a benchmark was planned, and what else it measured.

use super::bench::BenchComparison;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Command lines that are run around those that are measured; `null` where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BenchHooks {
    /// Once before the first run.
    pub setup: Option<String>,
    /// Before every run.
    pub prepare: Option<String>,
    /// After every run.
    pub conclude: Option<String>,
    /// Once after the last run.
    pub cleanup: Option<String>,
}

/// When the number of runs was to be enough, if it was not given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchStop {
    /// Why there were no more runs: `precise`, `max_runs` or `max_time`; `null` if something else ended them.
    pub reason: Option<String>,
    /// How wide the interval was to be at most, as a part of the median or ratio.
    pub precision: f64,
    /// The least number of runs of each command.
    pub min_runs: u32,
    /// The largest.
    pub max_runs: u32,
    /// The time after which there were to be no more.
    pub max_time_ns: u64,
}

/// What a fixed amount of work took, once before each round of the commands: it shows how much the machine changed between two
/// results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceTimes {
    /// CPU times of the part that computes in registers.
    pub compute_ns: Vec<u64>,
    /// CPU times of the part that uses a second-level cache.
    pub cache_ns: Vec<u64>,
    /// CPU times of the part that waits for memory.
    pub memory_ns: Vec<u64>,
    /// Wall times of all parts.
    pub wall_ns: Vec<u64>,
}

/// A command beside the one that the others are compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchAgainst {
    /// The letter of the command.
    pub command: String,
    /// The command is the second in it, the reference the first.
    pub comparison: BenchComparison,
}

/// By how much a machine changed between two results: the fixed work's times, second / first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineChange {
    /// CPU time of the part that computes.
    pub compute: ReferenceRatio,
    /// CPU time of the part that uses a second-level cache.
    pub cache: ReferenceRatio,
    /// CPU time of the part that waits for memory.
    pub memory: ReferenceRatio,
    /// Wall time of all.
    pub wall: ReferenceRatio,
    /// By which part CPU times of a program may have changed with the machine: the third power of the largest change of the fixed work.
    pub cpu_time_at_most: f64,
    /// The same of wall times.
    pub wall_time_at_most: f64,
}

/// A ratio of medians, and its interval at 95 %.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceRatio {
    /// Second / first.
    pub ratio: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}
