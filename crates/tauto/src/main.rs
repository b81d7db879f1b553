//! The command line.

#![forbid(unsafe_code)]

mod arguments;
mod generate;
mod internal;
mod usage;

use arguments::{Command, RunAlone};
use contest_command::{client, contest, judgehost, problem, serve, server};
use fleet_command::{fleet, policy, sim};
use host_command::{doctor, machine};
use judging_command::{image, judge, languages};
use measure_command::{bench, lab, noise, run};
use sandbox::InitProcess;
use std::process::ExitCode;
use terminal::Standard;
use terminal::failure::{Failure, Meaning};

/// Functions that know what an error means for the user.
const MEANINGS: &[Meaning] =
    &[host_command::meaning, judging_command::meaning, measure_command::meaning, contest_command::meaning];

fn main() -> ExitCode {
    // The first process of a virtual machine is this very binary, and so is the launcher: that must be decided before anything else happens.
    microvm::become_guest_if_asked();
    sandbox::become_launcher_if_asked();
    terminal::failure::know(MEANINGS);
    // Otherwise the result of a long command would be lost.
    if let Err(error) = Standard::output().check() {
        return Failure::of(&error.into()).print(false);
    }
    terminal::prose::read_columns();
    // Everything that any run needs is built while the arguments are read. If this fails, it is tried again later,
    // where the error can be reported.
    let is_run = std::env::args_os().nth(1).is_some_and(|command| command == "run");
    let init = is_run.then(InitProcess::start).and_then(Result::ok);
    let alone = if is_run { RunAlone::read() } else { None };
    if let Some(RunAlone { run, json, quiet }) = alone {
        terminal::progress::keep_quiet(quiet);
        return run::run(&run, init, json);
    }
    let arguments = match arguments::read(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => return usage::report(&error),
    };
    let json = arguments.json;
    terminal::progress::keep_quiet(arguments.quiet);
    let result = match &arguments.command {
        // Its report has a separate destination, and so have its errors.
        Command::Run(run) => return run::run(run, init, json),
        Command::Bench(bench) => bench::run(bench, json),
        Command::Lab(what) => lab::run(what, json),
        Command::Judge(judge) => judge::run(judge, json),
        Command::Problem(problem) => problem::run(problem, json),
        Command::Contest(contest) => contest::run(contest, json),
        Command::Team(command) => contest::team(command, json),
        Command::Organization(command) => contest::organization(command, json),
        Command::Person(command) => contest::person(command, json),
        Command::User(user) => contest::user(user, json),
        Command::Login(login) => client::login(login, json),
        Command::Logout(logout) => client::logout(logout, json),
        Command::Submit(submit) => contest::submit(submit, json),
        Command::Submissions(submissions) => contest::submissions(submissions, json),
        Command::Submission(submission) => contest::submission(submission, json),
        Command::Rejudge(rejudge) => contest::rejudge(rejudge, json),
        Command::Clarification(clarification) => contest::clarification(clarification, json),
        Command::Audit(audit) => contest::audit(audit, json),
        Command::Judging(judging) => contest::judging(judging, json),
        Command::Judgehost(judgehost) => judgehost::run(judgehost, json),
        Command::Languages(arguments) => {
            languages::languages(arguments.folder.as_deref()).and_then(|all| languages::run(&all, json))
        }
        Command::Image(image) => image::run(image, json),
        Command::Doctor => languages::languages(None)
            .and_then(|all| doctor::run(&languages::missing_tools(&all), all.iter().count(), json)),
        Command::Machine(machine) => machine::run(machine, json),
        Command::Noise(noise) => noise::run(noise, json),
        Command::Policy(policy) => policy::run(policy, json),
        Command::Serve(serve) => serve::run(serve),
        Command::Fleet(command) => fleet::run(command, json),
        Command::Sim(sim) => sim::run(sim, json),
        Command::Stream(stream) => stream_command::run(stream, json),
        Command::Server(server) => server::run(server, json),
        Command::Completions { shell } => generate::completions(*shell),
        Command::Man { folder } => generate::manual(folder.as_deref()),
        Command::Schema { all: Some(folder), .. } => generate::write_schemas(folder),
        Command::Schema { document: Some(name), .. } => generate::print_schema(name),
        Command::Schema { .. } => generate::list_schemas(),
        Command::Internal(what) => internal::run(what),
    };
    result.unwrap_or_else(|error| Failure::of(&error).print(json))
}
