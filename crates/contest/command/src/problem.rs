//! `tauto problem`: packages from their first file to a contest.

mod add;
mod archive;
mod publish;
mod scaffold;
mod statement;

use crate::arguments::{NameArguments, OnServer, ProblemCommand, VerifyArguments};
use crate::client::Client;
use crate::contest::{self, Problems, save_of_problem};
use documents::contest::Problem;
use judging_command::arguments::JudgeArguments;
use judging_command::judge::{self, Verifying};
use std::ffi::OsString;
use std::process::ExitCode;
use terminal::failure::input;

pub use archive::{add, zip_of};

pub fn run(command: &ProblemCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        ProblemCommand::New(arguments) => scaffold::run(arguments, json),
        ProblemCommand::Verify(arguments) => verify(arguments, json),
        ProblemCommand::Add(arguments) => add::run(arguments, json),
        ProblemCommand::List(server) => list(server, json),
        ProblemCommand::Remove(arguments) => remove(arguments, json),
        ProblemCommand::Statement(arguments) => statement::run(arguments, json),
        ProblemCommand::Samples(arguments) => save_of_problem(arguments, "samples.zip", "-samples.zip", json),
        ProblemCommand::Package(arguments) => save_of_problem(arguments, "package", ".zip", json),
    }
}

fn list(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    let columns = [">label", "id", "name", "CPU limit", "tests", "statements"];
    contest::list(server, "problems", columns, json, |problem: Problem| {
        let files = problem.statement.iter().chain(&problem.statement_pages).flatten();
        let ending = |filename: &str| filename.rsplit('.').next().unwrap_or_default().to_uppercase();
        let mut statements: Vec<String> = files.map(|file| ending(&file.filename)).collect();
        statements.sort();
        statements.dedup();
        [
            problem.label,
            problem.id,
            problem.name,
            problem.time_limit.map_or("not yet known".to_owned(), |seconds| format!("{seconds} s")),
            problem.test_data_count.to_string(),
            statements.join(", "),
        ]
    })
}

fn remove(arguments: &NameArguments, json: bool) -> anyhow::Result<ExitCode> {
    let id = Problems::of(&Client::open(&arguments.server)?)?.require(&arguments.id)?.id.clone();
    contest::remove("problem", &NameArguments { id, server: arguments.server.clone() }, json)
}

fn verify(arguments: &VerifyArguments, json: bool) -> anyhow::Result<ExitCode> {
    let mut words = vec![OsString::from("--all")];
    words.extend(arguments.fast.then(|| "--quick".into()));
    words.push("--".into());
    words.push(arguments.package.clone().into());
    // All other options of the judge as they are without being named.
    let Ok(mut judge) = JudgeArguments::of(words) else {
        return Err(input(format!("{} is not a problem package", arguments.package.display())));
    };
    judge.lease.clone_from(&arguments.lease);
    judge.scores = arguments.scores;
    judge::verify_package(&judge, &arguments.package, Verifying { strict: arguments.strict }, json)
}
