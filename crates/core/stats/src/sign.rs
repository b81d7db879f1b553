//! The sign test: as many up as down?

use crate::Sample;
use crate::interval::{Interval, tail};
use statrs::distribution::{Binomial, DiscreteCDF};

/// Returns how often chance alone gives signs at least as unequal, on either side. Differences that are 0
/// take no part.
pub fn sign_test(differences: &[f64]) -> f64 {
    let up = differences.iter().filter(|difference| **difference > 0.0).count() as u64;
    let down = differences.iter().filter(|difference| **difference < 0.0).count() as u64;
    // A coin is a valid binomial for every number of throws.
    Binomial::new(0.5, up + down).map_or(1.0, |coin| (2.0 * coin.cdf(up.min(down))).min(1.0))
}

/// Returns the interval of the median outside of which the sign test rejects, whatever the distribution is; none with too few
/// values. It is a little wider than the one by bootstrap, but nothing in it is drawn.
///
/// # Panics
/// When the confidence is not between 0 and 1.
pub fn median_interval_by_signs(sample: &Sample, confidence: f64) -> Option<Interval> {
    let count = sample.count() as u64;
    let coin = Binomial::new(0.5, count).ok()?;
    // This many values are left out on each side.
    let outside = (0..count / 2).take_while(|values| coin.cdf(*values) <= tail(confidence)).count();
    let mut sorted = sample.values().to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = outside.checked_sub(1)?;
    Some(Interval { low: sorted[last], high: sorted[sorted.len() - 1 - last], confidence })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(up: usize, down: usize) -> f64 {
        sign_test(&[vec![1.0; up], vec![-1.0; down], vec![0.0; 3]].concat())
    }

    /// As in tables of the sign test: of 10 values the 2nd and the 9th, of 20 the 6th and the 15th.
    #[test]
    fn the_interval_is_that_of_the_tables() {
        let interval = |count: u32| {
            let sample = Sample::new((1..=count).rev().map(f64::from).collect()).unwrap();
            median_interval_by_signs(&sample, 0.95).map(|interval| (interval.low, interval.high))
        };
        assert_eq!(interval(5), None);
        assert_eq!(interval(6), Some((1.0, 6.0)));
        assert_eq!(interval(10), Some((2.0, 9.0)));
        assert_eq!(interval(20), Some((6.0, 15.0)));
    }

    /// SciPy 1.x: `binomtest(13, 15)` and `binomtest(3, 10)`.
    #[test]
    fn the_chance_is_the_binomials() {
        assert!((signs(13, 2) - 0.007_385_253_906_25).abs() < 1e-12);
        assert!((signs(3, 7) - 0.343_75).abs() < 1e-12);
        assert_eq!(signs(2, 2), 1.0);
        assert_eq!(signs(0, 0), 1.0);
    }
}
