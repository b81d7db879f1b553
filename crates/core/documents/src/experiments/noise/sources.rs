//! Which sources a profile's noise comes from: the document of `tauto noise sources`.

use crate::values::Unavailable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseSourcesReport {
    pub profile: String,
    /// The host on which it was measured.
    pub host: String,
    pub processor: String,
    pub kernel: String,
    /// When it was measured, in seconds since 1970.
    pub began_unix_s: u64,
    /// `one-cpu` or `all-cpus`.
    pub load: String,
    /// At most this part of traces without a periodic source is reported to have one.
    pub false_alarms_max: f64,
    pub cpus: Vec<NoiseSourcesCpu>,
    /// What makes the profile weaker than it could be, a sentence each.
    pub weaknesses: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseSourcesCpu {
    pub cpu: u32,
    pub watched_ns: Option<u64>,
    pub detours: Option<u64>,
    /// The part of the time that they took.
    pub share: Option<f64>,
    /// What calls of equal work lost.
    pub quanta: Option<NoiseQuanta>,
    /// Where they come from: periodic sources, the most frequent first, then the rest, then stalls.
    pub sources: Vec<NoiseSource>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// What calls of equal work lost, compared with what the loop's detours would take from such calls: the time by which they are
/// longer than the median call of each half second, as a part of all time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseQuanta {
    /// The part that was measured.
    pub lost: f64,
    /// The part that was expected.
    pub expected: f64,
    /// Lower end of the interval of the first minus the second.
    pub difference_low: f64,
    /// Upper end of it.
    pub difference_high: f64,
    /// How often such an interval holds the true difference, from 0 to 1.
    pub confidence: f64,
    /// `agrees`, or calls lost `more` or `less`.
    pub agreement: String,
}

/// What calls of equal work say of a periodic source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseInQuanta {
    /// `seen`: they are longer in its rhythm; `absent`: they are not; `hidden`: other sources have that rhythm, too;
    /// `faint`: it would not show.
    pub status: String,
    /// By how much they are longer for each of its detours; `null` unless it is seen.
    pub length_ns: Option<f64>,
    /// The standard error of that; `null` likewise.
    pub length_error_ns: Option<f64>,
    /// Decimal logarithm of how often chance gives that, at most; `null` likewise.
    pub chance_log10: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseSource {
    /// `periodic`, `random`, or `stall`: without a period and 1 ms long or longer.
    pub kind: String,
    /// How often, or how often on average.
    pub frequency_hz: f64,
    /// Its standard error; `null` if it is not periodic.
    pub frequency_error_hz: Option<f64>,
    /// By how much it rose over the trace, in millionths; `null` if it is not periodic.
    pub drift_ppm: Option<f64>,
    /// The standard deviation of its detours around their places; `null` if it is not periodic.
    pub jitter_ns: Option<f64>,
    /// The median length.
    pub median_ns: f64,
    /// The mean length.
    pub mean_ns: f64,
    /// 95 % are shorter.
    pub p95_ns: f64,
    pub longest_ns: f64,
    /// The part of the time that it takes.
    pub share: f64,
    /// How many detours of it were seen.
    pub seen: u64,
    /// At how many of its places the loop was looking; `null` if it is not periodic.
    pub exposed: Option<u64>,
    /// Decimal logarithm of how often chance shows such a source in a trace, at most; `null` if it is not periodic.
    pub chance_log10: Option<f64>,
    /// The source whose detours it makes longer; `null` if it has detours of its own.
    pub rides_on: Option<NoiseRiding>,
    /// What the calls of equal work say of it; `null` if it is not periodic, or there are none.
    pub in_quanta: Option<NoiseInQuanta>,
    /// What the kernel's counters say it is.
    pub origin: NoiseOrigin,
}

/// The source whose detours another one makes longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseRiding {
    /// Its place in the list of sources, from 0.
    pub source: u64,
    /// Every how many-th of its detours is longer.
    pub every: u64,
}

/// Where a source comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseOrigin {
    /// `explained`, `unexplained`, `outside` this kernel, or `unknown`.
    pub status: String,
    /// The kernel's name of it; `null` unless it is explained.
    pub by: Option<String>,
    /// What was compared, or why it is not explained, for people.
    pub detail: String,
}
