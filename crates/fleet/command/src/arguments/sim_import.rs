//! Arguments of `tauto sim import` and `generate`.

use clap::{Args, Subcommand, ValueEnum, value_parser};
use std::path::PathBuf;

/// Where traces come from. Files may be compressed by gzip.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum SimImportCommand {
    /// Nodes and pods of Alibaba's GPU cluster (openb): CPUs and memory
    Openb {
        /// The list of nodes
        #[arg(value_name = "NODES")]
        nodes: PathBuf,
        /// The list of pods
        #[arg(value_name = "PODS")]
        pods: PathBuf,
        /// Take N nodes, spread evenly over the list; all unless given
        #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
        hosts: Option<u32>,
        /// Where to.
        #[command(flatten)]
        to: SimTraceArguments,
    },
    /// CPU loads of PlanetLab's machines: days with a load each five minutes; hosts and requests are made up
    Planetlab {
        /// A file for each day, in their order, or a folder of them; or CloudSim's folder of a day, with a file for each
        /// machine, or a folder of such folders
        #[arg(value_name = "FILE", required = true)]
        days: Vec<PathBuf>,
        /// Requested CPUs as a multiple of the hosts'
        #[arg(long, value_name = "X", default_value_t = 4.0)]
        allocation: f64,
        /// The numbers of CPUs that machines request; which one follows from their names
        #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2,4,8")]
        requests: Vec<u32>,
        /// Machines arrive within N minutes after the start of a day
        #[arg(long, value_name = "N", default_value_t = 0)]
        spread_minutes: u32,
        /// The hosts.
        #[command(flatten)]
        hosts: SimHostArguments,
        /// Where to.
        #[command(flatten)]
        to: SimTraceArguments,
    },
    /// A log in the Standard Workload Format; hosts are made up
    Swf {
        /// The log
        #[arg(value_name = "LOG")]
        log: PathBuf,
        /// The service level of all jobs
        #[arg(long, value_enum, default_value_t = SimLevel::Standard)]
        level: SimLevel,
        /// The hosts.
        #[command(flatten)]
        hosts: SimHostArguments,
        /// Where to.
        #[command(flatten)]
        to: SimTraceArguments,
    },
    /// Speeds of rented machines (Azure): how much longer equal work takes, as quantiles
    ///
    /// This is no trace. --noise of the other imports gives hosts the noise of these machines.
    AzureNoise {
        /// The measurements
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

// The trace that is written.
#[derive(Debug, Args)]
pub struct SimTraceArguments {
    /// File for the trace, which is compressed by gzip
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Its name; that of the file unless given
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

// Hosts that the source does not describe.
#[derive(Debug, Args)]
pub struct SimHostArguments {
    /// How many hosts; as many as the source's jobs need unless given
    #[arg(long, value_name = "N")]
    pub hosts: Option<u32>,
    /// CPUs of a host
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub host_cpus: u32,
    /// Memory of a host
    #[arg(long, value_name = "GIB", default_value_t = 64)]
    pub host_memory_gib: u32,
    /// Measured machines from which hosts get their noise: a profile of 'tauto noise probe', or the measurements that
    /// 'import azure-noise' reads; give it again for more
    #[arg(long, value_name = "FILE")]
    pub noise: Vec<PathBuf>,
}

/// A service level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SimLevel {
    /// Whole cores of its own
    Strict,
    /// What it requests, within the pool's promise
    Standard,
    /// What is left over
    BestEffort,
}

// Options of `tauto sim generate`.
#[derive(Debug, Args)]
pub struct SimGenerateArguments {
    /// How many hosts
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = value_parser!(u32).range(1..=2_000_000))]
    pub hosts: u32,
    /// How many jobs arrive in the day
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub jobs: u64,
    /// How often the use of a job changes, its start included
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub uses: u32,
    /// How long a job runs on average, in minutes
    #[arg(long, value_name = "N", default_value_t = 120)]
    pub life_minutes: u32,
    /// The seed of the trace
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Where to.
    #[command(flatten)]
    pub to: SimTraceArguments,
}
