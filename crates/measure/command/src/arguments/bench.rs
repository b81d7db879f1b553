//! Arguments of `tauto bench`.

use super::SandboxArguments;
use ::bench::Metric;
use ::labs::load::LoadKind;
use clap::{ArgAction, Args, ValueEnum, value_parser};
use host_command::arguments::LeaseArguments;
use model::{CpuSet, Nanos};
use std::path::PathBuf;
use terminal::values::{cpu_list, percent, time};

/// Pairs are compared by numbers that grow with their square; a difference that needs more is negligible.
const RUNS_MAX: u32 = stats::PAIRS_MAX as u32;

pub const BENCH_EXAMPLES: &str = "\
Each run is like one of 'tauto run', in one warm sandbox on a leased CPU. By default CPU times are compared, which \
vary less with neighbours than wall-clock times; both are shown.

Exit code: 0 if every run exited 0 within its limits, or --ignore-failure was given; 1 if one did not; 2 wrong \
usage or input; 3 internal or system error.

Examples:
  tauto bench -- ./a.out
  tauto bench -n 50 --vs './b.out 7' -- ./a.out 7
  tauto bench --runs auto --vs ./b.out --vs ./c.out --sort time -- ./a.out
  tauto bench -P threads 1 8 -L size small,large --metric wall -- ./a.out {threads} {size}.txt
  tauto bench --shell --mount work:/box/w:rw --prepare 'rm -f /box/w/*' -- 'sort big.txt > /box/w/sorted'
  tauto bench --load memory --svg strip.svg --export-json here.json -- ./a.out
  tauto bench --compare here.json there.json
  tauto bench --clock instructions --fail-above 1% --vs ./new -- ./old";

const AUTOMATIC: &str = "Number of runs";
const COMMANDS: &str = "Commands";
const AROUND: &str = "Around the runs";
const FILES: &str = "Files";

