//! Two things measured in turns: the ratio of their times.

use crate::interval::Interval;
use crate::signed_rank::middle;
use crate::{SignedRank, signed_rank_test};

/// The middle of the ratios takes n² / 2 numbers; with more pairs that would be hundreds of MiB.
pub const PAIRS_MAX: usize = 4096;

/// Times in pairs, all of them positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs {
    /// The logarithm of second / first of each pair: there a factor is a difference.
    log_ratios: Vec<f64>,
}

/// Why times are no pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairsError {
    #[error("there is no pair")]
    Empty,
    /// Some have no partner.
    #[error("{first} times cannot be paired with {second}")]
    Unequal {
        /// How many first ones there are.
        first: usize,
        /// How many second ones there are.
        second: usize,
    },
    #[error("there are {0} pairs, more than {PAIRS_MAX}")]
    TooMany(usize),
    /// A time of zero has no ratio.
    #[error("a time of pair {0} is not a positive number")]
    NotPositive(usize),
}

/// The second of two things as a multiple of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioEstimate {
    /// The middle of the pairs' ratios.
    pub ratio: f64,
    /// Where the true one lies; it holds 1 exactly when the test does not reject. None with fewer pairs
    /// than [`crate::pairs_for_confidence`].
    pub interval: Option<Interval>,
    /// The test against "there is no difference".
    pub test: SignedRank,
}

impl Pairs {
    /// Takes times in the order in which they were measured.
    pub fn new(first: &[f64], second: &[f64]) -> Result<Self, PairsError> {
        match (first.len(), second.len()) {
            (0, 0) => return Err(PairsError::Empty),
            (first, second) if first != second => return Err(PairsError::Unequal { first, second }),
            (count, _) if count > PAIRS_MAX => return Err(PairsError::TooMany(count)),
            _ => {}
        }
        let positive = |time: f64| time.is_finite() && time > 0.0;
        if let Some(at) = first.iter().zip(second).position(|(a, b)| !positive(*a) || !positive(*b)) {
            return Err(PairsError::NotPositive(at));
        }
        Ok(Self {
            log_ratios: first.iter().zip(second).map(|(first, second)| (second / first).ln()).collect(),
        })
    }

    /// Returns how many there are; never 0.
    pub fn count(&self) -> usize {
        self.log_ratios.len()
    }

    /// Returns the logarithm of second / first of each pair.
    pub fn log_ratios(&self) -> &[f64] {
        &self.log_ratios
    }

    /// Estimates the second as a multiple of the first, with test and interval of Wilcoxon's signed ranks.
    ///
    /// # Panics
    /// When the confidence is not between 0 and 1.
    pub fn ratio(&self, confidence: f64) -> RatioEstimate {
        let (middle, interval) = middle(&self.log_ratios, confidence);
        RatioEstimate {
            ratio: middle.exp(),
            interval: interval.map(|interval| Interval {
                low: interval.low.exp(),
                high: interval.high.exp(),
                confidence,
            }),
            test: signed_rank_test(&self.log_ratios),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs_needed;
    use proptest::prelude::*;

    #[test]
    fn a_factor_is_found_under_noise_that_both_share() {
        let noise = |i: u32| 1.0 + f64::from(i * 37 % 11) / 5.0;
        let first: Vec<f64> = (0..20).map(|i| 100.0 * noise(i)).collect();
        let second: Vec<f64> =
            (0..20).map(|i| 105.0 * noise(i) * (1.0 + f64::from(i % 3) / 1000.0)).collect();
        let estimate = Pairs::new(&first, &second).unwrap().ratio(0.95);
        assert!((estimate.ratio - 1.051).abs() < 0.001, "{estimate:?}");
        let interval = estimate.interval.unwrap();
        assert!(interval.low > 1.049 && interval.high < 1.053, "{interval:?}");
        assert!(estimate.test.p_value < 0.0001);
    }

    #[test]
    fn the_same_twice_is_no_difference() {
        let times = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0];
        let pairs = Pairs::new(&times, &times).unwrap();
        let estimate = pairs.ratio(0.95);
        assert_eq!((estimate.ratio, estimate.test.p_value), (1.0, 1.0));
        assert_eq!(
            pairs_needed(&pairs, 0.01, 0.95),
            Some(11),
            "Noether's formula is careful where all is clear"
        );
    }

    #[test]
    fn a_larger_spread_needs_more_pairs() {
        let first = [100.0; 10];
        let calm: Vec<f64> = (0..10).map(|i| 100.0 + f64::from(i % 2)).collect();
        let wild: Vec<f64> = (0..10).map(|i| 100.0 + f64::from(i * 7 % 10)).collect();
        let needed = |second: &[f64]| pairs_needed(&Pairs::new(&first, second).unwrap(), 0.01, 0.95).unwrap();
        assert!(needed(&calm) < 20 && needed(&wild) > 40, "{} {}", needed(&calm), needed(&wild));
    }

    #[test]
    fn unpaired_times_are_refused() {
        let refused = |first: &[f64], second: &[f64]| Pairs::new(first, second).unwrap_err();
        assert_eq!(refused(&[], &[]), PairsError::Empty);
        assert_eq!(refused(&[1.0], &[]), PairsError::Unequal { first: 1, second: 0 });
        assert_eq!(refused(&[1.0, 1.0], &[1.0, 0.0]), PairsError::NotPositive(1));
        assert_eq!(refused(&vec![1.0; 5000], &vec![1.0; 5000]), PairsError::TooMany(5000));
    }

    proptest! {
        #[test]
        fn turned_round_the_ratio_is_the_inverse(times in prop::collection::vec((1.0..9.0_f64, 1.0..9.0_f64), 6..40)) {
            let (first, second): (Vec<f64>, Vec<f64>) = times.into_iter().unzip();
            let there = Pairs::new(&first, &second).unwrap().ratio(0.95);
            let back = Pairs::new(&second, &first).unwrap().ratio(0.95);
            prop_assert!((there.ratio * back.ratio - 1.0).abs() < 1e-9);
            prop_assert!((there.test.p_value - back.test.p_value).abs() < 1e-12);
            let (there, back) = (there.interval.unwrap(), back.interval.unwrap());
            prop_assert!((there.low * back.high - 1.0).abs() < 1e-9);
        }
    }
}
