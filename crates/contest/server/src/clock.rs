//! The server's clock.

use contest_rules::{Instant, Millis};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

pub type TimeSource = Arc<dyn Fn() -> Instant + Send + Sync>;

/// A difference of two clocks that only setting one explains; adjustments are smaller between two readings.
const STEP_MIN_MS: i64 = 1_000;

/// A clock that never goes back, and is never behind the log. A source that is behind at the start is brought forward.
pub struct Clock {
    latest: Instant,
    forward: Millis,
    source: TimeSource,
}

impl Clock {
    /// Returns a clock that is not behind the last event.
    pub fn after(latest: Instant, source: TimeSource) -> Self {
        let forward = (latest - source()).max(Millis::ZERO);
        Self { latest, forward, source }
    }

    pub fn now(&mut self) -> Instant {
        self.at((self.source)() + self.forward)
    }

    fn at(&mut self, time: Instant) -> Instant {
        self.latest = self.latest.max(time);
        self.latest
    }
}

/// Returns a source that takes the time now, and then goes on by itself: that a person sets the system's clock moves no
/// submission, ends no lease and no contest. `shared_ms` is the time of all servers of a store, if there may be several: one
/// that takes over goes on by the clock of the one before.
pub fn steady(shared_ms: Option<i64>) -> TimeSource {
    let system_ms = system_now().0;
    let now_ms = shared_ms.unwrap_or(system_ms);
    if (now_ms - system_ms).abs() >= STEP_MIN_MS {
        let ahead_ms = system_ms - now_ms;
        tracing::warn!(ahead_ms, "this machine's clock is not the database's, by which contests go");
    }
    let ahead_ms = now_ms - since_boot_ms();
    let told_ms = AtomicI64::new(system_ms - now_ms);
    Arc::new(move || {
        let now = Instant(since_boot_ms() + ahead_ms);
        let step_ms = (system_now() - now).0;
        if (step_ms - told_ms.load(Ordering::Relaxed)).abs() >= STEP_MIN_MS {
            told_ms.store(step_ms, Ordering::Relaxed);
            tracing::warn!(
                step_ms,
                "the system's clock was set; contests go on by the time before, until the next start"
            );
        }
        now
    })
}

/// Returns the time since boot, in which the machine may have slept.
fn since_boot_ms() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
}

/// Returns the time of the system's clock.
pub fn system_now() -> Instant {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_never_goes_back() {
        let mut clock = Clock::after(Instant(10), Arc::new(system_now));
        let times = [5, 12, 11, 13].map(|system| clock.at(Instant(system)).0);
        assert_eq!(times, [10, 12, 12, 13]);
    }

    #[test]
    fn clock_continues_from_a_log_that_is_ahead() {
        let time = Arc::new(AtomicI64::new(100));
        let source = time.clone();
        let mut clock =
            Clock::after(Instant(1000), Arc::new(move || Instant(source.load(Ordering::Relaxed))));
        assert_eq!(clock.now(), Instant(1000));
        time.store(107, Ordering::Relaxed);
        assert_eq!(clock.now(), Instant(1007));
    }
}
