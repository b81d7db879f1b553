//! `tauto bench`: a command repeatedly, or several in turns, and statistics of their times.

mod commands;
mod compare;
mod comparing;
mod counted;
mod document;
mod export;
mod failed;
mod hooks;
mod loading;
mod measuring;
mod overview;
mod pictures;
mod text;

pub use text::machine as machine_words;

#[cfg(test)]
mod tests;

use crate::arguments::{BenchArguments, BenchClock, SortChoice};
use crate::run::report::deliver;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use terminal::failure::{Failure, because, input};
use terminal::{Colour, print};

pub fn run(arguments: &BenchArguments, json: bool) -> anyhow::Result<ExitCode> {
    if let Some([first, second]) = arguments.compare.as_deref() {
        return compare::run(first, second, arguments.fail_above, json);
    }
    let BenchArguments { export_json, export_csv, export_markdown, svg, html, .. } = arguments;
    for path in [export_json, export_csv, export_markdown, svg, html].into_iter().flatten() {
        check_writable(path)?;
    }
    if arguments.clock != BenchClock::Cpu {
        return counted::run(arguments, json);
    }
    if arguments.fail_above.is_some() {
        return Err(input("--fail-above is for counts, which have no noise; add --clock instructions"));
    }
    let measured = measuring::measure(arguments)?;
    let Some(report) = measured.report() else {
        // Nothing was measured, so the reason is the result.
        return measured.error.map_or_else(|| Err(anyhow::anyhow!("there is no run to report")), Err);
    };
    let words = if json {
        documents::to_json(&report)
    } else {
        let shown = text::TextOptions { each: arguments.each, by_time: arguments.sort == SortChoice::Time };
        text::report(&report, shown).text(Colour::for_stdout())
    };
    // All of it is tried: no full disk and no closed pipe takes away what was measured.
    let printed = print(&words).map_err(Into::into);
    let stopped = [printed, write_files(arguments, &report), measured.error.map_or(Ok(()), Err)];
    Ok(match stopped.into_iter().find_map(Result::err) {
        None => ExitCode::SUCCESS,
        // Standard output has the result already, and no room for a second document.
        Some(error) => Failure::of(&error).print(false),
    })
}

/// Writes every file, and returns the first error when all have been tried.
fn write_files(arguments: &BenchArguments, report: &documents::BenchReport) -> anyhow::Result<()> {
    type Writer = fn(&documents::BenchReport) -> String;
    let files: [(&Option<PathBuf>, Writer); 5] = [
        (&arguments.export_json, |report| documents::to_json(report)),
        (&arguments.export_csv, export::csv),
        (&arguments.export_markdown, export::markdown),
        (&arguments.svg, pictures::strips),
        (&arguments.html, |report| text::report(report, text::TextOptions::default()).page()),
    ];
    let written =
        files.into_iter().filter_map(|(path, write)| Some(deliver(&write(report), Some(path.as_ref()?))));
    written.fold(Ok(()), Result::and)
}

/// Checks before any run what would otherwise be found out after the last.
fn check_writable(path: &Path) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot = || because(format!("cannot write {}", path.display()));
    match path.metadata() {
        Ok(data) if data.is_dir() => Err(input(format!("cannot write {}: it is a folder", path.display()))),
        // A pipe or a device is written, not replaced.
        Ok(data) if !data.is_file() => Ok(()),
        _ => tempfile::tempfile_in(folder).map(drop).with_context(cannot),
    }
}
