//! The command line.

#![forbid(unsafe_code)]

mod arguments;
mod bench_command;
mod client;
mod contest_command;
mod failure;
mod generate_command;
mod internal_command;
mod interrupt;
mod judge_command;
mod judged;
mod judgehost_command;
mod lab_command;
mod machine_command;
mod machine_use;
mod noise_command;
mod numbers;
mod output;
mod policy_command;
mod problem_command;
mod run_command;
mod scratch;
mod serve_command;
mod server_command;
mod sim_command;
mod state;
mod stream_command;

mod doctor;
mod languages_command;

use arguments::{Arguments, Command, RunAlone};
use clap::Parser;
use failure::Failure;
use output::Standard;
use sandbox::InitProcess;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The launcher is this very binary; that must be decided before anything else happens.
    sandbox::become_launcher_if_asked();
    // Otherwise the result of a long command would be lost.
    if let Err(error) = Standard::output().check() {
        return Failure::of(&error.into()).tell(false);
    }
    output::prose::read_columns();
    // Everything that any run needs is built while the arguments are read. If this fails, it is tried again later,
    // where the error can be reported.
    let is_run = std::env::args_os().nth(1).is_some_and(|command| command == "run");
    let init = is_run.then(InitProcess::start).and_then(Result::ok);
    let alone = if is_run { RunAlone::read() } else { None };
    if let Some(RunAlone { run, json, quiet }) = alone {
        output::progress::keep_quiet(quiet);
        return run_command::run(&run, init, json);
    }
    let arguments = match Arguments::try_parse_from(arguments::with_mpi_spelling(std::env::args_os())) {
        Ok(arguments) => arguments,
        Err(error) => return failure::tell_usage(&error),
    };
    let json = arguments.json;
    output::progress::keep_quiet(arguments.quiet);
    let result = match &arguments.command {
        // Its report has a separate destination, and so have its errors.
        Command::Run(run) => return run_command::run(run, init, json),
        Command::Bench(bench) => bench_command::run(bench, json),
        Command::Lab(what) => lab_command::run(what, json),
        Command::Judge(judge) => judge_command::run(judge, json),
        Command::Problem(problem) => problem_command::run(problem, json),
        Command::Contest(contest) => contest_command::run(contest, json),
        Command::Team(command) => contest_command::team(command, json),
        Command::Organization(command) => contest_command::organization(command, json),
        Command::Person(command) => contest_command::person(command, json),
        Command::User(user) => contest_command::user(user, json),
        Command::Login(login) => client::login(login, json),
        Command::Logout(logout) => client::logout(logout, json),
        Command::Submit(submit) => contest_command::submit(submit, json),
        Command::Submissions(submissions) => contest_command::submissions(submissions, json),
        Command::Submission(submission) => contest_command::submission(submission, json),
        Command::Rejudge(rejudge) => contest_command::rejudge(rejudge, json),
        Command::Clarification(clarification) => contest_command::clarification(clarification, json),
        Command::Audit(audit) => contest_command::audit(audit, json),
        Command::Judging(judging) => contest_command::judging(judging, json),
        Command::Judgehost(judgehost) => judgehost_command::run(judgehost, json),
        Command::Languages(languages) => machine_use::languages(languages.folder.as_deref())
            .and_then(|all| languages_command::run(&all, json)),
        Command::Doctor => machine_use::languages(None).and_then(|all| doctor::run(&all, json)),
        Command::Machine(machine) => machine_command::run(machine, json),
        Command::Noise(noise) => noise_command::run(noise, json),
        Command::Policy(policy) => policy_command::run(policy, json),
        Command::Serve(serve) => serve_command::run(serve),
        Command::Sim(sim) => sim_command::run(sim, json),
        Command::Stream(stream) => stream_command::run(stream, json),
        Command::Server(server) => server_command::run(server, json),
        Command::Completions { shell } => generate_command::completions(*shell),
        Command::Man { folder } => generate_command::manual(folder.as_deref()),
        Command::Schema { all: Some(folder), .. } => generate_command::write_schemas(folder),
        Command::Schema { document: Some(name), .. } => generate_command::print_schema(name),
        Command::Schema { .. } => generate_command::list_schemas(),
        Command::Internal(what) => internal_command::run(what),
    };
    result.unwrap_or_else(|error| Failure::of(&error).tell(json))
}
