//! Random numbers that follow from what they are for: no order of drawing, so no order of computing matters.

/// Mixes words into one in which every bit depends on all (the finaliser of SplitMix64, Steele et al. 2014).
pub fn mix(words: &[u64]) -> u64 {
    words.iter().fold(0x9E37_79B9_7F4A_7C15, |state, word| {
        let mut z = (state ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}

/// Makes of a random word a value from the exponential distribution of mean 1.
pub fn exponential(word: u64) -> f64 {
    // In (0, 1], in steps of 2^-53.
    -natural_logarithm(((word >> 11) + 1) as f64 * (1.0 / (1_u64 << 53) as f64))
}

/// Returns the natural logarithm of a normal positive number, to about 1e-15; the system's may differ by machine in the last
/// bit, and with it all bytes of a simulation.
fn natural_logarithm(value: f64) -> f64 {
    let bits = value.to_bits();
    let mut exponent = ((bits >> 52) as i32 - 1023) as f64;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1.0;
    }
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let series = (0..12).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    exponent * std::f64::consts::LN_2 + 2.0 * ratio * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_that_of_the_system() {
        for value in [1.0, 0.5, 0.999_999, 1e-16, 0.7, 0.3, 2.0_f64.powi(-53)] {
            let (got, expected) = (natural_logarithm(value), value.ln());
            assert!(
                (got - expected).abs() <= 4e-15 * expected.abs().max(1e-3),
                "ln {value}: {got}, {expected}"
            );
        }
    }

    #[test]
    fn exponential_values_have_their_mean_and_deviation() {
        let count = 200_000;
        let values: Vec<f64> = (0..count).map(|at| exponential(mix(&[7, at]))).collect();
        let mean = values.iter().sum::<f64>() / count as f64;
        let square = values.iter().map(|value| value * value).sum::<f64>() / count as f64;
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
        assert!((square - 2.0).abs() < 0.05, "{square}");
    }
}
