//! A loop of known length, by which a counter is tested: there are virtual machines whose counters count nothing, or a part.

use super::{Counted, Event, EventReading, summed};
use crate::hardware::why_not;
use model::{CpuId, CpuSet, InstructionCount};
use perf_event::Builder;
use rustix::thread::{CpuSet as Mask, sched_getaffinity, sched_setaffinity};
use std::io;
use std::os::fd::AsRawFd;
use std::os::fd::BorrowedFd;

/// The instructions of the loop.
pub const KNOWN_INSTRUCTIONS: u64 = 100_000_000;
/// What may be counted more or less: interrupts, and the calls that begin and end the counting.
const TOLERANCE: u64 = KNOWN_INSTRUCTIONS / 10_000;

/// Checks what was counted of the loop.
pub fn check(counted: &Result<InstructionCount, String>) -> Result<(), String> {
    let count = counted.as_ref().map_err(Clone::clone)?;
    if count.0.abs_diff(KNOWN_INSTRUCTIONS) > TOLERANCE {
        return Err(format!("counts {count} of {}", InstructionCount(KNOWN_INSTRUCTIONS)));
    }
    Ok(())
}

/// Returns what an event counts of the loop, on a CPU.
pub fn count(builder: &Builder<'_>, cpu: CpuId) -> Result<InstructionCount, String> {
    let mut counter = builder.build().map_err(|error| why_not(&error))?;
    let failed = |error: io::Error| format!("the counters cannot be tested: {error}");
    let mut on_cpu = || -> io::Result<Option<Counted>> {
        let mut mask = Mask::new();
        mask.set(cpu.0 as usize);
        sched_setaffinity(None, &mask)?;
        counter.enable()?;
        execute(KNOWN_INSTRUCTIONS / 2);
        counter.disable()?;
        // SAFETY: the counter has its descriptor open.
        #[allow(unsafe_code)]
        Event::read(unsafe { BorrowedFd::borrow_raw(counter.as_raw_fd()) })
    };
    // The event is of the thread that opens it.
    let before = sched_getaffinity(None).map_err(|error| failed(error.into()))?;
    let counted = on_cpu();
    sched_setaffinity(None, &before).map_err(|error| failed(error.into()))?;
    summed(&[EventReading { cpu, counted: counted.map_err(failed)? }])
}

pub fn allowed_cpus() -> io::Result<CpuSet> {
    let mask = sched_getaffinity(None)?;
    Ok((0..Mask::MAX_CPU).filter(|cpu| mask.is_set(*cpu)).map(|cpu| CpuId(cpu as u32)).collect())
}

/// Executes twice as many instructions as there are steps, and a few more.
#[allow(unsafe_code)]
fn execute(steps: u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it only counts a register down.
    unsafe {
        std::arch::asm!("2:", "sub {0}, 1", "jnz 2b", inout(reg) steps => _, options(nomem, nostack));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: it only counts a register down.
    unsafe {
        std::arch::asm!("2:", "subs {0}, {0}, #1", "b.ne 2b", inout(reg) steps => _, options(nomem, nostack));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = steps;
}

#[cfg(test)]
mod tests {
    use super::*;
    use perf_event::events::Software;

    #[test]
    fn a_counter_is_right_to_within_a_ten_thousandth() {
        let right = |count: u64| check(&Ok(InstructionCount(count)));
        for count in [99_990_000, 100_000_000, 100_000_517, 100_010_000] {
            assert_eq!(right(count), Ok(()));
        }
        for (count, words) in [
            (0, "counts 0 of 100,000,000"),
            (50_000_000, "counts 50,000,000 of 100,000,000"),
            (99_989_999, "counts 99,989,999 of 100,000,000"),
            (100_010_001, "counts 100,010,001 of 100,000,000"),
        ] {
            assert_eq!(right(count), Err(words.to_owned()));
        }
        let none = "this machine has no hardware counters";
        assert_eq!(check(&Err(none.to_owned())), Err(none.to_owned()));
    }

    /// Page faults in place of instructions, which the loop has none of: a counter that counts nothing.
    #[test]
    fn a_counter_that_counts_something_else_is_found() {
        let before = allowed_cpus().unwrap();
        let cpu = before.first().unwrap();
        let counted = count(&Builder::new(Software::PAGE_FAULTS), cpu);
        if let Ok(count) = counted {
            assert!(count.0 < 100, "{count}");
            assert_eq!(check(&counted), Err(format!("counts {count} of 100,000,000")));
        } else {
            // Where a container forbids all events.
            assert!(counted.unwrap_err().contains("CAP_PERFMON"));
        }
        assert_eq!(allowed_cpus().unwrap(), before);
    }
}
