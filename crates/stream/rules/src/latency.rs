//! How long after its appearance answers came; less than zero if they were predicted.

use hdrhistogram::Histogram;

/// Digits of a quantile that are exact.
const EXACT_DIGITS: u8 = 3;

#[derive(Clone)]
pub(crate) struct Latencies {
    before: Histogram<u64>,
    after: Histogram<u64>,
    sum: i128,
    squares: u128,
}

impl Latencies {
    pub fn new() -> Self {
        let histogram = || Histogram::new(EXACT_DIGITS).expect("three digits are possible");
        Self { before: histogram(), after: histogram(), sum: 0, squares: 0 }
    }

    pub fn add(&mut self, latency_ns: i64) {
        let histogram = if latency_ns < 0 { &mut self.before } else { &mut self.after };
        // It grows as it must: nothing is too long.
        let _ = histogram.record(latency_ns.unsigned_abs());
        self.sum += i128::from(latency_ns);
        self.squares = self.squares.saturating_add(u128::from(latency_ns.unsigned_abs()).pow(2));
    }

    fn count(&self) -> u64 {
        self.before.len() + self.after.len()
    }

    /// Returns the percentiles of the latencies, for percentages that rise; empty without latencies.
    fn percentiles_at(&self, percents: impl IntoIterator<Item = u64>) -> Vec<i64> {
        let count = self.count();
        if count == 0 {
            return Vec::new();
        }
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        // The longest before comes first. Each histogram is gone through once, which takes most of the time of a board.
        let mut before: Vec<(i64, u64)> = self
            .before
            .iter_recorded()
            .map(|step| (-signed(step.value_iterated_to()), step.count_since_last_iteration()))
            .collect();
        before.reverse();
        let after = self
            .after
            .iter_recorded()
            .map(|step| (signed(step.value_iterated_to()), step.count_since_last_iteration()));
        let mut steps = before.into_iter().chain(after);
        let (mut passed, mut value) = (0, 0);
        let ranks = percents.into_iter().map(|percent| (count * percent).div_ceil(100).max(1));
        let at_rank = |rank: u64| {
            while passed < rank {
                let Some((next, more)) = steps.next() else { break };
                (passed, value) = (passed + more, next);
            }
            value
        };
        ranks.map(at_rank).collect()
    }

    /// Returns those of 10, 50, 90 and 99.
    pub fn percentiles(&self) -> [Option<i64>; 4] {
        let all = self.percentiles_at([10, 50, 90, 99]);
        std::array::from_fn(|at| all.get(at).copied())
    }

    /// Returns those of 0, 5, ... 95 and 100; nothing without latencies.
    pub fn curve(&self) -> Vec<i64> {
        self.percentiles_at((0..=100).step_by(5))
    }

    pub fn mean(&self) -> Option<i64> {
        let count = i128::from(self.count());
        (count > 0).then(|| (self.sum / count) as i64)
    }

    pub fn deviation(&self) -> Option<u64> {
        let count = u128::from(self.count());
        let mean = self.sum.unsigned_abs().checked_div(count)?;
        Some((self.squares / count).saturating_sub(mean * mean).isqrt() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_all_before_and_after() {
        let mut latencies = Latencies::new();
        assert_eq!(
            (latencies.percentiles(), latencies.mean(), latencies.deviation()),
            ([None; 4], None, None)
        );
        (-50..50).for_each(|latency| latencies.add(latency));
        assert_eq!(latencies.percentiles_at([1, 10, 50, 51, 90, 100]), [-50, -41, -1, 0, 39, 49]);
        assert_eq!(latencies.percentiles(), [-41, -1, 39, 48].map(Some));
        assert_eq!((latencies.curve().len(), latencies.curve()[20]), (21, 49));
        assert_eq!((latencies.mean(), latencies.deviation()), (Some(0), Some(28)));
    }
}
