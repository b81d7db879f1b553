//! What a run's use of the processor is measured by.

use crate::{InstructionCount, Nanos, Reading, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What time is for a limit. Times of different clocks are never compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Clock {
    /// User and system time of all processes together.
    #[default]
    CpuTime,
    /// Instructions executed in user mode, which are reported as nominal time.
    Instructions {
        /// How many are a nanosecond of nominal time.
        per_nanosecond: u32,
    },
}

/// Instructions in a nanosecond of nominal time, unless another number is asked for.
pub const PER_NANOSECOND_USUAL: u32 = 1;
/// More than any core executes in a nanosecond.
pub const PER_NANOSECOND_MAX: u32 = 16;

impl Clock {
    /// Returns the time of a run by this clock, rounded up, or why there is none.
    pub fn time(self, usage: &Usage) -> Reading<Nanos> {
        match self {
            Self::CpuTime => Reading::Known(usage.cpu_time),
            Self::Instructions { per_nanosecond } => {
                let nominal = |count: InstructionCount| Nanos(count.0.div_ceil(per_nanosecond.max(1).into()));
                usage.instructions.clone().map(nominal)
            }
        }
    }

    /// Returns the instructions of this much nominal time; `None` by CPU time.
    pub fn instructions(self, time: Nanos) -> Option<InstructionCount> {
        match self {
            Self::CpuTime => None,
            Self::Instructions { per_nanosecond } => {
                Some(InstructionCount(time.0.saturating_mul(per_nanosecond.into())))
            }
        }
    }

    pub fn is_instructions(self) -> bool {
        matches!(self, Self::Instructions { .. })
    }
}

const CPU_TIME: &str = "CPU time";
const INSTRUCTIONS: (&str, &str) = ("instructions, ", " in a nanosecond");

impl fmt::Display for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CpuTime => formatter.write_str(CPU_TIME),
            Self::Instructions { per_nanosecond } => {
                write!(formatter, "{}{per_nanosecond}{}", INSTRUCTIONS.0, INSTRUCTIONS.1)
            }
        }
    }
}

/// Reads what is displayed; the error is what was expected.
impl FromStr for Clock {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == CPU_TIME {
            return Ok(Self::CpuTime);
        }
        let rate = text.strip_prefix(INSTRUCTIONS.0).and_then(|rest| rest.strip_suffix(INSTRUCTIONS.1));
        let rate = rate.and_then(|rate| rate.parse().ok());
        let rate = rate.filter(|rate| (1..=PER_NANOSECOND_MAX).contains(rate));
        let per_nanosecond = rate.ok_or("'CPU time' or 'instructions, N in a nanosecond'")?;
        Ok(Self::Instructions { per_nanosecond })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_read_as_it_is_displayed() {
        for clock in [Clock::CpuTime, Clock::Instructions { per_nanosecond: 2 }] {
            assert_eq!(clock.to_string().parse(), Ok(clock));
        }
        for wrong in ["many", "0", "17"] {
            assert!(format!("instructions, {wrong} in a nanosecond").parse::<Clock>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn nominal_time_is_on_the_same_side_of_a_limit_as_the_count() {
        let clock = Clock::Instructions { per_nanosecond: 2 };
        let limit = Nanos(50);
        let most = clock.instructions(limit).unwrap();
        assert_eq!(most, InstructionCount(100));
        for count in 98..103 {
            let instructions = Reading::Known(InstructionCount(count));
            let time = clock.time(&Usage { instructions, ..Usage::default() });
            assert_eq!(time.into_known().unwrap() > limit, count > most.0, "{count}");
        }
        assert_eq!(Clock::CpuTime.instructions(limit), None);
        let usage = Usage { cpu_time: Nanos(7), ..Usage::default() };
        assert_eq!(Clock::CpuTime.time(&usage), Reading::Known(Nanos(7)));
        assert!(clock.time(&usage).known().is_none());
    }
}
