//! What may stand after `tauto lab`.

use clap::{Args, Subcommand, value_parser};
use model::{CpuId, CpuSet, Nanos};
use std::path::PathBuf;

/// More rounds tell nothing that this many do not.
const ROUNDS_MAX: i64 = 1000;

/// Which experiment.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// A server of bursts under a CPU quota and on whole CPUs: throttling, latency, right size
    Throttling(ThrottlingArguments),
    /// The same two threads placed near to each other and far away
    Placement(PlacementArguments),
    /// UDP multicast on loopback with and without pinning: messages in each interval, and why they vary
    Affinity(AffinityArguments),
}

/// Options of every experiment.
#[derive(Debug, Args)]
pub struct LabArguments {
    /// Folder for report.html, report.json and pictures; by default ./lab-NAME
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Seconds instead of minutes: shows that it works, not what the machine does
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Some ten minutes: for numbers to be told
    #[arg(long)]
    pub full: bool,
    /// How often each arm runs
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=ROUNDS_MAX))]
    pub rounds: Option<u32>,
    /// How long each run of an arm takes, such as 5s
    #[arg(long, value_name = "TIME", value_parser = super::time)]
    pub time: Option<Nanos>,
    /// No progress; only the result
    #[arg(long)]
    pub quiet: bool,
}

/// Options of `tauto lab throttling`.
#[derive(Debug, Args)]
pub struct ThrottlingArguments {
    /// What every experiment has.
    #[command(flatten)]
    pub lab: LabArguments,
    /// CPUs of both modes in the comparison; by default half of all
    #[arg(long, value_name = "N")]
    pub cpus: Option<u32>,
    /// Also find the right size for 99 of 100 requests within this time, such as 20ms
    #[arg(long, value_name = "TIME", value_parser = super::time)]
    pub target: Option<Nanos>,
    /// CPU time of a round of housekeeping, for each CPU of the comparison; 0 for none
    #[arg(long, value_name = "TIME", value_parser = time_or_none, default_value = "200ms")]
    pub chores: Nanos,
    /// CPU time of a request
    #[arg(long, value_name = "TIME", value_parser = super::time, default_value = "2ms")]
    pub request: Nanos,
    /// Requests in each burst, for each CPU of the comparison
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value_parser!(u32).range(1..=1000))]
    pub burst: u32,
    /// Decides when requests come in the first round; each later one adds 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Options of `tauto lab placement`.
#[derive(Debug, Args)]
pub struct PlacementArguments {
    /// What every experiment has.
    #[command(flatten)]
    pub lab: LabArguments,
}

/// Options of `tauto lab affinity`.
#[derive(Debug, Args)]
pub struct AffinityArguments {
    /// What every experiment has.
    #[command(flatten)]
    pub lab: LabArguments,
    /// How long an interval is, in each of which messages are counted
    #[arg(long, value_name = "TIME", value_parser = super::time, default_value = "100ms")]
    pub interval: Nanos,
    /// Where the receiver is pinned
    #[arg(long, value_name = "CPU", value_parser = cpu, requires = "sender_cpu")]
    pub receiver_cpu: Option<CpuId>,
    /// Where the sender is pinned
    #[arg(long, value_name = "CPU", value_parser = cpu, requires = "receiver_cpu")]
    pub sender_cpu: Option<CpuId>,
}

/// The server of `tauto lab throttling`.
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

/// The sender or the receiver of `tauto lab affinity`.
#[derive(Debug, Args)]
pub struct PeerArguments {
    /// Where to send to; without it this is the receiver
    #[arg(long)]
    pub port: Option<u16>,
    #[arg(long, value_parser = super::cpu_list)]
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
    if text == "0" { Ok(Nanos::ZERO) } else { super::time(text) }
}
