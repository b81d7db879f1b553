//! The contention probe: measures the present speed of a core with a loop that uses all of its execution units.
//!
//! A program on the other hyperthread of a core takes execution units from this one. In a virtual machine nothing else
//! shows that: no steal, no interrupt, no sibling. A loop of independent operations needs all units, so it slows down
//! more than any other program.

#![allow(unsafe_code)]

use model::Nanos;
use std::arch::asm;
use std::time::Instant;

/// Iterations of one loop: some 0.14 ms on a core of 2.5 GHz.
const TURNS: u64 = 200_000;
/// Contention may begin and end within a millisecond, so a single loop depends on chance: these take some 5 ms.
const LOOPS: u64 = 32;

/// A probe during a run must cost the run little, so it is only this fraction of a loop.
const LOOK_PART: u64 = 5;

/// Returns the average time of a loop on this thread's CPU.
pub fn read() -> Nanos {
    let begin = Instant::now();
    compute(LOOPS);
    Nanos(Nanos::from(begin.elapsed()).0 / LOOPS)
}

/// Returns the present time of a loop, estimated from a fifth of one.
pub fn probe() -> Nanos {
    let begin = Instant::now();
    wide(TURNS / LOOK_PART);
    Nanos(Nanos::from(begin.elapsed()).0 * LOOK_PART)
}

pub(crate) fn compute(loops: u64) {
    for _ in 0..loops {
        wide(TURNS);
    }
}

/// Eight chains of additions that do not depend on each other.
#[inline(never)]
fn wide(turns: u64) {
    let mut chains = [1_u64, 2, 3, 4, 5, 6, 7, 8];
    for turn in 0..turns {
        for chain in &mut chains {
            *chain = chain.wrapping_add(turn);
        }
        let [a, b, c, d, e, f, g, h] = &mut chains;
        // SAFETY: contains no instruction. It only prevents the compiler from computing values in advance, or several
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
    fn loop_is_not_optimised_away() {
        // Eight additions take at least one cycle, even at 10 GHz.
        assert!(read() > Nanos(TURNS / 10), "{}", read());
    }
}
