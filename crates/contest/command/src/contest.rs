//! The commands that a contest server answers.

mod accounts;
mod answer;
mod attach;
mod audit;
mod clarifications;
mod control;
mod export;
mod follow;
mod import;
mod judging;
mod names;
mod people;
mod rejudge;
mod saved;
mod scoreboard;
mod submission;
mod submissions;
mod submit;
mod watch;

pub use accounts::run as user;
pub use audit::run as audit;
pub use clarifications::run as clarification;
pub use judging::run as judging;
pub use names::Problems;
pub use people::{list, organization, person, remove, team};
pub use rejudge::run as rejudge;
pub use saved::{ProblemFile, of_problem as save_of_problem};
pub use submission::run as submission;
pub use submissions::run as submissions;
pub use submit::run as submit;

use crate::arguments::ContestCommand;
use std::process::ExitCode;

/// Runs `tauto contest`.
///
/// # Errors
/// When the input is not usable, the server refuses it or cannot be reached.
pub fn run(command: &ContestCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        ContestCommand::Create(arguments) => import::create(arguments, json),
        ContestCommand::Import(arguments) => import::run(arguments, json),
        ContestCommand::Export(arguments) => export::run(arguments, json),
        ContestCommand::Check(server) => control::check(server, json),
        ContestCommand::List(server) => control::list(server, json),
        ContestCommand::Start(arguments) => control::start(arguments, json),
        ContestCommand::Pause(server) => control::pause(server, json),
        ContestCommand::Resume(server) => control::resume(server, json),
        ContestCommand::Extend(arguments) => control::extend(arguments, json),
        ContestCommand::Freeze(server) => control::freeze(server, json),
        ContestCommand::Thaw(arguments) => control::thaw(arguments, json),
        ContestCommand::Finalize(arguments) => control::finalize(arguments, json),
        ContestCommand::Unfinalize(arguments) => control::unfinalize(arguments, json),
        ContestCommand::Remove(arguments) => control::remove(arguments, json),
        ContestCommand::Scoreboard(arguments) => scoreboard::run(arguments, json),
        ContestCommand::Statements(arguments) => saved::of_all("statements.pdf", arguments, json),
        ContestCommand::Samples(arguments) => saved::of_all("samples.zip", arguments, json),
        ContestCommand::Moss(arguments) => saved::moss(arguments, json),
        ContestCommand::Attach(arguments) => attach::run(arguments, json),
        ContestCommand::Follow(arguments) => follow::run(arguments, json),
        ContestCommand::Machines(server) => control::machines(server, json),
    }
}
