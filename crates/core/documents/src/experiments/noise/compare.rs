//! Two profiles side by side: the document of `tauto noise compare`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseCompareReport {
    pub first: NoiseCompareSide,
    pub second: NoiseCompareSide,
    /// What makes them less alike than a comparison wants, a sentence each.
    pub cautions: Vec<String>,
    /// Each quantity on each CPU that is in both.
    pub rows: Vec<NoiseCompareRow>,
}

/// Where one profile is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseCompareSide {
    pub path: String,
    pub identity: String,
    pub host: String,
    /// When it was measured, in seconds since 1970.
    pub began_unix_s: u64,
    /// `one-cpu` or `all-cpus`.
    pub load: String,
}

/// One quantity on one CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseCompareRow {
    pub cpu: u32,
    /// `taken` (a part of the time), `detours_of_1_us_per_s` or `call_ns`.
    pub what: String,
    /// Mean over blocks of half a second of the first profile; `null` if `unavailable` says why.
    pub first: Option<f64>,
    /// The same of the second; `null` likewise.
    pub second: Option<f64>,
    /// Lower end of the 95 % interval of the second minus the first; `null` likewise.
    pub difference_low: Option<f64>,
    /// Upper end of it; `null` likewise.
    pub difference_high: Option<f64>,
    /// How often chance gives as much, adjusted for the number of rows; `null` likewise.
    pub chance: Option<f64>,
    /// Whether that is below 0.05.
    pub significant: bool,
    /// Why there are no numbers; `null` if there are.
    pub unavailable: Option<String>,
}
