//! `tauto bench --compare`: two results side by side.

use super::comparing::interval;
use super::failed::leave_undecided;
use super::{counted, text};
use crate::bench::failed;
use anyhow::Context;
use bench::Direction;
use bench::drift::{Change, Finding, change, changed_by, find};
use documents::{
    BenchComparisonReport, BenchReport, BenchResult, ComparedFile, ComparedResult, MachineChange, Ratio,
    ReferenceRatio, ReferenceTimes,
};
use host_command::wire::named;
use model::Bytes;
use stats::{PAIRS_MAX, Sample, USUAL_CONFIDENCE};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{because, input};
use terminal::numbers::percent;
use terminal::{Align, Cell, Report, Table, print_result};

/// A result of 4096 runs of two commands has about 10 MiB.
const FILE_MAX: Bytes = Bytes::from_mib(256);
/// Decides every draw; any number does, as long as it stays the same.
const SEED: u64 = 1673;

pub fn run(first: &Path, second: &Path, fail_above: Option<f64>, json: bool) -> anyhow::Result<ExitCode> {
    let files = [(first, read_text(first)?), (second, read_text(second)?)];
    match files.each_ref().map(|(_, text)| counted::is_result(text)) {
        [true, true] => {
            return counted::compare_files(
                files.each_ref().map(|(path, text)| (*path, &**text)),
                fail_above,
                json,
            );
        }
        [false, false] if fail_above.is_some() => {
            return Err(input("--fail-above is for counts, which have no noise, and these files have times"));
        }
        [false, false] => {}
        _ => {
            return Err(input(format!(
                "of {} and {}, one has times and one has counts; they are not compared",
                first.display(),
                second.display()
            )));
        }
    }
    let [(_, of_first), (_, of_second)] = &files;
    let report = compare((first, &read(first, of_first)?), (second, &read(second, of_second)?))?;
    print_result(&report, json, report_of)?;
    Ok(ExitCode::SUCCESS)
}

fn read_text(path: &Path) -> anyhow::Result<String> {
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
    Ok(text)
}

fn read(path: &Path, text: &str) -> anyhow::Result<BenchReport> {
    let report: BenchReport = documents::from_json(text).with_context(|| {
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
    let machine_change = machine_change(first.1, second.1);
    let machine = Machine {
        change: machine_change.as_ref(),
        is_the_same: first.1.tautochrone.machine == second.1.tautochrone.machine,
    };
    let warnings =
        [first, second].into_iter().filter(|(_, report)| !has_reference(report)).map(|(path, _)| {
            format!(
                "{} has no reference times, so a difference may be the machine's: measure it again",
                path.display()
            )
        });
    Ok(BenchComparisonReport {
        first: file(first),
        second: file(second),
        differences: differences(first.1, second.1),
        results: of_first
            .iter()
            .zip(of_second)
            .map(|(first, second)| machine.compared(first, second))
            .collect(),
        warnings: warnings.collect(),
        machine_change,
    })
}

fn has_reference(report: &BenchReport) -> bool {
    report.tautochrone.reference.as_ref().is_some_and(|times| times.compute_ns.len() > 1)
}

/// Compares the fixed work of both; none where a file does not have it.
fn machine_change(first: &BenchReport, second: &BenchReport) -> Option<MachineChange> {
    let (first, second) = (first.tautochrone.reference.as_ref()?, second.tautochrone.reference.as_ref()?);
    let of = |times: fn(&ReferenceTimes) -> &Vec<u64>| {
        let numbers = |report| times(report).iter().map(|ns| *ns as f64).collect::<Vec<_>>();
        change(&numbers(first), &numbers(second))
    };
    let cpu = [of(|times| &times.compute_ns)?, of(|times| &times.cache_ns)?, of(|times| &times.memory_ns)?];
    let wall = of(|times| &times.wall_ns)?;
    let ratio = |Change { ratio, interval }| ReferenceRatio { ratio, low: interval.low, high: interval.high };
    Some(MachineChange {
        compute: ratio(cpu[0]),
        cache: ratio(cpu[1]),
        memory: ratio(cpu[2]),
        wall: ratio(wall),
        cpu_time_at_most: changed_by(&cpu)?,
        wall_time_at_most: changed_by(&[cpu[0], cpu[1], cpu[2], wall])?,
    })
}

/// What is known of the machine, or the two.
struct Machine<'a> {
    change: Option<&'a MachineChange>,
    is_the_same: bool,
}

impl Machine<'_> {
    fn compared(&self, first: &BenchResult, second: &BenchResult) -> ComparedResult {
        let cpu = |result: &BenchResult| times(result, |usage| usage.cpu_time_ns);
        let wall = |result: &BenchResult| times(result, |usage| usage.wall_time_ns);
        let cpu_changed = self.change.map(|change| change.cpu_time_at_most);
        let wall_changed = self.change.map(|change| change.wall_time_at_most);
        let mut compared = ComparedResult {
            first_command: first.command.clone(),
            second_command: second.command.clone(),
            first_median_ns: first.tautochrone.cpu_time.median_ns,
            second_median_ns: second.tautochrone.cpu_time.median_ns,
            cpu_time: self.ratio(&cpu(first), &cpu(second), cpu_changed),
            wall_time: self.ratio(&wall(first), &wall(second), wall_changed),
            cliffs_delta: stats::cliffs_delta(&cpu(first), &cpu(second)),
        };
        let ratios = [&mut compared.cpu_time, &mut compared.wall_time];
        leave_undecided([("the second", second), ("the first", first)], ratios);
        compared
    }

    /// Returns the ratio of the medians of positive times that have nothing to do with each other.
    fn ratio(&self, first: &[f64], second: &[f64], changed: Option<f64>) -> Ratio {
        let sample = |times: &[f64]| Sample::new(times.to_vec()).ok();
        let logarithms = |times: &[f64]| times.iter().map(|time| time.ln()).collect::<Vec<_>>();
        let (Some(a), Some(b)) = (sample(first), sample(second)) else {
            unreachable!("files without runs are refused");
        };
        let several = a.count() > 1 && b.count() > 1;
        let interval = several.then(|| stats::median_ratio_interval(&a, &b, USUAL_CONFIDENCE, SEED));
        let (direction, undecided_because) = match find(interval, changed) {
            Finding::Known(direction) => (direction, None),
            Finding::MachineChanged(part) => (Direction::Undecided, Some(self.changed(part))),
            Finding::NoReference => {
                (Direction::Undecided, Some("a file does not show how the machine was".to_owned()))
            }
        };
        Ratio {
            ratio: b.median() / a.median(),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            p_value: stats::permutation_of_two(&logarithms(first), &logarithms(second), SEED),
            verdict: failed::direction(direction).to_owned(),
            corrected_p_value: None,
            undecided_because,
        }
    }

    fn changed(&self, part: f64) -> String {
        let what = if self.is_the_same { "the machine changed" } else { "the machines differ" };
        format!("{what}, which may account for {}", percent(part))
    }
}

