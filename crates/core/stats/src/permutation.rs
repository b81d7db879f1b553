//! Tests that ask what the difference would be if the labels meant nothing.

use crate::random::Dice;
use crate::sample::mean;

/// Up to this many ways all are counted; beyond, as many are drawn.
const WAYS_MAX: u64 = 1 << 20;
/// The standard error of a chance near 0.05 is then 0.0007.
const DRAWS: usize = 100_000;
/// Large groups are drawn fewer times, to end within seconds.
const DRAWN_VALUES_MAX: usize = 100_000_000;
/// The smallest chance that can be found is one in as many.
const DRAWS_MIN: usize = 1_000;
/// Sums of the same values in another order differ in their last bits.
const ROUNDING: f64 = 1e-9;

/// Returns how often chance gives paired differences with a mean at least as far from 0, if each sign were
/// a coin's.
pub fn permutation_of_pairs(differences: &[f64], seed: u64) -> f64 {
    let differences: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    let observed = differences.iter().sum::<f64>().abs();
    let reached = |sum: f64| sum.abs() >= observed * (1.0 - ROUNDING);
    if differences.len() < 64 && 1_u64 << differences.len() <= WAYS_MAX {
        let ways = 1_u64 << differences.len();
        let sum_of = |way: u64| -> f64 {
            let signed = differences.iter().enumerate();
            signed.map(|(at, difference)| if way >> at & 1 == 1 { -difference } else { *difference }).sum()
        };
        return (0..ways).filter(|way| reached(sum_of(*way))).count() as f64 / ways as f64;
    }
    let mut dice = Dice::new(seed);
    drawn(differences.len(), || {
        reached(
            differences.iter().map(|difference| if dice.coin() { -difference } else { *difference }).sum(),
        )
    })
}

/// Returns how often chance gives two groups with means at least as far apart, if values belonged to either
/// by chance.
///
/// # Panics
/// When a group is empty.
pub fn permutation_of_two(first: &[f64], second: &[f64], seed: u64) -> f64 {
    assert!(!first.is_empty() && !second.is_empty(), "an empty group has no mean");
    let mut all = [first, second].concat();
    let observed = (mean(first) - mean(second)).abs();
    let reached =
        |first: &[f64], second: &[f64]| (mean(first) - mean(second)).abs() >= observed * (1.0 - ROUNDING);
    if ways(all.len(), first.len()).is_some_and(|ways| ways <= WAYS_MAX) {
        return counted(&all, first.len(), reached);
    }
    let mut dice = Dice::new(seed);
    drawn(all.len(), || {
        dice.shuffle(&mut all);
        let (first, second) = all.split_at(first.len());
        reached(first, second)
    })
}

/// Returns the part of draws that reach it; the observed arrangement is one of them, so it is never 0.
fn drawn(values: usize, mut reaches: impl FnMut() -> bool) -> f64 {
    let draws = DRAWS.min(DRAWN_VALUES_MAX / values).max(DRAWS_MIN);
    let hits = (0..draws).filter(|_| reaches()).count();
    (hits + 1) as f64 / (draws + 1) as f64
}

/// Returns the part of all choices of `chosen` values that reach it.
fn counted(all: &[f64], chosen: usize, reached: impl Fn(&[f64], &[f64]) -> bool) -> f64 {
    let (mut hits, mut ways) = (0_u64, 0_u64);
    let mut picked: Vec<usize> = (0..chosen).collect();
    loop {
        let (mut first, mut second) = (Vec::with_capacity(chosen), Vec::with_capacity(all.len() - chosen));
        for (at, value) in all.iter().enumerate() {
            if picked.binary_search(&at).is_ok() { first.push(*value) } else { second.push(*value) }
        }
        ways += 1;
        hits += u64::from(reached(&first, &second));
        // The next choice in lexicographic order: move the last index that can still move.
        let Some(moved) = (0..chosen).rev().find(|at| picked[*at] < all.len() - chosen + at) else {
            return hits as f64 / ways as f64;
        };
        picked[moved] += 1;
        for at in moved + 1..chosen {
            picked[at] = picked[at - 1] + 1;
        }
    }
}

/// Returns the number of ways to choose; none where it does not fit.
fn ways(all: usize, chosen: usize) -> Option<u64> {
    let chosen = chosen.min(all - chosen);
    (0..chosen as u64).try_fold(1_u64, |ways, at| Some(ways.checked_mul(all as u64 - at)? / (at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy 1.x: `permutation_test` over all arrangements.
    #[test]
    fn small_groups_are_counted_out() {
        let darwin = [6., 8., 14., 16., 23., 24., 28., 29., 41., -48., 49., 56., 60., -67., 75.];
        assert!((permutation_of_pairs(&darwin, 1) - 0.052_673_339_843_75).abs() < 1e-12);
        let p = permutation_of_two(&[5.1, 4.9, 5.6, 5.8], &[6.2, 5.9, 6.6, 7.0], 1);
        assert!((p - 2.0 / 70.0).abs() < 1e-12, "{p}");
        assert_eq!(permutation_of_pairs(&[0.0], 1), 1.0);
    }

    #[test]
    fn large_groups_are_drawn_by_the_seed() {
        let first: Vec<f64> = (0..40).map(|i| f64::from(i % 7)).collect();
        let same: Vec<f64> = (0..40).map(|i| f64::from((i + 3) % 7)).collect();
        let higher: Vec<f64> = first.iter().map(|value| value + 3.0).collect();
        assert!(permutation_of_two(&first, &same, 5) > 0.5);
        assert!(permutation_of_two(&first, &higher, 5) < 0.001);
        assert_eq!(permutation_of_two(&first, &same, 5), permutation_of_two(&first, &same, 5));
        let differences: Vec<f64> = (0..40).map(|i| f64::from(i % 7) - 2.0).collect();
        // The sum is 35 and its standard deviation under coins 13.6, so about 0.01.
        let chance = permutation_of_pairs(&differences, 5);
        assert!((0.005..0.02).contains(&chance), "{chance}");
    }

    #[test]
    fn ways_are_binomial_coefficients() {
        assert_eq!(ways(8, 4), Some(70));
        assert_eq!(ways(20, 17), Some(1140));
        assert_eq!(ways(200, 100), None);
    }
}
