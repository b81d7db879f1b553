//! What `cargo xtask bench` runs: comparisons with other tools, and what they measure inside the product's crates, each
//! of that as a JSON array on standard output.

#![forbid(unsafe_code)]

mod allocate;
mod audit_cost;
mod child;
mod comparisons;
mod contest_collections;
mod contest_events;
mod contest_feed;
mod contest_http;
mod contest_package;
mod figure;
mod fleet_operator;
mod fleet_scheduler;
mod judging;
mod noise_grid;
mod noise_model;
mod noise_random;
mod noise_sources;
mod sandboxed;
mod sim_fleet;
mod store_rates;
mod stream_host;
mod takeover;
mod time_round;

use allocate::By;
use clap::{Args, Parser, Subcommand, value_parser};
use sandbox::Counting;
use serde::Serialize;
use std::process::ExitCode;
use time_round::TimeRound;

#[derive(Parser)]
#[command(name = "tauto-bench", about = "The project's benchmarks")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    #[command(flatten)]
    Comparison(comparisons::Subject),
    #[command(flatten)]
    Arm(Arm),
}

#[derive(Subcommand)]
enum Arm {
    /// Run a program by turns without an audit and with one; print the times in ns
    AuditCost {
        /// How often
        #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000))]
        count: u32,
        /// The program and its arguments
        #[arg(last = true, required = true, value_name = "CMD")]
        command: Vec<String>,
    },
    /// Take traces of known sources apart; print how well that went
    NoiseSources,
    /// Simulate the propagation of noise on one thread; print node-iterations a second
    NoiseSpeed,
    /// Simulate one sparse source on one thread for a while; print node-iterations a second
    NoiseSparse {
        /// Nodes of a line, or of a square
        #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1_000_000))]
        nodes: u64,
        /// On a square instead of a line
        #[arg(long)]
        square: bool,
        /// Iterations
        #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=10_000_000))]
        iterations: u64,
    },
    /// Hold formulas of the propagation of noise to its simulation; print both
    NoiseGrid,
    /// Hold formulas to the simulation for detours at random times; print both
    NoiseRandom,
    /// Lease CPUs of a made-up machine of 1024; print the time of each decision in ns
    Allocate {
        /// What decides
        #[arg(long, value_enum)]
        by: By,
        #[command(flatten)]
        repeats: Repeats,
    },
    /// Serve a live stream contest to 200 contestants, in peace and under attack; add up a long record
    StreamHost,
    /// Simulate a day of 1,000,000 jobs on 100,000 hosts
    SimDay,
    /// Decide where jobs go on 10,000 hosts
    SimDecisions,
    /// Compare policies on recorded loads
    SimPolicies {
        /// The folder with the traces
        #[arg(long, value_name = "DIR")]
        traces: std::path::PathBuf,
    },
    /// Run /bin/true in one slot again and again; print the wall time of each in ns
    WarmRuns {
        /// Count the kernel's own events meanwhile, in the place of the processor's
        #[arg(long)]
        counted: bool,
        /// Run two processes instead that send 16 MB through a pipe, and so take turns on the CPU
        #[arg(long)]
        piped: bool,
        #[command(flatten)]
        repeats: Repeats,
    },
    /// Open a slot again and again; print the time until each stands ready in ns
    SlotOpens(Repeats),
    /// Install the filter of system calls again and again; print the time of each in ns
    FilterInstalls(Repeats),
    /// Read the evidence around a run that does nothing, again and again; print the time of each in ns
    EvidenceReads(Repeats),
    /// Claim, finish, append and read in stores of both kinds; print how many a second
    StoreRates,
    /// Fold contests and request their scoreboards; print the times in ms
    ContestHttp,
    /// Request each collection of a contest of 1,000 teams; print the times in ms
    ContestCollections,
    /// Let 2,000 clients wait for events; print the server's memory and how long updates take
    ContestEvents,
    /// Read the feed of a long contest by one client and by many, while submissions come; print rates and times
    ContestFeed,
    /// Import and export a contest package with 8 GB of test data; print times and the server's memory
    ContestPackage {
        /// The released program
        #[arg(long, value_name = "FILE")]
        tauto: std::path::PathBuf,
    },
    /// Kill the server that writes again and again, with another one that takes over; print how long nothing was taken
    Takeover {
        /// The released program
        #[arg(long, value_name = "FILE")]
        tauto: std::path::PathBuf,
        /// How often
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = value_parser!(u32).range(1..=1_000))]
        kills: u32,
    },
    /// Keep made-up machines on a cluster of this machine; print what the operator costs
    FleetOperator {
        /// The released program
        #[arg(long, value_name = "FILE")]
        tauto: std::path::PathBuf,
        /// How many machines
        #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = value_parser!(u32).range(2..=5_000))]
        machines: u32,
    },
    /// Schedule pods on made-up nodes with Kubernetes' own scheduler and with the plugin, by turns; print what that takes
    FleetScheduler {
        /// The released program
        #[arg(long, value_name = "FILE")]
        tauto: std::path::PathBuf,
        /// How many pods
        #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = value_parser!(u32).range(100..=10_000))]
        pods: u32,
        /// How often each
        #[arg(long, value_name = "N", default_value_t = 2, value_parser = value_parser!(u32).range(1..=20))]
        rounds: u32,
    },
    /// Serve a contest for that until the input ends
    #[command(hide = true)]
    ContestServer {
        /// Where it is
        #[arg(long, value_name = "DIR")]
        data: std::path::PathBuf,
    },
    /// Judge by a server with judgehosts, recorded and real; print what that takes
    Judging {
        /// The released program
        #[arg(long, value_name = "FILE")]
        tauto: std::path::PathBuf,
    },
    /// Rounds of times under load: print the CPU times of each program's runs in ns, a line of JSON for each round
    TimeRound(TimeRound),
}

