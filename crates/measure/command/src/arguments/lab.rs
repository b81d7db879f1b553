//! Arguments of `tauto lab`.

use clap::{Args, Subcommand, ValueEnum, value_parser};
use host_command::arguments::{CounterName, WaitArguments};
use model::{CpuId, CpuSet, Nanos};
use std::path::PathBuf;

/// More rounds add no information.
const ROUNDS_MAX: i64 = 1000;

/// Text below the help of all experiments.
pub const LAB_EXAMPLES: &str = "\
Each experiment writes a page (report.html), the same as Markdown (report.md), its charts (SVG) and all its numbers (report.json) into a folder, and \
prints a short table. Its arms run in turns, so that a noisy minute affects all of them alike. After Ctrl-C the \
results so far are reported.

The source articles:
  sieve, stability       Pavel Tykvin, How to make code run in the same time? Methods of Yandex.Contest
  throttling, placement  Joakim Recht, Yury Vostrikov, Avoiding CPU throttling in a containerized environment
  affinity               Binding a process to a processor with taskset (unsigned; after Martin Thompson)
  noise                  K. V. Kalgin, On the influence of regular system interrupts on the performance of
                         parallel programs
  none yet               Meituan, Cloud-native practice of the cluster scheduling system

Exit code: 0 if it was carried out, 2 wrong usage or input, 3 internal or system error.

Examples:
  tauto lab throttling
  tauto lab placement --full --out placement-of-host7
  tauto lab affinity --receiver-cpu 2 --sender-cpu 3 --json | jq .explanation";

const SIEVE_EXAMPLES: &str = "\
From Pavel Tykvin's article \"How to make code run in the same time? Methods of Yandex.Contest\".

Exit code: 0 if it was carried out, 2 wrong usage, 3 internal or system error. Steps that the machine does not support are \
listed and are no failure.

Examples:
  sudo tauto lab sieve --quick
  sudo tauto lab sieve --out ladder
  sudo tauto lab sieve --full";

const STABILITY_EXAMPLES: &str = "\
Exit code: 0 if every verdict by our rule was as expected, 1 if not or if the series is void, 2 wrong usage, \
3 internal or system error.

Examples:
  sudo tauto lab stability --quick
  sudo tauto lab stability --judgements 100 --out stability";

const SHARING_EXAMPLES: &str = "\
Exit code: 0 if it was carried out, 2 wrong usage, 3 internal or system error.

Examples:
  sudo tauto lab sharing --quick
  sudo tauto lab sharing --program calls --rounds 40";

const CLOCK_EXAMPLES: &str = "\
Exit code: 0 if it was carried out, 2 wrong usage, 3 internal or system error.

Examples:
  sudo tauto lab clock --quick
  sudo tauto lab clock --program sieve --program python --rounds 40";

/// Which experiment.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum LabCommand {
    /// Run the same programs step by step with fewer causes of timing variance: pinned, on a dedicated CPU, tuned, ...
    #[command(after_help = SIEVE_EXAMPLES)]
    Sieve(SieveArguments),
    /// Judge one submission repeatedly near its limit: alone, among others, and by plain CPU time
    #[command(after_help = STABILITY_EXAMPLES)]
    Stability(StabilityArguments),
    /// Measure how other submissions on the same place, or on neighbouring places, affect times
    #[command(after_help = SHARING_EXAMPLES)]
    Sharing(SharingArguments),
    /// Run the same programs by CPU time and by counted instructions, while all CPUs are busy
    #[command(after_help = CLOCK_EXAMPLES)]
    Clock(ClockLabArguments),
    /// Run a server with bursts of requests under a CPU quota and on whole CPUs: throttling, latency, right size
    Throttling(ThrottlingArguments),
    /// Run the same two threads close together and far apart
    Placement(PlacementArguments),
    /// Send UDP multicast on loopback with and without pinning: messages per interval, and why they vary
    Affinity(AffinityArguments),
    /// Redraw the figures of Kalgin's article on system interrupts from our own measurement and model
    Noise(NoiseLabArguments),
}

// Options of every experiment.
#[derive(Debug, Args)]
pub struct LabArguments {
    /// Folder for report.html, report.json and charts; by default ./lab-NAME
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Take seconds instead of minutes: shows that it works, but gives no reliable numbers
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Take about ten minutes, for reliable numbers
    #[arg(long)]
    pub full: bool,
    /// How often each arm runs
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=ROUNDS_MAX))]
    pub rounds: Option<u32>,
    /// How long each run of an arm takes, such as 5s
    #[arg(long, value_name = "TIME", value_parser = terminal::values::time)]
    pub time: Option<Nanos>,
}

// Options of `tauto lab throttling`.
#[derive(Debug, Args)]
pub struct ThrottlingArguments {
    /// What every experiment has.
    #[command(flatten)]
    pub lab: LabArguments,
    /// CPUs of both modes in the comparison; by default half of all
    #[arg(long, value_name = "N")]
    pub cpus: Option<u32>,
    /// Also find the right size for 99 of 100 requests within this time, such as 20ms
    #[arg(long, value_name = "TIME", value_parser = terminal::values::time)]
    pub target: Option<Nanos>,
    /// CPU time of a round of housekeeping, for each CPU of the comparison; 0 for none
    #[arg(long, value_name = "TIME", value_parser = time_or_none, default_value = "200ms")]
    pub chores: Nanos,
    /// CPU time of a request
    #[arg(long, value_name = "TIME", value_parser = terminal::values::time, default_value = "2ms")]
    pub request: Nanos,
    /// Requests in each burst, for each CPU of the comparison
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value_parser!(u32).range(1..=1000))]
    pub burst: u32,
    /// Seed for the times of requests in the first round; each later round adds 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

