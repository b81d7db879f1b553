//! How fast a core is just now: a loop that leaves no execution unit of it idle.
//!
//! A program on the other hyperthread of a core takes execution units from this one. In a virtual machine nothing else
//! shows that: no steal, no interrupt, no sibling. A loop of independent operations needs all units, so of all
//! programs it is slowed down most.

#![allow(unsafe_code)]

use model::Nanos;
use std::arch::asm;
use std::time::Instant;

/// Turns of one loop: some 0.14 ms on a core of 2.5 GHz.
const TURNS: u64 = 200_000;
/// Whoever shares the core may come and go within a millisecond, so one loop is chance: these take some 5 ms.
const LOOPS: u64 = 32;

/// A look while a run goes on is to cost it little: this part of a loop.
const LOOK_PART: u64 = 5;

/// Returns what a loop takes on average on the CPU that this thread is on.
pub fn read() -> Nanos {
    let begin = Instant::now();
    compute(LOOPS);
    Nanos(Nanos::from(begin.elapsed()).0 / LOOPS)
}

/// Returns what a loop takes just now, by a fifth of one.
pub fn look() -> Nanos {
    let begin = Instant::now();
    wide(TURNS / LOOK_PART);
    Nanos(Nanos::from(begin.elapsed()).0 * LOOK_PART)
}

/// Does so many loops.
pub(crate) fn compute(loops: u64) {
    for _ in 0..loops {
        wide(TURNS);
    }
}

/// Eight chains of additions that do not wait for each other.
#[inline(never)]
fn wide(turns: u64) {
    let mut chains = [1_u64, 2, 3, 4, 5, 6, 7, 8];
    for turn in 0..turns {
        for chain in &mut chains {
            *chain = chain.wrapping_add(turn);
        }
        let [a, b, c, d, e, f, g, h] = &mut chains;
        // SAFETY: no instruction at all. Values that it might have changed cannot be computed in advance, nor several
        // at once.
        unsafe {
            asm!(
                "/* {0} {1} {2} {3} {4} {5} {6} {7} */",
                inout(reg) * a,
                inout(reg) * b,
                inout(reg) * c,
                inout(reg) * d,
                inout(reg) * e,
                inout(reg) * f,
                inout(reg) * g,
                inout(reg) * h,
                options(nomem, nostack, preserves_flags)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_is_not_left_out() {
        // Eight additions a turn cannot be done in less than one cycle of 10 GHz.
        assert!(read() > Nanos(TURNS / 10), "{}", read());
    }
}
