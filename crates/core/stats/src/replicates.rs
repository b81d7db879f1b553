//! An estimate with the values that it has when its data are drawn again.

use crate::interval::{Interval, USUAL_CONFIDENCE, tail};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// An estimate, where the true value lies, and the test against 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replicated {
    /// The interval around the estimate, of the usual confidence.
    pub interval: Interval,
    /// The probability of an estimate as far from 0 if the true value were 0.
    pub p: f64,
}

/// Returns the interval of an estimate from its values on data that were drawn again: the bootstrap's standard error with
/// Student's distribution (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, 12.2), which unlike percentiles
/// holds with few draws. `None` with fewer than two.
pub fn of_replicates(estimate: f64, drawn: &[f64]) -> Option<Replicated> {
    let freedom = drawn.len().checked_sub(1).filter(|freedom| *freedom > 0)? as f64;
    let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
    let variance = drawn.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / freedom;
    let error = variance.sqrt();
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let reach = error * student.inverse_cdf(1.0 - tail(USUAL_CONFIDENCE));
    let p = match () {
        () if estimate == 0.0 => 1.0,
        () if error == 0.0 => 0.0,
        () => 2.0 * student.cdf(-(estimate / error).abs()),
    };
    let interval = Interval { low: estimate - reach, high: estimate + reach, confidence: USUAL_CONFIDENCE };
    Some(Replicated { interval, p })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Student's distribution of four degrees of freedom has a closed form: F(t) = 1/2 + sin(a) (1 + cos²(a) / 2) / 2 with
    /// tan(a) = t / 2. With its 0.975 quantile, 2.776445, and the standard deviation of 1 to 5, the root of 2.5:
    #[test]
    fn five_draws_give_the_closed_form_of_four_degrees_of_freedom() {
        let found = of_replicates(2.5, &[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((found.interval.low - -1.889_945).abs() < 1e-5, "{found:?}");
        assert!((found.interval.high - 6.889_945).abs() < 1e-5, "{found:?}");
        assert!((found.p - 0.189_004).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn without_spread_there_is_no_doubt() {
        assert_eq!(of_replicates(1.0, &[1.0, 1.0]).unwrap().p, 0.0);
        assert_eq!(of_replicates(0.0, &[0.0, 0.0]).unwrap().p, 1.0);
        assert_eq!(of_replicates(1.0, &[1.0]), None);
    }
}
