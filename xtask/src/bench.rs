//! Comparisons with other tools, all of them on one machine and in turn.
//!
//! Times on a shared machine drift by the minute, so the tools take turns within each round, and a table
//! gives medians with the spread around them.

mod alloc;
mod arm;
mod auditing;
mod host;
mod judging;
mod noise;
mod rounds;
mod sandboxes;
mod server;
mod sim;
mod stream;
mod summary;
mod time;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::{process, vm};

#[derive(clap::Args)]
pub struct Options {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(clap::Subcommand)]
enum Subject {
    /// The time to start /bin/true, contain it, and clean up after it
    Sandbox {
        /// How often each tool runs
        #[arg(long, value_name = "N", default_value_t = 100)]
        rounds: usize,
        /// Prints every sample as JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// What an audit costs the program that is audited, and what it takes to begin and end one
    Audit {
        /// How often each program runs
        #[arg(long, value_name = "N", default_value_t = 40)]
        rounds: usize,
        /// Prints every sample as JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// What judging costs beyond the compiler and the programs judged
    Judge {
        /// How often the package is judged
        #[arg(long, value_name = "N", default_value_t = 10)]
        rounds: usize,
        /// How many trivial test cases the package has
        #[arg(long, value_name = "N", default_value_t = 200)]
        cases: usize,
        /// Prints every sample as JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// To decide who gets which CPUs of a machine of 1024, beside a scan of ordered sets
    Alloc {
        /// How many decisions
        #[arg(long, value_name = "N", default_value_t = 20_000)]
        rounds: usize,
        /// Prints every sample as JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// How well and how fast OS noise is measured, taken apart and predicted; exits 1 where a bar is not reached
    Noise {
        /// Only this part
        #[arg(long, value_name = "PART", value_enum)]
        part: Option<noise::Part>,
        /// How often each tool measures, against oslat
        #[arg(long, value_name = "N", default_value_t = 8)]
        rounds: usize,
        /// For how long each time, against oslat
        #[arg(long, value_name = "N", default_value_t = 4)]
        seconds: u32,
        /// Prints every sample as JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// The contest server under load; exits 1 where a bar is not reached
    Server {
        /// Only this part
        #[arg(long, value_name = "PART", value_enum)]
        part: Option<server::Part>,
        /// Prints the figures as JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// The simulator of fleets: speed, memory, and policies on recorded loads; exits 1 where a bar is not reached
    Sim {
        /// Only this part
        #[arg(long, value_name = "PART", value_enum)]
        part: Option<sim::Part>,
        /// The folder with recorded traces; without it the part 'policies' is left out
        #[arg(long, value_name = "DIR")]
        traces: Option<PathBuf>,
        /// Prints the figures as JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Live stream contests: solvers, and the time to an answer; exits 1 where a bar is not reached
    Stream {
        /// Only this part
        #[arg(long, value_name = "PART", value_enum)]
        part: Option<stream::Part>,
        /// Prints every sample as JSON instead of tables
        #[arg(long)]
        json: bool,
    },
    /// Whether the same program reports the same time, under load
    Time {
        /// Times reported of each program and by each tool in a series; 20 unless given, 6 with --quick
        #[arg(long, value_name = "N")]
        reports: Option<usize>,
        /// How many series under each load; 3 unless given, 1 with --quick
        #[arg(long, value_name = "N")]
        series: Option<usize>,
        /// Make the tables of series that 'tauto-bench time-round' has printed into these files
        #[arg(long, value_name = "FILE", num_args = 1..)]
        from: Vec<PathBuf>,
        /// Smaller programs, and less of all
        #[arg(long)]
        quick: bool,
        /// Prints every sample as JSON instead of a table
        #[arg(long)]
        json: bool,
    },
}

/// Builds what measures inside our crates, as they are released, and returns where it is.
fn arms(root: &Path) -> Result<PathBuf> {
    let build = ["build", "--profile", "dist", "--quiet", "--package", "tautochrone-bench"];
    process::run(Command::new(vm::cargo()).args(build).current_dir(root))?;
    Ok(vm::target_directory(root)?.join("dist/tauto-bench"))
}

/// Runs one comparison and prints it.
///
/// # Errors
///
/// The release build is missing, or it fails at what is measured; another tool's failure is a row.
pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let tauto = vm::target_directory(root)?.join("dist/tauto");
    // These are measured in a binary of their own.
    let is_alone = matches!(
        options.subject,
        Subject::Server {
            part: Some(
                server::Part::Store | server::Part::Http | server::Part::Collections | server::Part::Events
            ),
            ..
        } | Subject::Sim { .. }
    );
    if !is_alone && !tauto.is_file() {
        bail!("{} is missing; build it: make release", tauto.display());
    }
    match options.subject {
        Subject::Sandbox { rounds, json } => {
            sandboxes::run(&tauto, &arms(root)?, at_least_one(rounds, "--rounds")?, json)
        }
        Subject::Audit { rounds, json } => {
            auditing::run(&arms(root)?, at_least_one(rounds, "--rounds")?, json)
        }
        Subject::Alloc { rounds, json } => alloc::run(&arms(root)?, at_least_one(rounds, "--rounds")?, json),
        Subject::Noise { part, rounds, seconds, json } => {
            noise::run(root, &tauto, part, at_least_one(rounds, "--rounds")?, seconds, json)
        }
        Subject::Judge { rounds, cases, json } => {
            judging::run(&tauto, at_least_one(rounds, "--rounds")?, at_least_one(cases, "--cases")?, json)
        }
        Subject::Server { part, json } => server::run(root, &tauto, part, json),
        Subject::Sim { part, ref traces, json } => sim::run(root, part, traces.as_deref(), json),
        Subject::Stream { part, json } => stream::run(root, &tauto, part, json),
        Subject::Time { reports, series, ref from, quick, json } => {
            let count = |given: Option<usize>, usual, in_a_hurry, option| {
                at_least_one(given.unwrap_or(if quick { in_a_hurry } else { usual }), option)
            };
            let extent = time::Extent {
                from: from.clone(),
                reports: u32::try_from(count(reports, 20, 6, "--reports")?)?,
                series: u32::try_from(count(series, 3, 1, "--series")?)?,
                quick,
            };
            time::run(&tauto, &arms(root)?, extent, json)
        }
    }
}

fn at_least_one(number: usize, option: &str) -> Result<usize> {
    if number == 0 {
        bail!("{option} 0: nothing would be measured; give 1 or more");
    }
    Ok(number)
}

/// A path as an argument of a command line that is kept as text.
fn argument(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A program of a Python package that `tools/install bench` puts into a directory of its own.
fn benchexec(program: &str) -> Option<PathBuf> {
    let home = std::env::var_os("HOME")?;
    let path = Path::new(&home).join(".cache/tautochrone/benchexec/bin").join(program);
    path.is_file().then_some(path)
}
