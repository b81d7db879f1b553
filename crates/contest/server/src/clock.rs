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
    if let Some(shared_ms) = shared_ms {
        go_by(shared_ms);
    }
    let ahead_ms = system_now().0 - since_boot_ms();
    let told_ms = AtomicI64::new(0);
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

/// How far the clock by which this process goes is ahead of the machine's, in milliseconds.
static AHEAD_MS: AtomicI64 = AtomicI64::new(0);

/// Lets the process go by the clock of the database, which all servers share, where the machine's is another one.
pub fn go_by(shared_ms: i64) {
    let ahead_ms = ahead_ms(shared_ms, machine_now_ms());
    if AHEAD_MS.swap(ahead_ms, Ordering::Relaxed) != ahead_ms && ahead_ms != 0 {
        tracing::warn!(ahead_ms, "the database's clock, by which contests go, is not this machine's");
    }
}

/// Returns how far a clock is ahead of another one; less than a second is the way to the database and back.
fn ahead_ms(shared_ms: i64, machine_ms: i64) -> i64 {
    let ahead_ms = shared_ms - machine_ms;
    if ahead_ms.abs() < STEP_MIN_MS { 0 } else { ahead_ms }
}

fn machine_now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Returns the time of the system's clock, or of the database's where servers share one.
pub fn system_now() -> Instant {
    Instant(machine_now_ms().saturating_add(AHEAD_MS.load(Ordering::Relaxed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_clock_is_another_clock() {
        assert_eq!([ahead_ms(1_999, 1_000), ahead_ms(1, 1_000)], [0, 0]);
        assert_eq!([ahead_ms(600_000, 0), ahead_ms(0, 600_000)], [600_000, -600_000]);
    }

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
