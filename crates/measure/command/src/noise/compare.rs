//! `tauto noise compare`: two profiles side by side.

use super::{document, file};
use crate::arguments::NoiseCompareArguments;
use model::Reading;
use noise::{Comparison, Profile, Quantity, compare};
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::input_with_hint;
use terminal::numbers::{fine_time, share};
use terminal::{Align, Cell, Report, Style, Table, print_result};

/// Compares and prints.
pub fn run(arguments: &NoiseCompareArguments, json: bool) -> anyhow::Result<ExitCode> {
    let (first, second) = (file::read(&arguments.first)?, file::read(&arguments.second)?);
    let report = report((&arguments.first, &first), (&arguments.second, &second));
    if report.rows.is_empty() {
        let list = |profile: &Profile| profile.cpus.iter().map(|cpu| cpu.cpu).collect::<model::CpuSet>();
        return Err(input_with_hint(
            format!("no CPU is in both profiles: one has {}, the other {}", list(&first), list(&second)),
            "measure the same CPUs by --cpu-list",
        ));
    }
    print_result(&report, json, report_of)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes the document; it has no rows if no CPU is in both.
pub fn report(
    (first_path, first): (&Path, &Profile),
    (second_path, second): (&Path, &Profile),
) -> documents::NoiseCompareReport {
    documents::NoiseCompareReport {
        first: side(first_path, first),
        second: side(second_path, second),
        cautions: cautions(first, second),
        rows: compare(first, second).iter().map(row).collect(),
    }
}

fn side(path: &Path, profile: &Profile) -> documents::NoiseCompareSide {
    documents::NoiseCompareSide {
        path: path.display().to_string(),
        identity: profile.machine.identity.clone(),
        host: profile.machine.host.clone(),
        began_unix_s: profile.began_unix_s,
        load: document::load(profile.load).to_owned(),
    }
}

/// Returns what makes the two less alike than a comparison wants.
fn cautions(first: &Profile, second: &Profile) -> Vec<String> {
    let mut cautions = Vec::new();
    if first.load != second.load {
        cautions.push(
            "one profile is of one CPU at a time and the other of all at the same time; measure both alike"
                .to_owned(),
        );
    }
    if first.machine.identity != second.machine.identity {
        cautions.push(format!(
            "the machines differ: {}, kernel {} against {}, kernel {}",
            first.machine.processor, first.machine.kernel, second.machine.processor, second.machine.kernel
        ));
    }
    for (which, profile) in [("first", first), ("second", second)] {
        cautions.extend(profile.weaknesses.iter().map(|weakness| format!("the {which} profile: {weakness}")));
    }
    cautions
}

fn row(row: &Comparison) -> documents::NoiseCompareRow {
    let (found, unavailable) = match &row.found {
        Reading::Known(found) => (Some(found), None),
        Reading::Unavailable(why) => (None, Some(why.clone())),
    };
    documents::NoiseCompareRow {
        cpu: row.cpu.0,
        what: id(row.what).to_owned(),
        first: found.map(|found| found.first),
        second: found.map(|found| found.second),
        difference_low: found.map(|found| found.interval.low),
        difference_high: found.map(|found| found.interval.high),
        chance: found.map(|found| found.adjusted),
        significant: found.is_some_and(noise::Difference::is_significant),
        unavailable,
    }
}

fn id(what: Quantity) -> &'static str {
    match what {
        Quantity::Taken => "taken",
        Quantity::Detours => "detours_of_1_us_per_s",
        Quantity::Call => "call_ns",
    }
}

fn report_of(report: &documents::NoiseCompareReport) -> Report {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("CPU", right),
        ("what", Align::Left),
        ("A", right),
        ("B", right),
        ("B less A, 95 %", right),
        ("by chance", right),
        ("", Align::Left),
    ]);
    for row in &report.rows {
        let (words, print): (_, fn(f64) -> String) = match row.what.as_str() {
            "taken" => ("time taken", share),
            "call_ns" => ("a call, mean", fine_time),
            _ => ("detours of 1 us/s", |rate| format!("{rate:.1}")),
        };
        let signed = |value: f64| format!("{}{}", if value < 0.0 { "-" } else { "+" }, print(value.abs()));
        let (Some(first), Some(second), Some(low), Some(high), Some(chance)) =
            (row.first, row.second, row.difference_low, row.difference_high, row.chance)
        else {
            table.row([row.cpu.to_string().into(), words.into()]);
            table.note(Some(Style::Caution), row.unavailable.as_deref().unwrap_or("not known"));
            continue;
        };
        let verdict = match (row.significant, second > first) {
            (false, _) => Cell::from("no difference seen"),
            (true, true) => Cell::styled(Style::Bad, "B is noisier"),
            (true, false) => Cell::styled(Style::Good, "B is quieter"),
        };
        table.row([
            row.cpu.to_string().into(),
            words.into(),
            print(first).into(),
            print(second).into(),
            format!("{} .. {}", signed(low), signed(high)).into(),
            if chance < 0.001 { "< 0.1 %".into() } else { format!("{:.1} %", chance * 100.0).into() },
            verdict,
        ]);
    }
    let side = |letter: &str, side: &documents::NoiseCompareSide| {
        let when = std::time::UNIX_EPOCH + std::time::Duration::from_secs(side.began_unix_s);
        let when = humantime::format_rfc3339_seconds(when);
        format!("{letter}: {} (host {}, {when}, {})", side.path, side.host, side.load)
    };
    let mut shown = Report::default();
    shown.sentences(vec![side("A", &report.first), side("B", &report.second)]);
    shown.table("", table);
    shown.cautions(report.cautions.clone());
    shown
}
