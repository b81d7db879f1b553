//! Wilcoxon's signed-rank test of paired differences, and the interval that belongs to it.

use crate::interval::{Interval, tail};
use statrs::distribution::{ContinuousCDF, Normal};

/// Up to here the distribution is counted out; beyond it the normal one differs in the fourth digit only.
const EXACT_PAIRS_MAX: usize = 100;

/// What the test says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// The sum of the ranks of positive differences.
    pub positive_ranks: f64,
    /// The sum of the ranks of negative differences.
    pub negative_ranks: f64,
    /// How many differences were not 0, and so took part.
    pub pairs: usize,
    /// How often chance alone gives sums at least as unequal, on either side.
    pub p_value: f64,
    /// Whether that was counted out, ties included, or taken from the normal distribution.
    pub exact: bool,
}

/// Tests whether differences lie around 0. Differences that are 0 take no part.
pub fn signed_rank_test(differences: &[f64]) -> SignedRank {
    let (ranks, positive) = doubled_ranks(differences);
    let total: u64 = ranks.iter().sum();
    let plus: u64 =
        ranks.iter().zip(&positive).filter(|(_, positive)| **positive).map(|(rank, _)| rank).sum();
    let smaller = plus.min(total - plus);
    let exact = ranks.len() <= EXACT_PAIRS_MAX;
    let p_value = match exact {
        true => 2.0 * below_or_at(&chances(&ranks), smaller),
        false => 2.0 * normal_tail(&ranks, smaller),
    };
    SignedRank {
        positive_ranks: plus as f64 / 2.0,
        negative_ranks: (total - plus) as f64 / 2.0,
        pairs: ranks.len(),
        p_value: p_value.min(1.0),
        exact,
    }
}

/// Returns how many pairs it takes at least until an interval of this confidence exists.
///
/// # Panics
/// When the confidence is not between 0 and 1.
pub fn pairs_for_confidence(confidence: f64) -> u32 {
    (-tail(confidence).log2()).ceil() as u32
}

/// Returns the middle of the differences (Hodges and Lehmann's pseudomedian) and its interval, the one
/// outside of which the test rejects; no interval where there are too few differences for it.
///
/// # Panics
/// When there is no difference, or the confidence is not between 0 and 1.
pub(crate) fn middle(differences: &[f64], confidence: f64) -> (f64, Option<Interval>) {
    let mut averages = Vec::with_capacity(differences.len() * (differences.len() + 1) / 2);
    for (at, first) in differences.iter().enumerate() {
        averages.extend(differences[at..].iter().map(|second| first + (second - first) / 2.0));
    }
    averages.sort_by(f64::total_cmp);
    let interval = left_out(differences.len(), tail(confidence)).map(|outside| Interval {
        low: averages[outside],
        high: averages[averages.len() - 1 - outside],
        confidence,
    });
    (crate::sample::quantile(&averages, 0.5), interval)
}

/// Returns how many of the sorted averages lie outside the interval at each end.
fn left_out(count: usize, tail: f64) -> Option<usize> {
    let ranks: Vec<u64> = (1..=count as u64).map(|rank| 2 * rank).collect();
    if count > EXACT_PAIRS_MAX {
        let (mean, deviation) = moments(&ranks);
        // Half a step below, for the normal distribution has no steps.
        let place = (mean + normal().inverse_cdf(tail) * deviation - 1.0) / 2.0;
        return Some(place.floor().max(0.0) as usize);
    }
    let chances = chances(&ranks);
    let mut sum = 0.0;
    let mut within = 0_usize;
    // Only every second sum can be reached, since the ranks are doubled.
    for chance in chances.iter().step_by(2) {
        sum += chance;
        if sum > tail {
            break;
        }
        within += 1;
    }
    // The largest sum that rejects is one less than the number of sums that do, since 0 is one of them.
    within.checked_sub(1)
}

/// Twice the rank of each difference that is not 0, so that shared ranks are whole numbers, and
/// whether it is positive.
fn doubled_ranks(differences: &[f64]) -> (Vec<u64>, Vec<bool>) {
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let mut ranks = Vec::with_capacity(sorted.len());
    for group in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
        let shared = (2 * ranks.len() + group.len() + 1) as u64;
        ranks.extend(group.iter().map(|_| shared));
    }
    (ranks, sorted.iter().map(|difference| *difference > 0.0).collect())
}

/// Returns the chance of each sum of doubled ranks when every sign is a coin's.
fn chances(ranks: &[u64]) -> Vec<f64> {
    let total: u64 = ranks.iter().sum();
    let mut chances = vec![0.0; total as usize + 1];
    chances[0] = 1.0;
    let mut reached = 0;
    for rank in ranks.iter().map(|rank| *rank as usize) {
        reached += rank;
        for sum in (0..=reached).rev() {
            let with = if sum >= rank { chances[sum - rank] } else { 0.0 };
            chances[sum] = (chances[sum] + with) / 2.0;
        }
    }
    chances
}

