//! The commands that a contest server answers.

mod accounts;
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
use crate::client::Client;
use serde::de::DeserializeOwned;
use std::process::ExitCode;
use terminal::print;

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

/// Returns a time to the second, such as `2026-11-23 09:00:00Z`: a column has no room for more.
fn second(time: documents::contest::Time) -> String {
    let text = time.to_string();
    let seconds = text.split_once('.').map_or(text.as_str(), |(seconds, _)| seconds);
    format!("{}Z", seconds.trim_end_matches('Z').replacen('T', " ", 1))
}

/// Returns a time to the minute, such as `2026-11-23 09:00Z`.
fn minute(time: documents::contest::Time) -> String {
    let text = second(time);
    format!("{}Z", text.rsplit_once(':').map_or(text.as_str(), |(minute, _)| minute))
}

/// Returns how long ago something was, such as `3 s ago`.
fn ago(time: documents::contest::Time) -> String {
    let seconds = (control::now().0 - time.0).max(0) / 1000;
    match seconds {
        0..=119 => format!("{seconds} s ago"),
        120..=7199 => format!("{} min ago", seconds / 60),
        _ => second(time),
    }
}

/// Prints a document of the server: as it came for `--json`, else as text.
fn show<T: DeserializeOwned>(
    client: &Client,
    path: &str,
    json: bool,
    text: impl FnOnce(T) -> anyhow::Result<String>,
) -> anyhow::Result<ExitCode> {
    if json {
        print(&client.get_text(path)?)?;
    } else {
        print(&text(client.get(path)?)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a sentence, or for `--json` what the server answered.
fn done(sentence: &str, answer: &[u8], json: bool) -> anyhow::Result<ExitCode> {
    let text = match (json, answer) {
        (true, []) => "{}\n".to_owned(),
        (true, answer) => format!("{}\n", String::from_utf8_lossy(answer).trim_end()),
        (false, _) => format!("{sentence}\n"),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
