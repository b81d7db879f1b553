//! Two measurements of a few milliseconds: the cost of reading the clock, and of a system call.

use model::{Nanos, Reading};
use std::hint::black_box;
use std::time::Instant;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    pub clock_read: Reading<Nanos>,
    pub system_call: Reading<Nanos>,
}

impl Timing {
    pub fn measure() -> Self {
        Self {
            clock_read: Reading::Known(cost_of(Instant::now)),
            system_call: Reading::Known(cost_of(rustix::process::getppid)),
        }
    }

    /// Returns the reason why nothing was measured, for a tree that is not this machine's.
    pub fn unmeasured(why: &str) -> Self {
        Self { clock_read: Reading::unavailable(why), system_call: Reading::unavailable(why) }
    }
}

/// Takes the lowest of some batches: a disturbance only ever adds time.
fn cost_of<T>(call: impl Fn() -> T) -> Nanos {
    const BATCHES: u32 = 10;
    const CALLS: u32 = 500;
    let batch = || {
        let begin = Instant::now();
        (0..CALLS).for_each(|_| {
            black_box(call());
        });
        begin.elapsed().as_nanos() / u128::from(CALLS)
    };
    let lowest = (0..BATCHES).map(|_| batch()).min().unwrap_or(0);
    Nanos(u64::try_from(lowest).unwrap_or(u64::MAX))
}
