//! A linear function that is fitted while it is used.

use serde::{Deserialize, Serialize};

/// The weights of the first features of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Linear {
    weights: Vec<f32>,
    /// The sum of the squared slopes of each weight so far: the more was learnt, the smaller the steps.
    squares: Vec<f32>,
}

impl Linear {
    /// Starts with weights whose slopes have these squares on average, as if `steps` steps were done already.
    pub fn starting(weights: &[f32], mean_squares: &[f32], steps: f32) -> Self {
        assert_eq!(weights.len(), mean_squares.len(), "a mean square for each weight");
        Self {
            weights: weights.to_vec(),
            squares: mean_squares.iter().map(|square| square * steps).collect(),
        }
    }

    pub fn value(&self, features: &[f32]) -> f32 {
        self.weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }

    /// Moves the weights against the slope of the loss at the value.
    pub fn step(&mut self, features: &[f32], slope: f32, rate: f32) {
        for ((weight, square), feature) in self.weights.iter_mut().zip(&mut self.squares).zip(features) {
            let slope = slope * feature;
            *square += slope * slope;
            if *square > 0.0 {
                *weight -= rate * slope / square.sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_the_quantile_loss_leads_to_the_quantile() {
        let features = [1.0, 0.0];
        let mut line = Linear::starting(&[0.0; 2], &[0.0; 2], 1.0);
        // Loads 0, 0.01, ... 1.0 in a mixed order; 0.9 is exceeded by one in ten.
        for at in 0..20_000_u32 {
            let load = (at * 37 % 101) as f32 / 100.0;
            let slope = if load < line.value(&features) { 0.1 } else { -0.9 };
            line.step(&features, slope, 0.3);
        }
        assert!((line.value(&features) - 0.9).abs() < 0.03, "{line:?}");
    }
}
