//! Options of `tauto noise probe`.

use super::units::time_with_unit;
use clap::{Args, value_parser};
use host_command::arguments::NoiseLeaseArguments;
use model::{CpuSet, Nanos};
use std::path::PathBuf;
use terminal::values::cpu_list;

/// Longer, and a profile would not fit into memory on a machine of many CPUs.
pub const SECONDS_MAX: i64 = 3600;
/// With the usual quantum this is half an hour.
const CALLS_MAX: i64 = 10_000_000;
/// The article has more than 1 us and less than 1000; a call of less is lost in the price of reading the time.
const QUANTUM_MIN: Nanos = Nanos::from_micros(1);
const QUANTUM_MAX: Nanos = Nanos::from_millis(1_000);

pub const PROBE_EXAMPLES: &str = "\
Each CPU gets two measurements: calls of a function that computes Fibonacci numbers, with the \
duration of each, after a second of rest; and a loop that only reads the clock. \
Both together take about 27 s by default, for each CPU with --idle, for all together with --loaded. \
docs/noise-probe.md says how to read the tables.

Exit code: 0; 1 if a CPU could not be measured to its end; 2 wrong usage; 3 internal or system \
error, or others have the CPUs.

Examples:
  sudo tauto noise probe -o idle.noise
  sudo tauto noise probe --loaded --cpu-list 2-3 --seconds 60 -o loaded.noise
  sudo tauto noise probe --save
  tauto noise probe --from idle.noise --csv idle.csv --hdr idle.hlog
  tauto noise probe --from idle.noise --loggopsim idle.txt && LogGOPSim --noise-trace idle.txt -f app.bin";

// Options of `tauto noise probe`.
#[derive(Debug, Args)]
pub struct NoiseProbeArguments {
    /// Measure these CPUs, such as 0-3; by default all that are allowed here
    #[arg(long = "cpu-list", value_name = "LIST", value_parser = cpu_list)]
    pub cpus: Option<CpuSet>,
    /// Seconds for which the loop reads the clock
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u32).range(1..=SECONDS_MAX))]
    pub seconds: u32,
    /// How long a call of the counting function takes, such as 155us
    #[arg(long, value_name = "TIME", default_value = "155us", value_parser = quantum)]
    pub quantum: Nanos,
    /// How often it is called; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = ::noise_probe::USUAL_CALLS, value_parser = value_parser!(u32).range(0..=CALLS_MAX))]
    pub calls: u32,
    /// Measure one CPU at a time and leave the others as they are (this is the default)
    #[arg(long, conflicts_with = "loaded")]
    pub idle: bool,
    /// Measure all CPUs at the same time
    #[arg(long)]
    pub loaded: bool,
    /// Exclude other programs: measure with real-time priority, in bursts
    #[arg(long)]
    pub real_time: bool,
    /// Do not record the kernel's events, which make an interrupt a little longer
    #[arg(long)]
    pub no_events: bool,
    /// Where others have the CPUs.
    #[command(flatten)]
    pub lease: NoiseLeaseArguments,
    /// Write the profile to this file
    #[arg(short, long, value_name = "FILE.noise")]
    pub output: Option<PathBuf>,
    /// Store the profile as the baseline of this machine's CPUs
    #[arg(long)]
    pub save: bool,
    /// Also write every call and every detour as CSV to this file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also write histograms of calls and detours in HdrHistogram's log format to this file
    #[arg(long, value_name = "FILE")]
    pub hdr: Option<PathBuf>,
    /// Also write the detours of the noisiest CPU as a noise trace for LogGOPSim to this file
    #[arg(long, value_name = "FILE")]
    pub loggopsim: Option<PathBuf>,
    /// Read the profile from this file instead of measuring
    #[arg(long, value_name = "FILE.noise", conflicts_with_all = ["cpus", "seconds", "quantum", "calls", "idle", "loaded", "real_time", "no_events", "wait", "shared", "output", "save"])]
    pub from: Option<PathBuf>,
}

fn quantum(text: &str) -> Result<Nanos, String> {
    let time = time_with_unit("duration of a call", text)?;
    if (QUANTUM_MIN..=QUANTUM_MAX).contains(&time) {
        Ok(time)
    } else {
        Err("a call takes from 1us to 1s".to_owned())
    }
}
