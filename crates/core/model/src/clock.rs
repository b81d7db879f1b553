//! What a run's use of the processor is measured by.

use crate::{Nanos, ParseUnitError, Reading, Usage, units};
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
    /// Instructions executed in user mode, which are told as nominal time.
    Instructions {
        /// How many are a nanosecond of nominal time.
        per_nanosecond: u32,
    },
}

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

/// Instructions that a program executes in user mode.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct InstructionCount(pub u64);

/// Prints all digits, in groups: a count is exact.
impl fmt::Display for InstructionCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        f.pad(&text)
    }
}

/// Reads `2G`, `1.5 G`, `300M`, `20k`, `94818947`.
impl FromStr for InstructionCount {
    type Err = ParseUnitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, unit) = units::split_unit(text, "2G or 500M")?;
        let factor = match unit {
            "" => 1.0,
            "k" | "K" => 1e3,
            "m" | "M" => 1e6,
            "g" | "G" => 1e9,
            "t" | "T" => 1e12,
            _ => return Err(ParseUnitError::UnknownUnit { unit: unit.to_owned(), known: "k, M, G, T" }),
        };
        units::in_range(text, number * factor).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_print_all_digits_and_are_read_with_units() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (94_818_947, "94,818,947")] {
            assert_eq!(InstructionCount(count).to_string(), text);
        }
        for (text, count) in
            [("2G", 2_000_000_000), ("1.5 G", 1_500_000_000), ("300M", 300_000_000), ("7", 7)]
        {
            assert_eq!(text.parse(), Ok(InstructionCount(count)), "{text}");
        }
        assert_eq!(
            "2s".parse::<InstructionCount>().unwrap_err().to_string(),
            "'s' is not a unit; use one of k, M, G, T"
        );
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
