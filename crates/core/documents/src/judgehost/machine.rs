//! What a judgehost's machine is, and what it does now: for people, who see it on the page.

use crate::judgehost::{ReferenceTime, SelfTest};
use crate::machines::{MachineCheckReport, TopologyReport};
use crate::values::Unavailable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most bytes of a [`MachineReport`] as JSON; of a larger one a server keeps nothing.
pub const MACHINE_BYTES_MAX: usize = 256 << 10;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineReport {
    pub tauto_version: String,
    pub self_test: SelfTest,
    /// Its topology; `null` if it could not be read.
    pub topology: Option<TopologyReport>,
    /// The CPUs of each timed place, as in `2-3`.
    pub places: Vec<String>,
    /// The CPUs of compilers and checkers.
    pub helper_cpus: String,
    /// The judgement of its settings, with those that do not pass alone; `null` if it could not be made.
    pub check: Option<MachineCheckReport>,
    /// How many settings pass.
    pub settings_passed: u32,
    /// What was taken from a program on each timed CPU while nothing was judged; empty if that was not measured.
    pub noise: Vec<CpuNoise>,
    /// Why a field here is `null` or empty.
    pub unavailable: Unavailable,
}

/// What was taken from a program that computes on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuNoise {
    pub cpu: u32,
    /// For how long it was measured.
    pub watched_ns: u64,
    /// The share of that time that was taken, in millionths.
    pub lost_ppm: u32,
    /// How often something was taken, a second.
    pub gaps_per_second: u32,
    /// The longest time that was taken at once.
    pub longest_gap_ns: u64,
}

/// What a timed place does now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceNow {
    pub cpus: String,
    /// The judgings that it has: one runs, while others are compiled, checked, or rest.
    pub work: Vec<WorkNow>,
}

/// What a judging is at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkNow {
    /// Its job, `CONTEST/SUBMISSION-N`.
    pub job: String,
    /// What is done.
    pub step: WorkStep,
    /// For how long.
    pub for_ms: u64,
    /// The case; absent where it is about none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// The run of the case, from 1; absent where it is about none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
}

/// What is done for a judging.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkStep {
    /// It waits for something that others use.
    Queued,
    Compiling,
    /// The answers that were handed in are examined.
    TakingAnswers,
    /// It runs untimed, before the first timed run.
    WarmingUp,
    Running,
    Checking,
    /// The package's grader is asked.
    Grading,
    /// It rests before a case is run again.
    Resting,
    /// It waits for an undisturbed core.
    WaitingForCalm,
}

/// `GET /api/judgehosts/{id}/machine`: what is known about a judgehost's machine since the server was started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgehostMachine {
    /// The machine; `null` until the judgehost has described it.
    pub machine: Option<MachineReport>,
    /// What its places did at its last heartbeat.
    pub places: Vec<PlaceNow>,
    /// Times of the reference program, the oldest first; a day of them at most.
    pub references: Vec<ReferenceTime>,
}
