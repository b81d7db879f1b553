//! Fixed work quanta: a function that counts Fibonacci numbers, called repeatedly, every duration kept.

use super::buffer::Buffer;
use super::tsc::Clock;
use super::{Left, Watch};
use model::CpuId;
use noise::Ticks;
use std::hint::black_box;

/// Calls that find the time of one; the median of them is not moved by the few that are interrupted.
const CALIBRATION_CALLS: usize = 101;
/// From a guess, the second or third calibration is exact to what the machine is.
const CALIBRATION_ROUNDS: u32 = 6;
/// Closer to the target than this part needs no further round.
const CALIBRATION_PART: f64 = 0.002;

/// Counts Fibonacci numbers, modulo 2^64. Each needs the one before, so no processor can shorten it.
#[inline(never)]
pub(super) fn count(turns: u64) -> u64 {
    let (mut one, mut next) = (0_u64, 1_u64);
    for _ in 0..turns {
        (one, next) = (next, one.wrapping_add(next));
    }
    one
}

/// Finds how far to count so that a call takes this many ticks.
pub(super) fn calibrate(clock: impl Clock, target: u64) -> u64 {
    let mut turns = target.max(1);
    for _ in 0..CALIBRATION_ROUNDS {
        let mut lengths: Vec<u64> = (0..CALIBRATION_CALLS)
            .map(|_| {
                let (begin, _) = clock.stamp();
                black_box(count(black_box(turns)));
                clock.stamp().0.wrapping_sub(begin)
            })
            .collect();
        lengths.sort_unstable();
        let part = target as f64 / lengths[CALIBRATION_CALLS / 2].max(1) as f64;
        turns = ((turns as f64 * part).round() as u64).max(1);
        if (part - 1.0).abs() < CALIBRATION_PART {
            break;
        }
    }
    turns
}

/// Calls it and keeps when each call ended; each begins where the one before ended, so that no time is lost between.
pub(super) fn call<C: Clock>(
    clock: C,
    turns: u64,
    calls: usize,
    cpu: CpuId,
    ends: &mut Buffer<Ticks>,
    watch: &Watch,
) -> Result<u64, Left> {
    let (begin, _) = clock.stamp();
    for _ in 0..calls {
        black_box(count(black_box(turns)));
        let (end, here) = clock.stamp();
        if !ends.push(Ticks(end.wrapping_sub(begin))) {
            break;
        }
        if here != cpu {
            return Err(Left::Moved { to: here, after: Ticks(end.wrapping_sub(begin)) });
        }
        if watch.is_over() {
            return Err(Left::Asked);
        }
    }
    Ok(begin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_fibonacci_numbers() {
        assert_eq!([0, 1, 2, 10, 93].map(count), [0, 1, 1, 55, 12_200_160_415_121_876_738]);
    }
}
