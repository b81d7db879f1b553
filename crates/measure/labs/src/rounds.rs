//! The order in which arms take turns.

use bench::turns;

/// Plans this many rounds of this many arms: pairs of round and arm, both from 0, alternately forwards and backwards,
/// so that a machine that slows down steadily affects all arms equally.
pub fn rounds(arms: usize, rounds: u32) -> impl Iterator<Item = (u32, usize)> {
    turns(arms, 0, rounds).map(|turn| (turn.run, turn.command))
}

#[cfg(test)]
mod tests {
    #[test]
    fn arms_run_forwards_and_backwards() {
        let order: Vec<_> = super::rounds(3, 2).collect();
        assert_eq!(order, [(0, 0), (0, 1), (0, 2), (1, 2), (1, 1), (1, 0)]);
    }
}
