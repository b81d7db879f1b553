//! What counting makes of times: the document of `tauto lab clock`.

use super::LabSpread;
use crate::machines::identity::MachineIdentity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The same programs by CPU time and by counted instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabClockReport {
    pub machine: MachineIdentity,
    /// The leased CPU.
    pub cpus: String,
    /// What counted, such as `qemu-x86_64 7.2.22`.
    pub counter: String,
    /// What else ran meanwhile, where something did.
    pub load: String,
    /// Rounds that were to be made; in each, every program runs once in each way.
    pub rounds_wanted: u32,
    pub complete: bool,
    pub programs: Vec<LabClockProgram>,
    /// Nanoseconds of calm CPU time for an instruction, the median of the programs.
    pub usual_ns_per_instruction: f64,
    /// Spearman's rank correlation of instructions with calm CPU time; `null` with fewer than three programs.
    pub rank_correlation: Option<f64>,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
}

/// A program, measured in each way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabClockProgram {
    pub name: String,
    /// What it is bound by.
    pub what: String,
    pub argument: u64,
    /// CPU times of its runs on a leased core with nothing on the others.
    pub calm_ns: Vec<u64>,
    pub calm: LabSpread,
    /// CPU times of its runs on any CPU, while all are busy.
    pub loaded_ns: Vec<u64>,
    pub loaded: LabSpread,
    /// Instructions of its runs on any CPU, while all are busy.
    pub instructions: Vec<u64>,
    /// The highest count less the lowest, divided by the lowest; 0 if all are equal.
    pub count_spread: f64,
    /// Nanoseconds of calm CPU time for an instruction: medians.
    pub ns_per_instruction: f64,
    /// That, divided by the usual one: how many times longer it takes than its count predicts.
    pub times_predicted: f64,
}
