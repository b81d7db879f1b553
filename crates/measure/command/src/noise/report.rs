//! `tauto noise report`: one page with everything that a profile says.

mod advice;
mod changes;
mod figures;
mod page;
mod scale;

use super::found::FoundCpu;
use super::{compare, file, found};
use crate::arguments::NoiseReportArguments;
use documents::{NoiseAdvice, NoiseCost, NoiseSource, NoiseSourcesReport};
use model::Reading;
use noise::Source;
use scale::Part;
use std::process::ExitCode;
use terminal::make_folder;

/// Writes the page and the document into a folder.
pub fn run(arguments: &NoiseReportArguments, json: bool) -> anyhow::Result<ExitCode> {
    let profile = file::read_as(&arguments.profile, &arguments.trace)?;
    let before = arguments
        .before
        .as_deref()
        .map(|path| file::read_as(path, &arguments.trace).map(|profile| (path, profile)))
        .transpose()?;
    make_folder(&arguments.out)?;
    let found = found::of(&profile);
    let sources = found::document(&arguments.profile.display().to_string(), &profile, &found);
    let (costs, advice) = at_scale(&sources, &found, arguments.tc.0 as f64);
    let mut report = documents::NoiseReport {
        iteration_ns: arguments.tc.0,
        costs,
        advice,
        comparison: None,
        changed_sources: Vec::new(),
        before: None,
        sources,
    };
    if let Some((path, before)) = &before {
        let sources = found::document(&path.display().to_string(), before, &found::of(before));
        report.comparison = Some(compare::report((path, before), (&arguments.profile, &profile)));
        report.changed_sources = changes::of_sources(&sources, &report.sources);
        report.before = Some(sources);
    }
    page::page(&report, &profile, &found).deliver(&arguments.out, &report, json, None)
}

/// Returns what the noise of each CPU costs, and what removing each of its sources would gain, the largest gain first.
fn at_scale(
    sources: &NoiseSourcesReport,
    found: &[FoundCpu],
    compute_ns: f64,
) -> (Vec<NoiseCost>, Vec<NoiseAdvice>) {
    let (mut costs, mut advice) = (Vec::new(), Vec::new());
    for (cpu, found) in sources.cpus.iter().zip(found) {
        let Reading::Known((found, _)) = &found.sources else { continue };
        let part = |(sources, reported): (Vec<Source>, &NoiseSource)| Part {
            sources,
            is_removable: advice::is_removable(reported),
        };
        let parts: Vec<Part> = found.parts().into_iter().zip(&cpu.sources).map(part).collect();
        costs.extend(scale::cost(cpu.cpu, compute_ns, &parts));
        advice.extend(advice::of(cpu.cpu, &cpu.sources, &parts, compute_ns));
    }
    advice.sort_by(|one, other| advice::gain_at_scale(other).total_cmp(&advice::gain_at_scale(one)));
    (costs, advice)
}
