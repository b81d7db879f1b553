//! What time is, where submissions are judged.

use clap::{Args, ValueEnum, value_parser};
use host_command::arguments::{ClockName, CounterName};
use host_command::counter;
use judge::CountedBy;
use model::clock::{PER_NANOSECOND_MAX, PER_NANOSECOND_USUAL};
use terminal::failure::input;

// Options of all that judges.
#[derive(Clone, Debug, Args)]
pub struct ClockArguments {
    /// What time is: by instructions, what programs execute is counted, and one run decides
    #[arg(long, value_name = "CLOCK", value_enum, default_value_t = ClockName::Cpu)]
    pub clock: ClockName,
    /// What counts instructions, with --clock instructions; by default the processor where its counter works, else an
    /// emulator (qemu-user), which is ten times as slow
    #[arg(long, value_name = "COUNTER", value_enum)]
    pub counter: Option<CounterName>,
    /// Instructions in a nanosecond of nominal time, with --clock instructions; by default 1
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=i64::from(PER_NANOSECOND_MAX)))]
    pub nominal_rate: Option<u32>,
}

impl ClockArguments {
    /// Returns how instructions are counted, if these are the clock.
    pub fn counted(&self) -> anyhow::Result<Option<CountedBy>> {
        if self.clock == ClockName::Cpu && self.nominal_rate.is_some() {
            return Err(input("--nominal-rate is for a clock of instructions; add --clock instructions"));
        }
        let per_nanosecond = self.nominal_rate.unwrap_or(PER_NANOSECOND_USUAL);
        let counter = counter(self.clock, self.counter)?;
        Ok(counter.map(|counter| CountedBy { counter, per_nanosecond }))
    }

    /// Returns the words of a command line that say the same.
    pub fn words(&self) -> Vec<String> {
        fn word<T: ValueEnum>(value: &T) -> Option<String> {
            Some(value.to_possible_value()?.get_name().to_owned())
        }
        let options = [
            ("--clock", word(&self.clock)),
            ("--counter", self.counter.as_ref().and_then(word)),
            ("--nominal-rate", self.nominal_rate.map(|rate| rate.to_string())),
        ];
        options
            .into_iter()
            .filter_map(|(option, value)| Some([option.to_owned(), value?]))
            .flatten()
            .collect()
    }
}
