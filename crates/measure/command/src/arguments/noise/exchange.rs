//! Arguments of `tauto noise exchange`.

use super::units::{frequency_and_length, time_with_unit};
use clap::{Args, ValueEnum, value_parser};
use host_command::arguments::WaitArguments;
use labs::exchange::{Injection, Phases, RANKS_MAX};
use model::{Bytes, CpuSet, Nanos};
use noise::{Occurrence, Source};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::str::FromStr;
use terminal::values::{cpu_list, size};

/// The article's range of T_C; below it clock and exchange are all there is, above it nothing new is seen.
const CALL_MIN: Nanos = Nanos::from_micros(1);
const CALL_MAX: Nanos = Nanos::from_millis(1);
/// A larger message measures memory, not noise.
const MESSAGE_MAX: Bytes = Bytes::from_mib(16);
/// Ten times the article's.
const ITERATIONS_MAX: f64 = 1e6;
/// The rarest periodic source: a rarer one would strike less than once in a measurement.
const FREQUENCY_MIN: f64 = 0.1;
/// Faster than this a detour would have to be shorter than reading the clock.
const FREQUENCY_MAX: f64 = 1e6;

pub const EXCHANGE_EXAMPLES: &str = "\
It needs Open MPI and its compiler: apt-get install openmpi-bin libopenmpi-dev. Each rank gets its own leased \
CPU; with more ranks than CPUs they share, and the result says that its times are not those of the model. \
docs/noise-exchange.md says what is measured and how.

Times take ns, us or ms; sizes take B, KiB or MiB (a bare number is bytes).

Exit code: 0 if it was carried out, 2 wrong usage or input, 3 internal or system error, or Open MPI is missing.

Examples:
  tauto noise exchange -np 4 --tc 75us --bytes 1024
  tauto noise exchange --np 2 --inject 1000Hz:13us --inject 8Hz:160us@0
  tauto noise exchange --np 2 --inject 100Hz:50us --phases common --json | jq '.sizes[].added'";

// Options of `tauto noise exchange`.
#[derive(Debug, Args)]
pub struct ExchangeArguments {
    /// Processes; also written -np N. 1, 2 and 3 of them are measured as well
    #[arg(long = "np", value_name = "N", default_value_t = 2, value_parser = value_parser!(u32).range(1..=i64::from(RANKS_MAX)))]
    pub ranks: u32,
    /// Duration of a call of the counting function, from 1us to 1ms
    #[arg(long = "tc", value_name = "TIME", default_value = "75us", value_parser = call)]
    pub call: Nanos,
    /// Size of a message
    #[arg(long = "bytes", value_name = "SIZE", default_value = "1024", value_parser = message)]
    pub message: Bytes,
    /// Iterations of each arm, such as 1e5
    #[arg(long, value_name = "N", default_value = "1e5", value_parser = iterations)]
    pub iterations: u32,
    /// Iterations of a block: arms take turns after each block, and all ranks start it together
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = value_parser!(u32).range(10..=100_000))]
    pub block: u32,
    /// Lengthen calls by a busy wait of this frequency and length, such as 1000Hz:13us, or 8Hz:160us@0,2 for these ranks only;
    /// can be repeated
    #[arg(long, value_name = "HZ:TIME[@RANKS]")]
    pub inject: Vec<InjectionArgument>,
    /// When injected detours occur on different ranks
    #[arg(long, value_enum, default_value_t = ExchangePhases::Own)]
    pub phases: ExchangePhases,
    /// The part of a call that is computed before the messages are sent, while the rest overlaps with them
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = value_parser!(u32).range(0..=100))]
    pub boundary: u32,
    /// How often MPI is called while computing overlaps with messages; with 0, never, an exchange waits for ranks that
    /// still compute
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u32).range(0..=100))]
    pub tests: u32,
    /// Use these CPUs, one for each rank, instead of those that the allocator chooses
    #[arg(long = "cpu-list", value_name = "LIST", value_parser = cpu_list)]
    pub cpus: Option<CpuSet>,
    /// Where others have the CPUs.
    #[command(flatten)]
    pub lease: WaitArguments,
    /// Decides the phases of injected detours
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Keep leases in this folder, where no other process sees them: for tests, whose times mean nothing
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub leases: Option<PathBuf>,
}

