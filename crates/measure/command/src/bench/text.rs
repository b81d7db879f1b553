//! The result for people.

mod words;
use super::commands::quoted;
use super::comparing::{comparison_facts, headline};
use super::{overview, pictures};
use bench::Metric;
use documents::{BenchReport, BenchResult, BenchRun, TimeSummary};
use host_command::wire::named;
use model::{Bytes, Nanos};
use plot::Unit;
use terminal::numbers::percent;
use terminal::{Align, Report, Table};
use words::in_unit;
pub use words::{counted, enough_for_1_percent, metrics, name_of, p_value, precise, summary_of, waiting};

/// The absence of evidence; there may have been a disturbance all the same.
const NONE_SEEN: &str = "none seen";
/// More outliers are a matter for `--each`.
const OUTLIERS_SHOWN_MAX: usize = 5;
/// More commands than these are shown in a table alone, unless every run is listed.
const DESCRIBED_MAX: usize = 2;

#[derive(Clone, Copy, Debug, Default)]
pub struct TextOptions {
    /// Whether every run is listed.
    pub each: bool,
    /// Whether the fastest command stands first.
    pub by_time: bool,
}

/// Returns the heading of a command: its letter where there are several, and what it is.
pub fn title(report: &BenchReport, result: &BenchResult) -> String {
    let series = &result.tautochrone;
    let letter = if report.results.len() > 1 { format!("{}  ", series.letter) } else { String::new() };
    let line = match (&series.name, &report.tautochrone.shell, series.argv.last()) {
        (None, _, _) => String::new(),
        (Some(_), Some(_), Some(line)) => format!(": {line}"),
        (Some(_), _, _) => format!(": {}", quoted(&series.argv)),
    };
    format!("{letter}{}{line}", result.command)
}

/// Makes the report: the conclusion first, then each command.
pub fn report(bench: &BenchReport, options: TextOptions) -> Report {
    let title: Vec<&str> = bench.results.iter().map(|result| result.command.as_str()).collect();
    let mut report = Report::new(&title.join(" against "));
    if let [against] = bench.tautochrone.comparisons.as_slice() {
        for metric in metrics(bench) {
            report.statement(&headline(bench, against, *metric));
        }
        report.facts(comparison_facts(bench, against));
    }
    if overview::is_wanted(bench) {
        for metric in metrics(bench) {
            report.section(&overview::heading(bench, *metric));
            report.table("", overview::table(bench, *metric, options.by_time));
        }
        report.facts(overview::facts(bench));
    }
    let what = if let [metric] = metrics(bench) { name_of(*metric) } else { "time" };
    let caption = format!("The {what} of each run; point at a dot for its number.");
    report.figure("runs", pictures::strips(bench), &caption);
    for result in &bench.results {
        if bench.results.len() <= DESCRIBED_MAX || options.each {
            describe(&mut report, bench, result, options.each);
        } else {
            report.on_page(|report| describe(report, bench, result, true));
        }
    }
    report.heading("How it was measured");
    report.facts(setting_facts(bench));
    report
}

fn describe(report: &mut Report, bench: &BenchReport, result: &BenchResult, each: bool) {
    let series = &result.tautochrone;
    report.section(&title(bench, result));
    report.table("", Table::of(&SUMMARY_COLUMNS, summary_rows(series)));
    report.facts(series_facts(bench, result));
    let runs = Table::from_rows(&RUN_COLUMNS, run_cells(&series.runs));
    if each {
        report.table("", runs);
    } else {
        report.detail_table(runs);
    }
}

/// The columns of [`summary_rows`].
const SUMMARY_COLUMNS: [&str; 7] = ["", "mean", "deviation", "median", "lowest", "highest", "CV"];

/// Returns a row for each time.
fn summary_rows(series: &documents::BenchSeries) -> [Vec<String>; 2] {
    [Metric::Cpu, Metric::Wall].map(|metric| summary_cells(name_of(metric), summary_of(series, metric)))
}

