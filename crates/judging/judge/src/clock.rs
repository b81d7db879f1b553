//! The clock for rests and patience.

use model::Nanos;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A real clock, or a simulated one.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    began: Instant,
    /// The time of a simulated clock.
    made_up: Option<Arc<AtomicU64>>,
}

impl Clock {
    /// Returns the machine's clock, starting now.
    pub fn of_machine() -> Self {
        Self { began: Instant::now(), made_up: None }
    }

    /// Makes a simulated clock. It advances by the time that things are declared to take, and to the next event when
    /// nothing else is due.
    #[cfg(test)]
    pub fn made_up() -> Self {
        Self { made_up: Some(Arc::default()), ..Self::of_machine() }
    }

    pub fn now(&self) -> Nanos {
        match &self.made_up {
            Some(made_up) => Nanos(made_up.load(Ordering::SeqCst)),
            None => Nanos::from(self.began.elapsed()),
        }
    }

    /// Returns the machine's instant for a time on this clock.
    pub fn instant(&self, at: Nanos) -> Instant {
        self.began + Duration::from_nanos(at.0)
    }

    /// Advances a simulated clock; returns whether it is one.
    pub fn skip_to(&self, at: Nanos) -> bool {
        let Some(made_up) = &self.made_up else { return false };
        made_up.fetch_max(at.0, Ordering::SeqCst);
        true
    }
}
