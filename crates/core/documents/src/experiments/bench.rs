//! The results of repeated runs: the documents of `tauto bench`.
//!
//! The fields of [`BenchResult`] outside of `tautochrone` are those of hyperfine's export, in seconds of
//! wall time, so that what reads that reads this.

use crate::machines::identity::MachineIdentity;
use crate::run::{End, Evidence, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchReport {
    pub results: Vec<BenchResult>,
    /// What hyperfine has no field for.
    pub tautochrone: BenchDetails,
}

/// The result of one command. The fields up to `exit_codes` are those of hyperfine's export: wall time in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchResult {
    /// Its name (`--name`), else the command line, quoted for a shell.
    pub command: String,
    pub mean: f64,
    /// Its standard deviation; `null` of a single run.
    pub stddev: Option<f64>,
    pub median: f64,
    /// Mean user time; `null` if a run's is not known.
    pub user: Option<f64>,
    /// Mean system time; `null` if a run's is not known.
    pub system: Option<f64>,
    pub min: f64,
    pub max: f64,
    /// Each wall time, in order.
    pub times: Vec<f64>,
    /// Each exit code, in order; `null` where a signal or a limit ended the run.
    pub exit_codes: Vec<Option<i32>>,
    /// Value of each parameter, as text; absent without parameters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// What hyperfine has no field for.
    pub tautochrone: BenchSeries,
}

/// How a benchmark was made, and how its commands compare.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchDetails {
    pub machine: MachineIdentity,
    /// CPUs of the runs, as in `0-3,8`.
    pub cpus: String,
    /// Whether others may have timed on those CPUs as well, so that times vary more.
    #[serde(default)]
    pub shared_cpus: bool,
    /// Runs of each command before the first that counts.
    pub warm_ups: u32,
    /// Runs of each command that were wanted.
    pub runs_wanted: u32,
    pub complete: bool,
    /// What else was kept busy; `null` without a load.
    pub load: Option<BenchLoad>,
    /// The second of two commands compared with the first; `null` of another number of commands, or if a time was 0.
    pub comparison: Option<BenchComparison>,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
    /// Which time was compared: `cpu`, `wall` or `both`.
    #[serde(default = "usual_metric")]
    pub metric: String,
    /// Shell that ran the command lines; `null` if none did.
    pub shell: Option<String>,
    /// Letter of the command that the others are compared with; `null` if there is one command.
    pub compared_with: Option<String>,
    /// Every other command compared with that one, in order.
    #[serde(default)]
    pub comparisons: Vec<BenchAgainst>,
    /// Of `--runs auto`: when there were to be enough; `null` of a fixed number.
    pub stop: Option<BenchStop>,
    /// A fixed amount of work, measured before each round of the commands; `null` in results of older versions.
    pub reference: Option<ReferenceTimes>,
}

fn usual_metric() -> String {
    "cpu".to_owned()
}

/// A load on other CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BenchLoad {
    /// `cpu`, `memory` or `io`.
    pub kind: String,
    /// Its CPUs, one thread each.
    pub cpus: String,
    /// Unit of its work: `steps` or `bytes`.
    pub unit: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchSeries {
    /// Its letter, such as `A`.
    #[serde(default)]
    pub letter: String,
    /// Its name; `null` if none was given.
    pub name: Option<String>,
    pub argv: Vec<String>,
    #[serde(default)]
    pub hooks: BenchHooks,
    pub cpu_time: TimeSummary,
    pub wall_time: TimeSummary,
    /// The lowest time, once the two lowest agree: wall time where that is compared, else CPU time. So are the outliers and
    /// the runs that are needed.
    pub lowest: LowestTime,
    /// Runs whose time lies apart from the others'.
    pub outliers: Vec<BenchOutlier>,
    pub disturbed_runs: u64,
    /// Runs of this and another command that are needed for a difference of 1 % at power 0.8; `null` of a single run.
    pub runs_needed_for_1_percent: Option<u64>,
    /// What the load did in a second of these runs; `null` without a load.
    pub load_work_per_second: Option<f64>,
    pub runs: Vec<BenchRun>,
}

