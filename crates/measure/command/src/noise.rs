//! `tauto noise`: what is taken from programs that compute, where it comes from, and what it does to many of them.

mod check;
mod compare;
mod document;
pub mod exchange;
mod exchange_tables;
mod file;
mod found;
mod measuring;
mod predict;
mod probe;
mod report;
mod sources;
pub mod store;

use crate::arguments::NoiseCommand;
use std::process::ExitCode;

pub fn run(command: &NoiseCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        NoiseCommand::Probe(arguments) => probe::run(arguments, json),
        NoiseCommand::Check(arguments) => check::run(arguments, json),
        NoiseCommand::Compare(arguments) => compare::run(arguments, json),
        NoiseCommand::Exchange(arguments) => exchange::run(arguments, json),
        NoiseCommand::Sources(arguments) => sources::run(arguments, json),
        NoiseCommand::Report(arguments) => report::run(arguments, json),
        NoiseCommand::Predict(arguments) => predict::run(arguments, json),
    }
}