/// Returns the cells of one measure: all in one unit, so that they can be compared.
fn summary_cells(name: &str, times: &TimeSummary) -> Vec<String> {
    let unit = Unit::fitting(Unit::TIME_NS, times.median_ns as f64);
    let time = |ns: u64| in_unit(ns, unit);
    vec![
        name.to_owned(),
        time(times.mean_ns),
        times.standard_deviation_ns.map_or_else(String::new, time),
        time(times.median_ns),
        time(times.min_ns),
        time(times.max_ns),
        times.variation.map_or_else(String::new, percent),
    ]
}

/// Lists the facts of one command, as names and texts.
fn series_facts(report: &BenchReport, result: &BenchResult) -> Vec<(&'static str, String)> {
    let series = &result.tautochrone;
    let compared = summary_of(series, metrics(report)[0]);
    let mut facts = vec![("two lowest", two_lowest(&series.lowest, compared.min_ns))];
    if let (Some(low), Some(high)) = (compared.median_low_ns, compared.median_high_ns) {
        let unit = Unit::fitting(Unit::TIME_NS, compared.median_ns as f64);
        let range = format!("{} to {}", in_unit(low, unit), in_unit(high, unit));
        facts.push(("median within", format!("{range}, with 95 % confidence")));
    }
    let spread = compared.spread_ns as f64 / compared.min_ns.max(1) as f64;
    facts.push(("spread", format!("{}, {} of the lowest", precise(compared.spread_ns), percent(spread))));
    facts.push(("made of", made_of(result)));
    facts.push(("around it", around(&series.runs)));
    facts.extend(counted(series).map(|counts| ("counted", format!("{counts}: medians of the runs"))));
    facts.push(("disturbed runs", disturbed(series)));
    facts.extend(
        outliers(series, metrics(report)[0])
            .into_iter()
            .enumerate()
            .map(|(at, text)| (if at == 0 { "outliers" } else { "" }, text)),
    );
    if report.results.len() == 1
        && let Some(needed) = series.runs_needed_for_1_percent
    {
        let text = enough_for_1_percent(needed, series.runs.len() as u64);
        facts.push(("runs needed", format!("{text}, of this and another command")));
    }
    if let (Some(load), Some(rate)) = (&report.tautochrone.load, series.load_work_per_second) {
        facts.push(("load did", work_rate(rate, &load.unit)));
    }
    facts
}

/// Returns what the two-lowest-agree estimate is, and whether later runs contradict it.
fn two_lowest(lowest: &documents::LowestTime, lowest_of_all_ns: u64) -> String {
    let time = precise(lowest.value_ns);
    let below = 1.0 - lowest_of_all_ns as f64 / lowest.value_ns.max(1) as f64;
    match (lowest.agreed, lowest.gap) {
        (true, _) if below > bench::TELLING_PART => format!(
            "{time} after {} runs, which agreed within 1 %; but a later run was {} lower: the machine is too noisy",
            lowest.runs,
            percent(below)
        ),
        (true, _) => format!("{time}: after {} runs the two lowest agree within 1 %", lowest.runs),
        (false, Some(gap)) => {
            format!(
                "{time} is the lowest of {} runs, but the second is {} above it",
                lowest.runs,
                percent(gap)
            )
        }
        (false, None) => format!("{time} is the only one"),
    }
}

/// What the CPU time is made of, and what memory it took.
fn made_of(result: &BenchResult) -> String {
    let time = |seconds: Option<f64>| {
        seconds.map_or_else(|| "unknown".to_owned(), |seconds| precise((seconds * 1e9).round() as u64))
    };
    let peaks: Option<Vec<u64>> =
        result.tautochrone.runs.iter().map(|run| run.usage.memory_peak_bytes).collect();
    let memory = match peaks.as_deref().and_then(|peaks| peaks.iter().max()) {
        Some(peak) => format!("{} of memory at most", Bytes(*peak)),
        None => "memory unknown".to_owned(),
    };
    format!("user {}, system {}; {memory}", time(result.user), time(result.system))
}

