//! Executes one task in one placement, once.

use super::Work;
use crate::{LabError, Quantiles, Stop};
use cpus::stay_on;
use model::{CpuId, CpuSet, Nanos};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a requested stop is checked.
const LOOK: Duration = Duration::from_millis(20);

/// The result.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How long each batch took; for ping-pong only the first thread's, since both wait for each other.
    pub batches: Quantiles,
    /// Batches of all threads in a second.
    pub batches_per_second: f64,
}

/// Lets two threads work for some time on these CPUs: one thread if there is one CPU, and two threads on any CPUs if
/// there is none.
pub fn measure(work: Work, cpus: &[CpuId], time: Duration, stop: Stop) -> Result<Outcome, LabError> {
    let threads = if cpus.is_empty() { 2 } else { cpus.len() };
    let ended = Arc::new(AtomicBool::new(false));
    let barrier = Arc::new(Barrier::new(threads + 1));
    let testbed = {
        // Shared memory is near the first thread.
        let cpu = cpus.first().copied();
        let made = std::thread::spawn(move || pin(cpu).map(|()| Arc::new(work.testbed())));
        join(made)??
    };
    let workers: Vec<JoinHandle<_>> = (0..threads)
        .map(|at| {
            let (testbed, ended, barrier) = (Arc::clone(&testbed), Arc::clone(&ended), Arc::clone(&barrier));
            let cpu = cpus.get(at).copied();
            std::thread::spawn(move || {
                let pinned = pin(cpu);
                let mut batch = work.batch(testbed, at == 0);
                barrier.wait();
                let mut batches = Quantiles::default();
                let begin = Instant::now();
                let mut last = begin;
                // A thread that started too late does one batch anyway: a rate needs one.
                while pinned.is_ok() && (batches.count() == 0 || !ended.load(Relaxed)) {
                    batch(&ended);
                    let now = Instant::now();
                    batches.add((now - last).into());
                    last = now;
                }
                pinned.map(|()| (batches, Nanos::from(begin.elapsed())))
            })
        })
        .collect();
    barrier.wait();
    let begin = Instant::now();
    while begin.elapsed() < time && !stop() {
        std::thread::sleep(LOOK.min(time.saturating_sub(begin.elapsed())));
    }
    ended.store(true, Relaxed);
    let mut outcome = Outcome { batches: Quantiles::default(), batches_per_second: 0.0 };
    for (at, worker) in workers.into_iter().enumerate() {
        let (batches, took) = join(worker)??;
        if work == Work::PingPong && at > 0 {
            continue;
        }
        outcome.batches_per_second += batches.count() as f64 / took.as_secs_f64().max(1e-9);
        outcome.batches.add_all(&batches);
    }
    if stop() { Err(LabError::Stopped) } else { Ok(outcome) }
}

fn pin(cpu: Option<CpuId>) -> Result<(), LabError> {
    let Some(cpu) = cpu else { return Ok(()) };
    stay_on(&CpuSet::from_iter([cpu])).map_err(|source| LabError::Move { cpu, source })
}

fn join<T>(thread: JoinHandle<T>) -> Result<T, LabError> {
    thread.join().map_err(|_| LabError::Child { what: "measuring thread", why: "broke".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_work_and_count_however_short_the_time() {
        for work in Work::ALL {
            for time in [Duration::ZERO, Duration::from_millis(5)] {
                let outcome = measure(work, &[], time, &|| false).unwrap();
                assert!(outcome.batches.count() > 0, "{work:?}");
                assert!(outcome.batches_per_second > 0.0, "{work:?}");
            }
        }
    }

    #[test]
    fn a_cpu_that_is_not_there_and_a_stop_are_reported() {
        let error = measure(Work::Compute, &[CpuId(1023)], Duration::ZERO, &|| false).unwrap_err();
        assert_eq!(error.to_string(), "cannot stay on CPU 1023");
        let error = measure(Work::Compute, &[], Duration::from_secs(3600), &|| true).unwrap_err();
        assert!(matches!(error, LabError::Stopped));
    }
}
