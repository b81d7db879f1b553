//! Arguments of `tauto internal`.

use super::{PeerArguments, ServerArguments, cpu_list};
use ::lab::load::LoadKind;
use clap::{Args, Subcommand, value_parser};
use model::CpuSet;
use std::path::PathBuf;

/// What this program needs of itself, and benchmarks need of this very binary.
#[derive(Debug, Subcommand)]
pub enum InternalCommand {
    /// Run /bin/true in one slot again and again; print the wall time of each in ns as a JSON array
    WarmRuns(Repeats),
    /// Open a slot again and again; print the time until each stands ready in ns as a JSON array
    SlotOpens(Repeats),
    /// Install the filter of system calls again and again; print the time of each in ns as a JSON array
    FilterInstalls(Repeats),
    /// Serve the requests of 'tauto lab throttling'
    Server(ServerArguments),
    /// Send or receive the messages of 'tauto lab affinity'
    Peer(PeerArguments),
    /// One round of the bench of times: print the CPU times of each program's runs in ns as JSON
    TimeRound {
        /// How large the programs are
        #[arg(long)]
        quick: bool,
        /// How many rounds
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1000))]
        rounds: u32,
        /// Put loads on every CPU, and not just on all but the leased one
        #[arg(long)]
        load_everywhere: bool,
        /// After each round, also time each program by this runexec, under the same load
        #[arg(long, value_name = "FILE")]
        runexec: Option<PathBuf>,
    },
    /// Read the evidence around a run that does nothing, again and again; print the time of each in ns as a JSON array
    EvidenceReads(Repeats),
    /// Keep CPUs busy until standard input ends; answer each '?' there with the work done so far
    Load {
        /// With what
        kind: LoadKind,
        /// Which CPUs
        #[arg(long = "cpu-list", value_name = "LIST", value_parser = cpu_list)]
        cpus: CpuSet,
        /// Let each thread be on any of them
        #[arg(long)]
        floating: bool,
        /// Where to write
        #[arg(long, value_name = "DIR")]
        folder: PathBuf,
        /// Process whose end ends this one
        #[arg(long, value_name = "PID")]
        parent: u32,
    },
    /// Become a program that is asked to end when the parent ends
    Tied {
        /// Process whose end ends this one
        #[arg(long, value_name = "PID")]
        parent: u32,
        /// The program and its arguments
        #[arg(last = true, required = true, value_name = "CMD")]
        command: Vec<String>,
    },
}

/// How often a benchmark measures.
#[derive(Debug, Args)]
pub struct Repeats {
    /// How often
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1_000_000))]
    pub count: u32,
}
