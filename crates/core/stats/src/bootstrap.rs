//! Confidence by drawing again from what was measured (Efron 1979).

use crate::Sample;
use crate::interval::{Interval, tail};
use crate::random::Dice;
use crate::sample::quantile;

/// More draws move the ends of an interval by less than the sample itself leaves open.
const RESAMPLES: usize = 10_000;
/// Large samples are drawn fewer times, to end within a second; their intervals are narrow anyway.
const DRAWN_VALUES_MAX: usize = 20_000_000;
/// With fewer draws the outermost percentiles would rest on a handful.
const RESAMPLES_MIN: usize = 1_000;

/// Returns the percentile interval of a statistic of one sample; the statistic may reorder what it gets.
///
/// # Panics
/// When the confidence is not between 0 and 1.
pub fn bootstrap_one(
    sample: &Sample,
    statistic: impl Fn(&mut [f64]) -> f64,
    confidence: f64,
    seed: u64,
) -> Interval {
    let mut dice = Dice::new(seed);
    let mut drawn = Vec::new();
    percentiles(resamples(sample.count()), confidence, || {
        draw(sample, &mut dice, &mut drawn);
        statistic(&mut drawn)
    })
}

/// Returns the interval of the median.
///
/// # Panics
/// When the confidence is not between 0 and 1.
pub fn median_interval(sample: &Sample, confidence: f64, seed: u64) -> Interval {
    bootstrap_one(sample, median_of, confidence, seed)
}

/// Returns the interval of the medians' ratio, second / first, of samples that are independent of each other.
///
/// # Panics
/// When the confidence is not between 0 and 1.
pub fn median_ratio_interval(first: &Sample, second: &Sample, confidence: f64, seed: u64) -> Interval {
    bootstrap_two(first, second, |a, b| median_of(b) / median_of(a), confidence, seed)
}

/// Returns the percentile interval of a statistic of two samples that are independent of each other.
///
/// # Panics
/// When the confidence is not between 0 and 1.
pub fn bootstrap_two(
    first: &Sample,
    second: &Sample,
    statistic: impl Fn(&mut [f64], &mut [f64]) -> f64,
    confidence: f64,
    seed: u64,
) -> Interval {
    let mut dice = Dice::new(seed);
    let (mut of_first, mut of_second) = (Vec::new(), Vec::new());
    percentiles(resamples(first.count() + second.count()), confidence, || {
        draw(first, &mut dice, &mut of_first);
        draw(second, &mut dice, &mut of_second);
        statistic(&mut of_first, &mut of_second)
    })
}

fn resamples(values: usize) -> usize {
    RESAMPLES.min(DRAWN_VALUES_MAX / values).max(RESAMPLES_MIN)
}

fn draw(sample: &Sample, dice: &mut Dice, drawn: &mut Vec<f64>) {
    drawn.clear();
    drawn.extend((0..sample.count()).map(|_| sample.values()[dice.below(sample.count())]));
}

fn percentiles(count: usize, confidence: f64, mut draw: impl FnMut() -> f64) -> Interval {
    let outside = tail(confidence);
    let mut found: Vec<f64> = (0..count).map(|_| draw()).collect();
    found.sort_by(f64::total_cmp);
    Interval { low: quantile(&found, outside), high: quantile(&found, 1.0 - outside), confidence }
}

/// Returns the median of values, which are reordered: the statistic of most intervals here.
///
/// # Panics
/// When there is none.
pub fn median_of(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if !even {
        return *upper;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    lower + (*upper - lower) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::mean;

    /// Differences in height of Darwin's 15 pairs of maize plants, in eighths of an inch (Fisher,
    /// "The Design of Experiments", 1935).
    const DARWIN: [f64; 15] = [6., 8., 14., 16., 23., 24., 28., 29., 41., -48., 49., 56., 60., -67., 75.];

    /// SciPy 1.x, `bootstrap(..., method='percentile', n_resamples=200000)` gives 1.33 to 38.13.
    #[test]
    fn darwins_plants_give_the_interval_of_scipy() {
        let sample = Sample::new(DARWIN.to_vec()).unwrap();
        let interval = bootstrap_one(&sample, |values| mean(values), 0.95, 1);
        assert!((interval.low - 1.33).abs() < 1.0 && (interval.high - 38.13).abs() < 1.0, "{interval:?}");
        assert!(interval.contains(sample.mean()));
        assert_eq!(interval, bootstrap_one(&sample, |values| mean(values), 0.95, 1), "the seed decides");
    }

    #[test]
    fn two_samples_give_the_interval_of_their_ratio() {
        let first = Sample::new((0..50).map(|i| 100.0 + f64::from(i % 5)).collect()).unwrap();
        let second = Sample::new((0..50).map(|i| 110.0 + f64::from(i % 5)).collect()).unwrap();
        let interval = bootstrap_two(&first, &second, |a, b| median_of(b) / median_of(a), 0.95, 7);
        assert!(interval.contains(112.0 / 102.0) && !interval.contains(1.0), "{interval:?}");
    }

    #[test]
    fn values_that_are_all_the_same_leave_no_doubt() {
        let sample = Sample::new(vec![5.0; 20]).unwrap();
        let interval = bootstrap_one(&sample, median_of, 0.95, 3);
        assert_eq!((interval.low, interval.high), (5.0, 5.0));
    }

    #[test]
    fn the_median_is_that_of_the_sorted_values() {
        for values in [vec![3.0], vec![2.0, 1.0], vec![5.0, 1.0, 3.0], vec![4.0, 1.0, 3.0, 2.0]] {
            assert_eq!(median_of(&mut values.clone()), Sample::new(values).unwrap().median());
        }
    }
}
