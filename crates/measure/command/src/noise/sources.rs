//! `tauto noise sources`: where a profile's noise comes from.

use super::document::weaker;
use super::{file, found};
use crate::arguments::NoiseSourcesArguments;
use documents::{NoiseOrigin, NoiseSource, NoiseSourcesCpu, NoiseSourcesReport};
use std::process::ExitCode;
use terminal::numbers::{in_us, share};
use terminal::{Align, Cell, Colour, Report, Style, Table, print};

/// The columns of the table, and how they stand.
pub const COLUMNS: [(&str, Align); 11] = [
    ("source", Align::Left),
    ("Hz", Align::Right),
    ("jitter us", Align::Right),
    ("median us", Align::Right),
    ("mean us", Align::Right),
    ("p95 us", Align::Right),
    ("in calls us", Align::Right),
    ("time", Align::Right),
    ("seen", Align::Right),
    ("chance", Align::Right),
    ("what the kernel counted", Align::Left),
];
/// What the column of calls says.
pub const IN_CALLS: &str = "in calls: by how much calls of equal work, measured before the loop, are longer in the \
                            rhythm of a source; absent: they are not; hidden: other sources have that rhythm as well; \
                            faint: it would not show";
/// Smaller chances than 1e-99 are as good as none.
const CHANCE_LOG10_MIN: f64 = -99.0;

