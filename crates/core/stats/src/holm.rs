//! p-values of several tests at once (Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979).

/// Returns the p-values corrected for how many there are: if those up to 0.05 are rejected, the chance to reject any
/// wrongly is at most 0.05.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut highest = 0.0_f64;
    for (rank, at) in order.into_iter().enumerate() {
        let tests = (p_values.len() - rank) as f64;
        highest = highest.max((p_values[at] * tests).min(1.0));
        corrected[at] = highest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R: `p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")`.
    #[test]
    fn as_r_does() {
        let near = |got: Vec<f64>, expected: &[f64]| {
            assert!(got.len() == expected.len(), "{got:?}");
            assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{got:?}");
        };
        near(holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]);
        near(holm(&[0.9, 0.8]), &[1.0, 1.0]);
        near(holm(&[0.04]), &[0.04]);
        near(holm(&[]), &[]);
    }
}
