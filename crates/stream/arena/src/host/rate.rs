//! How many answers a contestant may send.

use std::collections::HashMap;
use std::time::Instant;

/// Seconds for which unused answers are saved up.
const SAVED_SECONDS: f64 = 2.0;

pub(crate) struct Rates {
    per_second: f64,
    left: HashMap<String, (f64, Instant)>,
}

impl Rates {
    /// Begins with all of it left.
    pub fn new(per_second: u32) -> Self {
        Self { per_second: f64::from(per_second), left: HashMap::new() }
    }

    /// Counts one answer of a contestant. Returns whether it is allowed.
    pub fn allow(&mut self, name: &str, now: Instant) -> bool {
        let most = self.per_second * SAVED_SECONDS;
        if !self.left.contains_key(name) {
            self.left.insert(name.to_owned(), (most, now));
        }
        let Some((left, since)) = self.left.get_mut(name) else { return true };
        let gained = now.saturating_duration_since(*since).as_secs_f64() * self.per_second;
        (*left, *since) = ((*left + gained).min(most), now);
        let is_left = *left >= 1.0;
        if is_left {
            *left -= 1.0;
        }
        is_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn each_contestant_has_its_own_rate() {
        let mut rates = Rates::new(10);
        let start = Instant::now();
        assert_eq!((0..50).filter(|_| rates.allow("ann", start)).count(), 20);
        assert!(rates.allow("bob", start));
        let later = start + Duration::from_millis(500);
        assert_eq!((0..50).filter(|_| rates.allow("ann", later)).count(), 5);
    }
}
