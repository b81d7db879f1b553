//! `tauto sim`: fleets in virtual time.

mod compare;
mod explain;
mod files;
mod import;
mod report;
mod run;
mod text;

use crate::arguments::SimCommand;
use std::process::ExitCode;

/// Does what is asked.
///
/// # Errors
/// As each command says.
pub fn run(command: &SimCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        SimCommand::Import(command) => import::import(command, json),
        SimCommand::Generate(arguments) => import::make_up(arguments, json),
        SimCommand::Run(arguments) => run::run(arguments, json),
        SimCommand::Compare(arguments) => compare::run(arguments, json),
        SimCommand::Report(arguments) => report::run(arguments, json),
        SimCommand::Explain(arguments) => explain::run(arguments, json),
    }
}
