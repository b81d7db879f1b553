//! Counts of jobs, and means of what was added up.

use super::totals::{Figure, Sums};
use documents::{SimFared, SimMeans, SimWaits};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer as Bytes, Serializer as _, V2Serializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Counts of the jobs of a level.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Counts {
    pub jobs: u64,
    pub unplaced: u64,
    pub running: u64,
    pub waiting: u64,
    pub short: u64,
    pub ran_ms: u64,
    pub short_ms: u64,
    pub wanted: u128,
    pub missed: u128,
    /// The longest wait; the histogram has all to three digits.
    longest_ms: u64,
    #[serde(serialize_with = "write_histogram", deserialize_with = "read_histogram")]
    waits: Histogram<u64>,
}

/// No trace is longer than ten years.
const WAIT_MAX_MS: u64 = 10 * 366 * 86_400_000;

fn waits() -> Histogram<u64> {
    Histogram::new_with_max(WAIT_MAX_MS, 3).expect("three digits are allowed")
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            jobs: 0,
            unplaced: 0,
            running: 0,
            waiting: 0,
            longest_ms: 0,
            short: 0,
            ran_ms: 0,
            short_ms: 0,
            wanted: 0,
            missed: 0,
            waits: waits(),
        }
    }
}

fn write_histogram<S: Serializer>(waits: &Histogram<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::new();
    V2Serializer::new().serialize(waits, &mut bytes).map_err(serde::ser::Error::custom)?;
    bytes.serialize(serializer)
}

fn read_histogram<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Histogram<u64>, D::Error> {
    let bytes = Vec::<u8>::deserialize(deserializer)?;
    Bytes::new().deserialize(&mut bytes.as_slice()).map_err(serde::de::Error::custom)
}

impl Counts {
    pub(super) fn add_wait(&mut self, waited_ms: u64) {
        self.waits.saturating_record(waited_ms);
        self.longest_ms = self.longest_ms.max(waited_ms);
    }

    pub(super) fn fared(&self) -> SimFared {
        let quantile = |quantile| self.waits.value_at_quantile(quantile).min(self.longest_ms);
        let share = |part: u128, all: u128| (all > 0).then(|| part as f64 / all as f64);
        SimFared {
            jobs: self.jobs,
            unplaced: self.unplaced,
            running: self.running,
            waiting: self.waiting,
            short: self.short,
            ran_h: self.ran_ms as f64 / 3_600_000.0,
            short_share: share(self.short_ms.into(), self.ran_ms.into()),
            missed_share: share(self.missed, self.wanted),
            wait: (!self.waits.is_empty()).then(|| SimWaits {
                p50_ms: quantile(0.5),
                p95_ms: quantile(0.95),
                p99_ms: quantile(0.99),
                max_ms: self.longest_ms,
            }),
        }
    }
}

pub(super) fn means(sums: &Sums, length_ms: u64) -> SimMeans {
    SimMeans {
        utilisation: sums.share(Figure::UsedMilli, Figure::UpMilli),
        utilisation_in_use: sums.share(Figure::UsedMilli, Figure::InUseMilli),
        hot: sums.share(Figure::Hot, Figure::Up),
        hot_in_use: sums.share(Figure::Hot, Figure::InUse),
        requested: sums.share(Figure::RequestedMilli, Figure::UpMilli),
        hosts_in_use: sums.mean(Figure::InUse, length_ms),
    }
}