/// What the runs saw, per run.
fn around(runs: &[BenchRun]) -> String {
    let count = runs.len().max(1) as f64;
    let mean = |of: fn(&BenchRun) -> Option<u64>| {
        let values: Option<Vec<u64>> = runs.iter().map(of).collect();
        values.map(|values| values.iter().sum::<u64>() as f64 / count)
    };
    let number =
        |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |value| format!("{value:.1}"));
    let time =
        |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |ns| precise(ns.round() as u64));
    format!(
        "{} involuntary and {} voluntary context switches, {} interrupts, steal {}, others' CPU time {}: means of a run",
        number(mean(|run| run.usage.forced_switches)),
        number(mean(|run| run.usage.voluntary_switches)),
        number(mean(|run| run.evidence.interrupts)),
        time(mean(|run| run.evidence.steal_ns)),
        time(mean(|run| run.evidence.others_cpu_time_ns)),
    )
}

fn disturbed(series: &documents::BenchSeries) -> String {
    match series.disturbed_runs {
        0 => NONE_SEEN.to_owned(),
        count => format!("{count} of {}", series.runs.len()),
    }
}

/// One line for each outlier, or one that says that there is none.
fn outliers(series: &documents::BenchSeries, metric: Metric) -> Vec<String> {
    if series.outliers.is_empty() {
        return vec!["none".to_owned()];
    }
    let mut lines: Vec<String> = series
        .outliers
        .iter()
        .take(OUTLIERS_SHOWN_MAX)
        .map(|odd| {
            let time_ns = if metric == Metric::Wall { odd.wall_time_ns } else { odd.cpu_time_ns };
            let apart = time_ns as f64 / summary_of(series, metric).median_ns.max(1) as f64 - 1.0;
            let time = precise(time_ns);
            format!(
                "run {}, {time} ({apart:+.1$} %): {2}",
                odd.run,
                1,
                causes_of(series, odd),
                apart = apart * 100.0
            )
        })
        .collect();
    if series.outliers.len() > OUTLIERS_SHOWN_MAX {
        lines.push(format!("and {} more", series.outliers.len() - OUTLIERS_SHOWN_MAX));
    }
    lines
}

/// Describes what disturbed a run, what is else than usual on this machine, and how long a guard held it; what was not seen may
/// have been there all the same.
fn causes(evidence: &documents::Evidence) -> String {
    let held = evidence.guard.filter(|guard| guard.held_ns > 0).map(|guard| Nanos(guard.held_ns));
    let held = held.map(|time| format!("held for {time} while its core was shared"));
    let unusual = evidence.unusual.as_deref().unwrap_or_default();
    let all: Vec<&str> =
        evidence.disturbances.iter().chain(unusual).chain(&held).map(String::as_str).collect();
    if all.is_empty() { NONE_SEEN.to_owned() } else { all.join("; ") }
}

pub fn causes_of(series: &documents::BenchSeries, odd: &documents::BenchOutlier) -> String {
    let run = series.runs.get((odd.run as usize).saturating_sub(1));
    let causes = run.map_or_else(|| "not known: its run is not here".to_owned(), |run| causes(&run.evidence));
    if causes == NONE_SEEN { "no disturbance seen".to_owned() } else { causes }
}

fn run_cells(runs: &[BenchRun]) -> Vec<Vec<String>> {
    let known = |value: Option<u64>, text: fn(u64) -> String| value.map_or_else(|| "?".to_owned(), text);
    let unit = |of: fn(&BenchRun) -> u64| {
        Unit::fitting(Unit::TIME_NS, runs.iter().map(of).max().unwrap_or(0) as f64)
    };
    let (cpu, wall) = (unit(|run| run.usage.cpu_time_ns), unit(|run| run.usage.wall_time_ns));
    runs.iter()
        .enumerate()
        .map(|(at, run)| {
            vec![
                (at + 1).to_string(),
                in_unit(run.usage.cpu_time_ns, cpu),
                in_unit(run.usage.wall_time_ns, wall),
                known(run.usage.memory_peak_bytes, |bytes| Bytes(bytes).to_string()),
                known(run.usage.forced_switches, |count| count.to_string()),
                known(run.usage.voluntary_switches, |count| count.to_string()),
                known(run.evidence.steal_ns, |ns| Nanos(ns).to_string()),
                known(run.evidence.interrupts, |count| count.to_string()),
                causes(&run.evidence),
            ]
        })
        .collect()
}

