//! How long to wait before a server that did not answer is asked again.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(200);
/// The longest wait: a server that is back is found within this time.
const LONGEST: Duration = Duration::from_secs(15);

/// Waits that double, each shortened by chance, so that many judgehosts do not come back in step.
#[derive(Clone, Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Returns the next wait; `chance` is a random number.
    pub fn next(&mut self, chance: u64) -> Duration {
        let most = FIRST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        // At least half, so that a server that is starting is not asked all the time.
        let half = most / 2;
        let millis = half.as_millis().max(1) as u64;
        half + Duration::from_millis(chance % (millis + 1))
    }

    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// Returns a random number; without one, waits are the same everywhere, which only costs time.
pub fn chance() -> u64 {
    let mut bytes = [0; 8];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_ne_bytes(bytes),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_are_shortened_by_at_most_half() {
        for chance in [0, 1, 77, u64::MAX] {
            let mut backoff = Backoff::default();
            let mut most = FIRST;
            for _ in 0..40 {
                let wait = backoff.next(chance);
                assert!(wait >= most / 2 && wait <= most, "{wait:?} of {most:?}");
                most = (most * 2).min(LONGEST);
            }
            backoff.reset();
            assert!(backoff.next(chance) <= FIRST);
        }
    }
}