#[derive(Args)]
struct Repeats {
    /// How often
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1_000_000))]
    count: u32,
}

fn main() -> ExitCode {
    // The launcher of a sandbox is this very binary.
    microvm::become_guest_if_asked();
    sandbox::become_launcher_if_asked();
    let outcome = match Arguments::parse().task {
        Task::Comparison(subject) => comparisons::run(subject),
        Task::Arm(arm) => measure(arm).map(|()| ExitCode::SUCCESS),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(3)
    })
}

fn measure(arm: Arm) -> anyhow::Result<()> {
    match arm {
        Arm::AuditCost { count, command } => print(&audit_cost::rounds(count, &command)?),
        Arm::NoiseSources => print(&noise_sources::cases()),
        Arm::NoiseSpeed => print(&noise_model::speed()?),
        Arm::NoiseSparse { nodes, square, iterations } => {
            print(&[noise_model::sparse(nodes, square, iterations)?])
        }
        Arm::NoiseGrid => print(&noise_grid::grid()?),
        Arm::NoiseRandom => print(&noise_random::grid()?),
        Arm::Allocate { by, repeats } => print(&allocate::decisions(by, repeats.count)),
        Arm::WarmRuns { counted, piped, repeats } => {
            let counting = if counted { Counting::KernelEvents } else { Counting::Nothing };
            print(&sandboxed::warm_runs(repeats.count, counting, piped)?)
        }
        Arm::SlotOpens(repeats) => print(&sandboxed::slot_opens(repeats.count)?),
        Arm::FilterInstalls(repeats) => print(&sandboxed::filter_installs(repeats.count)?),
        Arm::EvidenceReads(repeats) => print(&sandboxed::evidence_reads(repeats.count)?),
        Arm::Judging { tauto } => print(&judging::all(&tauto)?),
        Arm::StoreRates => print(&store_rates::rates()?),
        Arm::ContestEvents => print(&contest_events::figures()?),
        Arm::StreamHost => print(&stream_host::run()?),
        Arm::SimDay => print(&sim_fleet::day()?),
        Arm::SimDecisions => print(&sim_fleet::decisions()?),
        Arm::SimPolicies { traces } => print(&sim_fleet::policies(&traces)?),
        Arm::ContestFeed => print(&contest_feed::figures()?),
        Arm::ContestServer { data } => contest_events::serve(&data),
        Arm::ContestPackage { tauto } => print(&contest_package::figures(&tauto)?),
        Arm::Takeover { tauto, kills } => print(&takeover::measure(&tauto, kills)?),
        Arm::FleetOperator { tauto, machines } => print(&fleet_operator::measure(&tauto, machines)?),
        Arm::FleetScheduler { tauto, pods, rounds } => {
            print(&fleet_scheduler::measure(&tauto, pods, rounds)?)
        }
        Arm::ContestCollections => print(&contest_collections::times()?),
        Arm::ContestHttp => print(&contest_http::times()?),
        Arm::TimeRound(arguments) => time_round::rounds(&arguments),
    }
}

fn print<T: Serialize>(rows: &[T]) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(rows)?);
    Ok(())
}