pub fn run(arguments: &NoiseSourcesArguments, json: bool) -> anyhow::Result<ExitCode> {
    let profile = file::read_as(&arguments.profile, &arguments.trace)?;
    let report = found::document(&arguments.profile.display().to_string(), &profile, &found::of(&profile));
    let text = match (json, arguments.csv) {
        (true, _) => documents::to_json(&report),
        (false, true) => csv(&report),
        (false, false) => report_of(&report).text(Colour::for_stdout()),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn report_of(report: &NoiseSourcesReport) -> Report {
    let mut table = Table::new(&COLUMNS);
    for cpu in &report.cpus {
        table.heading(heading(cpu));
        if let Some(calls) = calls(cpu) {
            table.note(None, &calls);
        }
        for source in &cpu.sources {
            table.row(row(source).into_iter().map(Cell::from));
            table.note(style(&source.origin), &source.origin.detail);
        }
    }
    let mut shown = Report::default();
    shown.line(&format!("{}, {}, kernel {}", report.host, report.processor, report.kernel));
    shown.table("", table);
    let columns = format!(
        "seen: detours of all that could have been seen; chance: how often chance alone shows such a source, at most \
         ({} is the limit)",
        report.false_alarms_max
    );
    shown.sentences(vec![IN_CALLS.to_owned(), columns]);
    shown.cautions(weaker(&report.weaknesses));
    shown
}

fn heading(cpu: &NoiseSourcesCpu) -> String {
    match (cpu.watched_ns, cpu.detours, cpu.share) {
        (Some(watched_ns), Some(detours), Some(share)) => format!(
            "CPU {}: {:.3} % of {:.1} s in {detours} detours",
            cpu.cpu,
            share * 100.0,
            watched_ns as f64 / 1e9
        ),
        _ => {
            let why = cpu.unavailable.get("share").map_or("not measured", String::as_str);
            format!("CPU {}: unavailable: {why}", cpu.cpu)
        }
    }
}

/// Returns whether the calls of equal work lost as much; none where nothing was measured at all.
pub fn calls(cpu: &NoiseSourcesCpu) -> Option<String> {
    let Some(quanta) = &cpu.quanta else {
        let why = cpu.unavailable.get("quanta").filter(|_| cpu.share.is_some())?;
        return Some(format!("calls of equal work: unavailable: {why}"));
    };
    let agreement = match quanta.agreement.as_str() {
        "more" => "more than that: something slows them down without stopping the loop",
        "less" => "less than that: when they ran, there was less noise",
        _ => "in agreement",
    };
    Some(format!(
        "calls of equal work lost {} beyond the median of each half second, where these detours would take {}; the \
         difference is {:+.3} to {:+.3} % ({:.0} % confidence): {agreement}",
        share(quanta.lost),
        share(quanta.expected),
        quanta.difference_low * 100.0,
        quanta.difference_high * 100.0,
        quanta.confidence * 100.0
    ))
}

/// By how much calls of equal work are longer in the rhythm of a source.
fn in_calls(source: &NoiseSource) -> String {
    let Some(calls) = &source.in_quanta else { return String::new() };
    match (calls.length_ns, calls.length_error_ns) {
        (Some(length_ns), Some(error_ns)) => format!("{:.2}±{:.2}", length_ns / 1e3, error_ns / 1e3),
        _ => calls.status.clone(),
    }
}

/// Returns the cells of one source.
pub fn row(source: &NoiseSource) -> Vec<String> {
    let kind = match source.rides_on {
        Some(riding) => format!("every {}th longer", riding.every),
        None => source.kind.clone(),
    };
    vec![
        kind,
        frequency(source),
        source.jitter_ns.map_or_else(String::new, |jitter_ns| format!("±{}", in_us(jitter_ns))),
        in_us(source.median_ns),
        in_us(source.mean_ns),
        in_us(source.p95_ns),
        in_calls(source),
        format!("{:.4} %", source.share * 100.0),
        source.exposed.map_or_else(
            || source.seen.to_string(),
            |exposed| format!("{:.1} %", source.seen as f64 / exposed.max(1) as f64 * 100.0),
        ),
        source.chance_log10.map_or_else(String::new, |log10| match log10 {
            log10 if log10 < CHANCE_LOG10_MIN => "<1e-99".to_owned(),
            log10 => format!("1e{}", log10.ceil()),
        }),
        words(&source.origin),
    ]
}

/// As many digits as the fit supports.
fn frequency(source: &NoiseSource) -> String {
    match source.frequency_error_hz {
        Some(error_hz) => {
            let decimals = (-error_hz.max(1e-6).log10()).floor().clamp(0.0, 4.0) as usize;
            format!("{:.decimals$}", source.frequency_hz)
        }
        None => format!("{:.1}", source.frequency_hz),
    }
}

/// Returns where it comes from, in a few words.
pub fn words(origin: &NoiseOrigin) -> String {
    match (origin.status.as_str(), &origin.by) {
        (_, Some(by)) => by.clone(),
        ("outside", None) => "outside this kernel".to_owned(),
        ("unknown", None) => "not known".to_owned(),
        _ => "unexplained".to_owned(),
    }
}

fn style(origin: &NoiseOrigin) -> Option<Style> {
    (origin.status != "outside").then_some(Style::Faint)
}

fn csv(report: &NoiseSourcesReport) -> String {
    let mut text =
        "cpu,kind,frequency_hz,frequency_error_hz,drift_ppm,jitter_ns,median_ns,mean_ns,p95_ns,longest_ns,\
                    share,seen,exposed,chance_log10,origin,by,in_calls,in_calls_ns,in_calls_error_ns\n"
            .to_owned();
    for cpu in &report.cpus {
        for source in &cpu.sources {
            let some = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            let cells = [
                cpu.cpu.to_string(),
                source.kind.clone(),
                source.frequency_hz.to_string(),
                some(source.frequency_error_hz),
                some(source.drift_ppm),
                some(source.jitter_ns),
                source.median_ns.to_string(),
                source.mean_ns.to_string(),
                source.p95_ns.to_string(),
                source.longest_ns.to_string(),
                source.share.to_string(),
                source.seen.to_string(),
                source.exposed.map_or_else(String::new, |exposed| exposed.to_string()),
                some(source.chance_log10),
                source.origin.status.clone(),
                quoted(source.origin.by.as_deref().unwrap_or("")),
                source.in_quanta.as_ref().map_or_else(String::new, |calls| calls.status.clone()),
                some(source.in_quanta.as_ref().and_then(|calls| calls.length_ns)),
                some(source.in_quanta.as_ref().and_then(|calls| calls.length_error_ns)),
            ];
            text.push_str(&cells.join(","));
            text.push('\n');
        }
    }
    text
}

/// As RFC 4180 has it.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}
