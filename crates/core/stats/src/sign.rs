//! The sign test: as many up as down?

use statrs::distribution::{Binomial, DiscreteCDF};

/// Returns how often chance alone gives signs at least as unequal, on either side. Differences that are 0
/// take no part.
pub fn sign_test(differences: &[f64]) -> f64 {
    let up = differences.iter().filter(|difference| **difference > 0.0).count() as u64;
    let down = differences.iter().filter(|difference| **difference < 0.0).count() as u64;
    // A coin is a valid binomial for every number of throws.
    Binomial::new(0.5, up + down).map_or(1.0, |coin| (2.0 * coin.cdf(up.min(down))).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(up: usize, down: usize) -> f64 {
        sign_test(&[vec![1.0; up], vec![-1.0; down], vec![0.0; 3]].concat())
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
