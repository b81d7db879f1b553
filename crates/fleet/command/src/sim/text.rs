//! The figures of a run.

use documents::{SimFared, SimMeans, SimReport, SimSummary, SimWaits};
use terminal::numbers::{count, percent, share};
use terminal::{Align, Cell, Report, Style, Table};

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

/// Begins a report on a run with its figures.
pub fn summary(SimReport { run, summary }: &SimReport) -> Report {
    let policy = run.policy.lines().find_map(|line| line.strip_prefix("policy: ")).unwrap_or("?");
    let mut report = Report::new(&format!("{}, simulated", run.trace));
    report.line(&format!("{} under {policy}: {}", run.trace, duration(summary.length_ms)));
    report.table("", figures(summary));
    report.table("", levels(summary));
    report.line("short: time in which a job got less than it wanted and had requested");
    report
}

fn or_dash<T>(value: Option<T>, write: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), write)
}

fn figures(summary: &SimSummary) -> Table {
    let mut table =
        Table::new(&[("figure", Align::Left), ("value", Align::Right), ("what it is", Align::Left)]);
    let mut row = |name: &str, value: String, meaning: &str| {
        table.row([name.into(), value.into(), Cell::styled(Style::Faint, meaning)]);
    };
    let SimMeans { utilisation, utilisation_in_use, hot, hot_in_use, requested, hosts_in_use } = summary.all;
    row("utilisation", or_dash(utilisation, percent), "used CPUs / all CPUs");
    row("utilisation in use", or_dash(utilisation_in_use, percent), "used CPUs / CPUs of hosts with a job");
    row("hot hosts", or_dash(hot, share), "time in which jobs wanted over 80 % of a host's CPUs");
    row("hot hosts in use", or_dash(hot_in_use, share), "the same, of hosts with a job");
    row("requested", or_dash(requested, percent), "requested CPUs / all CPUs");
    row("hosts in use", or_dash(hosts_in_use, |hosts| format!("{hosts:.1}")), "hosts with a job, the mean");
    let usable = "of free CPUs, by requests for 4 in one NUMA node";
    row("usable", or_dash(summary.usable, percent), usable);
    let when_full = "the same in hours with 85 % requested";
    row("usable when full", or_dash(summary.usable_when_full, percent), when_full);
    let reasons: Vec<String> =
        summary.moves.iter().map(|(reason, number)| format!("{number} {reason}")).collect();
    row("moves", summary.moves.values().sum::<u64>().to_string(), &reasons.join(", "));
    row("pauses", format!("{:.1} s", summary.pauses_s), "in which jobs stood still to move");
    row("decisions", count(summary.decisions as f64), "attempts to place a job");
    if let Some(exceeded) = summary.peaks_exceeded {
        row("peaks exceeded", percent(exceeded), "windows with a load above the predicted peak");
    }
    if summary.failures > 0 {
        row("failures", count(summary.failures as f64), "hosts that failed");
    }
    if summary.degraded_ms > 0 {
        row("degraded", duration(summary.degraded_ms), "time in which the fallback decided");
    }
    table
}

fn levels(summary: &SimSummary) -> Table {
    let header =
        ["level", "jobs", "unplaced", "waiting", "running", "wait p50", "p95", "p99", "max", "short"];
    let row = |(level, fared): (&String, &SimFared)| {
        let wait = |take: fn(&SimWaits) -> u64| or_dash(fared.wait.as_ref(), |wait| duration(take(wait)));
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
            or_dash(fared.short_share, share),
        ]
    };
    Table::of(&header, summary.levels.iter().map(row))
}
