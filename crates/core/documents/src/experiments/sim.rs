//! Simulations of fleets: the lines of a run's file, and the documents of `tauto sim run`, `compare` and `explain`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A line of the file that `tauto sim run --output FILE` writes, in the order of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SimLine {
    /// The first line: what is run.
    Run(Box<SimRun>),
    /// The means of the time since the line of figures before.
    Sample(SimSample),
    /// A job that has ended, or had not when the run did.
    Job(SimJob),
    Move(SimMove),
    /// The last line: the run's results.
    Summary(Box<SimSummary>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimRun {
    /// The version of the file's format.
    pub version: u32,
    pub trace: String,
    /// The path by which the trace was given.
    pub trace_path: String,
    /// The policy, as YAML.
    pub policy: String,
    pub options: SimOptions,
}

/// What a run depends on, besides trace and policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimOptions {
    /// Decides which hosts fail that the trace lets live.
    pub seed: u64,
    /// When to end; `null` when all that ends has ended.
    pub until_ms: Option<u64>,
    /// How long one decision takes; jobs wait for the one before.
    pub decision_us: u64,
    /// How old what the scheduler sees is.
    pub stale_ms: u64,
    /// When observations are lost: from, until.
    pub outages_ms: Vec<(u64, u64)>,
    /// How often jobs that found no host are tried again if something has changed.
    pub retry_ms: u64,
    /// The time between two lines of figures; it doubles after 20,000 lines, and again after as many.
    pub sample_ms: u64,
    /// How many of a thousand hosts fail in a day.
    pub failures_per_1000_host_days: u32,
    /// How long a failed host is away.
    pub repair_ms: u64,
}

/// The means of a while.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimSample {
    /// When it ends.
    pub at_ms: u64,
    pub used_cpus: f64,
    pub cpus: f64,
    pub in_use_cpus: f64,
    /// CPUs that strict jobs took and standard jobs requested.
    pub requested_cpus: f64,
    pub hosts: f64,
    pub in_use_hosts: f64,
    /// Hosts whose jobs wanted more than 80 % of their CPUs.
    pub hot_hosts: f64,
    /// Jobs on hosts.
    pub running: f64,
    /// Jobs that waited for one.
    pub waiting: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimJob {
    pub name: String,
    /// `strict`, `standard` or `best-effort`.
    pub level: String,
    /// When it came.
    pub at_ms: u64,
    /// When it was placed first; `null` if never.
    pub start_ms: Option<u64>,
    /// The host where it was placed first.
    pub host: Option<String>,
    /// When it ended; `null` if it had not.
    pub end_ms: Option<u64>,
    /// How long it runs if nothing slows it, as far as the trace says.
    pub for_ms: Option<u64>,
    pub wanted_s: f64,
    /// CPU time that it wanted and did not get.
    pub missed_s: f64,
    /// How long it got less than it wanted and had requested.
    pub short_ms: u64,
    pub moves: u32,
    pub restarts: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimMove {
    pub at_ms: u64,
    pub job: String,
    pub from: String,
    pub to: String,
    /// `drain`, `hot`, `empty`, or `cores` if it changed its cores on the same host.
    pub reason: String,
    pub pause_ms: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimSummary {
    pub length_ms: u64,
    /// The figures of the whole of it.
    pub all: SimMeans,
    pub days: Vec<SimMeans>,
    pub levels: BTreeMap<String, SimFared>,
    /// Moves, by reason.
    pub moves: BTreeMap<String, u64>,
    /// How long jobs stood still for them.
    pub pauses_s: f64,
    /// Hosts that failed without the trace saying so.
    pub failures: u64,
    /// Of the free CPUs, the share that requests for 4 CPUs in one NUMA node could take: the mean of the hours.
    pub usable: Option<f64>,
    /// The same in the hours in which at least 85 % of the CPUs were requested.
    pub usable_when_full: Option<f64>,
    /// In which share of the windows a host's load was above its predicted peak.
    pub peaks_exceeded: Option<f64>,
    /// How long the fallback decided.
    pub degraded_ms: u64,
    /// Attempts to place a job.
    pub decisions: u64,
}

/// Means over a while; `null` where there is nothing to divide by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimMeans {
    /// Used CPUs / CPUs of hosts that are up.
    pub utilisation: Option<f64>,
    /// Used CPUs / CPUs of hosts with a job.
    pub utilisation_in_use: Option<f64>,
    /// Hosts whose jobs want more than 80 % of their CPUs / hosts that are up.
    pub hot: Option<f64>,
    /// The same / hosts with a job.
    pub hot_in_use: Option<f64>,
    /// Requested CPUs / CPUs of hosts that are up.
    pub requested: Option<f64>,
    pub hosts_in_use: Option<f64>,
}

/// How the jobs of a level fared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimFared {
    /// How many came.
    pub jobs: u64,
    /// How many never found a host.
    pub unplaced: u64,
    /// How many were on a host when the run ended.
    pub running: u64,
    /// How many had lost their host and waited for another when the run ended.
    pub waiting: u64,
    /// How many got less than they wanted and had requested, for any time.
    pub short: u64,
    /// How long they ran in all.
    pub ran_h: f64,
    /// For which share of that time they got less than they wanted and had requested.
    pub short_share: Option<f64>,
    /// Which share of the CPU time that they wanted they did not get.
    pub missed_share: Option<f64>,
    /// The time from arrival, or from the loss of a host, to a host, of those that found one.
    pub wait: Option<SimWaits>,
}