/// One measure over all runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeSummary {
    pub mean_ns: u64,
    pub median_ns: u64,
    /// Lower end of the median's 95 % interval; `null` of a single run.
    pub median_low_ns: Option<u64>,
    /// Upper end of it; `null` likewise.
    pub median_high_ns: Option<u64>,
    pub min_ns: u64,
    pub max_ns: u64,
    /// The highest minus the lowest.
    pub spread_ns: u64,
    /// Standard deviation; `null` of a single run.
    pub standard_deviation_ns: Option<u64>,
    /// Standard deviation as a part of the mean; `null` of a single run.
    pub variation: Option<f64>,
    /// Median of the distances from the median.
    pub median_absolute_deviation_ns: u64,
}

/// The two-lowest-agree estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LowestTime {
    /// Whether the two lowest times agree within 1 %.
    pub agreed: bool,
    pub value_ns: u64,
    /// After how many runs.
    pub runs: u32,
    /// By which part the second lowest is above it; `null` if they agree, or there is one run.
    pub gap: Option<f64>,
}

/// A run that lies apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchOutlier {
    /// Which run, from 1.
    pub run: u64,
    pub cpu_time_ns: u64,
    #[serde(default)]
    pub wall_time_ns: u64,
    /// Modified z-score.
    pub score: f64,
    /// Its disturbances, a phrase each; empty means "none seen".
    pub disturbances: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchRun {
    pub end: End,
    pub usage: Usage,
    pub evidence: Evidence,
    /// What the load did meanwhile; `null` without a load.
    pub load_work: Option<u64>,
    /// In which wall-clock time it did that; `null` without a load.
    pub load_time_ns: Option<u64>,
}

/// The second of two commands as a multiple of the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchComparison {
    pub pairs: u64,
    pub cpu_time: Ratio,
    pub wall_time: Ratio,
    /// Effect size, from -1 to 1: matched-pairs rank-biserial correlation. This and what follows are of wall time if that is
    /// compared, else of CPU time.
    pub rank_biserial: f64,
    pub sign_p_value: f64,
    pub permutation_p_value: f64,
    /// Pairs that are needed for a difference of 1 % at power 0.8; `null` of a single pair.
    pub pairs_needed_for_1_percent: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    pub ratio: f64,
    /// Lower end of its 95 % interval; `null` with too few runs: fewer than 6 pairs, or a single run.
    pub low: Option<f64>,
    /// Upper end of it; `null` likewise.
    pub high: Option<f64>,
    /// How often chance alone gives a ratio at least as far from 1: Wilcoxon signed-rank test of pairs, permutation test of
    /// two files.
    pub p_value: f64,
    /// `faster`, `slower` or `undecided`: what the second is.
    pub verdict: String,
    /// The p-value corrected by Holm's method, which decides the verdict; `null` of a single comparison.
    pub corrected_p_value: Option<f64>,
    /// Why it is undecided although 1 is outside the interval; `null` otherwise.
    pub undecided_because: Option<String>,
}

/// Two results side by side, such as of two machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchComparisonReport {
    pub first: ComparedFile,
    pub second: ComparedFile,
    /// What else is not the same, a sentence each: machines, loads, commands.
    pub differences: Vec<String>,
    pub results: Vec<ComparedResult>,
    /// What the reference shows of the machine; `null` if a file does not have it.
    pub machine_change: Option<MachineChange>,
    /// What a person should know, a sentence each.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// Where a result is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedFile {
    pub path: String,
    pub machine: MachineIdentity,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedResult {
    /// The command in the first file.
    pub first_command: String,
    /// The command in the second file.
    pub second_command: String,
    /// Its median CPU time in the first file.
    pub first_median_ns: u64,
    /// Its median CPU time in the second file.
    pub second_median_ns: u64,
    /// The medians of CPU time, second / first.
    pub cpu_time: Ratio,
    /// The medians of wall time, second / first.
    pub wall_time: Ratio,
    /// Cliff's delta of the CPU time, from -1 to 1.
    pub cliffs_delta: f64,
}

/// Command lines that are run around those that are measured; `null` where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BenchHooks {
    pub setup: Option<String>,
    pub prepare: Option<String>,
    pub conclude: Option<String>,
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

/// A command compared with the one that is the reference.
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
    pub ratio: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}
