//! Runs ordinary and hostile programs, each of which must get its case's verdict.
//!
//! Without arguments the whole suite runs on this machine, and afterwards nothing of it may be left. `build-core` and
//! `run-core` run the part that needs only a kernel in a virtual machine, where CPUs are also switched off and the
//! machine's settings are changed and restored.

#![forbid(unsafe_code)]

mod audited;
mod case;
mod core_suite;
mod ends;
mod guarded;
mod leftovers;
mod noise_suite;
mod number_channel;
mod own_cpus;
mod own_tools;
mod pod;
mod quiet_cpus;
mod run_after_run;
mod settings_suite;
mod shared;
mod suite;
mod table;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Runs the conformance suite; needs root")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Run only cases whose name contains one of these.
    #[arg(long)]
    only: Vec<String>,
    /// Run the groups of cases that hold by counted instructions, too, that way.
    #[arg(long)]
    counted: bool,
    /// Write the table as JSON to this file, too.
    #[arg(long, global = true)]
    json: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Compiles the core programs statically into a folder.
    BuildCore {
        /// The folder; it is made.
        folder: PathBuf,
    },
    /// Runs the core programs, each in a virtual machine of its own.
    RunCoreInMachines,
    /// Runs what build-core made.
    RunCore { folder: PathBuf },
    /// Runs some of what build-core made in a group as a pod's, with the CPUs of a core.
    RunInPod { folder: PathBuf, group: PathBuf, cpus: model::CpuSet },
    /// Measures what a run can signal to the next by inode numbers.
    MeasureNumbers,
    /// Runs a program with a guard, and is killed in the middle.
    HoldUntilKilled { program: PathBuf },
    /// Makes a CPU quiet, and is killed meanwhile.
    BeQuietUntilKilled,
    /// Changes settings as `tauto machine tune` does, and is killed in the middle.
    TuneUntilKilled {
        /// How many files are written before.
        writes: usize,
        /// The folder of the record.
        state: PathBuf,
    },
}

fn main() -> Result<ExitCode> {
    microvm::become_guest_if_asked();
    sandbox::become_launcher_if_asked();
    let arguments = Arguments::parse();
    let rows = match arguments.command {
        Some(Command::BuildCore { folder }) => {
            core_suite::build(&folder)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(Command::RunCore { folder }) => {
            let mut rows = core_suite::run(&folder)?;
            rows.extend(pod::run(&folder)?);
            rows.extend(noise_suite::run());
            rows.extend(settings_suite::run()?);
            rows
        }
        Some(Command::RunCoreInMachines) => core_suite::run_in_machines(&arguments.only)?,
        Some(Command::RunInPod { folder, group, cpus }) => pod::run_inside(&folder, &group, &cpus)?,
        Some(Command::MeasureNumbers) => {
            number_channel::measure(&case::suite_folder())?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(Command::HoldUntilKilled { program }) => {
            guarded::hold_until_killed(&program)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(Command::BeQuietUntilKilled) => {
            quiet_cpus::be_quiet_until_killed()?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(Command::TuneUntilKilled { writes, state }) => {
            settings_suite::tune_until_killed(writes, &state)?;
            return Ok(ExitCode::SUCCESS);
        }
        None => suite::run(&arguments.only, arguments.counted)?,
    };
    if let Some(path) = arguments.json {
        std::fs::write(&path, serde_json::to_string_pretty(&rows)?)?;
    }
    Ok(table::conclude(&rows))
}
