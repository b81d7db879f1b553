//! Waiting for what will happen, however busy the machine is.

use std::time::{Duration, Instant};

/// What takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);
const BETWEEN: Duration = Duration::from_millis(10);

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(BETWEEN);
    }
}
