//! The part of the time that is the contestant's own: from the return of the read to the return of the write.

use hdrhistogram::Histogram;
use std::time::Duration;

/// Digits of a quantile that are exact.
const EXACT_DIGITS: u8 = 3;
/// The first are slow: code and tables are not in the caches yet.
const COLD: u64 = 20;

#[derive(Clone, Debug)]
pub struct OwnTimes {
    histogram: Histogram<u64>,
    /// How many came before those.
    cold: u64,
}

impl Default for OwnTimes {
    fn default() -> Self {
        Self { histogram: Histogram::new(EXACT_DIGITS).expect("three digits are possible"), cold: 0 }
    }
}

impl OwnTimes {
    pub(crate) fn record(&mut self, time: Duration) {
        if self.cold < COLD {
            self.cold += 1;
            return;
        }
        // It grows as it must: nothing is too long.
        let _ = self.histogram.record(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Returns how many times there are, without the first of a run.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Returns how many were left out, since nothing was warm.
    pub fn cold(&self) -> u64 {
        self.cold
    }

    /// Returns a percentile of the times; `None` if there are no times.
    pub fn percentile_ns(&self, percent: f64) -> Option<u64> {
        (self.count() > 0).then(|| self.histogram.value_at_percentile(percent))
    }

    pub fn longest_ns(&self) -> Option<u64> {
        (self.count() > 0).then(|| self.histogram.max())
    }
}
