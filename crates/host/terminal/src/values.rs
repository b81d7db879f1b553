//! Values of options: how they are read, and what is refused.

use model::{Bytes, CpuSet, InstructionCount, Nanos};
use std::str::FromStr;

/// No machine has an exbibyte; a larger amount is a typing error that would overflow in the kernel.
const AMOUNT_MAX: Bytes = Bytes(1 << 60);
/// A program cannot even be loaded into less.
const MEMORY_MIN: Bytes = Bytes::from_mib(1);
const INSTRUCTIONS_MAX: InstructionCount = InstructionCount(1_000_000_000_000_000_000);
/// A run of more than a year is a typing error.
const TIME_MAX: Nanos = Nanos::from_millis(366 * 24 * 3600 * 1000);

/// Reads a limit of time, such as 2s.
pub fn time(text: &str) -> Result<Nanos, String> {
    let time = Nanos::from_str(text).map_err(|error| error.to_string())?;
    match time {
        Nanos::ZERO => Err("a limit must be more than 0; leave the option out for no limit".to_owned()),
        time if time > TIME_MAX => Err("more than a year is out of range".to_owned()),
        time => Ok(time),
    }
}

/// Reads a number of instructions, such as 2G.
pub fn instructions(text: &str) -> Result<InstructionCount, String> {
    let count = InstructionCount::from_str(text).map_err(|error| error.to_string())?;
    match count {
        InstructionCount(0) => {
            Err("a limit must be more than 0; leave the option out for no limit".to_owned())
        }
        // As nanoseconds, 30 years.
        count if count > INSTRUCTIONS_MAX => Err("more than 1,000,000 T is out of range".to_owned()),
        count => Ok(count),
    }
}

/// Reads a limit of memory or of a file, such as 256MiB.
pub fn size(text: &str) -> Result<Bytes, String> {
    let size = Bytes::from_str(text).map_err(|error| error.to_string())?;
    match size {
        Bytes(0) => Err("a limit must be more than 0; leave the option out for no limit".to_owned()),
        size if size > AMOUNT_MAX => Err("no machine has that much; use B, KiB, MiB or GiB".to_owned()),
        size => Ok(size),
    }
}

/// Reads a limit of memory that a program can be loaded into.
pub fn memory(text: &str) -> Result<Bytes, String> {
    let memory = size(text)?;
    if memory < MEMORY_MIN {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let meant = if is_number { format!("; did you mean {text}MiB?") } else { String::new() };
        return Err(format!("no program can be loaded into {memory}; give at least {MEMORY_MIN}{meant}"));
    }
    Ok(memory)
}

/// Reads a part in per cent, such as 5%, of at most `MAX`.
pub fn percent<const MAX: u32>(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').unwrap_or(text).trim().parse() {
        Ok(percent) if (0.01..=f64::from(MAX)).contains(&percent) => Ok(percent),
        _ => Err(format!("expected per cent from 0.01 to {MAX}")),
    }
}

/// Reads a list of CPUs, such as 0-1,4.
pub fn cpu_list(text: &str) -> Result<CpuSet, String> {
    let cpus = CpuSet::from_str(text).map_err(|error| error.to_string())?;
    if cpus.is_empty() { Err("the list names no CPU; write for example 0-1,4".to_owned()) } else { Ok(cpus) }
}

/// Reads a variable of the environment, such as SEED=7.
pub fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE, such as SEED=7".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_nothing_or_too_much_are_refused() {
        for text in ["0", "0s", "-1s", "1e30s", "400000000s", "two"] {
            assert!(time(text).is_err(), "{text}");
        }
        for text in ["0", "-1", "99999999999GiB", "many"] {
            assert!(size(text).is_err(), "{text}");
        }
        for text in ["0", "-1", "2s", "99999999T"] {
            assert!(instructions(text).is_err(), "{text}");
        }
        assert!(memory("64KiB").is_err());
        assert_eq!(memory("64MiB"), Ok(Bytes::from_mib(64)));
        assert!(cpu_list(",").is_err());
        assert!(variable("SEED").is_err() && variable("=7").is_err());
    }
}
