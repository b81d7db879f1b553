//! What is saved in a file: statements, samples, packages, sources.

use super::names::Problems;
use crate::arguments::{MossArguments, ProblemFileArguments, SavedArguments};
use crate::client::{Client, segment};
use crate::output::report;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Saves what a problem has at a path, such as `samples.zip`, by default in a file of its id and an ending.
pub fn of_problem(
    arguments: &ProblemFileArguments,
    what: &str,
    ending: &str,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.saved.server)?;
    let id = Problems::of(&client)?.require(&arguments.problem)?.id.clone();
    let path = client.in_contest(&format!("problems/{}/{what}", segment(&id)))?;
    save(&client, &path, arguments.saved.out.as_deref(), &format!("{id}{ending}"), json)
}

/// Saves a file of all problems: `statements.pdf` or `samples.zip`.
pub fn of_all(what: &str, arguments: &SavedArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let name = format!("{}-{what}", client.contest()?);
    save(&client, &client.in_contest(what)?, arguments.out.as_deref(), &name, json)
}

/// Saves sources for a search for copies.
pub fn moss(arguments: &MossArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.saved.server)?;
    let mut query = vec![format!("which={}", if arguments.all { "all" } else { "last" })];
    query.extend(arguments.solved.then(|| "solved=true".to_owned()));
    if let Some(problem) = &arguments.problem {
        let problems = Problems::of(&client)?;
        query.push(format!("problem_id={}", segment(&problems.require(problem)?.id)));
    }
    let path = client.in_contest(&format!("moss.zip?{}", query.join("&")))?;
    let name = format!("{}-sources.zip", client.contest()?);
    save(&client, &path, arguments.saved.out.as_deref(), &name, json)
}

/// Saves what the server has at a path, and prints where.
pub fn save(
    client: &Client,
    path: &str,
    out: Option<&Path>,
    name: &str,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let out = out.map_or_else(|| PathBuf::from(name), Path::to_owned);
    let bytes = client.download(path, &out)?;
    let text = format!("wrote {}: {bytes} bytes", out.display());
    report(&json!({ "path": out, "bytes": bytes }), &text, json)
}
