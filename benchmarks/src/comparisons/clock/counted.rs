//! Runs by counted instructions.

use anyhow::{Context, Result};
use documents::{RunReport, RunStatus};
use std::path::Path;
use std::process::{Command, Stdio};
use xtask::process;

/// Runs a command in its folder; returns how it ended and its instructions.
pub fn run(tauto: &Path, folder: &Path, limit: Option<u64>, command: &[String]) -> Result<(RunStatus, u64)> {
    let limit = limit.map(|limit| ["--instructions".to_owned(), limit.to_string()]);
    // As Python's definition sets it: otherwise its hash tables are of other random numbers than elsewhere.
    let options = ["--clock", "instructions", "--env", "PYTHONHASHSEED=0"].map(str::to_owned);
    let options = options.into_iter().chain(limit.into_iter().flatten());
    let report = report(tauto, folder, &options.collect::<Vec<_>>(), None, command)?;
    let count = report.usage.instructions.with_context(|| format!("{command:?} has no count: {report:?}"))?;
    Ok((report.status, count))
}

/// Runs a command in its folder with options of `tauto run` and, maybe, a file as its input.
pub fn report(
    tauto: &Path,
    folder: &Path,
    options: &[String],
    input: Option<&Path>,
    command: &[String],
) -> Result<RunReport> {
    let output = folder.join("report.json");
    let mut tauto = Command::new(tauto);
    tauto.args(["run", "--json", "--output"]).arg(&output).args(options).arg("--").args(command);
    tauto.stdin(match input {
        Some(input) => Stdio::from(std::fs::File::open(input)?),
        None => Stdio::null(),
    });
    let told = tauto.current_dir(folder).output()?;
    let text = std::fs::read_to_string(&output)?;
    documents::from_json(&text).with_context(|| format!("{command:?}: {}", process::tail(&told.stderr)))
}
