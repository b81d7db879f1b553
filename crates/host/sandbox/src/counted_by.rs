//! What counts the instructions of a run.

use cgroup::{ClockEvent, ClockPlan};
use counter::Emulator;
use model::{InstructionCount, Reading};
use std::fmt;
use std::path::Path;

/// What counts the instructions of a run. Counts of two counters are not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counter {
    Hardware(HardwareCounter),
    Emulated(Emulator),
}

/// The processor's own counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardwareCounter {
    /// The processor's model.
    pub processor: String,
    pub event: ClockEvent,
}

impl HardwareCounter {
    /// Finds the counter of this machine, once it has counted a loop of known length right.
    ///
    /// # Errors
    /// With the reason why it cannot be used.
    pub fn find(processor: &Reading<String>) -> Result<Self, String> {
        let processor = match processor {
            Reading::Known(model) => model.clone(),
            Reading::Unavailable(why) => return Err(format!("the processor's model is not known: {why}")),
        };
        cgroup::check_instructions()?;
        Ok(Self { processor, event: ClockEvent::Instructions })
    }
}

impl Counter {
    /// Returns the emulator under which a program runs.
    pub(crate) fn emulator(&self) -> Option<&Path> {
        match self {
            Self::Emulated(emulator) => Some(&emulator.path),
            Self::Hardware(_) => None,
        }
    }

    pub(crate) fn clock(&self, limit: Option<InstructionCount>) -> Option<ClockPlan> {
        match self {
            Self::Hardware(counter) => Some(ClockPlan { event: counter.event, limit }),
            Self::Emulated(_) => None,
        }
    }
}

/// Names it as records and pools do.
impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hardware(HardwareCounter { processor, event }) => match event {
                ClockEvent::Instructions => write!(f, "instructions:u of {processor}"),
                ClockEvent::PageFaults => write!(f, "page faults on {processor}"),
            },
            Self::Emulated(Emulator { path, version }) => {
                write!(f, "{} {version}", path.file_name().unwrap_or_default().display())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_can_be_compared() {
        let emulator = Emulator { path: "/usr/bin/qemu-x86_64".into(), version: "7.2.22".to_owned() };
        assert_eq!(Counter::Emulated(emulator).to_string(), "qemu-x86_64 7.2.22");
        let hardware =
            HardwareCounter { processor: "AMD EPYC 9R14".to_owned(), event: ClockEvent::Instructions };
        assert_eq!(Counter::Hardware(hardware).to_string(), "instructions:u of AMD EPYC 9R14");
    }

    #[test]
    fn a_processor_without_a_name_is_in_no_pool() {
        let why = HardwareCounter::find(&Reading::unavailable("no file")).unwrap_err();
        assert_eq!(why, "the processor's model is not known: no file");
    }
}
