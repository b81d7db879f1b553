//! `tauto noise report`: one page with everything that a profile says.

mod advice;
mod changes;
mod figures;
mod page;

use super::{compare, file, found, print};
use crate::arguments::NoiseReportArguments;
use crate::failure::because;
use anyhow::Context;
use std::path::Path;
use std::process::ExitCode;

/// Writes the page and the document into a folder.
///
/// # Errors
/// When a file holds no profile, or the folder cannot be written.
pub fn run(arguments: &NoiseReportArguments, json: bool) -> anyhow::Result<ExitCode> {
    let profile = file::read(&arguments.profile)?;
    let before = arguments
        .before
        .as_deref()
        .map(|path| file::read(path).map(|profile| (path, profile)))
        .transpose()?;
    std::fs::create_dir_all(&arguments.out).with_context(|| {
        because(format!("cannot make the folder {} for the page", arguments.out.display()))
    })?;
    let found = found::of(&profile);
    let sources = found::document(&arguments.profile.display().to_string(), &profile, &found);
    let advice = sources.cpus.iter().flat_map(|cpu| advice::of(cpu.cpu, &cpu.sources));
    let mut report = api::NoiseReport {
        advice: advice.collect(),
        comparison: None,
        changed_sources: Vec::new(),
        before: None,
        sources,
    };
    report.advice.sort_by(|one, other| other.delay_per_iteration_ns.total_cmp(&one.delay_per_iteration_ns));
    if let Some((path, before)) = &before {
        let sources = found::document(&path.display().to_string(), before, &found::of(before));
        report.comparison = Some(compare::report((path, before), (&arguments.profile, &profile)));
        report.changed_sources = changes::of_sources(&sources, &report.sources);
        report.before = Some(sources);
    }
    let document = api::to_json(&report);
    let page = page::page(&report, &profile, &found);
    write(&arguments.out.join("report.html"), &page)?;
    write(&arguments.out.join("report.json"), &document)?;
    if json {
        print(&document)?;
    } else {
        print(&format!("{}\n", arguments.out.join("report.html").display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| because(format!("cannot write {}", path.display())))
}
