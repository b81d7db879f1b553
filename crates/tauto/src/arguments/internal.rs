//! Arguments of `tauto internal`.

use ::labs::load::LoadKind;
use clap::Subcommand;
use measure_command::arguments::{PeerArguments, ServerArguments};
use model::CpuSet;
use std::path::PathBuf;
use terminal::values::cpu_list;

/// What this program needs of itself.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum InternalCommand {
    /// Serve contests without rights; 'tauto serve' sends the settings
    ContestServer,
    /// Serve the requests of 'tauto lab throttling'
    Server(ServerArguments),
    /// Send or receive the messages of 'tauto lab affinity'
    Peer(PeerArguments),
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
