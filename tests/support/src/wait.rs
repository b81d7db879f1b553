//! Waiting for what will happen, however busy the machine is.

use std::time::{Duration, Instant};

/// What takes longer has failed; a machine with other work needs a minute for what takes seconds alone.
const PATIENCE: Duration = Duration::from_secs(300);
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
