//! `tauto sim`: fleets and contests in virtual time, and the CPUs that services need.

mod compare;
mod contest;
mod days;
pub mod explain;
mod files;
mod import;
mod report;
mod right_size;
mod run;
mod text;

use crate::arguments::SimCommand;
use std::process::ExitCode;
use terminal::print;

pub fn run(command: &SimCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        SimCommand::Import(command) => import::import(command, json),
        SimCommand::Generate(arguments) => import::make_up(arguments, json),
        SimCommand::Run(arguments) => run::run(arguments, json),
        SimCommand::Compare(arguments) => compare::run(arguments, json),
        SimCommand::Report(arguments) => report::run(arguments, json),
        SimCommand::Explain(arguments) => explain::run(arguments, json),
        SimCommand::Vectors { seed } => {
            print(&documents::to_json(&simulator::vectors::built_in(*seed)))?;
            Ok(ExitCode::SUCCESS)
        }
        SimCommand::Contest(arguments) => contest::contest(arguments, json),
        SimCommand::RightSize(arguments) => right_size::right_size(arguments, json),
    }
}
