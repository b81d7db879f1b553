//! What counts instructions here, or why nothing does.

use crate::arguments::{ClockName, CounterName};
use sandbox::{Counter, Emulator, HardwareCounter, NoEmulator};
use system::Roots;
use system::machine::Cpus;
use terminal::failure::{input, input_with_hint};

/// Why nothing that was asked for counts.
#[derive(Debug, PartialEq, Eq)]
struct NoCounter {
    hardware: Option<String>,
    emulated: Option<NoEmulator>,
}

/// Finds what counts instructions, if these are the clock.
pub fn counter(clock: ClockName, asked: Option<CounterName>) -> anyhow::Result<Option<Counter>> {
    if clock == ClockName::Cpu {
        return match asked {
            Some(_) => Err(input("--counter is for a clock of instructions; add --clock instructions")),
            None => Ok(None),
        };
    }
    let found = choose(asked.unwrap_or_default(), hardware, Emulator::find);
    found.map(Some).map_err(|none| failure(&none))
}

/// Tests the processor's counter, which takes some 50 ms where there is one.
pub(crate) fn hardware() -> Result<HardwareCounter, String> {
    HardwareCounter::find(&Cpus::read(&Roots::host()).model)
}

/// Returns what to install where the emulator is missing.
pub(crate) fn fix(why: &NoEmulator) -> &'static str {
    match why {
        NoEmulator::Missing(_) => "apt install qemu-user",
        NoEmulator::NoPlugin => "build tauto where a C compiler is",
        NoEmulator::Silent { .. } | NoEmulator::Version { .. } => "install QEMU 7.2, as of Debian 12",
    }
}

/// Returns the processor's counter where it works, else the emulator, unless one of them was asked for.
fn choose(
    asked: CounterName,
    hardware: impl FnOnce() -> Result<HardwareCounter, String>,
    emulated: impl FnOnce() -> Result<Emulator, NoEmulator>,
) -> Result<Counter, NoCounter> {
    let mut none = NoCounter { hardware: None, emulated: None };
    if asked != CounterName::Emulated {
        match hardware() {
            Ok(counter) => return Ok(Counter::Hardware(counter)),
            Err(why) => none.hardware = Some(why),
        }
    }
    if asked != CounterName::Hardware {
        match emulated() {
            Ok(emulator) => return Ok(Counter::Emulated(emulator)),
            Err(why) => none.emulated = Some(why),
        }
    }
    Err(none)
}

fn failure(NoCounter { hardware, emulated }: &NoCounter) -> anyhow::Error {
    match (hardware, emulated) {
        (Some(why), None) => input_with_hint(
            format!("the processor's counter of instructions is unavailable: {why}"),
            "leave out --counter hardware, and an emulator counts them (apt install qemu-user)",
        ),
        (hardware, Some(NoEmulator::Missing(name))) => input_with_hint(
            format!("instructions cannot be counted here: {name} is missing{}", also(hardware.as_deref())),
            "install qemu-user (apt install qemu-user), or leave out --clock instructions",
        ),
        (hardware, why) => {
            let why = why.as_ref().map(ToString::to_string).unwrap_or_default();
            anyhow::anyhow!("instructions cannot be counted here: {why}{}", also(hardware.as_deref()))
        }
    }
}

/// Adds why the processor does not count either, if that was tried.
fn also(hardware: Option<&str>) -> String {
    hardware.map_or_else(String::new, |why| format!("; the processor's counter is unavailable: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use CounterName::{Auto, Emulated, Hardware};

    #[test]
    fn the_processor_counts_where_it_can() {
        let hardware =
            || HardwareCounter { processor: "Fast CPU".to_owned(), event: sandbox::ClockEvent::Instructions };
        let emulator = || Emulator { path: "/usr/bin/qemu-x86_64".into(), version: "7.2.22".to_owned() };
        let lies = || "counts 0 of 100,000,000".to_owned();
        let missing = || NoEmulator::Missing("qemu-x86_64".to_owned());
        let (counts, lie) = (Ok(hardware()), Err(lies()));
        let (there, absent) = (Ok(emulator()), Err(missing()));
        let none = |hardware, emulated| Err(NoCounter { hardware, emulated });
        for (asked, of_processor, of_emulator, expected) in [
            (Auto, &counts, &there, Ok(Counter::Hardware(hardware()))),
            (Auto, &counts, &absent, Ok(Counter::Hardware(hardware()))),
            (Auto, &lie, &there, Ok(Counter::Emulated(emulator()))),
            (Auto, &lie, &absent, none(Some(lies()), Some(missing()))),
            (Hardware, &counts, &there, Ok(Counter::Hardware(hardware()))),
            (Hardware, &lie, &there, none(Some(lies()), None)),
            (Emulated, &counts, &there, Ok(Counter::Emulated(emulator()))),
            (Emulated, &counts, &absent, none(None, Some(missing()))),
        ] {
            let chosen = choose(asked, || of_processor.clone(), || of_emulator.clone());
            assert_eq!(chosen, expected, "{asked:?}");
        }
    }

    #[test]
    fn what_is_refused_says_why() {
        let words = |hardware: Option<&str>, emulated| {
            failure(&NoCounter { hardware: hardware.map(str::to_owned), emulated }).to_string()
        };
        assert_eq!(
            words(Some("counts 50,000,000 of 100,000,000"), None),
            "the processor's counter of instructions is unavailable: counts 50,000,000 of 100,000,000"
        );
        let missing = || Some(NoEmulator::Missing("qemu-x86_64".to_owned()));
        assert_eq!(
            words(Some("no counters"), missing()),
            "instructions cannot be counted here: qemu-x86_64 is missing; the processor's counter is unavailable: no counters"
        );
    }
}
