//! A linear function that is fitted while it is used.

use serde::{Deserialize, Serialize};

/// How many features a series has.
pub(super) const FEATURES: usize = 10;

pub(super) type Features = [f32; FEATURES];

/// The weights of the features.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Linear {
    weights: Features,
    /// The sum of the squared slopes of each weight so far: the more was learnt, the smaller the steps.
    squares: Features,
}

impl Linear {
    /// Starts with weights whose slopes have these squares on average, as if so many steps were done already.
    pub fn starting(weights: Features, mean_squares: Features, steps: f32) -> Self {
        Self { weights, squares: mean_squares.map(|square| square * steps) }
    }

    pub fn value(&self, features: &Features) -> f32 {
        self.weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }

    /// Moves the weights against the slope of the loss at the value.
    pub fn step(&mut self, features: &Features, slope: f32, rate: f32) {
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
        let mut features = [0.0; FEATURES];
        features[0] = 1.0;
        let mut line = Linear::starting([0.0; FEATURES], [0.0; FEATURES], 1.0);
        // Loads 0, 0.01, ... 1.0 in a mixed order; 0.9 is exceeded by one in ten.
        for at in 0..20_000_u32 {
            let load = (at * 37 % 101) as f32 / 100.0;
            let slope = if load < line.value(&features) { 0.1 } else { -0.9 };
            line.step(&features, slope, 0.3);
        }
        assert!((line.value(&features) - 0.9).abs() < 0.03, "{line:?}");
    }
}
