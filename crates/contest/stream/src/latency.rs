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
        self.squares += u128::from(latency_ns.unsigned_abs()).pow(2);
    }

    fn count(&self) -> u64 {
        self.before.len() + self.after.len()
    }

    /// Returns the latency that so many of a hundred do not exceed.
    pub fn percentile(&self, percent: u64) -> Option<i64> {
        let rank = (self.count() * percent).div_ceil(100).max(1);
        if self.count() == 0 {
            return None;
        }
        let at = |histogram: &Histogram<u64>, rank: u64| {
            let value = histogram.value_at_quantile((rank as f64 - 0.5) / histogram.len() as f64);
            i64::try_from(value).unwrap_or(i64::MAX)
        };
        match self.before.len() {
            // The longest before comes first.
            before if rank <= before => Some(-at(&self.before, before + 1 - rank)),
            before => Some(at(&self.after, rank - before)),
        }
    }

    /// Returns those of 10, 50, 90 and 99.
    pub fn percentiles(&self) -> [Option<i64>; 4] {
        [10, 50, 90, 99].map(|percent| self.percentile(percent))
    }

    /// Returns those of 0, 5, ... 95 and 100; nothing without latencies.
    pub fn curve(&self) -> Vec<i64> {
        (0..=100).step_by(5).filter_map(|percent| self.percentile(percent)).collect()
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
        assert_eq!((latencies.percentile(50), latencies.mean(), latencies.deviation()), (None, None, None));
        (-50..50).for_each(|latency| latencies.add(latency));
        let percentiles = [1, 10, 50, 51, 90, 100].map(|percent| latencies.percentile(percent));
        assert_eq!(percentiles, [-50, -41, -1, 0, 39, 49].map(Some));
        assert_eq!((latencies.mean(), latencies.deviation()), (Some(0), Some(28)));
    }
}
