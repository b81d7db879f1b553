//! What a predictor knows before it has observed anything: fitted on one day of PlanetLab, 3 March 2011.

use super::histogram::Histogram;
use super::linear::Linear;
use super::{CHEAP, Features};

/// The loads of all virtual machines of the day, in the buckets of a histogram.
pub(super) const LOADS: Histogram =
    Histogram::with([1499, 293, 1938, 1208, 847, 1140, 653, 513, 459, 447, 423, 201, 176, 140, 64, 1]);

/// The squared errors of forecasts, compared with the variance of the last three hours.
pub(super) const SPREAD: f32 = 1.07;

/// The outcomes that the weights are worth: as many as the day has.
const OUTCOMES: f32 = 5_000.0;

/// The weights of what earlier days had at that time are 0: one day does not show what they are worth.
const MEAN: [f32; CHEAP] = [0.02, 0.69, 0.02, 0.3, -0.05, 0.0];
const MEDIAN: Features = [-0.01, 0.26, -0.24, 0.11, -0.03, 0.0, 0.22, 0.2, 0.2, 0.08, 0.08, 0.08];
const HIGH: Features = [0.03, 0.55, -0.25, -0.01, 0.2, 0.0, 0.08, 0.03, 0.28, -0.35, 0.0, 0.62];

/// The mean squares of the slopes of the loss by each weight, at these weights.
const MEAN_SQUARES: [f32; CHEAP] = [1e-5, 9e-5, 9e-5, 9e-5, 2e-5, 9e-5];
const MEDIAN_SQUARES: Features = [2e-3, 9e-3, 9e-3, 9e-3, 2e-3, 9e-3, 9e-3, 9e-3, 9e-3, 9e-3, 9e-3, 9e-3];
const HIGH_SQUARES: Features = [5e-4, 2e-3, 2e-3, 2e-3, 4e-4, 2e-3, 2e-3, 2e-3, 4e-3, 2e-3, 4e-3, 5e-3];

pub(super) fn mean() -> Linear {
    Linear::starting(&MEAN, &MEAN_SQUARES, OUTCOMES)
}

/// Returns the weights for this quantile: those of the median, or from 0.75 on those of the 0.95 quantile.
pub(super) fn quantile(permille: u32) -> Linear {
    let (weights, squares) = if permille < 750 { (MEDIAN, MEDIAN_SQUARES) } else { (HIGH, HIGH_SQUARES) };
    Linear::starting(&weights, &squares, OUTCOMES)
}
