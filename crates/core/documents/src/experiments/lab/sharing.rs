//! What sharing costs a submission's times: the document of `tauto lab sharing`.

use super::LabRun;
use crate::machines::identity::MachineIdentity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What it costs that others are judged on the same place, or on neighbouring places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabSharingReport {
    pub machine: MachineIdentity,
    /// The leased CPU of the place that is measured.
    pub cpus: String,
    /// Rounds that were to be made; in each, every program is judged once under every condition.
    pub rounds_wanted: u32,
    pub complete: bool,
    /// Runs in each judgement, the lowest of which is its time.
    pub runs_each: u32,
    /// The programs that were judged at the same time.
    pub neighbours: Vec<String>,
    pub programs: Vec<LabSharingProgram>,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
}

/// A program under each condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabSharingProgram {
    pub name: String,
    /// What it is bound by.
    pub what: String,
    pub argument: u64,
    /// One for each condition; the others are compared with the first.
    pub costs: Vec<LabSharingCost>,
}

/// A program's times under a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabSharingCost {
    /// `alone`, `interleaved` or `N places`.
    pub condition: String,
    /// The median of the judgements' lowest times.
    pub lowest_median_ns: u64,
    /// The lowest times as a multiple of those alone, paired by round; `null` of `alone`.
    pub ratio: Option<f64>,
    /// Lower end of its 95 % interval; `null` of `alone`, or with fewer than 6 rounds.
    pub ratio_low: Option<f64>,
    /// Upper end of it; `null` likewise.
    pub ratio_high: Option<f64>,
    /// The middle half of all single runs as a part of their median.
    pub run_spread: f64,
    pub judgements: Vec<Vec<LabRun>>,
}
