//! Comparisons with other tools, all of them on one machine and in turn.
//!
//! Times on a shared machine drift by the minute, so the tools take turns within each round, and a table
//! gives medians with the spread around them.

mod alloc;
mod arm;
pub mod auditing;
mod clock;
mod counts;
mod fleet;
mod host;
mod images;
mod judging;
mod machines;
pub mod noise;
mod rounds;
mod sandboxes;
mod server;
mod sim;
mod stream;
mod summary;
mod time;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

#[derive(clap::Subcommand)]
pub enum Subject {
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
    /// The allocation of CPUs of a machine of 1024, compared with a scan of ordered sets
    Alloc {
        /// How many decisions
        #[arg(long, value_name = "N", default_value_t = 20_000)]
        rounds: usize,
        /// Prints every sample as JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Whether counted instructions are the same under load, and what counting costs; exits 1 where a bar is not reached
    Clock {
        /// Only this part
        #[arg(long, value_name = "PART", value_enum)]
        part: Option<clock::Part>,
        /// How often each program runs in each way; a tenth of it for the slowdown
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        rounds: u32,
        /// Prints the figures as JSON instead of a table
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
    /// Servers that take over from each other, and fleets on Kubernetes; exits 1 where a bar is not reached
    Fleet {
        /// Only this part
        #[arg(long, value_name = "PART", value_enum)]
        part: Option<fleet::Part>,
        /// How often the server that writes is killed
        #[arg(long, value_name = "N", default_value_t = 50)]
        kills: u32,
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
    /// Runs in virtual machines, compared with containers
    Machines {
        /// How many runs of each
        #[arg(long, value_name = "N", default_value = "30")]
        rounds: usize,
        /// Prints the figures as JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Importing a toolchain image, compared with tar; exits 1 where the bar is not reached
    Images {
        /// How often each
        #[arg(long, value_name = "N", default_value = "6")]
        rounds: usize,
        /// Prints the figures as JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// How far counts of instructions of the same program are apart, in each language; exits 1 where they are further than
    /// the language's definition says
    Counts {
        /// Only these languages
        #[arg(value_name = "LANGUAGE")]
        languages: Vec<String>,
        /// How often each program runs on a quiet machine, and as often on a busy one; 4 unless given
        #[arg(long, value_name = "N")]
        rounds: Option<usize>,
        /// Prints every count as JSON instead of a table
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

pub fn run(subject: Subject) -> Result<ExitCode> {
    // What measures inside our crates is this very program.
    let arms = std::env::current_exe()?;
    let tauto = arms.with_file_name("tauto");
    // These are measured in this program alone.
    let is_alone = matches!(
        subject,
        Subject::Server {
            part: Some(
                server::Part::Store | server::Part::Http | server::Part::Collections | server::Part::Events
            ),
            ..
        } | Subject::Sim { .. }
            | Subject::Alloc { .. }
            | Subject::Audit { .. }
    );
    if !is_alone && !tauto.is_file() {
        bail!("{} is missing; build it: make release", tauto.display());
    }
    let all_reached = match subject {
        Subject::Sandbox { rounds, json } => {
            sandboxes::run(&tauto, &arms, at_least_one(rounds, "--rounds")?, json).map(|()| true)
        }
        Subject::Audit { rounds, json } => {
            auditing::run(&arms, at_least_one(rounds, "--rounds")?, json).map(|()| true)
        }
        Subject::Alloc { rounds, json } => alloc::run(&arms, at_least_one(rounds, "--rounds")?, json),
        Subject::Clock { part, rounds, json } => clock::run(&tauto, part, rounds, json),
        Subject::Noise { part, rounds, seconds, json } => {
            noise::run(&arms, &tauto, part, at_least_one(rounds, "--rounds")?, seconds, json)
        }
        Subject::Judge { rounds, cases, json } => {
            judging::run(&tauto, at_least_one(rounds, "--rounds")?, at_least_one(cases, "--cases")?, json)
                .map(|()| true)
        }
        Subject::Server { part, json } => server::run(&arms, &tauto, part, json),
        Subject::Fleet { part, kills, json } => fleet::run(&arms, &tauto, part, kills, json),
        Subject::Sim { part, traces, json } => sim::run(&arms, part, traces.as_deref(), json),
        Subject::Stream { part, json } => stream::run(&arms, &tauto, part, json),
        Subject::Machines { rounds, json } => machines::run(at_least_one(rounds, "--rounds")?, json),
        Subject::Images { rounds, json } => images::run(&tauto, at_least_one(rounds, "--rounds")?, json),
        Subject::Counts { languages, rounds, json } => {
            let rounds = rounds.map(|rounds| at_least_one(rounds, "--rounds")).transpose()?;
            counts::run(&tauto, &languages, rounds, json)
        }
        Subject::Time { reports, series, from, quick, json } => {
            let count = |given: Option<usize>, usual, in_a_hurry, option| {
                at_least_one(given.unwrap_or(if quick { in_a_hurry } else { usual }), option)
            };
            let extent = time::Extent {
                from,
                reports: u32::try_from(count(reports, 20, 6, "--reports")?)?,
                series: u32::try_from(count(series, 3, 1, "--series")?)?,
                quick,
            };
            time::run(&tauto, &arms, extent, json).map(|()| true)
        }
    }?;
    Ok(if all_reached { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn at_least_one(number: usize, option: &str) -> Result<usize> {
    if number == 0 {
        bail!("{option} 0: nothing would be measured; give 1 or more");
    }
    Ok(number)
}