// Options of `tauto lab placement`.
#[derive(Debug, Args)]
pub struct PlacementArguments {
    /// What every experiment has.
    #[command(flatten)]
    pub lab: LabArguments,
}

// Options of `tauto lab affinity`.
#[derive(Debug, Args)]
pub struct AffinityArguments {
    /// What every experiment has.
    #[command(flatten)]
    pub lab: LabArguments,
    /// Length of the intervals in which messages are counted
    #[arg(long, value_name = "TIME", value_parser = terminal::values::time, default_value = "100ms")]
    pub interval: Nanos,
    /// CPU of the receiver in the pinned arm
    #[arg(long, value_name = "CPU", value_parser = cpu, requires = "sender_cpu")]
    pub receiver_cpu: Option<CpuId>,
    /// CPU of the sender in the pinned arm
    #[arg(long, value_name = "CPU", value_parser = cpu, requires = "receiver_cpu")]
    pub sender_cpu: Option<CpuId>,
}

// Options of `tauto lab noise`.
#[derive(Debug, Args)]
pub struct NoiseLabArguments {
    /// What every experiment has.
    #[command(flatten)]
    pub lab: LabArguments,
}

// The server of `tauto lab throttling`.
#[derive(Debug, Args)]
pub struct ServerArguments {
    #[arg(long)]
    pub seed: u64,
    #[arg(long)]
    pub time_ns: u64,
    #[arg(long)]
    pub bursts_per_second: f64,
    #[arg(long)]
    pub requests_per_burst: u32,
    #[arg(long)]
    pub request_ns: u64,
    #[arg(long)]
    pub parts: u32,
    #[arg(long)]
    pub threads: u32,
    #[arg(long)]
    pub chores_ns: u64,
    #[arg(long)]
    pub chores_every_ns: u64,
    #[arg(long)]
    pub chore_threads: u32,
    #[arg(long)]
    pub steps_per_ms: u64,
    /// Process whose end ends this one
    #[arg(long)]
    pub parent: u32,
}

// The sender or the receiver of `tauto lab affinity`.
#[derive(Debug, Args)]
pub struct PeerArguments {
    /// Where to send to; without it this is the receiver
    #[arg(long)]
    pub port: Option<u16>,
    #[arg(long = "cpu-list", value_parser = terminal::values::cpu_list)]
    pub cpus: Option<CpuSet>,
    #[arg(long)]
    pub interval_ns: u64,
    #[arg(long)]
    pub intervals: usize,
    /// Process whose end ends this one
    #[arg(long)]
    pub parent: u32,
}

fn cpu(text: &str) -> Result<CpuId, String> {
    text.parse().map(CpuId).map_err(|_| "expected the number of a CPU, such as 1".to_owned())
}

/// Reads a time, or 0.
fn time_or_none(text: &str) -> Result<Nanos, String> {
    if text == "0" { Ok(Nanos::ZERO) } else { terminal::values::time(text) }
}

// Options of the experiments on times that repeat.
#[derive(Debug, Args)]
pub struct LabOptions {
    /// Folder for page, charts and JSON; by default ./lab-NAME
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Run a small version of about two minutes
    #[arg(long)]
    pub quick: bool,
    /// Where others have the CPUs.
    #[command(flatten)]
    pub lease: WaitArguments,
}

// Options of `tauto lab sieve`.
#[derive(Debug, Args)]
pub struct SieveArguments {
    /// As for every experiment.
    #[command(flatten)]
    pub lab: LabOptions,
    /// Run the sieve with the article's n = 500,000,000 and the other programs ten times as long; takes hours
    #[arg(long, conflicts_with = "quick")]
    pub full: bool,
    /// Times reported of each program at each step; by default 20, 6 with --quick
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=1000))]
    pub rounds: Option<u32>,
    /// Run only this program, such as sieve; can be repeated
    #[arg(long = "program", value_name = "NAME")]
    pub programs: Vec<String>,
}

// Options of `tauto lab sharing`.
#[derive(Debug, Args)]
pub struct SharingArguments {
    /// As for every experiment.
    #[command(flatten)]
    pub lab: LabOptions,
    /// How often each program is judged under each condition; by default 20, 2 with --quick
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=ROUNDS_MAX))]
    pub rounds: Option<u32>,
    /// Judge only this program, such as sieve; can be repeated
    #[arg(long = "program", value_name = "NAME")]
    pub programs: Vec<String>,
}

// Options of `tauto lab clock`.
#[derive(Debug, Args)]
pub struct ClockLabArguments {
    /// As for every experiment.
    #[command(flatten)]
    pub lab: LabOptions,
    /// How often each program runs in each way; by default 10, 2 with --quick
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=ROUNDS_MAX))]
    pub rounds: Option<u32>,
    /// Run only this program, such as sieve; can be repeated
    #[arg(long = "program", value_name = "NAME")]
    pub programs: Vec<String>,
    /// What counts instructions; by default the processor where its counter works, else an emulator (qemu-user)
    #[arg(long, value_name = "COUNTER", value_enum)]
    pub counter: Option<CounterName>,
}

// Options of `tauto lab stability`.
#[derive(Debug, Args)]
pub struct StabilityArguments {
    /// As for every experiment.
    #[command(flatten)]
    pub lab: LabOptions,
    /// Judgements of each arm; by default 100, 5 with --quick
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000))]
    pub judgements: Option<u32>,
    /// The program that is judged
    #[arg(long, value_name = "NAME", default_value = "sieve")]
    pub program: String,
    /// Where the loads compute
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = LoadOn::Neighbours)]
    pub load: LoadOn,
}

/// Which CPUs the loads of an experiment may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoadOn {
    /// All but the leased one
    Neighbours,
    /// Any CPU, as the kernel decides
    Everywhere,
}