/// When injected detours come on different ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExchangePhases {
    /// At random times of each rank, new for each block
    Own,
    /// At the same time on all ranks
    Common,
}

/// Noise to be added, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct InjectionArgument(pub Injection);

impl From<ExchangePhases> for Phases {
    fn from(phases: ExchangePhases) -> Self {
        match phases {
            ExchangePhases::Own => Self::Own,
            ExchangePhases::Common => Self::Common,
        }
    }
}

impl FromStr for InjectionArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (what, ranks) = match text.split_once('@') {
            Some((what, ranks)) => (what, Some(ranks)),
            None => (text, None),
        };
        let (frequency_hz, length) = frequency_and_length(what)?;
        if !(FREQUENCY_MIN..=FREQUENCY_MAX).contains(&frequency_hz) {
            return Err(format!("a frequency must be from {FREQUENCY_MIN} to {FREQUENCY_MAX} Hz"));
        }
        let source = Source { occurrence: Occurrence::Periodic { frequency_hz }, length_ns: length.0 as f64 };
        if length == Nanos::ZERO || source.share() >= 1.0 {
            return Err(
                "a detour must take some time, and all detours together less than all time".to_owned()
            );
        }
        let ranks = ranks.map(rank_list).transpose()?;
        Ok(Self(Injection { source, ranks }))
    }
}

fn rank_list(text: &str) -> Result<BTreeSet<u32>, String> {
    // Ranks are written as CPUs are.
    let ranks =
        CpuSet::from_str(text).map_err(|_| format!("'{text}' is not a list of ranks such as 0,2-3"))?;
    match ranks.iter().next_back() {
        None => Err("the list names no rank; write for example 0,2-3".to_owned()),
        Some(last) if last.0 >= RANKS_MAX => Err(format!("ranks are from 0 to {}", RANKS_MAX - 1)),
        Some(_) => Ok(ranks.iter().map(|rank| rank.0).collect()),
    }
}

fn call(text: &str) -> Result<Nanos, String> {
    let call = time_with_unit("T_C", text)?;
    if !(CALL_MIN..=CALL_MAX).contains(&call) {
        return Err("a call must take from 1us to 1ms".to_owned());
    }
    Ok(call)
}

fn message(text: &str) -> Result<Bytes, String> {
    let message = size(text).map_err(|_| "a message must have from 1 byte to 16MiB".to_owned())?;
    if message > MESSAGE_MAX {
        return Err("a message must have from 1 byte to 16MiB".to_owned());
    }
    Ok(message)
}

fn iterations(text: &str) -> Result<u32, String> {
    match text.parse::<f64>() {
        Ok(count) if count.fract() == 0.0 && (10.0..=ITERATIONS_MAX).contains(&count) => Ok(count as u32),
        _ => Err("expected a whole number from 10 to 1e6, such as 1e5".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn injections_are_read() {
        let read = |text: &str| InjectionArgument::from_str(text).map(|read| read.0);
        let one = read("1000Hz:13us").unwrap();
        assert_eq!((one.source.frequency_hz(), one.source.length_ns, one.ranks), (1000.0, 13_000.0, None));
        let two = read("8:160us@0,2-3").unwrap();
        assert_eq!((two.source.frequency_hz(), two.ranks), (8.0, Some([0, 2, 3].into())));
        for text in [
            "",
            "1000Hz",
            "0Hz:1us",
            "-1Hz:1us",
            "NaN:1us",
            "1e9Hz:1ns",
            "1000Hz:0us",
            "1000Hz:1ms",
            "8Hz:1us@",
            "8Hz:1us@256",
            "8Hz:1us@x",
            "8Hz:1",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn amounts_have_limits() {
        assert_eq!(iterations("1e5"), Ok(100_000));
        assert_eq!(message("1KiB"), Ok(Bytes(1024)));
        assert!(call("75us").is_ok());
        assert!(["0", "1.5", "1e7", "many"].iter().all(|text| iterations(text).is_err()));
        assert!(["0", "1GiB"].iter().all(|text| message(text).is_err()));
        assert!(["0us", "100ns", "2ms", "75"].iter().all(|text| call(text).is_err()));
    }
}
