//! `tauto sim`: what would happen.

mod contest;
mod right_size;

use crate::arguments::SimCommand;
use std::process::ExitCode;

/// Does what was asked.
///
/// # Errors
/// When it cannot be done at all.
pub fn run(command: &SimCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        SimCommand::Contest(arguments) => contest::contest(arguments, json),
        SimCommand::RightSize(arguments) => right_size::right_size(arguments, json),
    }
}
