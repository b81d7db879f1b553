//! The result as a picture.

use super::text;
use bench::Metric;
use documents::{BenchReport, BenchResult};
use plot::{StripPlot, StripRow, Unit};

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
