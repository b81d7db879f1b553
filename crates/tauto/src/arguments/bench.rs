//! Arguments of `tauto bench`.

use super::{LeaseArguments, SandboxArguments, cpu_list, time};
use ::lab::load::LoadKind;
use clap::{Args, ValueEnum, value_parser};
use model::{CpuSet, Nanos};
use std::path::PathBuf;

/// Pairs are compared by numbers that grow with their square; a difference that needs more is negligible.
const RUNS_MAX: u32 = stats::PAIRS_MAX as u32;

pub(super) const BENCH_EXAMPLES: &str = "\
Each run is like one of 'tauto run', in one warm sandbox on a leased CPU. The comparison uses CPU time, which \
varies less with neighbours than wall-clock time; both are shown.

Exit code: 0 if every run exited 0 within its limits, or --ignore-failure was given; 1 if one did not; 2 wrong \
usage or input; 3 internal or system error.

Examples:
  tauto bench -- ./a.out
  tauto bench -n 50 --vs './b.out 7' -- ./a.out 7
  tauto bench --load memory --svg strip.svg --export-json here.json -- ./a.out
  tauto bench --compare here.json there.json";

/// Options of `tauto bench`.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// How often each command runs and counts
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = run_count)]
    pub runs: u32,
    /// How often each command runs before that, without counting
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(0..=i64::from(RUNS_MAX)))]
    pub warmup: u32,
    /// How long each run may wait, before and while it runs, for a core without SMT contention
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub patience: Option<Nanos>,
    /// Another command, quoted as for a shell; both run in turns and are compared pair by pair
    #[arg(long, value_name = "CMD2")]
    pub vs: Option<String>,
    /// What keeps other CPUs busy meanwhile
    #[arg(long, value_name = "KIND", value_enum, default_value_t = LoadChoice::None, help_heading = "Load")]
    pub load: LoadChoice,
    /// On which CPUs: neighbours (all but those of the runs), leased (those of the runs), or a list such as 0,2-3
    #[arg(long, value_name = "CPUS", default_value = "neighbours", value_parser = load_cpus, help_heading = "Load")]
    pub load_on: LoadCpus,
    /// Where the io load writes; its file has no name and is removed afterwards
    #[arg(long, value_name = "DIR", default_value = "/var/tmp", help_heading = "Load")]
    pub load_folder: PathBuf,
    /// Give each run this file as standard input; by default it is empty
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Let the commands write to standard output and standard error; by default it is discarded
    #[arg(long)]
    pub show_output: bool,
    /// Continue when a command fails
    #[arg(long)]
    pub ignore_failure: bool,
    /// List every run
    #[arg(long)]
    pub each: bool,
    /// Write the result to this file, also during the measurement, with hyperfine's fields and more
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,
    /// Draw every run into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write a page with tables and picture to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Compare the results of two files instead, such as from two machines
    #[arg(long, value_name = "FILE", num_args = 2,
          conflicts_with_all = ["command", "vs", "load", "export_json", "svg", "html", "input"])]
    pub compare: Option<Vec<PathBuf>>,
    /// Where others have the CPUs.
    #[command(flatten)]
    pub lease: LeaseArguments,
    /// What the commands may use and see.
    #[command(flatten)]
    pub sandbox: SandboxArguments,
    /// The program and its arguments
    #[arg(last = true, required_unless_present = "compare", value_name = "CMD")]
    pub command: Vec<String>,
}

/// What keeps other CPUs busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoadChoice {
    /// Nothing
    None,
    /// Threads that compute
    Cpu,
    /// Threads that stream over memory larger than the last-level cache
    Memory,
    /// Threads that write files and sync them to disk
    Io,
}

/// Where a load runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadCpus {
    /// On all allowed CPUs but those of the runs.
    Neighbours,
    /// On those of the runs.
    Leased,
    /// On these.
    List(CpuSet),
}

fn run_count(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(0 | 1) => Err("a spread needs at least 2 runs".to_owned()),
        Ok(count) if count <= RUNS_MAX => Ok(count),
        _ => Err(format!("expected a number from 2 to {RUNS_MAX}")),
    }
}

fn load_cpus(text: &str) -> Result<LoadCpus, String> {
    match text {
        "neighbours" => Ok(LoadCpus::Neighbours),
        "leased" => Ok(LoadCpus::Leased),
        list => cpu_list(list)
            .map(LoadCpus::List)
            .map_err(|_| format!("'{list}' is neither neighbours, leased, nor a list of CPUs such as 0,2-3")),
    }
}

impl LoadChoice {
    /// Returns the kind of load, if there is to be one.
    pub fn kind(self) -> Option<LoadKind> {
        match self {
            Self::None => None,
            Self::Cpu => Some(LoadKind::Cpu),
            Self::Memory => Some(LoadKind::Memory),
            Self::Io => Some(LoadKind::Io),
        }
    }
}
