//! The tables of a probe.

use super::super::document::weaker;
use super::missing;
use model::{Nanos, Reading};
use noise::{GapSummary, KernelCounts, NodeLoad, Profile, QuantumSummary};
use std::path::Path;
use terminal::numbers::{fine_time, share, slower};
use terminal::{Align, Cell, Report, Style, Table};

/// Makes the report; `file` is where the profile is written, `kept` the folder of the baseline.
pub fn report_of(profile: &Profile, file: Option<&Path>, kept: Option<&Path>) -> Report {
    let machine = &profile.machine;
    let load = match profile.load {
        NodeLoad::OneCpu => "one CPU measured at a time",
        NodeLoad::AllCpus => "all CPUs measured at the same time",
    };
    let what = format!(
        "{}, kernel {}, {load}; the counter runs at {:.6} MHz",
        machine.processor,
        machine.kernel,
        profile.rate.0 / 1e6
    );
    let mut report = Report::default();
    report.line(&what);
    report.table("What was taken from a loop that reads the clock", detours(profile));
    if let Some(calls) = calls(profile) {
        report.table("Calls of a function that always counts as far", calls);
    }
    report.cautions(missing(profile).collect());
    report.cautions(weaker(&profile.weaknesses));
    if let Some(folder) = kept {
        report.line(&format!("kept as the baseline of this machine in {}", folder.display()));
    }
    report.line(&match file {
        Some(file) => format!("next: tauto noise sources {}", file.display()),
        None => {
            "next: give -o FILE.noise to keep the profile; then 'tauto noise sources FILE.noise'".to_owned()
        }
    });
    report
}

fn detours(profile: &Profile) -> Table {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("CPU", right),
        ("watched", right),
        ("turn", right),
        ("detours/s", right),
        ("of 1 us/s", right),
        ("taken", right),
        ("p50", right),
        ("p99", right),
        ("longest", right),
    ]);
    for cpu in &profile.cpus {
        let Reading::Known(gaps) = &cpu.gaps else { continue };
        let summary = GapSummary::of(gaps, profile.rate);
        let of = |value: fn(&noise::Lengths) -> f64| {
            Cell::from(summary.lengths.as_ref().map_or("-".to_owned(), |lengths| fine_time(value(lengths))))
        };
        let counted = summary.counted as f64 * 1e9 / summary.watched_ns.max(1.0);
        table.row([
            cpu.cpu.to_string().into(),
            fine_time(summary.watched_ns).into(),
            fine_time(summary.turn_ns).into(),
            format!("{:.1}", summary.rate_hz()).into(),
            format!("{counted:.1}").into(),
            Cell::styled(Style::Strong, share(summary.share())),
            of(|lengths| lengths.p50_ns),
            of(|lengths| lengths.p99_ns),
            of(|lengths| lengths.max_ns),
        ]);
        table.note(Some(Style::Faint), &counted_by_kernel(&gaps.counts));
    }
    table
}

/// Returns what the kernel has counted meanwhile.
fn counted_by_kernel(counts: &KernelCounts) -> String {
    let mut parts = Vec::new();
    match &counts.interrupts {
        Reading::Known(interrupts) => parts.extend(largest(interrupts, "interrupts")),
        Reading::Unavailable(why) => parts.push(format!("interrupts unavailable: {why}")),
    }
    if let Reading::Known(softirqs) = &counts.softirqs {
        parts.extend(largest(softirqs, "soft interrupts"));
    }
    let time = |reading: &Reading<Nanos>, what: &str| match reading {
        Reading::Known(Nanos(ns)) => format!("{what} {}", fine_time(*ns as f64)),
        Reading::Unavailable(why) => format!("{what} unavailable: {why}"),
    };
    parts.push(time(&counts.steal, "steal"));
    parts.push(time(&counts.run_delay, "run-queue wait"));
    if let Reading::Known(switches) = &counts.forced_switches {
        parts.push(format!("{switches} involuntary context switches"));
    }
    if let Reading::Unavailable(why) = &counts.events {
        parts.push(format!("no events: {why}"));
    }
    format!("the kernel counted: {}", parts.join(", "))
}

/// Names the most frequent, by the kernel's short name, and how many there are in all.
fn largest(counts: &[(String, u64)], what: &str) -> Vec<String> {
    const NAMED: usize = 2;
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let all: u64 = counts.iter().map(|(_, count)| count).sum();
    let name = |name: &str| name.split_whitespace().next().unwrap_or_default().to_owned();
    let named: Vec<_> =
        sorted.iter().take(NAMED).map(|(full, count)| format!("{} {count}", name(full))).collect();
    match named.is_empty() {
        true => vec![format!("no {what}")],
        false => vec![format!("{all} {what} ({})", named.join(", "))],
    }
}

fn calls(profile: &Profile) -> Option<Table> {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("CPU", right),
        ("calls", right),
        ("T_C", right),
        ("shortest", right),
        ("p50", right),
        ("mean", right),
        ("p99", right),
        ("longest", right),
        ("first 250 ms", right),
        ("slowest 5 ms", right),
        ("settled", right),
    ]);
    let mut rows = 0;
    for cpu in &profile.cpus {
        let Reading::Known(quanta) = &cpu.quanta else { continue };
        let Some(summary) = QuantumSummary::of(quanta, profile.rate) else { continue };
        let lengths = summary.lengths;
        let warm = |value: fn(&noise::WarmUp) -> String| {
            Cell::from(summary.warm_up.as_ref().map_or("-".to_owned(), value))
        };
        rows += 1;
        table.row([
            cpu.cpu.to_string().into(),
            summary.calls.to_string().into(),
            fine_time(summary.target.0 as f64).into(),
            fine_time(lengths.min_ns).into(),
            fine_time(lengths.p50_ns).into(),
            fine_time(lengths.mean_ns).into(),
            fine_time(lengths.p99_ns).into(),
            fine_time(lengths.max_ns).into(),
            warm(|warm| slower(warm.slower)),
            warm(|warm| slower(warm.slowest_window)),
            warm(|warm| match warm.settled_after {
                Nanos::ZERO => "at once".to_owned(),
                after => format!("{:.0} ms", after.as_millis_f64()),
            }),
        ]);
    }
    (rows > 0).then_some(table)
}
