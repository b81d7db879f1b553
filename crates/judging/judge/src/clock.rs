//! The clock by which rests and patience are counted.

use model::Nanos;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A clock that goes by itself, or one that is made up.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    began: Instant,
    /// What it shows, if it does not go by itself.
    made_up: Option<Arc<AtomicU64>>,
}

impl Clock {
    /// Returns the machine's clock, from now on.
    pub fn of_machine() -> Self {
        Self { began: Instant::now(), made_up: None }
    }

    /// Makes a clock that goes on by what things are said to take, and from one thing to the next when there is nothing else to do.
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

    /// Returns an instant on the machine's clock.
    pub fn instant(&self, at: Nanos) -> Instant {
        self.began + Duration::from_nanos(at.0)
    }

    /// Lets a clock that is made up go on; says whether it is one.
    pub fn skip_to(&self, at: Nanos) -> bool {
        let Some(made_up) = &self.made_up else { return false };
        made_up.fetch_max(at.0, Ordering::SeqCst);
        true
    }
}