/// Returns what else is not the same, besides what was measured.
fn differences(first: &BenchReport, second: &BenchReport) -> Vec<String> {
    let (a, b) = (&first.tautochrone, &second.tautochrone);
    let load = |details: &documents::BenchDetails| match &details.load {
        Some(load) => format!("load {} on {}", load.kind, named(&load.cpus)),
        None => "no load".to_owned(),
    };
    let machine = |details: &documents::BenchDetails| text::machine(&details.machine);
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

fn times(result: &BenchResult, of: fn(&documents::Usage) -> u64) -> Vec<f64> {
    result.tautochrone.runs.iter().map(|run| of(&run.usage) as f64).collect()
}

fn report_of(report: &BenchComparisonReport) -> Report {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("first", Align::Right),
        ("second", Align::Right),
        ("ratio", Align::Right),
        ("95 % confidence", Align::Right),
        ("p", Align::Right),
        ("second is", Align::Left),
    ]);
    for result in &report.results {
        table.heading(&result.first_command);
        let medians = [result.first_median_ns, result.second_median_ns].map(text::precise);
        let none = [String::new(), String::new()];
        for (name, [first, second], ratio) in
            [("CPU time", medians, &result.cpu_time), ("wall time", none, &result.wall_time)]
        {
            let interval = interval(ratio).unwrap_or_else(|| "unknown: one run".to_owned());
            let cells =
                [first, second, format!("{:.4}", ratio.ratio), interval, text::p_value(ratio.p_value)];
            let cells = [Cell::unbroken(name)].into_iter().chain(cells.map(Cell::from));
            table.row(cells.chain([ratio.verdict.as_str().into()]));
        }
    }
    if let Some(change) = &report.machine_change {
        table.heading("reference: fixed work before each round");
        let MachineChange { compute, cache, memory, wall, .. } = change;
        let parts = [("computing", compute), ("cache", cache), ("memory", memory), ("wall time", wall)];
        for (name, ratio) in parts {
            let ReferenceRatio { ratio, low, high } = ratio;
            let cells = ["", "", &format!("{ratio:.4}"), &format!("{low:.4} to {high:.4}")];
            table.row([Cell::unbroken(name)].into_iter().chain(cells.map(Cell::from)));
        }
    }
    let mut facts = vec![
        ("first", format!("{} ({})", report.first.path, text::machine(&report.first.machine))),
        ("second", format!("{} ({})", report.second.path, text::machine(&report.second.machine))),
    ];
    facts.extend(report.differences.iter().map(|difference| ("differs", difference.clone())));
    let ratios = report.results.iter().flat_map(|result| [&result.cpu_time, &result.wall_time]);
    let reasons: BTreeSet<_> = ratios.filter_map(|ratio| ratio.undecided_because.as_ref()).collect();
    facts.extend(reasons.into_iter().map(|reason| ("undecided", reason.clone())));
    facts.extend(report.warnings.iter().map(|warning| ("warning", warning.clone())));
    let mut shown = Report::default();
    shown.table("Medians, second / first (p: permutation test)", table);
    shown.facts(facts);
    shown
}

#[cfg(test)]
mod tests;
