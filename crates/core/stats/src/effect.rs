//! How large a difference is compared with what varies anyway.

use crate::SignedRank;

/// Returns the matched-pairs rank-biserial correlation (Kerby 2014): 1 if every difference is positive,
/// -1 if every one is negative, 0 if they balance or there is none.
pub fn rank_biserial(test: &SignedRank) -> f64 {
    let total = test.positive_ranks + test.negative_ranks;
    if total == 0.0 { 0.0 } else { (test.positive_ranks - test.negative_ranks) / total }
}

/// Returns Cliff's delta (1993): how much more often a value of the second group is above one of the first
/// than below it, from -1 to 1.
///
/// # Panics
/// When a group is empty.
pub fn cliffs_delta(first: &[f64], second: &[f64]) -> f64 {
    assert!(!first.is_empty() && !second.is_empty(), "an empty group has no effect");
    let mut sorted = first.to_vec();
    sorted.sort_by(f64::total_cmp);
    let balance: i64 = second
        .iter()
        .map(|value| {
            let below = sorted.partition_point(|other| other < value);
            let above = sorted.len() - sorted.partition_point(|other| other <= value);
            below as i64 - above as i64
        })
        .sum();
    balance as f64 / (first.len() * second.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signed_rank_test;

    #[test]
    fn effects_go_from_never_to_always() {
        let of = |differences: &[f64]| rank_biserial(&signed_rank_test(differences));
        assert_eq!(of(&[1.0, 2.0, 3.0]), 1.0);
        assert_eq!(of(&[-1.0, -2.0]), -1.0);
        assert_eq!(of(&[]), 0.0);
        // Darwin's plants: (96 - 24) / 120.
        assert_eq!(of(&[6., 8., 14., 16., 23., 24., 28., 29., 41., -48., 49., 56., 60., -67., 75.]), 0.6);
        assert_eq!(cliffs_delta(&[1.0, 2.0], &[3.0, 4.0]), 1.0);
        assert_eq!(cliffs_delta(&[3.0, 4.0], &[1.0, 2.0]), -1.0);
        assert_eq!(cliffs_delta(&[1.0, 2.0, 3.0], &[2.0]), 0.0);
        assert_eq!(cliffs_delta(&[1.0, 2.0], &[1.0, 2.0, 3.0]), 2.0 / 6.0);
    }
}