// Options of `tauto bench`.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// What is compared: times, or counts that have no noise, under an emulator (qemu-user) and about ten times as slowly
    #[arg(long, value_name = "CLOCK", value_enum, default_value_t = BenchClock::Cpu)]
    pub clock: BenchClock,
    /// By counts: exit with 1 if a command, or with --compare the second file, counts this much more than what it is compared
    /// with
    #[arg(long, value_name = "PERCENT", value_parser = increase)]
    pub fail_above: Option<f64>,
    /// How often each command runs and counts, or auto: until the result is precise [default: 20; of counts 2, or 10 if
    /// these differ]
    #[arg(short = 'n', long, value_name = "N", value_parser = run_count, help_heading = AUTOMATIC)]
    pub runs: Option<RunCount>,
    /// How often each command runs before that, without counting; never where counts are compared
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(0..=i64::from(RUNS_MAX)),
          help_heading = AUTOMATIC)]
    pub warmup: u32,
    /// The least automatic number [default: 10]; this and the next three choose --runs auto
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=i64::from(RUNS_MAX)),
          help_heading = AUTOMATIC)]
    pub min_runs: Option<u32>,
    /// The largest automatic number [default: 200]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=i64::from(RUNS_MAX)),
          help_heading = AUTOMATIC)]
    pub max_runs: Option<u32>,
    /// How wide the 95 % interval of the median, or of each ratio, may be in per cent [default: 1]
    #[arg(long, value_name = "PERCENT", value_parser = percent::<100>, help_heading = AUTOMATIC)]
    pub precision: Option<f64>,
    /// How long the runs of one command may go on, once there are --min-runs [default: 1min]
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = AUTOMATIC)]
    pub max_time: Option<Nanos>,
    /// How long each run may wait, before and while it runs, for a core without SMT contention
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub patience: Option<Nanos>,
    /// Another command, quoted as for a shell; all run in turns and are compared pair by pair. May be repeated
    #[arg(long, value_name = "CMD", help_heading = COMMANDS)]
    pub vs: Vec<String>,
    /// Name of a command; repeated, in the order of the commands
    #[arg(long = "name", value_name = "NAME", help_heading = COMMANDS)]
    pub names: Vec<String>,
    /// Which command the others are compared with: its name, or its letter (A is the one after --) [default: A]
    #[arg(long, value_name = "NAME", help_heading = COMMANDS)]
    pub reference: Option<String>,
    /// How the table of several commands is sorted
    #[arg(long, value_name = "BY", value_enum, default_value_t = SortChoice::Order, help_heading = COMMANDS)]
    pub sort: SortChoice,
    /// Which time is compared, sorted by and drawn
    #[arg(long, value_name = "TIME", value_enum, default_value_t = MetricChoice::Cpu)]
    pub metric: MetricChoice,
    /// Run the commands with each number from MIN to MAX in place of {VAR}; with several parameters, all combinations
    #[arg(short = 'P', long, value_names = ["VAR", "MIN", "MAX"], num_args = 3, action = ArgAction::Append,
          allow_negative_numbers = true, help_heading = COMMANDS)]
    pub parameter_scan: Vec<String>,
    /// Distance between two numbers of --parameter-scan; once for all, or once for each
    #[arg(short = 'D', long, value_name = "D", allow_negative_numbers = true, requires = "parameter_scan",
          help_heading = COMMANDS)]
    pub parameter_step_size: Vec<String>,
    /// Run the commands with each of these values in place of {VAR}
    #[arg(short = 'L', long, value_names = ["VAR", "VALUES"], num_args = 2, action = ArgAction::Append,
          allow_hyphen_values = true, help_heading = COMMANDS)]
    pub parameter_list: Vec<String>,
    /// Run each command line by SHELL -c, and not by itself; the command after -- is then one string
    #[arg(long, value_name = "SHELL", num_args = 0..=1, require_equals = true, default_missing_value = "sh",
          help_heading = COMMANDS)]
    pub shell: Option<String>,
    /// Run this once before a command's first run; like the next three not measured, once for all or for each command
    #[arg(long, value_name = "CMD", allow_hyphen_values = true, help_heading = AROUND)]
    pub setup: Vec<String>,
    /// Run this before every run
    #[arg(long, value_name = "CMD", allow_hyphen_values = true, help_heading = AROUND)]
    pub prepare: Vec<String>,
    /// Run this after every run
    #[arg(long, value_name = "CMD", allow_hyphen_values = true, help_heading = AROUND)]
    pub conclude: Vec<String>,
    /// Run this once after a command's last run
    #[arg(long, value_name = "CMD", allow_hyphen_values = true, help_heading = AROUND)]
    pub cleanup: Vec<String>,
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
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub export_json: Option<PathBuf>,
    /// Write a table with hyperfine's columns to this file
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub export_csv: Option<PathBuf>,
    /// Write hyperfine's Markdown table to this file
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub export_markdown: Option<PathBuf>,
    /// Draw every run into this file
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub svg: Option<PathBuf>,
    /// Write a page with tables and picture to this file
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub html: Option<PathBuf>,
    /// Compare the results of two files instead, such as from two machines
    #[arg(long, value_name = "FILE", num_args = 2, help_heading = FILES,
          conflicts_with_all = ["command", "vs", "load", "export_json", "export_csv", "export_markdown", "svg", "html",
                                "input", "runs", "names", "reference", "parameter_scan", "parameter_list", "shell",
                                "setup", "prepare", "conclude", "cleanup"])]
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

/// Reads per cent, of which 0 allows no increase at all.
fn increase(text: &str) -> Result<f64, String> {
    if text.trim_end_matches('%').trim() == "0" { Ok(0.0) } else { percent::<1000>(text) }
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchClock {
    /// CPU time and wall time
    Cpu,
    /// Instructions that the command executes
    Instructions,
    /// Instructions, and misses of simulated caches, as estimated cycles
    Model,
}

/// How often a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunCount {
    /// So often.
    Fixed(u32),
    /// Until the result is precise.
    Auto,
}

/// How the table of several commands is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortChoice {
    /// In the order in which they were given
    Order,
    /// The fastest first
    Time,
}

/// Which time is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MetricChoice {
    /// User and system time
    Cpu,
    /// Wall-clock time, also of programs that wait
    Wall,
    /// One after the other
    Both,
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

fn run_count(text: &str) -> Result<RunCount, String> {
    match (text, text.parse()) {
        ("auto", _) => Ok(RunCount::Auto),
        (_, Ok(count)) if (1..=RUNS_MAX).contains(&count) => Ok(RunCount::Fixed(count)),
        _ => Err(format!("expected a number from 1 to {RUNS_MAX}, or auto")),
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

impl From<MetricChoice> for Metric {
    fn from(choice: MetricChoice) -> Self {
        match choice {
            MetricChoice::Cpu => Self::Cpu,
            MetricChoice::Wall => Self::Wall,
            MetricChoice::Both => Self::Both,
        }
    }
}
