//! Everything that a profile says: the document of `tauto noise report`.

use super::{NoiseCompareReport, NoiseSourcesReport};
use crate::document::Document;
use serde::{Deserialize, Serialize};

/// Sources, what removes them, and what changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseReport {
    /// The sources.
    pub sources: NoiseSourcesReport,
    /// What would remove each source, the most costly at scale first.
    pub advice: Vec<NoiseAdvice>,
    /// The sources of the profile from before, if there is one.
    pub before: Option<NoiseSourcesReport>,
    /// What changed on each CPU that both profiles have, and whether chance would do that.
    pub comparison: Option<NoiseCompareReport>,
    /// Which sources have gone, come or changed, a sentence each.
    pub changed_sources: Vec<String>,
}

/// What would remove one source, and what that would gain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseAdvice {
    /// The CPU.
    pub cpu: u32,
    /// The source in a few words.
    pub source: String,
    /// What it is and what to do.
    pub what: String,
    /// Settings of `tauto machine check` that govern it.
    pub settings: Vec<String>,
    /// Whether a setting of this machine could remove it.
    pub removable: bool,
    /// The part of the time of one process that it takes.
    pub share: f64,
    /// By how much it delays each iteration of 100 us of very many processes on a line.
    pub delay_per_iteration_ns: f64,
}

impl Document for NoiseReport {
    const SCHEMA: &'static str = "tautochrone/noise-report/1";
}
