//! Two profiles side by side: the document of `tauto noise compare`.

use crate::document::Document;
use serde::{Deserialize, Serialize};

/// The report of one comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseCompareReport {
    /// The first profile.
    pub first: NoiseCompareSide,
    /// The second one.
    pub second: NoiseCompareSide,
    /// What makes them less alike than a comparison wants, a sentence each.
    pub cautions: Vec<String>,
    /// Each quantity on each CPU that is in both.
    pub rows: Vec<NoiseCompareRow>,
}

/// Where one profile is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoiseCompareSide {
    /// The file.
    pub path: String,
    /// The machine's identity.
    pub identity: String,
    /// The host's name.
    pub host: String,
    /// When it was measured, in seconds since 1970.
    pub began_unix_s: u64,
    /// `one-cpu` or `all-cpus`.
    pub load: String,
}

/// One quantity on one CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseCompareRow {
    /// The CPU.
    pub cpu: u32,
    /// `taken` (a part of the time), `detours_of_1_us_per_s` or `call_ns`.
    pub what: String,
    /// The mean over the first profile's blocks.
    pub first: Option<f64>,
    /// The mean over the second one's.
    pub second: Option<f64>,
    /// Where the second less the first lies with 95 % confidence, from here.
    pub difference_low: Option<f64>,
    /// To here.
    pub difference_high: Option<f64>,
    /// How often chance would give as much, made larger for the number of rows.
    pub chance: Option<f64>,
    /// Whether that is less than 5 %.
    pub significant: bool,
    /// Why there are no numbers.
    pub unavailable: Option<String>,
}

impl Document for NoiseCompareReport {
    const SCHEMA: &'static str = "tautochrone/noise-compare/1";
}
