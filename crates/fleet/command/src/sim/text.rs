//! What a run came to, as text.

use documents::{SimMeans, SimReport, SimSummary};
use terminal::numbers::{count, percent, share};
use terminal::{Align, Cell, Colour, Style, Table, visible};

/// A figure that nothing was divided for.
const NONE: &str = "-";

/// Returns a duration in days, hours, minutes or seconds.
pub fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..120_000 => format!("{:.1} s", ms as f64 / 1e3),
        120_000..7_200_000 => format!("{:.1} min", ms as f64 / 6e4),
        7_200_000..172_800_000 => format!("{:.1} h", ms as f64 / 3.6e6),
        _ => format!("{:.1} d", ms as f64 / 8.64e7),
    }
}

/// Returns the rows of a run's figures: name, value and meaning.
pub fn figures(summary: &SimSummary) -> Vec<[String; 3]> {
    let part = |value: Option<f64>| value.map_or(NONE.to_owned(), percent);
    let fine = |value: Option<f64>| value.map_or(NONE.to_owned(), share);
    let SimMeans { utilisation, utilisation_in_use, hot, hot_in_use, requested, hosts_in_use } = summary.all;
    let moves: Vec<String> =
        summary.moves.iter().map(|(reason, number)| format!("{number} {reason}")).collect();
    let mut rows = vec![
        ["utilisation", &part(utilisation), "used CPUs / all CPUs"],
        ["utilisation in use", &part(utilisation_in_use), "used CPUs / CPUs of hosts with a job"],
        ["hot hosts", &fine(hot), "time in which jobs wanted over 80 % of a host's CPUs"],
        ["hot hosts in use", &fine(hot_in_use), "the same, of hosts with a job"],
        ["requested", &part(requested), "requested CPUs / all CPUs"],
        [
            "hosts in use",
            &hosts_in_use.map_or(NONE.to_owned(), |hosts| format!("{hosts:.1}")),
            "hosts with a job, the mean",
        ],
        ["usable", &part(summary.usable), "of free CPUs, by requests for 4 in one NUMA node"],
        ["usable when full", &part(summary.usable_when_full), "the same in hours with 85 % requested"],
        ["moves", &summary.moves.values().sum::<u64>().to_string(), &moves.join(", ")],
        ["pauses", &format!("{:.1} s", summary.pauses_s), "in which jobs stood still to move"],
        ["decisions", &count(summary.decisions as f64), "attempts to place a job"],
    ]
    .into_iter()
    .map(|row| row.map(str::to_owned))
    .collect::<Vec<_>>();
    if let Some(exceeded) = summary.peaks_exceeded {
        rows.push([
            "peaks exceeded".into(),
            percent(exceeded),
            "windows with a load above the predicted peak".into(),
        ]);
    }
    if summary.failures > 0 {
        rows.push(["failures".into(), count(summary.failures as f64), "hosts that failed".into()]);
    }
    if summary.degraded_ms > 0 {
        rows.push(["degraded".into(), duration(summary.degraded_ms), "the fallback decided".into()]);
    }
    rows
}

/// The header of [`levels`].
pub const LEVELS_HEADER: [&str; 10] =
    ["level", "jobs", "unplaced", "waiting", "running", "wait p50", "p95", "p99", "max", "short"];

/// Returns the rows of a run's levels.
pub fn levels(summary: &SimSummary) -> Vec<Vec<String>> {
    let row = |(level, fared): (&String, &documents::SimFared)| {
        let wait = |take: fn(&documents::SimWaits) -> u64| {
            fared.wait.as_ref().map_or(NONE.to_owned(), |wait| duration(take(wait)))
        };
        vec![
            level.clone(),
            count(fared.jobs as f64),
            count(fared.unplaced as f64),
            count(fared.waiting as f64),
            count(fared.running as f64),
            wait(|wait| wait.p50_ms),
            wait(|wait| wait.p95_ms),
            wait(|wait| wait.p99_ms),
            wait(|wait| wait.max_ms),
            fared.short_share.map_or(NONE.to_owned(), share),
        ]
    };
    summary.levels.iter().map(row).collect()
}

/// Returns what a run came to.
pub fn summary(report: &SimReport, colour: Colour) -> String {
    let SimReport { run, summary } = report;
    let name = run.policy.lines().find_map(|line| line.strip_prefix("policy: ")).unwrap_or("?");
    let what = visible(&format!("{} under {name}", run.trace)).replace('\n', " ");
    let mut text = format!("{what}: {}\n\n", duration(summary.length_ms));
    let mut table =
        Table::new(&[("figure", Align::Left), ("value", Align::Right), ("what it is", Align::Left)]);
    for [name, value, meaning] in figures(summary) {
        table.row([Cell::from(name), Cell::from(value), Cell::styled(Style::Faint, meaning)]);
    }
    text.push_str(&table.render(colour));
    let mut columns = LEVELS_HEADER.map(|name| (name, Align::Right));
    columns[0].1 = Align::Left;
    let mut table = Table::new(&columns);
    for row in levels(summary) {
        table.row(row.into_iter().map(Cell::from));
    }
    text.push('\n');
    text.push_str(&table.render(colour));
    text.push_str("\nshort: time in which a job got less than it wanted and had requested\n");
    text
}
