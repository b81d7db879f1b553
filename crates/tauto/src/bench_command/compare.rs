//! `tauto bench --compare`: two results side by side.

use super::{document, text};
use crate::failure::{because, input};
use crate::output::wire::named;
use crate::output::{Align, Cell, Colour, Style, Table, print};
use anyhow::Context;
use api::{BenchComparisonReport, BenchReport, BenchResult, ComparedFile, ComparedResult, Ratio};
use lab::measure::Direction;
use model::Bytes;
use stats::{PAIRS_MAX, Sample, USUAL_CONFIDENCE};
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

/// A result of 4096 runs of two commands has about 10 MiB.
const FILE_MAX: Bytes = Bytes::from_mib(256);
/// Decides every draw; any number does, as long as it stays the same.
const SEED: u64 = 1673;

/// Does it.
pub fn run(first: &Path, second: &Path, json: bool) -> anyhow::Result<ExitCode> {
    let report = compare((first, &read(first)?), (second, &read(second)?))?;
    let words = if json { api::to_json(&report) } else { words(&report, Colour::for_stdout()) };
    print(&words)?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> anyhow::Result<BenchReport> {
    let cannot = || because(format!("cannot read {}", path.display()));
    let file = std::fs::File::open(path).with_context(cannot)?;
    let mut text = String::new();
    file.take(FILE_MAX.0 + 1).read_to_string(&mut text).with_context(cannot)?;
    if text.len() as u64 > FILE_MAX.0 {
        return Err(input(format!(
            "{} has more than {FILE_MAX}, so it is not a result of tauto bench",
            path.display()
        )));
    }
    let report: BenchReport = api::from_json(&text).with_context(|| {
        because(format!("{} is not a result of tauto bench; make one with --export-json", path.display()))
    })?;
    if report.results.is_empty() {
        return Err(input(format!("{}: results is empty", path.display())));
    }
    for (at, result) in report.results.iter().enumerate() {
        let runs = &result.tautochrone.runs;
        if runs.len() > PAIRS_MAX {
            return Err(input(format!(
                "{}: results[{at}].tautochrone.runs has {} entries, more than {PAIRS_MAX}",
                path.display(),
                runs.len()
            )));
        }
        let timeless = runs.iter().position(|run| run.usage.cpu_time_ns == 0 || run.usage.wall_time_ns == 0);
        if runs.is_empty() {
            return Err(input(format!("{}: results[{at}].tautochrone.runs is empty", path.display())));
        }
        if let Some(run) = timeless {
            return Err(input(format!(
                "{}: a time of results[{at}].tautochrone.runs[{run}].usage is 0, which has no ratio to another",
                path.display()
            )));
        }
    }
    Ok(report)
}

fn compare(
    first: (&Path, &BenchReport),
    second: (&Path, &BenchReport),
) -> anyhow::Result<BenchComparisonReport> {
    let (of_first, of_second) = (&first.1.results, &second.1.results);
    if of_first.len() != of_second.len() {
        return Err(input(format!(
            "{} has {} results and {} has {}; they are compared in their order",
            first.0.display(),
            of_first.len(),
            second.0.display(),
            of_second.len()
        )));
    }
    let file = |(path, report): (&Path, &BenchReport)| ComparedFile {
        path: path.display().to_string(),
        machine: report.tautochrone.machine.clone(),
    };
    Ok(BenchComparisonReport {
        first: file(first),
        second: file(second),
        differences: differences(first.1, second.1),
        results: of_first.iter().zip(of_second).map(|(first, second)| compared(first, second)).collect(),
    })
}

/// Returns what else is not the same, besides what was measured.
fn differences(first: &BenchReport, second: &BenchReport) -> Vec<String> {
    let (a, b) = (&first.tautochrone, &second.tautochrone);
    let load = |details: &api::BenchDetails| match &details.load {
        Some(load) => format!("load {} on {}", load.kind, named(&load.cpus)),
        None => "no load".to_owned(),
    };
    let machine = |details: &api::BenchDetails| text::machine(&details.machine);
    let mut differences = Vec::new();
    let mut differ = |what: &str, first: String, second: String| {
        if first != second {
            differences.push(format!("{what}: {first}; {second}"));
        }
    };
    differ("machines", machine(a), machine(b));
    differ("loads", load(a), load(b));
    for (at, (one, other)) in first.results.iter().zip(&second.results).enumerate() {
        differ(&format!("commands {}", at + 1), one.command.clone(), other.command.clone());
    }
    differences
}

fn compared(first: &BenchResult, second: &BenchResult) -> ComparedResult {
    let cpu = |result: &BenchResult| times(result, |usage| usage.cpu_time_ns);
    let wall = |result: &BenchResult| times(result, |usage| usage.wall_time_ns);
    ComparedResult {
        first_command: first.command.clone(),
        second_command: second.command.clone(),
        first_median_ns: first.tautochrone.cpu_time.median_ns,
        second_median_ns: second.tautochrone.cpu_time.median_ns,
        cpu_time: ratio(&cpu(first), &cpu(second)),
        wall_time: ratio(&wall(first), &wall(second)),
        cliffs_delta: stats::cliffs_delta(&cpu(first), &cpu(second)),
    }
}

fn times(result: &BenchResult, of: fn(&api::Usage) -> u64) -> Vec<f64> {
    result.tautochrone.runs.iter().map(|run| of(&run.usage) as f64).collect()
}

/// Returns the ratio of the medians of positive times that have nothing to do with each other.
fn ratio(first: &[f64], second: &[f64]) -> Ratio {
    let sample = |times: &[f64]| Sample::new(times.to_vec()).ok();
    let logarithms = |times: &[f64]| times.iter().map(|time| time.ln()).collect::<Vec<_>>();
    let (Some(a), Some(b)) = (sample(first), sample(second)) else {
        unreachable!("files without runs are refused");
    };
    let interval = (a.count() > 1 && b.count() > 1).then(|| {
        let of_medians = |a: &mut [f64], b: &mut [f64]| stats::median_of(b) / stats::median_of(a);
        stats::bootstrap_two(&a, &b, of_medians, USUAL_CONFIDENCE, SEED)
    });
    Ratio {
        ratio: b.median() / a.median(),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        p_value: stats::permutation_of_two(&logarithms(first), &logarithms(second), SEED),
        verdict: document::direction(Direction::of(interval)).to_owned(),
    }
}

fn words(report: &BenchComparisonReport, colour: Colour) -> String {
    let mut table = Table::new(&[
        ("command", Align::Left),
        ("", Align::Left),
        ("first", Align::Right),
        ("second", Align::Right),
        ("ratio", Align::Right),
        ("95 % confidence", Align::Right),
        ("by chance", Align::Right),
        ("second is", Align::Left),
    ]);
    for result in &report.results {
        let rows = [
            (
                "CPU time",
                &result.cpu_time,
                text::precise(result.first_median_ns),
                text::precise(result.second_median_ns),
            ),
            ("wall time", &result.wall_time, String::new(), String::new()),
        ];
        for (at, (measure, ratio, first, second)) in rows.into_iter().enumerate() {
            let command = if at == 0 { result.first_command.clone() } else { String::new() };
            let between = match (ratio.low, ratio.high) {
                (Some(low), Some(high)) => format!("{low:.4} to {high:.4}"),
                _ => "unknown: one run".to_owned(),
            };
            table.row([
                Cell::unbroken(&command),
                measure.into(),
                first.into(),
                second.into(),
                format!("{:.4}", ratio.ratio).into(),
                between.into(),
                text::chance(ratio.p_value).into(),
                ratio.verdict.clone().into(),
            ]);
        }
    }
    let mut facts = vec![
        ("first", format!("{} ({})", report.first.path, text::machine(&report.first.machine))),
        ("second", format!("{} ({})", report.second.path, text::machine(&report.second.machine))),
    ];
    facts.extend(report.differences.iter().map(|difference| ("differs", difference.clone())));
    format!(
        "{}{}\n{}",
        colour.paint(Style::Strong, "Medians, second / first\n"),
        table.render(colour),
        text::facts(&facts)
    )
}
