//! `tauto problem`: packages from their first file to a contest.

mod add;
mod archive;
mod scaffold;

use crate::arguments::{Arguments, Command, ProblemCommand, VerifyArguments};
use crate::contest_command::{ProblemFile, save_of_problem};
use crate::failure::input;
use crate::judge_command::{self, Verifying};
use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;

pub use archive::pack;

/// Runs the command.
///
/// # Errors
/// When the input is not usable, the server refuses it, or on an internal failure.
pub fn run(command: &ProblemCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        ProblemCommand::New(arguments) => scaffold::run(arguments, json),
        ProblemCommand::Verify(arguments) => verify(arguments, json),
        ProblemCommand::Add(arguments) => add::run(arguments, json),
        ProblemCommand::Statement(arguments) => save_of_problem(ProblemFile::Statement, arguments, json),
        ProblemCommand::Samples(arguments) => save_of_problem(ProblemFile::Samples, arguments, json),
        ProblemCommand::Package(arguments) => save_of_problem(ProblemFile::Package, arguments, json),
    }
}

fn verify(arguments: &VerifyArguments, json: bool) -> anyhow::Result<ExitCode> {
    let mut words: Vec<OsString> = ["tauto", "judge", "--all"].map(OsString::from).to_vec();
    words.extend(arguments.fast.then(|| "--quick".into()));
    words.push("--".into());
    words.push(arguments.package.clone().into());
    // All other options of the judge as they are without being named.
    let Ok(Arguments { command: Command::Judge(mut judge), .. }) = Arguments::try_parse_from(words) else {
        return Err(input(format!("{} is no problem package", arguments.package.display())));
    };
    judge.lease.clone_from(&arguments.lease);
    judge_command::verify_package(&judge, &arguments.package, Verifying { strict: arguments.strict }, json)
}
