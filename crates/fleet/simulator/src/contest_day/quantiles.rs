//! Distributions as tables of quantiles.

use stats::Dice;

/// The whole, in millionths.
pub const ONE: u32 = 1_000_000;

/// A distribution: ascending values at ascending parts of the whole, from 0 to all of it; straight lines in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantiles(Vec<(u32, u64)>);

impl Quantiles {
    /// Makes a distribution of `(part in millionths, value)`; `None` unless both ascend, and the parts go from 0 to
    /// [`ONE`]. A single point is a value that is always the same.
    pub fn new(points: Vec<(u32, u64)>) -> Option<Self> {
        let (first, last) = (points.first()?, points.last()?);
        let is_whole = points.len() == 1 || (first.0 == 0 && last.0 == ONE);
        let ascends = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        (is_whole && ascends).then_some(Self(points))
    }

    /// Makes the distribution of a value that is always the same.
    pub fn always(value: u64) -> Self {
        Self(vec![(0, value)])
    }

    /// Returns the value at a part of the whole.
    pub fn at(&self, part: u32) -> u64 {
        let next = self.0.partition_point(|point| point.0 <= part);
        let Some(&(from, low)) = self.0[..next].last() else { return self.0[0].1 };
        let Some(&(to, high)) = self.0.get(next) else { return low };
        let rise = u128::from(high - low) * u128::from(part - from) / u128::from(to - from);
        // It is at most `high - low`.
        low + rise as u64
    }

    pub fn draw(&self, dice: &mut Dice) -> u64 {
        if let [(_, value)] = self.0[..] {
            return value;
        }
        self.at(dice.below(ONE as usize + 1) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_on_straight_lines() {
        let quantiles = Quantiles::new(vec![(0, 10), (500_000, 20), (ONE, 120)]).unwrap();
        for (part, value) in [(0, 10), (250_000, 15), (500_000, 20), (750_000, 70), (ONE, 120)] {
            assert_eq!(quantiles.at(part), value, "{part}");
        }
        assert_eq!(Quantiles::always(7).at(ONE), 7);
        for wrong in [vec![], vec![(0, 1), (ONE, 0)], vec![(1, 1), (ONE, 2)], vec![(0, 1), (5, 2)]] {
            assert_eq!(Quantiles::new(wrong.clone()), None, "{wrong:?}");
        }
    }
}
