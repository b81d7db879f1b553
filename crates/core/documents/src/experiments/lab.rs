//! The documents of `tauto lab`, one for each experiment.

mod affinity;
mod clock;
mod noise;
mod placement;
mod sharing;
mod sieve;
mod stability;
mod throttling;

pub use affinity::*;
pub use clock::*;
pub use noise::*;
pub use placement::*;
pub use sharing::*;
pub use sieve::*;
pub use stability::*;
pub use throttling::*;

use crate::MachineIdentity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LabSetting {
    pub machine: MachineIdentity,
    /// The CPUs that it could use.
    pub cpus: String,
    /// Rounds that were to be made; in each, every arm runs once.
    pub rounds_wanted: u32,
    pub complete: bool,
    /// How long each run of an arm was to take, in wall-clock time.
    pub run_time_ns: u64,
    /// What this machine cannot show, and what would, a sentence each.
    pub not_shown: Vec<String>,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
}

/// A number of the source article and ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedWithArticle {
    pub what: String,
    /// What the article says.
    pub article: String,
    /// What was measured here.
    pub here: String,
}

impl ComparedWithArticle {
    /// Puts a number of the article next to ours.
    pub fn new(what: impl Into<String>, article: impl Into<String>, here: impl Into<String>) -> Self {
        Self { what: what.into(), article: article.into(), here: here.into() }
    }
}
