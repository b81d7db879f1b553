//! All commands in one table.

use super::comparing::{compared_with, interval, pairs_for_interval, ratio_of};
use super::text::{enough_for_1_percent, metrics, name_of, p_value, precise, summary_of};
use bench::Metric;
use documents::{BenchReport, BenchResult};
use std::collections::BTreeSet;
use terminal::numbers::percent;
use terminal::{Align, Table};

/// Two commands are compared in sentences.
const SENTENCES_MAX: usize = 2;

/// Returns whether there is a table: of many commands, or of their parameters.
pub fn is_wanted(report: &BenchReport) -> bool {
    report.results.len() > SENTENCES_MAX || report.results.iter().any(|result| !result.parameters.is_empty())
}

/// Makes the table of one of the times that were compared.
pub fn table(report: &BenchReport, metric: Metric, by_time: bool) -> Table {
    Table::from_rows(&columns(report), rows(report, metric, by_time))
}

/// Returns what stands above a table.
pub fn heading(report: &BenchReport, metric: Metric) -> String {
    let name = name_of(metric);
    match report.tautochrone.comparisons.len() {
        0 => name.to_owned(),
        1 => format!("{name} compared with {} (p: Wilcoxon signed-rank)", compared_with(report)),
        count => format!(
            "{name} compared with {} (p: Wilcoxon signed-rank, Holm-corrected for {count} comparisons; each interval by itself)",
            compared_with(report)
        ),
    }
}

/// Returns the columns of [`rows`].
fn columns(report: &BenchReport) -> Vec<(&str, Align)> {
    let mut columns = vec![("", Align::Left), ("command", Align::Left)];
    columns.extend(parameters(report).into_iter().map(|name| (name, Align::Right)));
    columns.extend(["median", "CV", "ratio", "95 % confidence", "p"].map(|name| (name, Align::Right)));
    columns.push(("is", Align::Left));
    columns
}

/// Lists the facts below the table.
pub fn facts(report: &BenchReport) -> Vec<(&'static str, String)> {
    let comparisons = &report.tautochrone.comparisons;
    let needed = |against: &&documents::BenchAgainst| against.comparison.pairs_needed_for_1_percent;
    let most = comparisons.iter().max_by_key(needed);
    let most = most.and_then(|against| {
        let text = enough_for_1_percent(needed(&against)?, against.comparison.pairs);
        Some(("pairs needed", format!("{text} (the most, of {})", against.command)))
    });
    let reasons: BTreeSet<&String> = comparisons
        .iter()
        .flat_map(|against| metrics(report).iter().map(|metric| ratio_of(against, *metric)))
        .filter_map(|ratio| ratio.undecided_because.as_ref())
        .collect();
    most.into_iter().chain(reasons.into_iter().map(|reason| ("undecided", reason.clone()))).collect()
}

/// Returns the cells of each command.
fn rows(report: &BenchReport, metric: Metric, by_time: bool) -> Vec<Vec<String>> {
    let mut results: Vec<&BenchResult> = report.results.iter().collect();
    if by_time {
        results.sort_by_key(|result| summary_of(&result.tautochrone, metric).median_ns);
    }
    results.into_iter().map(|result| row(report, result, metric)).collect()
}

fn row(report: &BenchReport, result: &BenchResult, metric: Metric) -> Vec<String> {
    let series = &result.tautochrone;
    let times = summary_of(series, metric);
    let mut cells = vec![series.letter.clone(), result.command.clone()];
    let value = |name: &&str| result.parameters.get(*name).cloned().unwrap_or_default();
    cells.extend(parameters(report).iter().map(value));
    cells.extend([precise(times.median_ns), times.variation.map_or_else(String::new, percent)]);
    let against = report.tautochrone.comparisons.iter().find(|against| against.command == series.letter);
    let Some(against) = against else {
        let is_reference = series.letter == compared_with(report) && report.results.len() > 1;
        cells.extend(is_reference.then(|| "1".to_owned()));
        return cells;
    };
    let ratio = ratio_of(against, metric);
    cells.push(format!("{:.4}", ratio.ratio));
    cells.push(interval(ratio).unwrap_or_else(|| format!("needs {} pairs", pairs_for_interval())));
    cells.push(p_value(ratio.corrected_p_value.unwrap_or(ratio.p_value)));
    cells.push(ratio.verdict.clone());
    cells
}

/// Returns the names of all parameters, unless the commands show their values.
fn parameters(report: &BenchReport) -> Vec<&str> {
    let labels: BTreeSet<&String> = report.results.iter().map(|result| &result.command).collect();
    // All commands have the same.
    let first = report.results.first().filter(|_| labels.len() < report.results.len());
    first.into_iter().flat_map(|result| result.parameters.keys().map(String::as_str)).collect()
}
