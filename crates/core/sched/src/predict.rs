//! The load of jobs in the next hour, predicted from what was observed.

use serde::{Deserialize, Serialize};

/// What was observed of a job in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The mean, in thousandths of a CPU.
    pub mean_milli: u32,
    /// The peak, in thousandths of a CPU.
    pub peak_milli: u32,
}

/// A predicted load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// The mean over the windows up to the horizon, in thousandths of a CPU.
    pub mean_milli: f64,
    /// The variance of one window's peak around that mean, in (thousandths of a CPU)². Variances of jobs add up.
    pub variance: f64,
}
