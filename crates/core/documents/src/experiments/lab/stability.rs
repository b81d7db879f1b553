//! The same submission again and again near its limit: the document of `tauto lab stability`.

use super::{LabRun, LabSpread};
use crate::machines::identity::MachineIdentity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often the same submission gets the same verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabStabilityReport {
    pub machine: MachineIdentity,
    pub cpus: String,
    /// What kept CPUs busy all the while.
    pub load: String,
    /// Programs that were judged at the same time; empty if none were.
    pub neighbours: Vec<String>,
    pub program: String,
    pub argument: u64,
    /// Judgements that were to be made in each arm.
    pub judgements_wanted: u32,
    pub complete: bool,
    pub rule_version: u32,
    /// Lowest of the first ten references, from which the limits were made.
    pub calibrated_ns: u64,
    /// 100 %: the lowest of all references.
    pub reference_ns: u64,
    /// The lowest reference of the first half.
    pub first_half_ns: u64,
    /// The lowest reference of the second half.
    pub second_half_ns: u64,
    /// By which part these differ.
    pub drift: f64,
    /// Why the series is void; `null` if it is not.
    pub void: Option<String>,
    /// The result of each arm.
    pub sides: Vec<LabStabilitySide>,
    /// What each version of the rule decides on runs drawn from those of the judge; absent in older reports.
    #[serde(default)]
    pub versions: Vec<LabStabilityVersion>,
    pub references: Vec<LabRun>,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabStabilitySide {
    /// The arm: `alone` by the judge with nothing else open, `among` by the judge while neighbours are judged on the
    /// same place, `plain` by one run anywhere.
    pub by: String,
    /// Which part of the limit the program was to need, in per cent.
    pub needs_percent: u32,
    /// Which part of the limit the lowest of all references is, in per cent.
    pub needs_percent_measured: f64,
    pub limit_ns: u64,
    pub judgements: u64,
    /// Verdicts that are not the expected one.
    pub flips: u64,
    /// Judgements without a verdict.
    pub undecided: u64,
    /// Runs beyond one for each judgement.
    pub extra_runs: u64,
    /// Spread of the lowest times of the judgements; `null` if there is none.
    pub spread: Option<LabSpread>,
    /// Every judgement.
    pub each: Vec<LabJudgement>,
}

/// What a version of the rule decides on runs drawn from a series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LabStabilityVersion {
    pub rule_version: u32,
    /// Which part of the limit the lowest reference is, in per cent.
    pub needs_percent: u32,
    pub judgements: u64,
    /// Verdicts that are not the expected one.
    pub wrong: u64,
    /// Judgements without a verdict.
    pub undecided: u64,
    pub runs: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabJudgement {
    /// The outcome: `within`, `over` or `undecided`.
    #[serde(rename = "told")]
    pub outcome: String,
    /// Why there is no verdict; `null` if there is one.
    pub why: Option<String>,
    pub runs: Vec<LabRun>,
}
