//! Words for figures.

use crate::bench::comparing::compared_with;
use bench::Metric;
use documents::{BenchAgainst, BenchReport, Ratio, TimeSummary};
use model::HardwareCounts;
use plot::Unit;

/// Wall times that differ by more than this do so by more than the scheduling of other programs.
const WAITING_PART: f64 = 0.1;

/// More runs than this are as good as none that would do.
pub const OUT_OF_REACH: u64 = 100_000;

/// Returns the times that are shown, the first one first: those that are compared, and wall times where CPU times hide a
/// difference.
pub fn metrics(report: &BenchReport) -> &'static [Metric] {
    match report.tautochrone.metric.as_str() {
        "wall" => Metric::Wall.parts(),
        "cpu" if waiting(report).is_none() => Metric::Cpu.parts(),
        _ => Metric::Both.parts(),
    }
}

/// Returns one of a command's times.
pub fn summary_of(series: &documents::BenchSeries, metric: Metric) -> &TimeSummary {
    if metric == Metric::Wall { &series.wall_time } else { &series.cpu_time }
}

/// Returns what a time is called.
pub fn name_of(metric: Metric) -> &'static str {
    if metric == Metric::Wall { "wall time" } else { "CPU time" }
}

/// Returns what the processor's counters saw of a command's runs.
pub fn counted(series: &documents::BenchSeries) -> Option<HardwareCounts> {
    let counts = series.runs.iter().map(|run| run.evidence.hardware.map(HardwareCounts::from));
    HardwareCounts::medians(&counts.collect::<Option<Vec<_>>>()?)
}

/// Writes a time with enough digits to see a tenth of a per cent.
pub fn precise(ns: u64) -> String {
    if ns == 0 { "0 s".to_owned() } else { in_unit(ns, Unit::fitting(Unit::TIME_NS, ns as f64)) }
}

pub(super) fn in_unit(ns: u64, unit: Unit) -> String {
    let decimals = match unit.name {
        "ns" => 0,
        "us" => 1,
        "ms" => 3,
        _ => 4,
    };
    format!("{:.decimals$} {}", ns as f64 / unit.size, unit.name)
}

/// Writes a p-value: small ones by their power of ten.
pub fn p_value(p: f64) -> String {
    if p < 0.0001 { format!("{p:.1e}") } else { format!("{p:.4}") }
}

/// Describes whether this many runs or pairs detect a difference of 1 %.
pub fn enough_for_1_percent(needed: u64, have: u64) -> String {
    match needed.saturating_sub(have) {
        0 => format!("{needed} for 1 % at power 0.8: enough"),
        _ if needed > OUT_OF_REACH => {
            format!("more than {OUT_OF_REACH} for 1 % at power 0.8: not practical")
        }
        more => format!("{needed} for 1 % at power 0.8: {more} more than there are"),
    }
}

/// Returns a sentence if only wall times differ, where CPU times are compared: commands that wait.
pub fn waiting(report: &BenchReport) -> Option<String> {
    let differs = |ratio: &Ratio| match (ratio.low, ratio.high) {
        (Some(low), _) if low > 1.0 + WAITING_PART => Some(true),
        (_, Some(high)) if high < 1.0 - WAITING_PART => Some(false),
        _ => None,
    };
    let hidden = |against: &&BenchAgainst| {
        let wall = differs(&against.comparison.wall_time);
        wall.is_some() && differs(&against.comparison.cpu_time) != wall
    };
    let commands: Vec<&str> = report
        .tautochrone
        .comparisons
        .iter()
        .filter(hidden)
        .map(|against| against.command.as_str())
        .collect();
    (report.tautochrone.metric == Metric::Cpu.word() && !commands.is_empty()).then(|| {
        format!(
            "CPU times do not show by how much {} and {} differ: --metric wall compares wall times",
            commands.join(", "),
            compared_with(report)
        )
    })
}
