//! How often a load was how high, in sixteen buckets that forget.

use serde::{Deserialize, Serialize};

/// How many buckets: enough for a quantile of a load that is known to a per cent or two, and 32 bytes.
pub(super) const BUCKETS: usize = 16;

/// Where the buckets begin and end, as shares of the request: narrow where most loads are, and one bucket beyond.
const EDGES: [f32; BUCKETS + 1] =
    [0.0, 0.0075, 0.02, 0.035, 0.055, 0.08, 0.115, 0.16, 0.21, 0.28, 0.36, 0.46, 0.58, 0.72, 0.86, 1.0, 2.0];

/// The largest share that the buckets hold.
pub(super) const TOP: f32 = EDGES[BUCKETS];

/// The weight of a full histogram, so that no bucket overflows with one more.
const FULL: u32 = 60_000;

/// It forgets an eighth at a time: a weight in whole numbers would not survive being reduced with every window.
const PARTS: u32 = 8;

/// How fast a histogram forgets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    /// What one observation adds.
    weight: u16,
    /// An eighth is forgotten after this many.
    every: u16,
}

impl Memory {
    /// Returns the memory of about this many observations.
    pub fn of(observations: u64) -> Self {
        let every = u32::try_from(observations / u64::from(PARTS)).unwrap_or(u32::MAX).clamp(1, FULL / PARTS);
        let weight = FULL / (every * PARTS);
        Self { weight: weight as u16, every: every as u16 }
    }
}

/// The weights of the buckets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Histogram([u16; BUCKETS]);

impl Histogram {
    /// Returns the histogram with the proportions of another, as heavy as this many observations.
    pub fn seeded(other: &Self, memory: Memory, observations: u32) -> Self {
        let (weight, total) = (observations * u32::from(memory.weight), other.total().max(1));
        Self(other.0.map(|part| (u32::from(part) * weight / total) as u16))
    }

    pub const fn with(weights: [u16; BUCKETS]) -> Self {
        Self(weights)
    }

    /// Adds the observation with this number, and forgets when it is time.
    pub fn add(&mut self, share: f32, number: u16, memory: Memory) {
        if number.is_multiple_of(memory.every) {
            self.0 = self.0.map(|part| part - (part + PARTS as u16 / 2) / PARTS as u16);
        }
        // Who uses exactly what is requested is below the edge: much work does, and above it half as much again is expected.
        let share = if share > 1.0 { share } else { share.min(1.0 - f32::EPSILON) };
        let bucket = EDGES[1..BUCKETS].iter().filter(|edge| share >= **edge).count();
        self.0[bucket] = self.0[bucket].saturating_add(memory.weight);
    }

    /// Converts to a unit of twice the size.
    pub fn halve_loads(&mut self) {
        let old = std::mem::take(&mut self.0);
        for (part, edges) in old.into_iter().zip(EDGES.windows(2)) {
            let middle = (edges[0] + edges[1]) / 4.0;
            let bucket = EDGES[1..BUCKETS].iter().filter(|edge| middle >= **edge).count();
            self.0[bucket] = self.0[bucket].saturating_add(part);
        }
    }

    /// Returns the loads that these shares of the weight do not exceed.
    pub fn quantiles<const N: usize>(&self, quantiles: [f32; N]) -> [f32; N] {
        let mut up_to = self.0.map(f32::from);
        (1..BUCKETS).for_each(|at| up_to[at] += up_to[at - 1]);
        let total = up_to[BUCKETS - 1];
        quantiles.map(|quantile| {
            let wanted = quantile * total;
            // Counting all is quicker than stopping at the right one.
            let bucket =
                up_to[..BUCKETS - 1].iter().map(|sum| u32::from(*sum < wanted)).sum::<u32>() as usize;
            let weight = f32::from(self.0[bucket]);
            let inside = (wanted - (up_to[bucket] - weight)) / weight.max(1.0);
            EDGES[bucket] + inside.clamp(0.0, 1.0) * (EDGES[bucket + 1] - EDGES[bucket])
        })
    }

    pub fn moments(&self) -> (f32, f32) {
        let total = self.total().max(1) as f32;
        let parts = || self.0.iter().zip(EDGES.windows(2));
        let middle = |edges: &[f32]| (edges[0] + edges[1]) / 2.0;
        let mean = parts().map(|(part, edges)| f32::from(*part) * middle(edges)).sum::<f32>() / total;
        let square = |edges: &[f32]| (middle(edges) - mean) * (middle(edges) - mean);
        (mean, parts().map(|(part, edges)| f32::from(*part) * square(edges)).sum::<f32>() / total)
    }

    fn total(&self) -> u32 {
        self.0.iter().map(|part| u32::from(*part)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(memory: Memory, shares: impl IntoIterator<Item = f32>) -> Histogram {
        let mut histogram = Histogram::default();
        shares.into_iter().zip(1..).for_each(|(share, number)| histogram.add(share, number, memory));
        histogram
    }

    #[test]
    fn quantiles_of_even_loads_are_even() {
        let even = filled(Memory::of(1000), (0..1000).map(|at| at as f32 / 1000.0));
        for (found, expect) in even.quantiles([0.1, 0.5, 0.9, 0.95]).into_iter().zip([0.1, 0.5, 0.9, 0.95]) {
            // What is forgotten meanwhile moves them up.
            assert!(found > expect && found < expect + 0.15, "{found} for {expect}");
        }
        let (mean, variance) = filled(Memory::of(60_000), (0..1000).map(|at| at as f32 / 1000.0)).moments();
        assert!((mean - 0.5).abs() < 0.01 && (variance - 1.0 / 12.0).abs() < 0.002, "{mean} {variance}");
    }

    #[test]
    fn use_of_the_full_request_is_expected_to_continue() {
        let exact = filled(Memory::of(1000), std::iter::repeat_n(1.0, 100));
        let (mean, _) = exact.moments();
        assert!((0.9..=1.0).contains(&mean), "{mean}");
        assert!(exact.quantiles([0.95])[0] <= 1.0);
        assert!(filled(Memory::of(1000), std::iter::repeat_n(1.01, 100)).moments().0 > 1.0);
    }

    #[test]
    fn old_loads_are_forgotten_and_nothing_overflows() {
        for observations in [0, 1, 24, 200, 5000, u64::MAX] {
            let memory = Memory::of(observations);
            let early = std::iter::repeat_n(0.9, 60_000);
            let mut histogram = filled(memory, early);
            assert!(histogram.total() <= FULL + u32::from(memory.weight), "{observations}");
            (1..=60_000).for_each(|number| histogram.add(0.1, number, memory));
            assert!(histogram.quantiles([0.5])[0] < 0.2, "{observations}: {histogram:?}");
        }
    }

    #[test]
    fn a_larger_unit_keeps_the_quantiles() {
        let mut histogram = filled(Memory::of(60_000), (0..1000).map(|at| at as f32 / 1000.0));
        let before = histogram.quantiles([0.25, 0.75]);
        histogram.halve_loads();
        for (before, after) in before.into_iter().zip(histogram.quantiles([0.25, 0.75])) {
            assert!((before - 2.0 * after).abs() < 0.1, "{before} {after}");
        }
    }
}
