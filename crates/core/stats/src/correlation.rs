//! Whether two measures put things into the same order.

/// Returns Spearman's rank correlation of two measures of the same things, from -1 to 1; equal values have their mean rank. Not a
/// number if all values of a measure are equal.
///
/// # Panics
/// If the measures have different lengths.
pub fn rank_correlation(one: &[f64], other: &[f64]) -> f64 {
    assert_eq!(one.len(), other.len(), "each thing has both measures");
    let ranks = |values: &[f64]| -> Vec<f64> {
        let rank = |value: &f64| {
            let below = values.iter().filter(|other| *other < value).count();
            let equal = values.iter().filter(|other| *other == value).count();
            below as f64 + (equal - 1) as f64 / 2.0
        };
        values.iter().map(rank).collect()
    };
    let (one, other) = (ranks(one), ranks(other));
    let mean = (one.len() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    product(&one, &other) / (product(&one, &one) * product(&other, &other)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::rank_correlation;

    #[test]
    fn ranks_are_compared() {
        assert_eq!(rank_correlation(&[1.0, 2.0, 9.0], &[10.0, 11.0, 12.0]), 1.0);
        assert_eq!(rank_correlation(&[1.0, 2.0, 9.0], &[3.0, 2.0, 1.0]), -1.0);
        // Two equal values: 0.5, 0.5, 2 against 0, 1, 2.
        assert!((rank_correlation(&[4.0, 4.0, 5.0], &[1.0, 2.0, 3.0]) - 0.866).abs() < 0.001);
    }
}
