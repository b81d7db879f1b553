//! How many runs it takes to tell a difference.

use crate::signed_rank::normal;
use statrs::distribution::ContinuousCDF;

/// A difference that is there is found this often; what is usual since Cohen (1988).
const POWER: f64 = 0.8;
/// More are not worth the answer: the machine changes before they are done.
const RUNS_MAX: f64 = 1e9;

/// How runs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Design {
    /// In pairs, each run beside one of the other kind; the deviation is that of the pairs' differences.
    Paired,
    /// Each kind by itself; the deviation is that of one kind.
    Independent,
}

/// Says how many pairs, or runs of each kind, it takes to tell `difference` with confidence and with
/// four chances out of five, when single values deviate by `deviation`: Guenther's formula ("Sample Size
/// Formulas for Normal Theory T Tests", 1981), which meets the noncentral t distribution within one run.
///
/// # Panics
/// When the difference is not positive, the deviation negative, or the confidence not between 0 and 1.
pub fn runs_needed(design: Design, deviation: f64, difference: f64, confidence: f64) -> u64 {
    assert!(difference > 0.0 && deviation >= 0.0, "{deviation} and {difference} are no such amounts");
    let sides = normal().inverse_cdf(1.0 - crate::interval::tail(confidence));
    let quantiles = sides + normal().inverse_cdf(POWER);
    let ratio = deviation / difference;
    let runs = match design {
        Design::Paired => (quantiles * ratio).powi(2) + sides.powi(2) / 2.0,
        Design::Independent => 2.0 * (quantiles * ratio).powi(2) + sides.powi(2) / 4.0,
    };
    // Below this no rank test can reject at all, however clear the difference is.
    let least = f64::from(crate::pairs_for_confidence(confidence));
    runs.ceil().clamp(least, RUNS_MAX) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted with SciPy 1.x from the noncentral t distribution (`nct`) at 5 % and power 0.8.
    #[test]
    fn runs_are_those_of_the_noncentral_t_distribution() {
        for (effect, paired, independent) in [(0.2, 199, 394), (0.5, 34, 64), (0.8, 15, 26), (1.0, 10, 17)] {
            assert_eq!(runs_needed(Design::Paired, 1.0, effect, 0.95), paired, "{effect}");
            assert_eq!(runs_needed(Design::Independent, 1.0, effect, 0.95), independent, "{effect}");
        }
    }

    #[test]
    fn there_is_a_least_and_a_most() {
        assert_eq!(runs_needed(Design::Paired, 0.0, 0.01, 0.95), 6);
        assert_eq!(runs_needed(Design::Paired, 1e9, 1e-9, 0.95), 1_000_000_000);
    }
}
