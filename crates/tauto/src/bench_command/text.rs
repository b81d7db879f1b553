//! The result for people.

use crate::numbers::percent;
use crate::output::wire::named;
use crate::output::{Align, Cell, Colour, Style, Table, prose};
use api::{BenchComparison, BenchReport, BenchResult, BenchRun, Ratio, TimeSummary};
use model::{Bytes, Nanos};
use plot::Unit;

/// More outliers are a matter for `--each`.
const OUTLIERS_SHOWN_MAX: usize = 5;
/// More runs than this are as good as none that would do.
const OUT_OF_REACH: u64 = 100_000;
/// How wide the names before the facts are.
const NAME_WIDTH: usize = 19;

/// Letters of the commands.
pub const LETTERS: [&str; 2] = ["A", "B"];

/// Writes all of it.
pub fn report(report: &BenchReport, each: bool, colour: Colour) -> String {
    let details = &report.tautochrone;
    let mut text = String::new();
    for (at, result) in report.results.iter().enumerate() {
        let letter = if report.results.len() > 1 {
            format!("{}  ", LETTERS[at % LETTERS.len()])
        } else {
            String::new()
        };
        text.push_str(&colour.paint(Style::Strong, &format!("{letter}{}", shown(&result.command))));
        text.push('\n');
        text.push_str(&summary(result).render(colour));
        text.push_str(&facts(&series_facts(report, result)));
        if each {
            text.push('\n');
            text.push_str(&runs(&result.tautochrone.runs).render(colour));
        }
        text.push('\n');
    }
    if let Some(comparison) = &details.comparison {
        text.push_str(&prose("", 2, &colour.paint(Style::Strong, &headline(&comparison.cpu_time))));
        text.push_str(&facts(&comparison_facts(report, comparison)));
        text.push('\n');
    }
    text.push_str(&facts(&setting_facts(report)));
    text
}

/// Makes the table of times.
fn summary(result: &BenchResult) -> Table {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("mean", Align::Right),
        ("deviation", Align::Right),
        ("median", Align::Right),
        ("lowest", Align::Right),
        ("highest", Align::Right),
        ("spread", Align::Right),
        ("CV", Align::Right),
    ]);
    for (name, times) in
        [("CPU time", &result.tautochrone.cpu_time), ("wall time", &result.tautochrone.wall_time)]
    {
        table.row(summary_cells(name, times).into_iter().map(Cell::from));
    }
    table
}

/// Returns the cells of one measure: all in one unit, so that they can be compared.
pub fn summary_cells(name: &str, times: &TimeSummary) -> Vec<String> {
    let unit = Unit::fitting(Unit::TIME_NS, times.median_ns as f64);
    let time = |ns: u64| in_unit(ns, unit);
    vec![
        name.to_owned(),
        time(times.mean_ns),
        times.standard_deviation_ns.map_or_else(String::new, time),
        time(times.median_ns),
        time(times.min_ns),
        time(times.max_ns),
        time(times.spread_ns),
        times.variation.map_or_else(String::new, percent),
    ]
}

/// Lists what is to be said of one command, as names and texts.
pub fn series_facts(report: &BenchReport, result: &BenchResult) -> Vec<(&'static str, String)> {
    let series = &result.tautochrone;
    let mut facts = vec![("two lowest", two_lowest(&series.lowest, series.cpu_time.min_ns))];
    if let (Some(low), Some(high)) = (series.cpu_time.median_low_ns, series.cpu_time.median_high_ns) {
        let unit = Unit::fitting(Unit::TIME_NS, series.cpu_time.median_ns as f64);
        let range = format!("{} to {}", in_unit(low, unit), in_unit(high, unit));
        facts.push(("median within", format!("{range}, with 95 % confidence")));
    }
    let spread = series.cpu_time.spread_ns as f64 / series.cpu_time.min_ns.max(1) as f64;
    facts.push(("spread", format!("{} of the lowest", percent(spread))));
    facts.push(("made of", made_of(result)));
    facts.push(("around it", around(&series.runs)));
    facts.push(("disturbed runs", disturbed(series)));
    facts.extend(
        outliers(series)
            .into_iter()
            .enumerate()
            .map(|(at, text)| (if at == 0 { "outliers" } else { "" }, text)),
    );
    if report.results.len() == 1
        && let Some(needed) = series.runs_needed_for_1_percent
    {
        let have = series.runs.len() as u64;
        let more = match needed.saturating_sub(have) {
            0 => format!("{needed} runs of this and another command are enough"),
            _ if needed > OUT_OF_REACH => {
                format!("more than {OUT_OF_REACH} runs, which no machine stays the same for")
            }
            more => format!("about {more} more runs, and {needed} of another command"),
        };
        facts.push(("to tell 1 %", more));
    }
    if let (Some(load), Some(rate)) = (&report.tautochrone.load, series.load_work_per_second) {
        facts.push(("load did", work_rate(rate, &load.unit)));
    }
    facts
}