fn below_or_at(chances: &[f64], sum: u64) -> f64 {
    chances[..=sum as usize].iter().sum()
}

/// Mean and standard deviation of the sum of doubled ranks; ties are in the ranks.
fn moments(ranks: &[u64]) -> (f64, f64) {
    let sum: f64 = ranks.iter().map(|rank| *rank as f64).sum();
    let squares: f64 = ranks.iter().map(|rank| (*rank as f64).powi(2)).sum();
    (sum / 2.0, squares.sqrt() / 2.0)
}

/// Returns the normal distribution's answer; a doubled sum moves in steps of 2, so half a step is 1.
fn normal_tail(ranks: &[u64], smaller: u64) -> f64 {
    let (mean, deviation) = moments(ranks);
    normal().cdf(((smaller as f64 + 1.0 - mean) / deviation).min(0.0))
}

pub(crate) fn normal() -> Normal {
    Normal::standard()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-12 + 1e-9 * expected.abs(), "{got}, expected {expected}");
    }

    /// Differences in height of Darwin's 15 pairs of maize plants (Fisher, "The Design of Experiments",
    /// 1935); SciPy's documentation of `wilcoxon` has them with statistic 24 and p = 0.041259765625.
    const DARWIN: [f64; 15] = [6., 8., 14., 16., 23., 24., 28., 29., 41., -48., 49., 56., 60., -67., 75.];

    #[test]
    #[expect(clippy::approx_constant, reason = "3.14 is a patient's score")]
    fn published_examples() {
        let test = signed_rank_test(&DARWIN);
        assert_eq!((test.negative_ranks, test.positive_ranks, test.pairs), (24.0, 96.0, 15));
        near(test.p_value, 0.041_259_765_625);
        // Hollander and Wolfe (1973), the depression scale of R's ?wilcox.test: V = 40, p = 0.0390625.
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = before.iter().zip(after).map(|(before, after)| before - after).collect();
        let test = signed_rank_test(&differences);
        assert_eq!(test.positive_ranks, 40.0);
        near(test.p_value, 0.039_062_5);
    }

    #[test]
    fn the_interval_is_that_of_the_walsh_averages() {
        // The critical value for 15 pairs at 5 % is 25 in every table, so 25 averages are left out.
        assert_eq!(left_out(15, 0.025), Some(25));
        let (middle, interval) = middle(&DARWIN, 0.95);
        assert_eq!(middle, 25.0);
        let interval = interval.unwrap();
        assert_eq!((interval.low, interval.high), (4.0, 41.5));
    }

    #[test]
    fn few_pairs_cannot_convince() {
        assert_eq!(pairs_for_confidence(0.95), 6);
        assert_eq!(middle(&[1.0; 5], 0.95).1, None);
        assert!(middle(&[1.0; 6], 0.95).1.is_some());
        near(signed_rank_test(&[1.0, 2.0, 3.0, 4.0, 5.0]).p_value, 0.0625);
        near(signed_rank_test(&[]).p_value, 1.0);
        near(signed_rank_test(&[0.0, 0.0]).p_value, 1.0);
    }

    /// Counted over all 256 signs.
    #[test]
    fn ties_are_counted_out_too() {
        let test = signed_rank_test(&[1.0, 1.0, -1.0, 2.0, 2.0, 3.0, -3.0, 4.0]);
        assert!(test.exact);
        near(test.p_value, 0.242_187_5);
    }

    /// SciPy 1.x: `wilcoxon(..., method='approx', correction=True)`.
    #[test]
    fn many_pairs_take_the_normal_distribution() {
        let differences: Vec<f64> =
            (0..120).map(|i| f64::from(i + 1) * if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let test = signed_rank_test(&differences);
        assert!(!test.exact);
        assert_eq!(test.negative_ranks, 2380.0);
        near(test.p_value, 0.001_066_850_188_328_697);
    }

    #[test]
    fn both_distributions_meet_where_one_takes_over() {
        let at = |count| left_out(count, 0.025).unwrap() as f64;
        let (exact, normal) = (at(EXACT_PAIRS_MAX), at(EXACT_PAIRS_MAX + 1));
        assert!(normal > exact && normal < exact * 1.03, "{exact} {normal}");
    }

    proptest! {
        #[test]
        fn test_and_interval_never_contradict(differences in prop::collection::vec(-10.0..14.0_f64, 6..30)) {
            let test = signed_rank_test(&differences);
            let (middle, interval) = middle(&differences, 0.95);
            let interval = interval.unwrap();
            prop_assert!(interval.contains(middle));
            prop_assert_eq!(test.p_value <= 0.05, !interval.contains(0.0), "{:?} {:?}", test, interval);
        }
    }
}
