//! Whether this machine counts instructions as it did at its start, and as its pool does.

use crate::error::{JudgehostError, reason};
use crate::identity;
use judge::{CountCanary, CountedBy, Engine, Place};
use model::InstructionCount;

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
        match counts.iter().find(|count| **count != expected) {
            Some(other) => Err(JudgehostError::SelfTest(otherwise(*other, expected))),
            None => Ok(Self { by, canary, expected }),
        }
    }

    /// Returns the lines of a machine that judges by these counts.
    pub fn identity(&self) -> Vec<String> {
        identity::counted(&self.by, self.expected)
    }

    /// Counts again where runs have been counted; returns why their counts cannot be believed.
    pub fn doubt(&self, place: &Place) -> Option<String> {
        match self.canary.count(place) {
            Ok(count) => (count != self.expected).then(|| otherwise(count, self.expected)),
            // Then everything ends.
            Err(error) if error.is_interruption() => None,
            Err(error) => Some(reason(&error)),
        }
    }
}

fn otherwise(count: InstructionCount, expected: InstructionCount) -> String {
    format!("a program of {expected} instructions was counted as {count}")
}