/// Returns what the two-lowest-agree estimate is, and whether later runs contradict it.
fn two_lowest(lowest: &api::LowestTime, lowest_of_all_ns: u64) -> String {
    let time = precise(lowest.value_ns);
    let below = 1.0 - lowest_of_all_ns as f64 / lowest.value_ns.max(1) as f64;
    match (lowest.agreed, lowest.gap) {
        (true, _) if below > lab::measure::TELLING_PART => format!(
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
        "{} involuntary and {} voluntary switches, {} interrupts, steal {}, others' CPU time {}: means of a run",
        number(mean(|run| run.usage.forced_switches)),
        number(mean(|run| run.usage.voluntary_switches)),
        number(mean(|run| run.evidence.interrupts)),
        time(mean(|run| run.evidence.steal_ns)),
        time(mean(|run| run.evidence.others_cpu_time_ns)),
    )
}

fn disturbed(series: &api::BenchSeries) -> String {
    match series.disturbed_runs {
        0 => "none seen".to_owned(),
        count => format!("{count} of {}", series.runs.len()),
    }
}

/// One line for each outlier, or one that says that there is none.
fn outliers(series: &api::BenchSeries) -> Vec<String> {
    if series.outliers.is_empty() {
        return vec!["none".to_owned()];
    }
    let mut lines: Vec<String> = series
        .outliers
        .iter()
        .take(OUTLIERS_SHOWN_MAX)
        .map(|odd| {
            let apart = odd.cpu_time_ns as f64 / series.cpu_time.median_ns.max(1) as f64 - 1.0;
            let time = precise(odd.cpu_time_ns);
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
fn causes(evidence: &api::Evidence) -> String {
    let held = evidence.guard.filter(|guard| guard.held_ns > 0).map(|guard| Nanos(guard.held_ns));
    let held = held.map(|time| format!("held for {time} while its core was shared"));
    let unusual = evidence.unusual.as_deref().unwrap_or_default();
    let all: Vec<&str> =
        evidence.disturbances.iter().chain(unusual).chain(&held).map(String::as_str).collect();
    if all.is_empty() { "none seen".to_owned() } else { all.join("; ") }
}

/// The same for an outlier.
pub fn causes_of(series: &api::BenchSeries, odd: &api::BenchOutlier) -> String {
    let run = series.runs.get((odd.run as usize).saturating_sub(1));
    run.map_or_else(|| "not known: its run is not here".to_owned(), |run| causes(&run.evidence))
}

/// Makes the table of every run.
fn runs(runs: &[BenchRun]) -> Table {
    let mut table = Table::new(&[
        ("run", Align::Right),
        ("CPU time", Align::Right),
        ("wall time", Align::Right),
        ("memory", Align::Right),
        ("involuntary", Align::Right),
        ("voluntary", Align::Right),
        ("steal", Align::Right),
        ("interrupts", Align::Right),
        ("disturbance", Align::Left),
    ]);
    for cells in run_cells(runs) {
        table.row(cells.into_iter().map(Cell::from));
    }
    table
}

/// Returns the cells of every run.
pub fn run_cells(runs: &[BenchRun]) -> Vec<Vec<String>> {
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
pub const RUN_COLUMNS: [&str; 9] = [
    "run",
    "CPU time",
    "wall time",
    "memory",
    "involuntary",
    "voluntary",
    "steal",
    "interrupts",
    "disturbance",
];
/// The columns of [`summary_cells`].
pub const SUMMARY_COLUMNS: [&str; 8] =
    ["", "mean", "deviation", "median", "lowest", "highest", "spread", "CV"];

/// Describes in one sentence how the second command compares with the first.
pub fn headline(ratio: &Ratio) -> String {
    let times = format!("B takes {:.4} times the CPU time of A", ratio.ratio);
    match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => {
            let word = match ratio.verdict.as_str() {
                "undecided" => "no difference detected",
                word => word,
            };
            format!("{times}, 95 % confidence {low:.4} to {high:.4}: {word}")
        }
        _ => format!(
            "{times}; it takes {} pairs to say how sure that is",
            stats::pairs_for_confidence(stats::USUAL_CONFIDENCE)
        ),
    }
}

/// Lists what is to be said of the comparison.
pub fn comparison_facts(report: &BenchReport, comparison: &BenchComparison) -> Vec<(&'static str, String)> {
    let wall = &comparison.wall_time;
    let between = match (wall.low, wall.high) {
        (Some(low), Some(high)) => format!(", {low:.4} to {high:.4}"),
        _ => String::new(),
    };
    let mut facts = vec![
        (
            "by chance",
            format!(
                "{} (signed ranks), {} (signs), {} (permutations), of {} pairs in turns",
                chance(comparison.cpu_time.p_value),
                chance(comparison.sign_p_value),
                chance(comparison.permutation_p_value),
                comparison.pairs
            ),
        ),
        ("wall time", format!("{:.4} times that of A{between}: {}", wall.ratio, wall.verdict)),
    ];
    if let Some(needed) = comparison.pairs_needed_for_1_percent {
        let text = match needed.saturating_sub(comparison.pairs) {
            0 => format!("{needed} pairs are enough"),
            _ if needed > OUT_OF_REACH => {
                format!("more than {OUT_OF_REACH} pairs, which no machine stays the same for")
            }
            more => format!("about {more} more pairs"),
        };
        facts.push(("to tell 1 %", text));
    }
    let rates: Vec<f64> =
        report.results.iter().filter_map(|result| result.tautochrone.load_work_per_second).collect();
    if let [first, second] = rates.as_slice() {
        facts.push(("load", format!("did {:.3} times as much during B as during A", second / first)));
    }
    facts
}

/// Lists how the benchmark was made.
pub fn setting_facts(report: &BenchReport) -> Vec<(&'static str, String)> {
    let details = &report.tautochrone;
    let done = report.results.iter().map(|result| result.tautochrone.runs.len()).min().unwrap_or(0);
    let part = if details.complete { String::new() } else { format!(" of {} wanted", details.runs_wanted) };
    let turns = if report.results.len() > 1 { " of each, in turns (A B, B A, ...)" } else { "" };
    let load = match &details.load {
        Some(load) => format!("load {} on {}", load.kind, named(&load.cpus)),
        None => "no load".to_owned(),
    };
    let warm_ups = match details.warm_ups {
        1 => "1 warm-up".to_owned(),
        count => format!("{count} warm-ups"),
    };
    let shared = if details.shared_cpus { " (shared)" } else { "" };
    let mut facts = vec![
        (
            "runs",
            format!("{done}{part}{turns} after {warm_ups}, on {}{shared}, {load}", named(&details.cpus)),
        ),
        ("machine", machine(&details.machine)),
    ];
    facts.extend(details.warnings.iter().map(|warning| ("warning", warning.clone())));
    facts
}

/// Describes the machine.
pub fn machine(machine: &api::MachineIdentity) -> String {
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

/// Writes names and texts in two columns.
pub fn facts(facts: &[(&'static str, String)]) -> String {
    facts
        .iter()
        .map(|(name, text)| prose(&format!("{name:<NAME_WIDTH$}"), NAME_WIDTH, &shown(text)))
        .collect()
}

/// Takes out what could steer a terminal.
fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Writes a time with enough digits to see a tenth of a per cent.
pub fn precise(ns: u64) -> String {
    if ns == 0 { "0 s".to_owned() } else { in_unit(ns, Unit::fitting(Unit::TIME_NS, ns as f64)) }
}

fn in_unit(ns: u64, unit: Unit) -> String {
    let decimals = match unit.name {
        "ns" => 0,
        "us" => 1,
        "ms" => 3,
        _ => 4,
    };
    format!("{:.decimals$} {}", ns as f64 / unit.size, unit.name)
}

/// Writes a chance: small ones by their power of ten.
pub fn chance(p: f64) -> String {
    if p < 0.0001 { format!("p = {p:.1e}") } else { format!("p = {p:.4}") }
}

fn work_rate(rate: f64, unit: &str) -> String {
    match unit {
        "bytes" => format!("{} in a second", Bytes(rate as u64)),
        _ => format!("{:.1} million {unit} in a second", rate / 1e6),
    }
}
