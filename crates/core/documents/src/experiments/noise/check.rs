//! Whether a machine is quieter than a budget: the document of `tauto noise check`.

use crate::values::Unavailable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseCheckReport {
    /// What part of the time may be taken.
    pub budget: f64,
    /// Whether every CPU is within it.
    pub within: bool,
    /// `one-cpu` or `all-cpus`.
    pub load: String,
    /// What makes the check weaker than it could be, a sentence each.
    pub weaknesses: Vec<String>,
    pub cpus: Vec<NoiseCheckCpu>,
}

/// One CPU against the budget, and against its baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseCheckCpu {
    pub cpu: u32,
    /// The part of the time that was taken; `null` if the CPU went away.
    pub share: Option<f64>,
    /// How long was looked; `null` likewise.
    pub watched_ns: Option<f64>,
    /// Whether that is within the budget; a CPU that could not be measured is not.
    pub within: bool,
    /// The part that was taken when the stored baseline of that CPU under that load was measured; `null` if there is
    /// none.
    pub baseline_share: Option<f64>,
    /// When that was, in seconds since 1970; `null` likewise.
    pub baseline_began_unix_s: Option<u64>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}
