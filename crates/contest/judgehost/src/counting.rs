//! Whether this machine counts instructions as it did at its start, and as its pool does.

use crate::error::{JudgehostError, reason};
use crate::identity;
use judge::{CountCanary, CountedBy, Engine, Place};
use model::InstructionCount;
use sandbox::Counter;
use std::time::Duration;

/// How often a known program is run that fails, and how long one waits in between.
const TRIES: u32 = 3;
const REST: Duration = Duration::from_secs(1);

/// What comes of counting the program again.
#[derive(Debug)]
pub enum Recount {
    Same,
    /// Why this machine's counts cannot be believed.
    Doubt(String),
    /// Then everything ends.
    Interrupted,
}

/// What counts, and what it counted of a program that executes the same everywhere.
#[derive(Debug)]
pub struct Counting {
    pub by: CountedBy,
    canary: CountCanary,
    expected: InstructionCount,
}

impl Counting {
    /// Counts that program on every place; all have to count the same.
    pub fn begin(engine: &Engine, by: CountedBy) -> Result<Self, JudgehostError> {
        let canary = CountCanary::new(&by)?;
        let counts = engine.station().places().iter().map(|place| canary.count(place));
        let counts: Vec<InstructionCount> = counts.collect::<Result<_, _>>()?;
        let expected = counts.first().copied().unwrap_or_default();
        match counts.iter().find(|count| !is_same(&by.counter, **count, expected)) {
            Some(other) => Err(JudgehostError::SelfTest(otherwise(*other, expected))),
            None => Ok(Self { by, canary, expected }),
        }
    }

    /// Returns the lines of a machine that judges by these counts.
    pub fn identity(&self) -> Vec<String> {
        identity::counted(&self.by, self.expected)
    }

    /// Counts again where runs have been counted.
    /// A machine that has no memory for it at the moment counts no less right, so a run that fails is tried again.
    pub fn again(&self, place: &Place) -> Recount {
        let mut failed = Recount::Interrupted;
        for _ in 0..TRIES {
            match self.canary.count(place) {
                Ok(count) => {
                    let is_same = is_same(&self.by.counter, count, self.expected);
                    let otherwise = || Recount::Doubt(otherwise(count, self.expected));
                    return if is_same { Recount::Same } else { otherwise() };
                }
                Err(error) if error.is_interruption() => return Recount::Interrupted,
                Err(error) => failed = Recount::Doubt(reason(&error)),
            }
            std::thread::sleep(REST);
        }
        failed
    }
}

/// A processor may count some instructions more where it is interrupted.
fn is_same(counter: &Counter, count: InstructionCount, expected: InstructionCount) -> bool {
    match counter {
        Counter::Emulated(_) => count == expected,
        Counter::Hardware(_) => count.0.abs_diff(expected.0) <= expected.0 / 1000,
    }
}

fn otherwise(count: InstructionCount, expected: InstructionCount) -> String {
    format!("a program of {expected} instructions was counted as {count}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandbox::{ClockEvent, Emulator, HardwareCounter};

    #[test]
    fn an_emulator_is_exact_and_a_processor_nearly() {
        let emulator = Emulator { path: "/usr/bin/qemu-x86_64".into(), version: "7.2.22".to_owned() };
        let emulated = Counter::Emulated(emulator);
        let hardware = Counter::Hardware(HardwareCounter {
            processor: "Fast CPU".to_owned(),
            event: ClockEvent::Instructions,
        });
        let same = |counter, count| is_same(counter, InstructionCount(count), InstructionCount(1_800_007));
        assert!(same(&emulated, 1_800_007) && !same(&emulated, 1_800_008));
        assert!(same(&hardware, 1_800_107) && !same(&hardware, 1_802_000) && !same(&hardware, 900_000));
    }
}
