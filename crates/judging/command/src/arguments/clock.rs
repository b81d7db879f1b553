//! What time is, where submissions are judged.

use clap::{Args, value_parser};
use host_command::arguments::ClockName;
use host_command::emulator;
use judge::CountedBy;
use terminal::failure::input;

/// Instructions in a nanosecond of nominal time, unless another number is asked for.
const PER_NANOSECOND_USUAL: u32 = 1;

// Options of all that judges.
#[derive(Clone, Debug, Args)]
pub struct ClockArguments {
    /// What time is: by instructions, programs run under an emulator (qemu-user) that counts what they execute, ten times as
    /// slowly, and one run decides
    #[arg(long, value_name = "CLOCK", value_enum, default_value_t = ClockName::Cpu)]
    pub clock: ClockName,
    /// Instructions in a nanosecond of nominal time, with --clock instructions; by default 1
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=16))]
    pub nominal_rate: Option<u32>,
}

impl ClockArguments {
    /// Returns how instructions are counted, if these are the clock.
    pub fn counted(&self) -> anyhow::Result<Option<CountedBy>> {
        if self.clock == ClockName::Cpu {
            return match self.nominal_rate {
                Some(_) => {
                    Err(input("--nominal-rate is for a clock of instructions; add --clock instructions"))
                }
                None => Ok(None),
            };
        }
        let per_nanosecond = self.nominal_rate.unwrap_or(PER_NANOSECOND_USUAL);
        Ok(Some(CountedBy { emulator: emulator()?, per_nanosecond }))
    }
}
