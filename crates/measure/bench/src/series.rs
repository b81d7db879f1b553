//! What one command did, run by run.

use model::{Nanos, RunResult};

/// One run, and what the load did meanwhile.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What the run did.
    pub result: RunResult,
    /// What the load did from just before the run until just after it.
    pub load: Option<LoadShare>,
}

/// What a load did in some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadShare {
    /// In the unit of its kind.
    pub work: u64,
    /// In this wall-clock time.
    pub during: Nanos,
}

/// All runs of one command, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    pub runs: Vec<Measured>,
}

impl LoadShare {
    /// Returns the work of a second; none where no time passed.
    pub fn per_second(&self) -> Option<f64> {
        (self.during > Nanos::ZERO).then(|| self.work as f64 / self.during.as_secs_f64())
    }
}

impl Series {
    /// Returns the CPU time of each run in ns.
    pub fn cpu_times_ns(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.result.usage.cpu_time.0 as f64).collect()
    }

    /// Returns the wall time of each run in ns.
    pub fn wall_times_ns(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.result.usage.wall_time.0 as f64).collect()
    }

    /// Adds up what the load did during all runs; none if there was none.
    pub fn load(&self) -> Option<LoadShare> {
        self.runs.iter().filter_map(|run| run.load).reduce(|sum, share| LoadShare {
            work: sum.work.saturating_add(share.work),
            during: sum.during + share.during,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use model::{Bytes, Evidence, Reading, RunEnd, Usage};

    /// Returns a run with this CPU time and this steal time.
    pub(crate) fn measured(cpu_ms: u64, steal_ms: u64) -> Measured {
        Measured {
            result: RunResult {
                end: RunEnd::Exited(0),
                usage: Usage {
                    cpu_time: Nanos::from_millis(cpu_ms),
                    user_time: Reading::Known(Nanos::from_millis(cpu_ms)),
                    wall_time: Nanos::from_millis(cpu_ms + 1),
                    instructions: Reading::default(),
                    memory_peak: Reading::Known(Bytes::from_mib(2)),
                    ..Usage::default()
                },
                evidence: Evidence {
                    cpus: "1".parse().unwrap(),
                    steal: Reading::Known(Nanos::from_millis(steal_ms)),
                    ..Evidence::default()
                },
            },
            load: None,
        }
    }

    pub(crate) fn series(cpu_ms: impl IntoIterator<Item = u64>) -> Series {
        Series { runs: cpu_ms.into_iter().map(|cpu_ms| measured(cpu_ms, 0)).collect() }
    }

    #[test]
    fn the_loads_work_adds_up() {
        let mut series = series([10, 20]);
        assert_eq!(series.load(), None);
        for run in &mut series.runs {
            run.load = Some(LoadShare { work: 500, during: Nanos::from_millis(250) });
        }
        let share = series.load().unwrap();
        assert_eq!((share.work, share.per_second()), (1000, Some(2000.0)));
        assert_eq!(LoadShare::default().per_second(), None);
    }
}
