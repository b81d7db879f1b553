//! The result as a picture and as a page.

use super::text;
use api::{BenchReport, BenchResult};
use plot::Page;
use plot::{StripPlot, StripRow, Unit};

/// Draws every run's CPU time.
pub fn strips(report: &BenchReport) -> String {
    let title = match report.results.len() {
        1 => "CPU time of each run".to_owned(),
        _ => "CPU time of each run, in turns".to_owned(),
    };
    let rows = report.results.iter().enumerate().map(|(at, result)| row(report, at, result)).collect();
    StripPlot {
        title,
        quantity: "CPU time".to_owned(),
        units: Unit::TIME_NS,
        dot: "a run",
        diamond: StripPlot::APART,
        rows,
    }
    .draw()
}

fn row(report: &BenchReport, at: usize, result: &BenchResult) -> StripRow {
    let series = &result.tautochrone;
    let letter = if report.results.len() > 1 { text::LETTERS[at % text::LETTERS.len()] } else { "" };
    let median = series.cpu_time.median_low_ns.zip(series.cpu_time.median_high_ns);
    StripRow {
        label: format!("{letter} {}", result.command).trim_start().to_owned(),
        values: series.runs.iter().map(|run| run.usage.cpu_time_ns as f64).collect(),
        odd: series.outliers.iter().map(|odd| (odd.run as usize - 1, text::causes_of(series, odd))).collect(),
        median: Some(series.cpu_time.median_ns as f64),
        median_range: median.map(|(low, high)| (low as f64, high as f64)),
    }
}

/// Writes a page with all of it.
pub fn page(report: &BenchReport) -> String {
    let title: Vec<&str> = report.results.iter().map(|result| result.command.as_str()).collect();
    let mut page = Page::new(&title.join(" against "));
    if let Some(comparison) = &report.tautochrone.comparison {
        page.paragraph(&text::headline(&comparison.cpu_time));
        page.list(&sentences(&text::comparison_facts(report, comparison)));
    }
    page.figure(&strips(report), "The CPU time of each run; point at a dot for its number.");
    for (at, result) in report.results.iter().enumerate() {
        let letter = if report.results.len() > 1 { text::LETTERS[at % text::LETTERS.len()] } else { "" };
        page.heading(format!("{letter} {}", result.command).trim_start());
        let series = &result.tautochrone;
        let rows = [
            text::summary_cells("CPU time", &series.cpu_time),
            text::summary_cells("wall time", &series.wall_time),
        ];
        page.table(&text::SUMMARY_COLUMNS, &rows);
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
