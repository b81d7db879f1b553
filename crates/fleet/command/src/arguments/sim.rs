//! Arguments of `tauto sim`.

use super::sim_contest::{CONTEST_EXAMPLES, RIGHT_SIZE_EXAMPLES, SimContestArguments, SimRightSizeArguments};
use super::{SimGenerateArguments, SimImportCommand};
use clap::{Args, Subcommand, value_parser};
use std::path::PathBuf;
use std::time::Duration;

const RUN_EXAMPLES: &str = "\
The same trace, policy, options and seed give the same bytes. The trace is read while the run goes on, so it may be larger than memory.

Policies are 'first-fit', 'spread', 'pack', 'best-fit', 'dot-product', 'load-aware', or a file ('tauto policy check' explains one).

Exit code: 0 done, 2 wrong usage or input, 3 internal or system error.

Examples:
  tauto sim run cluster.trace --policy load-aware -o load-aware.sim
  tauto sim run cluster.trace --policy mine.yaml --until 1d --stale 10m --failures 5
  tauto sim run long.trace --policy pack -o long.sim --checkpoint long.checkpoint";

const COMPARE_EXAMPLES: &str = "\
Runs of one trace with different seeds are not a sample: what could have been different are the jobs. So groups of jobs (all of a service are in one group), \
and days where each stands for itself, are drawn again with replacement, and every policy runs on each draw. The interval of a \
difference is that of its values on the draws (95 %), and p is corrected for the number of figures.

Examples:
  tauto sim compare cluster.trace --policy spread --policy load-aware
  tauto sim compare cluster.trace --policy a.yaml --policy b.yaml --seeds 50 --json";

const REPORT_EXAMPLES: &str = "\
Examples:
  tauto sim report load-aware.sim
  tauto sim report load-aware.sim --html load-aware.html";

const EXPLAIN_EXAMPLES: &str = "\
A run's file does not contain the reasons: the run is repeated up to the job, with the options that are in the file.

Examples:
  tauto sim explain load-aware.sim --job openb-pod-0017
  tauto sim explain load-aware.sim --job web-3 --trace moved/cluster.trace";

const IMPORT_EXAMPLES: &str = "\
Examples:
  tauto sim import openb nodes.csv pods.csv -o openb.trace
  tauto sim import planetlab 20110303.csv 20110322.csv --hosts 300 -o planetlab.trace
  tauto sim import swf LCG.swf.gz --level best-effort -o lcg.trace
  tauto sim import azure-noise noise.csv";

/// What to do with simulations.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum SimCommand {
    /// Make a trace from a recording
    #[command(subcommand, after_help = IMPORT_EXAMPLES)]
    Import(SimImportCommand),
    /// Make up a trace of a day, to try things on
    Generate(SimGenerateArguments),
    /// Run a trace under a policy
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<SimRunArguments>),
    /// Compare policies on a trace: which is better, by how much, how sure
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(SimCompareArguments),
    /// Show the result of a run, also as a page with pictures
    #[command(after_help = REPORT_EXAMPLES)]
    Report(SimReportArguments),
    /// Explain why a job was placed where it was
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(SimExplainArguments),
    /// Print decisions with all their inputs, against which other implementations can be checked
    Vectors {
        /// The seed of the decisions
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
    },
    /// Simulate a contest: how long verdicts take, which are wrong, and how many judgehosts it needs
    #[command(after_help = CONTEST_EXAMPLES)]
    Contest(SimContestArguments),
    /// Find how many CPUs a service needs under a quota and in a cpuset
    #[command(after_help = RIGHT_SIZE_EXAMPLES)]
    RightSize(SimRightSizeArguments),
}

// What a run depends on, in addition to trace and policy.
#[derive(Debug, Args)]
pub struct SimOptionArguments {
    /// How long one decision takes; jobs wait for the one before
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "0s")]
    pub decision_time: Duration,
    /// How old the observations are that the scheduler sees
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "0s")]
    pub stale: Duration,
    /// When observations are lost, as in 2h-3h; can be given several times
    #[arg(long, value_name = "FROM-UNTIL", value_parser = span)]
    pub outage: Vec<(Duration, Duration)>,
    /// How many of a thousand hosts fail in a day, in addition to those of the trace
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parser!(u32).range(0..=1_000_000))]
    pub failures: u32,
    /// How long such a failed host is away
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "30m")]
    pub repair: Duration,
    /// When to end, such as 1d; by default when every job that ends has ended
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub until: Option<Duration>,
}

// Options of `tauto sim run`.
#[derive(Debug, Args)]
pub struct SimRunArguments {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The policy: the name of a built-in one, or a file, as in mine.yaml or mine.yaml:evening
    #[arg(long, value_name = "POLICY", default_value = "load-aware")]
    pub policy: String,
    /// Decides which hosts fail
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How the run goes.
    #[command(flatten)]
    pub options: SimOptionArguments,
    /// File for the run: figures of each minute, jobs and moves
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The time between two lines of figures in it
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "1m")]
    pub sample: Duration,
    /// File for the state of the run, from which it resumes if it was stopped; it is removed at the end
    #[arg(long, value_name = "FILE", requires = "output")]
    pub checkpoint: Option<PathBuf>,
    /// The simulated time between two checkpoints
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "6h", requires = "checkpoint")]
    pub checkpoint_every: Duration,
}

// Options of `tauto sim compare`.
#[derive(Debug, Args)]
pub struct SimCompareArguments {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The policies; all others are compared with the first
    #[arg(long = "policy", value_name = "POLICY", required = true)]
    pub policies: Vec<String>,
    /// How often the trace is drawn again
    #[arg(long = "seeds", value_name = "N", default_value_t = 20, value_parser = value_parser!(u32).range(5..=1000))]
    pub replicates: u32,
    /// How many groups the jobs are in
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = value_parser!(u32).range(2..=1000))]
    pub groups: u32,
    /// The seed of the draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How the runs go.
    #[command(flatten)]
    pub options: SimOptionArguments,
}

// Options of `tauto sim report`.
#[derive(Debug, Args)]
pub struct SimReportArguments {
    /// The run's file
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// File for a page with pictures
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

// Options of `tauto sim explain`.
#[derive(Debug, Args)]
pub struct SimExplainArguments {
    /// The run's file
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The job
    #[arg(long, value_name = "NAME")]
    pub job: String,
    /// The trace, if it was moved after the run
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
}

/// Reads a span such as `2h-3h`.
fn span(text: &str) -> Result<(Duration, Duration), String> {
    let (from, until) = text.split_once('-').ok_or("expected two times, as in 2h-3h")?;
    let time = |text: &str| humantime::parse_duration(text).map_err(|error| error.to_string());
    let (from, until) = (time(from)?, time(until)?);
    if from < until { Ok((from, until)) } else { Err("the second time is not after the first".to_owned()) }
}
