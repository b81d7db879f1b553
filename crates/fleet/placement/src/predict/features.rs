//! What predictions are computed from.

use serde::{Deserialize, Serialize};

pub(super) const MINUTE_MS: u64 = 60_000;

/// How many features a series has, and how many come first that are quickly computed.
pub(super) const FEATURES: usize = 12;

pub(super) const CHEAP: usize = 6;

pub(super) type Features = [f32; FEATURES];

/// What is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    pub window_ms: u64,
    /// How far ahead: the mean is of the time up to it, the quantile of that time's second half.
    pub horizon_ms: u64,
    /// The share of windows whose load is at most the quantile, in thousandths.
    pub quantile_permille: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { window_ms: 5 * MINUTE_MS, horizon_ms: 60 * MINUTE_MS, quantile_permille: 950 }
    }
}
