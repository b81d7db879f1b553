//! How many runs it takes to tell a difference by ranks (Noether, "Sample Size Determination for Some
//! Common Nonparametric Tests", Journal of the American Statistical Association 82, 1987).
//!
//! What counts is how often a difference of that size would show between two runs, not the standard
//! deviation: one run that lies far apart hardly hinders a test of ranks.

use crate::Pairs;
use crate::interval::tail;
use crate::signed_rank::normal;
use statrs::distribution::ContinuousCDF;

/// A difference that is there is found this often; what is usual since Cohen (1988).
const POWER: f64 = 0.8;
/// More are not worth the answer: the machine changes before they are done.
const RUNS_MAX: f64 = 1e9;

/// Returns how many pairs it takes to tell a difference of this part, four times out of five, by the spread
/// seen between pairs; none of a single pair.
///
/// # Panics
/// When the part is not positive or the confidence not between 0 and 1.
pub fn pairs_needed(pairs: &Pairs, part: f64, confidence: f64) -> Option<u64> {
    let log_ratios = pairs.log_ratios();
    let middle = pairs.ratio(confidence).ratio.ln();
    let shift = logarithm(part);
    // With the middle at the difference that is asked for: does the average of two pairs show it?
    let shown = part_above(log_ratios, |one, other| (one + other) / 2.0 - middle + shift)?;
    Some(runs(shown, confidence, 3.0))
}

/// Returns how many runs of each of two commands it takes to tell a difference of this part, four times out
/// of five, if both spread as these positive times do; none of a single time.
///
/// # Panics
/// When the part is not positive or the confidence not between 0 and 1.
pub fn runs_needed(times: &[f64], part: f64, confidence: f64) -> Option<u64> {
    let shift = logarithm(part);
    let logarithms: Vec<f64> = times.iter().map(|time| time.ln()).collect();
    let there = part_above(&logarithms, |one, other| one - other + shift)?;
    let back = part_above(&logarithms, |one, other| other - one + shift)?;
    // Half of all runs are of each command: N is (z + z)² / (12 (1/4) (p - 1/2)²), and n half of that.
    Some(runs((there + back) / 2.0, confidence, 6.0))
}

fn logarithm(part: f64) -> f64 {
    assert!(part > 0.0, "a difference of {part} is none");
    part.ln_1p()
}

/// Returns the part of all two different values of which the figure is above 0; one that is 0 counts half.
fn part_above(values: &[f64], figure: impl Fn(f64, f64) -> f64) -> Option<f64> {
    let mut halves = 0_u64;
    for (at, one) in values.iter().enumerate() {
        for other in &values[at + 1..] {
            halves += match figure(*one, *other) {
                above if above > 0.0 => 2,
                0.0 => 1,
                _ => 0,
            };
        }
    }
    let count = values.len() as f64 * (values.len() as f64 - 1.0) / 2.0;
    (values.len() > 1).then_some(halves as f64 / 2.0 / count)
}

fn runs(shown: f64, confidence: f64, factor: f64) -> u64 {
    let quantiles = normal().inverse_cdf(1.0 - tail(confidence)) + normal().inverse_cdf(POWER);
    let excess = (shown - 0.5).max(0.0);
    let runs = quantiles.powi(2) / (factor * excess.powi(2));
    // Below this no rank test can reject at all, however clear the difference is.
    let least = f64::from(crate::pairs_for_confidence(confidence));
    runs.ceil().clamp(least, RUNS_MAX) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Dice;
    use crate::signed_rank_test;

    /// Values whose logarithms are spread like a normal distribution.
    fn bell(count: usize, deviation: f64) -> Vec<f64> {
        let place = |at| (at as f64 + 0.5) / count as f64;
        (0..count).map(|at| (deviation * normal().inverse_cdf(place(at))).exp()).collect()
    }

    /// For normal differences p is Φ(d √2) and for normal values Φ(d / √2), so Noether's formula gives
    /// 211 and 39 pairs, and 415 and 70 runs, for effects d of 0.2 and 0.5 at 5 per cent and power 0.8.
    #[test]
    fn normal_values_give_noethers_numbers() {
        for (effect, pairs, runs) in [(0.2, 211.0, 415.0), (0.5, 39.0, 70.0)] {
            let values = bell(1000, 0.01 / effect);
            let part = 0.01_f64.exp_m1();
            let paired = Pairs::new(&[1.0; 1000], &values).unwrap();
            let got = pairs_needed(&paired, part, 0.95).unwrap() as f64;
            assert!((got / pairs - 1.0).abs() < 0.03, "{effect}: {got} pairs");
            let got = runs_needed(&values, part, 0.95).unwrap() as f64;
            assert!((got / runs - 1.0).abs() < 0.03, "{effect}: {got} runs");
        }
    }

    #[test]
    fn computed_number_of_pairs_finds_four_of_five_differences() {
        let values = bell(400, 0.02);
        let needed = pairs_needed(&Pairs::new(&[1.0; 400], &values).unwrap(), 0.01, 0.95).unwrap();
        let mut dice = Dice::new(11);
        let mut found = 0;
        for _ in 0..400 {
            let drawn: Vec<f64> =
                (0..needed).map(|_| values[dice.below(400)].ln() + 0.01_f64.ln_1p()).collect();
            found += u32::from(signed_rank_test(&drawn).p_value <= 0.05);
        }
        // Four standard deviations of 400 trials are 0.08.
        assert!((288..=352).contains(&found), "{found} of 400 with {needed} pairs");
    }

    #[test]
    fn a_run_that_lies_apart_hardly_matters() {
        let calm: Vec<f64> = (0..20).map(|i| 100.0 + f64::from(i % 3) / 10.0).collect();
        let needed = |times: &[f64]| runs_needed(times, 0.01, 0.95).unwrap();
        let with_one = [&calm[..19], &[180.0]].concat();
        assert!(needed(&calm) < 10 && needed(&with_one) < 10, "{} {}", needed(&calm), needed(&with_one));
    }

    #[test]
    fn there_is_a_least_and_a_most() {
        assert_eq!(runs_needed(&[1.0; 20], 0.01, 0.95), Some(6));
        assert_eq!(runs_needed(&[1.0, 9.0], 0.01, 0.95), Some(1_000_000_000));
        assert_eq!(runs_needed(&[1.0], 0.01, 0.95), None);
    }
}