/// Quantiles of waiting times, to three digits; the longest is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimWaits {
    pub p50_ms: u64,
    /// 95 of 100 waited less.
    pub p95_ms: u64,
    /// 99 of 100 waited less.
    pub p99_ms: u64,
    pub max_ms: u64,
}

/// The document of `tauto sim run --json`, and of `tauto sim report --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimReport {
    pub run: SimRun,
    pub summary: SimSummary,
}

/// The document of `tauto sim compare --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimComparison {
    pub trace: String,
    /// The policies' names; all others are compared with the first.
    pub policies: Vec<String>,
    /// How often the trace was drawn again.
    pub replicates: u32,
    /// Days that were drawn from; 1 if the trace's days do not stand for themselves.
    pub days: u32,
    /// Groups of jobs that were drawn from.
    pub groups: u32,
    pub seed: u64,
    pub figures: Vec<SimFigure>,
}

/// One figure of all policies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimFigure {
    /// Its name, as in the summary.
    pub name: String,
    /// Whether more is better; `null` if neither is.
    pub more_is_better: Option<bool>,
    /// The values, in the order of the policies.
    pub values: Vec<Option<f64>>,
    /// The differences from the first policy, for all others in their order.
    pub differences: Vec<Option<SimDifference>>,
}

/// The difference of a policy from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimDifference {
    /// It, on the trace as it is.
    pub difference: f64,
    /// The lower end of its interval of confidence 0.95.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The probability of a difference as large if there were none, corrected for the number of figures (Holm).
    pub p: f64,
}

/// The document of `tauto sim explain --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimExplanation {
    pub job: String,
    /// What happened to it, as the run's file says; `null` if the run ended before.
    pub fared: Option<SimJob>,
    pub moves: Vec<SimMove>,
    /// Each decision about it.
    pub decisions: Vec<SimDecision>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimDecision {
    pub at_ms: u64,
    /// How often the same was decided, if no host took the job.
    pub times: u64,
    /// When that was the last time.
    pub last_ms: u64,
    /// The policy that decided, which may be the fallback.
    pub policy: String,
    /// The host that was chosen; `null` if none took the job.
    pub host: Option<String>,
    /// How many hosts failed each condition; a host counts for the first that it fails.
    pub failed: BTreeMap<String, u64>,
    pub passed: u64,
    /// How many strict jobs of the chosen host changed their cores to make room.
    pub rearranged: u64,
    /// The best of them.
    pub candidates: Vec<SimCandidate>,
}

/// A host that passed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimCandidate {
    pub host: String,
    /// Its value, from 0 to 1,000,000.
    pub total: u32,
    /// Its scores, from 0 to 1,000,000 each.
    pub scores: BTreeMap<String, SimScore>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimScore {
    pub value: u32,
    pub weight: u32,
}

/// The document of `tauto sim vectors`: decisions for other implementations to agree with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacementVectors {
    /// The seed that they follow from.
    pub seed: u64,
    pub vectors: Vec<PlacementVector>,
}

/// A decision, with all that it depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacementVector {
    /// The policy, as YAML.
    pub policy: String,
    /// How many thousandths of the standard deviation a peak is above the mean.
    pub factor_permille: u32,
    /// The hosts, in the order of their numbers.
    pub hosts: Vec<VectorHost>,
    pub job: VectorJob,
    /// The hosts that pass, the best first and among equals the one with the lower number, each with its value from 0 to
    /// 1,000,000.
    pub ranking: Vec<(String, u32)>,
    /// The other hosts, each with the first condition that it fails.
    pub refused: BTreeMap<String, String>,
    /// The host that is chosen: the best of the policy's first candidates of each kind of host. `null` if none passes.
    pub chosen: Option<String>,
}

/// A host with what is on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VectorHost {
    pub name: String,
    /// Its CPUs, in thousandths.
    pub cpu_milli: u32,
    pub memory_mib: u32,
    /// The NUMA nodes that its cores are in.
    pub numa_nodes: u32,
    pub threads: u32,
    pub pool: String,
    /// Its noise, in thousandths; `null` if it was not measured.
    pub noise_permille: Option<u32>,
    pub price: u32,
    /// CPUs of strict jobs, in thousandths, as are the others of CPUs.
    pub strict_milli: u64,
    /// What standard jobs request.
    pub requested_milli: u64,
    /// The predicted mean of standard jobs.
    pub mean_milli: u64,
    /// The variance around it, in (thousandths of a CPU)².
    pub variance: u64,
    /// The predicted mean of jobs of best effort.
    pub best_effort_milli: u64,
    /// What they request.
    pub best_effort_requested_milli: u64,
    pub used_memory_mib: u64,
    /// Free cores of each NUMA node: those that strict jobs do not have.
    pub free_cores: Vec<u32>,
    /// The services of its jobs; `null` for a job without one.
    pub services: Vec<Option<u32>>,
}

/// A job that is to be placed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VectorJob {
    pub name: String,
    /// `strict`, `standard` or `best-effort`.
    pub level: String,
    /// CPUs that it requests, in thousandths.
    pub cpu_milli: u32,
    pub memory_mib: u32,
    pub service: Option<u32>,
    /// Whether no other job of its service may be on its host.
    pub apart: bool,
    pub noise_max_permille: Option<u32>,
    /// Its predicted mean, in thousandths of a CPU.
    pub mean_milli: u32,
    pub variance: u64,
}
