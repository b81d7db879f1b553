//! `tauto lab`: the experiments of the source articles, from start to report.

mod affinity;
mod clock;
mod noise;
mod placement;
mod setting;
mod sharing;
mod sieve;
mod stability;
mod stage;
mod throttling;

use crate::arguments::LabCommand;
use std::process::ExitCode;

pub fn run(what: &LabCommand, json: bool) -> anyhow::Result<ExitCode> {
    match what {
        LabCommand::Sieve(arguments) => sieve::run(arguments, json),
        LabCommand::Stability(arguments) => stability::run(arguments, json),
        LabCommand::Sharing(arguments) => sharing::run(arguments, json),
        LabCommand::Clock(arguments) => clock::run(arguments, json),
        LabCommand::Throttling(arguments) => throttling::run(arguments, json),
        LabCommand::Placement(arguments) => placement::run(arguments, json),
        LabCommand::Affinity(arguments) => affinity::run(arguments, json),
        LabCommand::Noise(arguments) => noise::run(arguments, json),
    }
}
