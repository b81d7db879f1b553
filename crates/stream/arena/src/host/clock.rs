//! The contest's time: nanoseconds since it began, by a clock that cannot be set.

use std::time::{Duration, Instant, SystemTime};

/// A stamp of the kernel that is older than this, or in the future, is from before the system's clock was set.
const STAMP_AGE_MAX: Duration = Duration::from_secs(1);

/// Reading two clocks takes no longer, if nothing interrupts it.
const READING_MAX: Duration = Duration::from_micros(2);
/// At most this many readings are made.
const READINGS_MAX: u32 = 4;

/// The contest's clock. It takes the system's time once, when it is made, and goes on by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    made: Instant,
    /// The contest's time then; negative before the contest.
    made_ns: i128,
}

impl Clock {
    /// Makes the clock of a contest that begins at a time. It is never behind `latest_ns`, which was recorded.
    pub fn new(begins_unix_ns: u64, latest_ns: u64) -> Self {
        let made_ns = i128::from(unix_ns()) - i128::from(begins_unix_ns);
        let latest = if latest_ns > 0 { i128::from(latest_ns) } else { i128::MIN };
        Self { made: Instant::now(), made_ns: made_ns.max(latest) }
    }

    /// Returns the time; zero before the contest begins.
    pub fn now_ns(&self) -> u64 {
        self.at(Instant::now())
    }

    pub fn has_begun(&self) -> bool {
        self.signed(Instant::now()) >= 0
    }

    /// Returns how long it is until a time of the contest.
    pub fn until(&self, at_ns: u64) -> Duration {
        let left = i128::from(at_ns) - self.signed(Instant::now());
        Duration::from_nanos(u64::try_from(left).unwrap_or(0))
    }

    /// Returns the contest's time of a stamp that the kernel made by the system's clock, if that was not set since.
    pub fn of_stamp(&self, stamp: Duration) -> Option<u64> {
        let (instant, unix) = both();
        let age = unix.checked_sub(stamp).filter(|age| *age < STAMP_AGE_MAX)?;
        Some(self.at(instant).saturating_sub(age.as_nanos() as u64))
    }

    fn at(&self, instant: Instant) -> u64 {
        u64::try_from(self.signed(instant)).unwrap_or(0)
    }

    fn signed(&self, instant: Instant) -> i128 {
        self.made_ns + instant.saturating_duration_since(self.made).as_nanos() as i128
    }
}

/// Reads both clocks at one moment: an interruption between them would change the time of a stamp by its length.
fn both() -> (Instant, Duration) {
    let read = || {
        let instant = Instant::now();
        let unix = unix();
        (instant.elapsed(), instant, unix)
    };
    let mut nearest = read();
    for _ in 1..READINGS_MAX {
        if nearest.0 <= READING_MAX {
            break;
        }
        nearest = nearest.min(read());
    }
    (nearest.1, nearest.2)
}

fn unix() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Returns the system's time in nanoseconds since 1970.
pub(crate) fn unix_ns() -> u64 {
    unix().as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contest_goes_on_after_what_was_recorded() {
        let second = 1_000_000_000;
        let clock = Clock::new(unix_ns(), 100 * second);
        assert!((100 * second..200 * second).contains(&clock.now_ns()));
        let clock = Clock::new(unix_ns() - 50 * second, 0);
        assert!((50 * second..150 * second).contains(&clock.now_ns()) && clock.has_begun());
        let clock = Clock::new(unix_ns() + 1000 * second, 0);
        assert_eq!((clock.now_ns(), clock.has_begun()), (0, false));
        assert!(clock.until(0) > Duration::from_secs(800));
    }

    #[test]
    fn stamps_from_before_the_clock_was_set_are_none() {
        let clock = Clock::new(unix_ns() - 7_200_000_000_000, 0);
        let before = clock.now_ns();
        let stamp = clock.of_stamp(unix() - Duration::from_millis(5));
        assert!(stamp.is_some_and(|at| at + 1_000_000_000 > before && at <= clock.now_ns()));
        assert_eq!(clock.of_stamp(unix() - Duration::from_secs(3600)), None);
        assert_eq!(clock.of_stamp(unix() + Duration::from_secs(3600)), None);
    }
}
