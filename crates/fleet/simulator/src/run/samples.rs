//! Figures that are taken again and again: the lines of a run's file, and what is free.

use super::state::{HOUR_MS, Samples, State};
use super::totals::{Figure, Sums};
use serde::{Deserialize, Serialize};

/// Shares to be averaged.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Shares {
    sum: f64,
    count: u32,
}

/// After this many lines of figures the time between two doubles: a run of ten years does not fill the disk.
const SAMPLES_MAX: u32 = 20_000;
/// Requests whose room is measured: four CPUs in one NUMA node.
const USABLE_CPUS: u32 = 4;
/// A fleet is full from here on.
const FULL_PERCENT: u64 = 85;

impl Samples {
    pub(super) fn every(every_ms: u64) -> Self {
        Self { every_ms, ..Self::default() }
    }
}

impl Shares {
    fn add(&mut self, share: f64) {
        self.sum += share;
        self.count += 1;
    }

    pub(super) fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

impl State {
    /// Returns the sums since the line of figures before, and how long that is.
    pub(super) fn take_sample(&mut self) -> (Sums, u64) {
        let sums = self.totals.sums();
        let since = (sums.since(&self.samples.sums), self.now_ms - self.samples.at_ms);
        (self.samples.sums, self.samples.at_ms) = (sums, self.now_ms);
        self.samples.count += 1;
        if self.samples.count == SAMPLES_MAX {
            self.samples.count = 0;
            self.samples.every_ms *= 2;
        }
        self.next.sample_ms += self.samples.every_ms;
        since
    }

    pub(super) fn measure_usable(&mut self) {
        self.next.usable_ms += HOUR_MS;
        let (fit, free_milli) = self.scheduler.room_for(USABLE_CPUS);
        if free_milli == 0 {
            return;
        }
        let share = (fit * u64::from(USABLE_CPUS) * 1000) as f64 / free_milli as f64;
        self.usable.all.add(share);
        let (requested, up) = (self.totals.now(Figure::RequestedMilli), self.totals.now(Figure::UpMilli));
        if requested * 100 >= up * FULL_PERCENT {
            self.usable.full.add(share);
        }
    }
}
