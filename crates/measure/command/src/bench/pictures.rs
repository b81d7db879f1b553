//! The result as a picture and as a page.

use super::{comparing, overview, text};
use bench::Metric;
use documents::{BenchReport, BenchResult};
use plot::{Page, StripPlot, StripRow, Unit};

/// Draws every run, a row for each command and each time that was compared.
pub fn strips(report: &BenchReport) -> String {
    let metrics = text::metrics(report);
    let quantity = if let [metric] = metrics { text::name_of(*metric) } else { "time" };
    let turns = if report.results.len() == 1 { "" } else { ", in turns" };
    let rows =
        metrics.iter().flat_map(|metric| report.results.iter().map(|result| row(report, result, *metric)));
    StripPlot {
        title: format!(
            "{} of each run{turns}",
            metrics.iter().map(|metric| text::name_of(*metric)).collect::<Vec<_>>().join(" and ")
        ),
        quantity: quantity.to_owned(),
        units: Unit::TIME_NS,
        dot: "a run",
        diamond: StripPlot::APART,
        rows: rows.collect(),
    }
    .draw()
}

fn row(report: &BenchReport, result: &BenchResult, metric: Metric) -> StripRow {
    let series = &result.tautochrone;
    let times = text::summary_of(series, metric);
    let time = |run: &documents::BenchRun| match metric {
        Metric::Wall => run.usage.wall_time_ns as f64,
        Metric::Cpu | Metric::Both => run.usage.cpu_time_ns as f64,
    };
    let metrics = text::metrics(report);
    let of = if metrics.len() > 1 { format!(", {}", text::name_of(metric)) } else { String::new() };
    let is_compared = metric == metrics[0];
    let odd = series.outliers.iter().filter(|_| is_compared);
    StripRow {
        label: format!("{}{of}", text::title(report, result)),
        values: series.runs.iter().map(time).collect(),
        odd: odd.map(|odd| (odd.run as usize - 1, text::causes_of(series, odd))).collect(),
        median: Some(times.median_ns as f64),
        median_range: times
            .median_low_ns
            .zip(times.median_high_ns)
            .map(|(low, high)| (low as f64, high as f64)),
    }
}

/// Writes a page with all of it.
pub fn page(report: &BenchReport) -> String {
    let title: Vec<&str> = report.results.iter().map(|result| result.command.as_str()).collect();
    let mut page = Page::new(&title.join(" against "));
    if let [against] = report.tautochrone.comparisons.as_slice() {
        for metric in text::metrics(report) {
            page.paragraph(&comparing::headline(report, against, *metric));
        }
        page.list(&sentences(&comparing::comparison_facts(report, against)));
    }
    if overview::is_wanted(report) {
        let columns: Vec<&str> = overview::columns(report).into_iter().map(|(name, _)| name).collect();
        for metric in text::metrics(report) {
            page.paragraph(&overview::heading(report, *metric));
            page.table_with_words(&columns, &[1, columns.len() - 1], &overview::rows(report, *metric, false));
        }
        page.list(&sentences(&overview::facts(report)));
    }
    let what = if let [metric] = text::metrics(report) { text::name_of(*metric) } else { "time" };
    page.figure(&strips(report), &format!("The {what} of each run; point at a dot for its number."));
    for result in &report.results {
        page.heading(&text::title(report, result));
        let series = &result.tautochrone;
        page.table(&text::SUMMARY_COLUMNS, &text::summary_rows(series));
        page.list(&sentences(&text::series_facts(report, result)));
        page.table(&text::RUN_COLUMNS, &text::run_cells(&series.runs));
    }
    page.heading("How it was measured");
    page.list(&sentences(&text::setting_facts(report)));
    page.finish()
}

fn sentences(facts: &[(&'static str, String)]) -> Vec<String> {
    let sentence = |(name, text): &(&str, String)| {
        if name.is_empty() { text.clone() } else { format!("{name}: {text}") }
    };
    facts.iter().map(sentence).collect()
}
