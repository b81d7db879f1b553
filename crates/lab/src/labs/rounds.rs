//! In which order arms take turns.

use crate::measure::turns;

/// Plans this many rounds of this many arms: pairs of round and arm, both from 0, forwards and backwards in turn, so
/// that a machine that grows slower all the while is as bad for each.
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
