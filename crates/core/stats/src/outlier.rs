//! Values that lie apart from the rest.

use crate::Sample;
use crate::sample::mean;

/// Scores above this mark an outlier (Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993).
pub const USUAL_OUTLIER_SCORE: f64 = 3.5;

/// How many median absolute deviations a standard deviation is for normal values, inverted.
const MAD_SCALE: f64 = 0.674_489_750_196_081_7;
/// The same for the mean absolute deviation.
const MEAN_DEVIATION_SCALE: f64 = 0.797_884_560_802_865_4;

/// A value that lies apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlier {
    /// Its place in the sample, from 0.
    pub index: usize,
    /// Its distance from the median in robust standard deviations; negative below the median.
    pub score: f64,
}

/// Lists the values whose modified z-score is beyond `score`, in the order in which they were measured.
///
/// Where more than half of all values are the same, the median absolute deviation is 0
/// and the mean absolute deviation takes its place.
pub fn outliers(sample: &Sample, score: f64) -> Vec<Outlier> {
    let median = sample.median();
    let distances: Vec<f64> = sample.values().iter().map(|value| value - median).collect();
    let deviation = match sample.median_absolute_deviation() {
        0.0 => {
            mean(&distances.iter().map(|distance| distance.abs()).collect::<Vec<_>>()) / MEAN_DEVIATION_SCALE
        }
        deviation => deviation / MAD_SCALE,
    };
    if deviation == 0.0 {
        return Vec::new();
    }
    let scored =
        distances.iter().enumerate().map(|(index, distance)| Outlier { index, score: distance / deviation });
    scored.filter(|outlier| outlier.score.abs() > score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[f64]) -> Vec<usize> {
        let sample = Sample::new(values.to_vec()).unwrap();
        outliers(&sample, USUAL_OUTLIER_SCORE).iter().map(|outlier| outlier.index).collect()
    }

    #[test]
    fn outliers_are_found_on_both_sides() {
        assert_eq!(found(&[10.0, 10.1, 9.9, 10.2, 30.0, 10.0, -7.0]), [4, 6]);
        assert_eq!(found(&[1.0, 2.0, 3.0, 4.0, 5.0]), [0; 0]);
        assert_eq!(found(&[5.0; 8]), [0; 0]);
    }

    #[test]
    fn the_mean_deviation_serves_where_most_values_are_the_same() {
        assert_eq!(found(&[5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 9.0]), [7]);
    }

    /// The median of 1..=9 and 100 is 5.5 and their MAD 2.5, so the score is 0.6745 * 94.5 / 2.5.
    #[test]
    fn the_score_is_that_of_iglewicz_and_hoaglin() {
        let values: Vec<f64> = (1..=9).map(f64::from).chain([100.0]).collect();
        let found = outliers(&Sample::new(values).unwrap(), USUAL_OUTLIER_SCORE);
        assert_eq!(found.len(), 1);
        assert!((found[0].score - 25.496).abs() < 1e-3, "{found:?}");
    }
}
