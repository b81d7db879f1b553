//! `tauto bench`: a command repeatedly, or two in turns, and what their times come to.

mod commands;
mod compare;
mod document;
mod measuring;
mod pictures;
mod text;

pub use text::machine as machine_words;

#[cfg(test)]
mod tests;

use crate::arguments::BenchArguments;
use crate::failure::{Failure, because, input};
use crate::output::{Colour, print};
use crate::run_command::report::deliver;
use anyhow::Context;
use std::path::Path;
use std::process::ExitCode;

/// Does it.
///
/// # Errors
/// When the input is wrong, a command fails, or we do.
pub fn run(arguments: &BenchArguments, json: bool) -> anyhow::Result<ExitCode> {
    if let Some([first, second]) = arguments.compare.as_deref() {
        return compare::run(first, second, json);
    }
    for path in [&arguments.export_json, &arguments.svg, &arguments.html].into_iter().flatten() {
        check_writable(path)?;
    }
    let measured = measuring::measure(arguments)?;
    let Some(report) = measured.report() else {
        // Nothing was measured, so all there is to tell is why.
        return measured.error.map_or_else(|| Err(anyhow::anyhow!("there is no run to report")), Err);
    };
    let words = if json {
        api::to_json(&report)
    } else {
        text::report(&report, arguments.each, Colour::for_stdout())
    };
    // All of it is tried: no full disk and no closed pipe takes away what was measured.
    let told = print(&words).map_err(Into::into);
    let stopped = [told, write_files(arguments, &report), measured.error.map_or(Ok(()), Err)];
    Ok(match stopped.into_iter().find_map(Result::err) {
        None => ExitCode::SUCCESS,
        // Standard output has the result already, and no room for a second document.
        Some(error) => Failure::of(&error).tell(false),
    })
}

fn write_files(arguments: &BenchArguments, report: &api::BenchReport) -> anyhow::Result<()> {
    if let Some(path) = &arguments.export_json {
        deliver(&api::to_json(report), Some(path))?;
    }
    if let Some(path) = &arguments.svg {
        deliver(&pictures::strips(report), Some(path))?;
    }
    if let Some(path) = &arguments.html {
        deliver(&pictures::page(report), Some(path))?;
    }
    Ok(())
}

/// Checks before any run what would otherwise be found out after the last.
fn check_writable(path: &Path) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let kind = folder
        .metadata()
        .with_context(|| because(format!("cannot write {}: its folder cannot be opened", path.display())))?;
    if !kind.is_dir() || path.is_dir() {
        return Err(input(format!(
            "cannot write {}: it is not the name of a file in a folder",
            path.display()
        )));
    }
    Ok(())
}
