//! Options of `tauto noise check`.

use super::probe::SECONDS_MAX;
use clap::{Args, value_parser};
use host_command::arguments::NoiseLeaseArguments;
use model::CpuSet;
use terminal::values::cpu_list;

pub const CHECK_EXAMPLES: &str = "\
The share of time that was taken from a loop that only reads the clock is compared with the budget, CPU by \
CPU. Where 'tauto noise probe --save' has left a baseline of this machine, the table compares with it.

Exit code: 0 if every CPU is within the budget, 1 if any is not; 2 wrong usage; 3 internal or system \
error, or others have the CPUs.

Examples:
  sudo tauto noise check
  sudo tauto noise check --budget 0.1% --cpu-list 2-3 --seconds 10";

// Options of `tauto noise check`.
#[derive(Debug, Args)]
pub struct NoiseCheckArguments {
    /// The share of time that may be taken, such as 0.5%
    #[arg(long, value_name = "PART", default_value = "0.5%", value_parser = budget)]
    pub budget: f64,
    /// Check these CPUs, such as 0-3; by default all that are allowed here
    #[arg(long = "cpu-list", value_name = "LIST", value_parser = cpu_list)]
    pub cpus: Option<CpuSet>,
    /// Seconds to measure each CPU
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = value_parser!(u32).range(1..=SECONDS_MAX))]
    pub seconds: u32,
    /// Check all CPUs at the same time, not one after the other
    #[arg(long)]
    pub loaded: bool,
    /// Where others have the CPUs.
    #[command(flatten)]
    pub lease: NoiseLeaseArguments,
}

fn budget(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.trim().strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text.trim(), 1.0),
    };
    match number.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number / unit <= 1.0 => Ok(number / unit),
        Ok(_) => Err("a budget must be more than 0 and at most 100%".to_owned()),
        Err(_) => Err("expected a part such as 0.5% or 0.005".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_parts() {
        assert_eq!(budget("0.5%"), Ok(0.005));
        assert_eq!(budget("0.005"), Ok(0.005));
        assert_eq!(budget("100 %"), Ok(1.0));
        for wrong in ["0", "-1%", "101%", "2", "much", "nan%", ""] {
            assert!(budget(wrong).is_err(), "{wrong}");
        }
    }
}
