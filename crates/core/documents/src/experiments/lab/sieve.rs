//! The ladder: the document of `tauto lab sieve`.

use crate::machines::identity::MachineIdentity;
use crate::values::{Unavailable, value_or_reason};
use model::RunResult;
use ruling::RuleNumbers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The same programs, step by step with less that varies their times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabSieveReport {
    pub machine: MachineIdentity,
    pub cpus: String,
    /// What kept CPUs busy at loaded steps.
    pub load: String,
    /// Times reported of each program at each step.
    pub rounds_wanted: u32,
    pub rounds: u32,
    /// Settings changed for tuned steps: id, file and value of each.
    pub changed: Vec<String>,
    pub steps: Vec<LabSieveStep>,
    pub programs: Vec<LabSieveProgram>,
    /// What this machine cannot show, and what would, a sentence each.
    pub not_shown: Vec<String>,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabSieveStep {
    /// Its name, which stays the same.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What is done.
    pub what: String,
    /// Why it was not applied; `null` if it was.
    pub not_applied: Option<String>,
    /// The article's spread; `null` if the article has no such step.
    pub article_spread_ms: Option<f64>,
    /// The same as a part of the mean; `null` likewise.
    pub article_share: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabSieveProgram {
    pub name: String,
    /// What it is bound by.
    pub what: String,
    /// Its argument; `null` if it was not run.
    pub argument: Option<u64>,
    /// Why it was not run; `null` if it was.
    pub not_run: Option<String>,
    /// Its times, a result for each step that was applied.
    pub results: Vec<LabSieveResult>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabSieveResult {
    pub step: String,
    /// How the times spread.
    pub spread: LabSpread,
    /// The times, one a round.
    pub times: Vec<LabSieveTime>,
}

/// A time that a step reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabSieveTime {
    pub cpu_time_ns: u64,
    /// Whether the two lowest runs agreed; always so where a step reports single runs.
    pub agreed: bool,
    pub runs: Vec<LabRun>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabSpread {
    pub mean_ns: u64,
    pub median_ns: u64,
    pub min_ns: u64,
    pub max_ns: u64,
    /// The highest minus the lowest.
    pub spread_ns: u64,
    /// The same as a part of the mean.
    pub share: f64,
    /// Standard deviation as a part of the mean; `null` of a single time.
    pub variation: Option<f64>,
}

/// One run, in short; the fields are as in `usage` and `evidence` of `tautochrone/run/1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LabRun {
    pub cpu_time_ns: u64,
    /// The system part, counted by ticks.
    pub system_time_ns: Option<u64>,
    pub wall_time_ns: u64,
    /// Page faults that did not wait for a device.
    pub minor_faults: Option<u64>,
    pub forced_switches: Option<u64>,
    pub migrations: Option<u64>,
    /// Time that the hypervisor took from its CPUs.
    pub steal_ns: Option<u64>,
    /// CPU time that others used on its CPUs.
    pub others_cpu_time_ns: Option<u64>,
    /// How well its CPUs were isolated: `none`, `affinity`, `cpuset` or `partition`.
    pub isolation: String,
    /// Its disturbances, a phrase each; empty means "none seen".
    pub disturbances: Vec<String>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

impl From<&RunResult> for LabRun {
    fn from(run: &RunResult) -> Self {
        let (usage, evidence) = (&run.usage, &run.evidence);
        let mut unavailable = Unavailable::new();
        let reasons = &mut unavailable;
        Self {
            cpu_time_ns: usage.cpu_time.0,
            system_time_ns: value_or_reason(&usage.system_time, "system_time_ns", reasons),
            wall_time_ns: usage.wall_time.0,
            minor_faults: value_or_reason(&usage.minor_faults, "minor_faults", reasons),
            forced_switches: value_or_reason(&usage.forced_switches, "forced_switches", reasons),
            migrations: value_or_reason(&evidence.migrations, "migrations", reasons),
            steal_ns: value_or_reason(&evidence.steal, "steal_ns", reasons),
            others_cpu_time_ns: value_or_reason(&evidence.others_cpu_time, "others_cpu_time_ns", reasons),
            isolation: evidence.isolation.kind.name().to_owned(),
            disturbances: RuleNumbers::CURRENT
                .disturbances(evidence)
                .iter()
                .map(ToString::to_string)
                .collect(),
            unavailable,
        }
    }
}
