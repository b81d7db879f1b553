//! What the processor's counters say of a run.

use crate::Nanos;
use std::fmt;

/// What the processor's counters saw of a run, in user mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HardwareCounts {
    /// Instructions retired.
    pub instructions: u64,
    /// Cycles at the frequency of the moment.
    pub cycles: u64,
    /// Cycles of a clock whose frequency does not change; none where the processor has no such counter.
    pub reference_cycles: Option<u64>,
    /// Misses of the last-level cache; none where the processor has no such counter.
    pub cache_misses: Option<u64>,
    /// For how long they were to count, all CPUs together.
    pub enabled: Nanos,
    /// For how long they counted: less where others used the same counters, and then the counts are scaled up.
    pub running: Nanos,
}

/// Two runs of the same work differ by less than this in their instructions.
const SAME_INSTRUCTIONS: f64 = 0.005;
/// The same of cycles, which depend on the state of caches as well, and of time.
const SAME_CYCLES: f64 = 0.02;

impl HardwareCounts {
    /// Describes how these counts differ from those of another run or command, which took `time` more CPU time, as a part of the
    /// other's: what had more, and whether that is the program or the machine. `None` where the other counted nothing.
    pub fn difference_from(&self, other: &Self, time: f64) -> Option<String> {
        let more = |own: u64, other: u64| (other > 0).then(|| own as f64 / other as f64 - 1.0);
        let instructions = more(self.instructions, other.instructions)?;
        let cycles = more(self.cycles, other.cycles)?;
        let cause = if instructions.abs() > SAME_INSTRUCTIONS {
            ": the program did other work"
        } else if cycles.abs() > SAME_CYCLES {
            ": the machine, not the program"
        } else if time.abs() > SAME_CYCLES {
            ": the clock frequency"
        } else {
            ""
        };
        let instructions = amount(instructions, SAME_INSTRUCTIONS, "instructions");
        Some(format!("{instructions}, {}{cause}", amount(cycles, SAME_CYCLES, "cycles")))
    }

    /// Returns the median of each count; `None` where one of the runs has none.
    pub fn medians(runs: &[Self]) -> Option<Self> {
        let median = |of: fn(&Self) -> Option<u64>| {
            let mut values = runs.iter().map(of).collect::<Option<Vec<_>>>()?;
            values.sort_unstable();
            values.get(values.len() / 2).copied()
        };
        Some(Self {
            instructions: median(|run| Some(run.instructions))?,
            cycles: median(|run| Some(run.cycles))?,
            reference_cycles: median(|run| run.reference_cycles),
            cache_misses: median(|run| run.cache_misses),
            enabled: Nanos(median(|run| Some(run.enabled.0))?),
            running: Nanos(median(|run| Some(run.running.0))?),
        })
    }
}

fn amount(more: f64, same: f64, what: &str) -> String {
    match more.abs() <= same {
        true => format!("the same {what}"),
        false => format!("{:.1} % {} {what}", more.abs() * 100.0, if more > 0.0 { "more" } else { "fewer" }),
    }
}

impl fmt::Display for HardwareCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.4} G instructions, {:.4} G cycles", giga(self.instructions), giga(self.cycles))?;
        if self.cycles > 0 {
            write!(f, ", {:.2} instructions per cycle", self.instructions as f64 / self.cycles as f64)?;
        }
        if let Some(misses) = self.cache_misses {
            write!(f, ", {misses} misses of the last-level cache")?;
        }
        if self.running < self.enabled {
            let part = self.running.0 as f64 / self.enabled.0 as f64 * 100.0;
            write!(f, " (counted for {part:.0} % of the time and scaled)")?;
        }
        Ok(())
    }
}

fn giga(count: u64) -> f64 {
    count as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(instructions: u64, cycles: u64) -> HardwareCounts {
        HardwareCounts { instructions, cycles, ..HardwareCounts::default() }
    }

    #[test]
    fn counters_separate_the_program_from_the_machine() {
        let other = counts(1_000_000, 2_000_000);
        for (own, time, expected) in [
            (
                counts(1_000_100, 2_280_000),
                0.14,
                "the same instructions, 14.0 % more cycles: the machine, not the program",
            ),
            (
                counts(1_200_000, 2_400_000),
                0.2,
                "20.0 % more instructions, 20.0 % more cycles: the program did other work",
            ),
            (
                counts(900_000, 2_000_000),
                0.0,
                "10.0 % fewer instructions, the same cycles: the program did other work",
            ),
            (
                counts(1_000_000, 2_010_000),
                0.1,
                "the same instructions, the same cycles: the clock frequency",
            ),
            (counts(1_000_000, 2_010_000), 0.01, "the same instructions, the same cycles"),
        ] {
            assert_eq!(own.difference_from(&other, time).as_deref(), Some(expected));
        }
        assert_eq!(other.difference_from(&counts(0, 0), 0.0), None);
    }

    #[test]
    fn medians_are_of_each_count() {
        let runs = [counts(3, 10), counts(1, 30), counts(2, 20)];
        assert_eq!(HardwareCounts::medians(&runs), Some(counts(2, 20)));
        let some = HardwareCounts { cache_misses: Some(7), ..counts(2, 20) };
        assert_eq!(HardwareCounts::medians(&[some, runs[0]]).unwrap().cache_misses, None);
        assert_eq!(HardwareCounts::medians(&[]), None);
    }
}
