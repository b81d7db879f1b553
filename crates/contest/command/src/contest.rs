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
mod operation;
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
pub use saved::of_problem as save_of_problem;
pub use submission::run as submission;
pub use submissions::run as submissions;
pub use submit::run as submit;

use crate::arguments::{AtArguments, ContestCommand, FinalizeArguments, NameArguments};
use crate::client::segment;
use documents::contest::Finalize;
use operation::Operation;
use serde_json::json;
use std::process::ExitCode;

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
        ContestCommand::Freeze(server) => Operation::post("freeze", "the board is frozen").run(server, json),
        ContestCommand::Thaw(AtArguments { at: None, server }) => {
            Operation::post("thaw", "the board is thawed").run(server, json)
        }
        ContestCommand::Thaw(AtArguments { at: Some(at), server }) => {
            let thaw = json!({ "scoreboard_thaw_time": at.to_string() });
            control::change(server, thaw, format!("the board thaws at {}", control::with_local(*at)), json)
        }
        ContestCommand::Finalize(FinalizeArguments { extra_bronze, comment, server }) => {
            let body = Finalize { extra_bronze: *extra_bronze, comment: comment.clone() };
            Operation::post("finalize", "the result is final").with(&body).run(server, json)
        }
        ContestCommand::Unfinalize(arguments) => {
            let operation = Operation::post("unfinalize", "the result is open again");
            operation.with(&json!({ "reason": arguments.reason })).run(&arguments.server, json)
        }
        ContestCommand::Remove(NameArguments { id, server }) => {
            let path = format!("/contests/{}", segment(id));
            Operation::delete(path, format!("contest {id} is removed")).run(server, json)
        }
        ContestCommand::Scoreboard(arguments) => scoreboard::run(arguments, json),
        ContestCommand::Statements(arguments) => saved::of_all("statements.pdf", arguments, json),
        ContestCommand::Samples(arguments) => saved::of_all("samples.zip", arguments, json),
        ContestCommand::Moss(arguments) => saved::moss(arguments, json),
        ContestCommand::Attach(arguments) => attach::run(arguments, json),
        ContestCommand::Follow(arguments) => follow::run(arguments, json),
        ContestCommand::Machines(server) => control::machines(server, json),
    }
}
