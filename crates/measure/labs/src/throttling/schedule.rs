//! The requests and when they are due.

use model::Nanos;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The time between requests of a burst: as fast as a network card delivers them.
const WITHIN_BURST: Nanos = Nanos::from_micros(100);
/// Random gaps are cut at this multiple of their mean, so that no seed leaves a run empty.
const GAP_MAX: f64 = 4.0;

/// A server's work. All times are CPU time unless stated otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The seed of every gap.
    pub seed: u64,
    /// For how long requests arrive, in wall-clock time.
    pub time: Nanos,
    /// The mean number of bursts per second.
    pub bursts_per_second: f64,
    pub requests_per_burst: u32,
    /// The CPU time of a request.
    pub request: Nanos,
    /// The number of equal parts of a request; each part may run on a thread of its own.
    pub parts: u32,
    /// Threads that serve.
    pub threads: u32,
    /// The CPU time of one round of housekeeping (garbage collection, compaction); none if 0.
    pub chores: Nanos,
    /// The mean wall-clock time from one round to the next.
    pub chores_every: Nanos,
    /// Threads that do a round together.
    pub chore_threads: u32,
}

/// When everything is due, from the beginning of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Requests, in order.
    pub requests: Vec<Nanos>,
    /// Rounds of housekeeping, in order.
    pub chores: Vec<Nanos>,
}

impl Workload {
    /// Returns the mean number of CPUs that it needs.
    pub fn cpus_needed(&self) -> f64 {
        let requests =
            self.bursts_per_second * f64::from(self.requests_per_burst) * self.request.as_secs_f64();
        let chores = if self.chores_every == Nanos::ZERO {
            0.0
        } else {
            self.chores.as_secs_f64() / self.chores_every.as_secs_f64()
        };
        requests + chores
    }
}

impl Schedule {
    /// Draws the times; the same workload leads to the same schedule.
    pub fn of(workload: &Workload) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(workload.seed);
        let end = workload.time;
        let mut requests = Vec::new();
        for burst in times(&mut random, end, 1.0 / workload.bursts_per_second, GAP_MAX) {
            requests.extend(
                (0..workload.requests_per_burst)
                    .map(|at| burst + WITHIN_BURST.saturating_mul(u64::from(at)))
                    .filter(|due| *due < end),
            );
        }
        // Bursts may overlap.
        requests.sort_unstable();
        let chores = if workload.chores == Nanos::ZERO {
            Vec::new()
        } else {
            times(&mut random, end, workload.chores_every.as_secs_f64(), GAP_MAX)
        };
        Self { requests, chores }
    }
}

/// Draws times with exponential gaps between them.
fn times(random: &mut Pcg64Mcg, end: Nanos, mean_s: f64, gap_max: f64) -> Vec<Nanos> {
    let mut times = Vec::new();
    let mut now = 0.0;
    loop {
        // A float has 53 bits; never 0, whose logarithm is infinite.
        let uniform = ((random.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        now += mean_s * (-uniform.ln()).min(gap_max);
        match Nanos::from_secs_f64(now) {
            Some(time) if time < end => times.push(time),
            _ => return times,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn workload() -> Workload {
        Workload {
            seed: 1,
            time: Nanos::from_millis(100_000),
            bursts_per_second: 10.0,
            requests_per_burst: 4,
            request: Nanos::from_millis(2),
            parts: 2,
            threads: 4,
            chores: Nanos::from_millis(100),
            chores_every: Nanos::from_millis(500),
            chore_threads: 2,
        }
    }

    #[test]
    fn a_seed_decides_and_the_means_are_as_asked() {
        let schedule = Schedule::of(&workload());
        assert_eq!(schedule, Schedule::of(&workload()));
        assert_ne!(schedule, Schedule::of(&Workload { seed: 2, ..workload() }));
        let requests = schedule.requests.len();
        assert!((3600..4600).contains(&requests), "{requests}");
        assert!((150..260).contains(&schedule.chores.len()), "{}", schedule.chores.len());
        assert!(schedule.requests.is_sorted() && schedule.chores.is_sorted());
        assert!(*schedule.requests.last().unwrap() < workload().time);
        assert!((workload().cpus_needed() - 0.28).abs() < 1e-9);
    }

    #[test]
    fn without_chores_there_are_none() {
        let workload = Workload { chores: Nanos::ZERO, ..workload() };
        assert!(Schedule::of(&workload).chores.is_empty());
        assert!((workload.cpus_needed() - 0.08).abs() < 1e-9);
    }
}
