//! What repeated runs came to: the documents of `tauto bench`.
//!
//! The fields of [`BenchResult`] outside of `tautochrone` are those of hyperfine's export, in seconds of
//! wall time, so that what reads that reads this.

use crate::document::Document;
use crate::machines::identity::MachineIdentity;
use crate::run::{End, Evidence, Usage};
use serde::{Deserialize, Serialize};

/// The result of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// One for each command, in the order given.
    pub results: Vec<BenchResult>,
    /// What hyperfine has no field for.
    pub tautochrone: BenchDetails,
}

/// What one command came to; times on the clock in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchResult {
    /// The command, quoted for a shell.
    pub command: String,
    /// Mean wall time.
    pub mean: f64,
    /// Its standard deviation.
    pub stddev: Option<f64>,
    /// Median wall time.
    pub median: f64,
    /// Mean user time; none where a run's is not known.
    pub user: Option<f64>,
    /// Mean system time; none where a run's is not known.
    pub system: Option<f64>,
    /// The shortest wall time.
    pub min: f64,
    /// The longest wall time.
    pub max: f64,
    /// Each wall time, in order.
    pub times: Vec<f64>,
    /// Each exit code; `null` where a signal or a limit ended it.
    pub exit_codes: Vec<Option<i32>>,
    /// What hyperfine has no field for.
    pub tautochrone: BenchSeries,
}

/// How a benchmark was made, and what its commands come to side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchDetails {
    /// The machine.
    pub machine: MachineIdentity,
    /// The CPUs of the runs, as in `0-3,8`.
    pub cpus: String,
    /// Whether others may have timed there as well: the times spread more then.
    #[serde(default)]
    pub shared_cpus: bool,
    /// Runs of each command before the first that counts.
    pub warm_ups: u32,
    /// Runs of each command that were wanted.
    pub runs_wanted: u32,
    /// Whether all of them were done.
    pub complete: bool,
    /// What else was kept busy.
    pub load: Option<BenchLoad>,
    /// The second command beside the first.
    pub comparison: Option<BenchComparison>,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
}

/// A load on other CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchLoad {
    /// `cpu`, `memory` or `io`.
    pub kind: String,
    /// Its CPUs, one thread each.
    pub cpus: String,
    /// In what its work is counted: `steps` or `bytes`.
    pub unit: String,
}

/// What one command's runs come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchSeries {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// User and system time.
    pub cpu_time: TimeSummary,
    /// Time on the clock.
    pub wall_time: TimeSummary,
    /// The lowest CPU time, once the two lowest agree.
    pub lowest: LowestTime,
    /// Runs whose CPU time lies apart from the others'.
    pub outliers: Vec<BenchOutlier>,
    /// Runs in which a disturbance was seen.
    pub disturbed_runs: u64,
    /// Runs of this and another command that it takes to tell a difference of 1 per cent.
    pub runs_needed_for_1_percent: Option<u64>,
    /// What the load did in a second while these runs went on.
    pub load_work_per_second: Option<f64>,
    /// Every run, in order.
    pub runs: Vec<BenchRun>,
}

/// One measure over all runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeSummary {
    /// Arithmetic mean.
    pub mean_ns: u64,
    /// Median.
    pub median_ns: u64,
    /// Lower end of the median's interval at 95 per cent.
    pub median_low_ns: Option<u64>,
    /// Upper end of it.
    pub median_high_ns: Option<u64>,
    /// The lowest.
    pub min_ns: u64,
    /// The highest.
    pub max_ns: u64,
    /// The highest less the lowest.
    pub spread_ns: u64,
    /// Standard deviation.
    pub standard_deviation_ns: Option<u64>,
    /// Standard deviation as a part of the mean.
    pub variation: Option<f64>,
    /// Median of the distances from the median.
    pub median_absolute_deviation_ns: u64,
}

/// The two-lowest-agree estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LowestTime {
    /// Whether the two lowest agree.
    pub agreed: bool,
    /// The lowest CPU time of those runs.
    pub value_ns: u64,
    /// How many runs, from the first on, that took.
    pub runs: u32,
    /// By which part the second lowest is above it, where they do not agree.
    pub gap: Option<f64>,
}

/// A run that lies apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchOutlier {
    /// Which run, from 1.
    pub run: u64,
    /// Its CPU time.
    pub cpu_time_ns: u64,
    /// How far apart, in robust standard deviations.
    pub score: f64,
    /// What is seen to have taken time from it; empty means "none seen".
    pub disturbances: Vec<String>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchRun {
    /// How it ended.
    pub end: End,
    /// What it used.
    pub usage: Usage,
    /// What went on around it.
    pub evidence: Evidence,
    /// What the load did meanwhile.
    pub load_work: Option<u64>,
    /// In which time on the clock.
    pub load_time_ns: Option<u64>,
}

/// The second of two commands as a multiple of the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchComparison {
    /// Pairs of runs that were made in turns.
    pub pairs: u64,
    /// CPU time.
    pub cpu_time: Ratio,
    /// Time on the clock.
    pub wall_time: Ratio,
    /// Matched-pairs rank-biserial correlation of the CPU time, from -1 to 1.
    pub rank_biserial: f64,
    /// The sign test's answer for the CPU time.
    pub sign_p_value: f64,
    /// The permutation test's answer for the CPU time.
    pub permutation_p_value: f64,
    /// Pairs that it takes to tell a difference of 1 per cent.
    pub pairs_needed_for_1_percent: Option<u64>,
}

/// A ratio of times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Second / first.
    pub ratio: f64,
    /// Lower end of its interval at 95 per cent.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// How often chance alone gives a ratio at least as far from 1.
    pub p_value: f64,
    /// `faster`, `slower` or `undecided`: what the second is.
    pub verdict: String,
}

/// Two results side by side, such as of two machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchComparisonReport {
    /// The first file.
    pub first: ComparedFile,
    /// The second file.
    pub second: ComparedFile,
    /// What is not the same about how they were made, a sentence each.
    pub differences: Vec<String>,
    /// Results in the order of the first file.
    pub results: Vec<ComparedResult>,
}

/// Where a result is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedFile {
    /// The file.
    pub path: String,
    /// The machine.
    pub machine: MachineIdentity,
}

/// One command's runs in both files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

impl Document for BenchReport {
    const SCHEMA: &'static str = "tautochrone/bench/1";
}

impl Document for BenchComparisonReport {
    const SCHEMA: &'static str = "tautochrone/bench-comparison/1";
}
