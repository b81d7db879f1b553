//! The server's clock.

use contest::Instant;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the time.
pub type TimeSource = Arc<dyn Fn() -> Instant + Send + Sync>;

/// A clock that never goes back. While the system's clock has been set back, it stands still: the order of submissions is
/// the order of their times.
pub struct Clock {
    latest: Instant,
    source: TimeSource,
}

impl Clock {
    /// Returns a clock that is not behind the last event.
    pub fn after(latest: Instant, source: TimeSource) -> Self {
        Self { latest, source }
    }

    /// Returns the time of its source, which may go back.
    pub fn source_now(&self) -> Instant {
        (self.source)()
    }

    /// Returns the time.
    pub fn now(&mut self) -> Instant {
        self.at((self.source)())
    }

    fn at(&mut self, system: Instant) -> Instant {
        self.latest = self.latest.max(system);
        self.latest
    }
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
    fn it_never_goes_back() {
        let mut clock = Clock::after(Instant(10), Arc::new(system_now));
        let times = [5, 12, 11, 13].map(|system| clock.at(Instant(system)).0);
        assert_eq!(times, [10, 12, 12, 13]);
    }
}
