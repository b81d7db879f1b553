//! The server: requests become due whether or not it is able to serve them.
//!
//! Latencies count from when a request was due, so that a server that is stopped does not stop its clients too
//! ("coordinated omission"). There is no network: only the allocation of CPUs is measured.

use super::{Schedule, Workload};
use crate::child::wait_for_begin;
use crate::load::worker::die_with;
use model::Nanos;
use std::hint::black_box;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::AcqRel, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Requests that are not served after this many times the run's time are dropped: the server has too little CPU time.
const GIVE_UP_TIMES: u64 = 3;

/// The state that the threads share.
struct Shared {
    schedule: Schedule,
    workload: Workload,
    steps_per_ms: u64,
    begin: Instant,
    /// The next part of a request that no thread has taken, counted over all requests.
    next: AtomicUsize,
    /// How many parts of each request are not done.
    parts_left: Vec<AtomicU32>,
    /// When each request was done, in ns from the beginning; 0 until then.
    done_ns: Vec<AtomicU64>,
}

/// Serves a workload after the signal to begin, and prints the results: a line with the CPU time in ns, then one for
/// each request: when it was due and its latency in ns, followed by `x` if it was dropped.
pub fn serve(workload: Workload, steps_per_ms: u64, parent: u32) -> io::Result<()> {
    die_with(parent)?;
    let schedule = Schedule::of(&workload);
    // Threads are made after this, so that they are in the group to which the parent has moved this process.
    wait_for_begin("ready")?;
    let requests = schedule.requests.len();
    let shared = Arc::new(Shared {
        parts_left: (0..requests).map(|_| AtomicU32::new(workload.parts)).collect(),
        done_ns: (0..requests).map(|_| AtomicU64::new(0)).collect(),
        next: AtomicUsize::new(0),
        begin: Instant::now(),
        schedule,
        workload,
        steps_per_ms,
    });
    let spawn = |name: &str, work: fn(&Shared)| {
        let shared = Arc::clone(&shared);
        std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&shared))
    };
    let mut threads = Vec::new();
    for _ in 0..shared.workload.threads {
        threads.push(spawn("serve", serve_requests)?);
    }
    for _ in 0..shared.workload.chore_threads {
        threads.push(spawn("chores", do_chores)?);
    }
    for thread in threads {
        thread.join().map_err(|_| io::Error::other("a thread of the server broke"))?;
    }
    notify(&shared, io::stdout().lock())
}

fn serve_requests(shared: &Shared) {
    let parts = shared.workload.parts as usize;
    let steps = shared.steps(shared.workload.request) / parts as u64;
    loop {
        let part = shared.next.fetch_add(1, Relaxed);
        let Some(due) = shared.schedule.requests.get(part / parts) else { return };
        if !shared.wait_until(*due) {
            return;
        }
        compute(steps);
        if shared.parts_left[part / parts].fetch_sub(1, AcqRel) == 1 {
            shared.done_ns[part / parts].store(shared.now().0, Relaxed);
        }
    }
}

fn do_chores(shared: &Shared) {
    let steps = shared.steps(shared.workload.chores) / u64::from(shared.workload.chore_threads);
    for due in &shared.schedule.chores {
        if !shared.wait_until(*due) {
            return;
        }
        compute(steps);
    }
}

impl Shared {
    fn now(&self) -> Nanos {
        self.begin.elapsed().into()
    }

    fn steps(&self, time: Nanos) -> u64 {
        time.0 / 1000 * self.steps_per_ms / 1000
    }

    /// Sleeps until a time; returns whether there is still work to do.
    fn wait_until(&self, due: Nanos) -> bool {
        let now = self.now();
        let wait = due.saturating_sub(now);
        if wait > Nanos::ZERO {
            std::thread::sleep(Duration::from_nanos(wait.0));
        }
        now < self.workload.time.saturating_mul(GIVE_UP_TIMES)
    }
}

/// Computes in registers: in each step a multiplication and an addition that depend on each other.
pub(super) fn compute(steps: u64) {
    let mut state = black_box(1_u64);
    for _ in 0..steps {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    }
    black_box(state);
}

fn notify(shared: &Shared, words: impl Write) -> io::Result<()> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let end = shared.now();
    let mut words = io::BufWriter::new(words);
    writeln!(words, "{}", used.tv_sec as u64 * 1_000_000_000 + used.tv_nsec as u64)?;
    for (due, done) in shared.schedule.requests.iter().zip(&shared.done_ns) {
        match done.load(Relaxed) {
            0 => writeln!(words, "{} {} x", due.0, end.saturating_sub(*due).0)?,
            done => writeln!(words, "{} {}", due.0, Nanos(done).saturating_sub(*due).0)?,
        }
    }
    words.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::throttling::schedule::tests::workload;

    fn shared(time: Nanos) -> Shared {
        let workload = Workload { time, ..workload() };
        let requests = vec![Nanos(10), Nanos(20)];
        Shared {
            schedule: Schedule { requests, chores: Vec::new() },
            parts_left: (0..2).map(|_| AtomicU32::new(2)).collect(),
            done_ns: (0..2).map(|_| AtomicU64::new(0)).collect(),
            next: AtomicUsize::new(0),
            begin: Instant::now(),
            workload,
            steps_per_ms: 1,
        }
    }

    #[test]
    fn every_request_is_served_and_reported() {
        let shared = shared(Nanos::from_millis(3_600_000));
        serve_requests(&shared);
        assert!(shared.parts_left.iter().all(|left| left.load(Relaxed) == 0));
        let mut text = Vec::new();
        notify(&shared, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let starts: Vec<_> = text.lines().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(starts[1..], ["10", "20"]);
        assert!(!text.contains('x'), "{text}");
    }

    #[test]
    fn what_is_too_late_is_given_up() {
        let shared = shared(Nanos::ZERO);
        serve_requests(&shared);
        let mut text = Vec::new();
        notify(&shared, &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap().matches(" x\n").count(), 2);
    }
}