/// The columns of [`run_cells`].
const RUN_COLUMNS: [(&str, Align); 9] = [
    ("run", Align::Right),
    ("CPU time", Align::Right),
    ("wall time", Align::Right),
    ("memory", Align::Right),
    ("involuntary", Align::Right),
    ("voluntary", Align::Right),
    ("steal", Align::Right),
    ("interrupts", Align::Right),
    ("disturbance", Align::Left),
];

/// Lists how the benchmark was made.
fn setting_facts(report: &BenchReport) -> Vec<(&'static str, String)> {
    let details = &report.tautochrone;
    let done = report.results.iter().map(|result| result.tautochrone.runs.len()).min().unwrap_or(0);
    let part = if details.complete { String::new() } else { format!(" of {} wanted", details.runs_wanted) };
    let load = match &details.load {
        Some(load) => format!("load {} on {}", load.kind, named(&load.cpus)),
        None => "no load".to_owned(),
    };
    let warm_ups = match details.warm_ups {
        1 => "1 warm-up".to_owned(),
        count => format!("{count} warm-ups"),
    };
    let shared = if details.shared_cpus { " (shared)" } else { "" };
    let mut facts = vec![(
        "runs",
        format!(
            "{done}{part}{} after {warm_ups}, on {}{shared}, {load}",
            turns(report),
            named(&details.cpus)
        ),
    )];
    facts.extend(details.stop.as_ref().and_then(|stop| Some(("enough because", enough(stop)?))));
    facts.extend(details.reference.as_ref().and_then(|times| Some(("reference", reference(times)?))));
    facts.push(("machine", machine(&details.machine)));
    facts.extend(waiting(report).map(|hint| ("hint", hint)));
    facts.extend(details.warnings.iter().map(|warning| ("warning", warning.clone())));
    facts
}

fn turns(report: &BenchReport) -> String {
    let letters: Vec<&str> = report.results.iter().map(|result| result.tautochrone.letter.as_str()).collect();
    match letters.as_slice() {
        [] | [_] => String::new(),
        [first, second] => format!(" of each, in turns ({first} {second}, {second} {first}, ...)"),
        [first, .., last] => format!(" of each, in turns ({first} to {last}, {last} to {first}, ...)"),
    }
}

/// Returns why there were enough runs.
fn enough(stop: &documents::BenchStop) -> Option<String> {
    let interval = format!("95 % interval of {} %", stop.precision * 100.0);
    Some(match stop.reason.as_deref()? {
        "precise" => format!("the two lowest agree, and there is a {interval} or less"),
        "max_runs" => {
            format!("{} runs are the most, without a {interval} (--max-runs, --precision)", stop.max_runs)
        }
        _ => format!("{} are over, without a {interval} (--max-time, --precision)", Nanos(stop.max_time_ns)),
    })
}

/// Describes what a fixed amount of work took between the rounds.
fn reference(times: &documents::ReferenceTimes) -> Option<String> {
    let part = |times: &[u64]| {
        let sample = stats::Sample::new(times.iter().map(|ns| *ns as f64).collect()).ok()?;
        let spread = sample.variation().map_or_else(String::new, |part| format!(" (CV {})", percent(part)));
        Some(format!("{}{spread}", precise(sample.median().round() as u64)))
    };
    let [compute, cache, memory] =
        [&times.compute_ns, &times.cache_ns, &times.memory_ns].map(|times| part(times));
    Some(format!(
        "fixed work before each round: {} computing, {} in the cache, {} waiting for memory",
        compute?, cache?, memory?
    ))
}

/// Describes the machine.
pub fn machine(machine: &documents::MachineIdentity) -> String {
    let known = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
    format!(
        "{}, {} cores, {}, kernel {}, hypervisor {}",
        known(machine.cpu_model.clone()),
        known(machine.core_count.map(|count| count.to_string())),
        known(machine.memory_bytes.map(|bytes| Bytes(bytes).to_string())),
        known(machine.kernel.clone()),
        known(machine.hypervisor.clone()),
    )
}

fn work_rate(rate: f64, unit: &str) -> String {
    match unit {
        "bytes" => format!("{} in a second", Bytes(rate as u64)),
        _ => format!("{:.1} million {unit} in a second", rate / 1e6),
    }
}
