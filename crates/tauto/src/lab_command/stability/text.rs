//! The judgements for a terminal.

use super::document::RULED;
use crate::numbers::percent;
use crate::output::wire::named;
use crate::output::{Align, Cell, Colour, Style, Table};
use api::{LabStabilityReport, LabStabilitySide};
use model::Nanos;
use std::path::Path;

/// The columns of [`rows`].
pub const COLUMNS: [&str; 9] = [
    "judged by",
    "needs of limit",
    "measured",
    "judgements",
    "flips",
    "undecided",
    "runs each",
    "lowest times spread",
    "CV",
];

/// Writes the table and sentences.
pub fn report(report: &LabStabilityReport, folder: &Path, colour: Colour) -> String {
    let columns: Vec<_> = COLUMNS
        .iter()
        .enumerate()
        .map(|(at, name)| (*name, if at == 0 { Align::Left } else { Align::Right }))
        .collect();
    let mut table = Table::new(&columns);
    for cells in rows(report) {
        table.row(cells.into_iter().map(Cell::from));
    }
    let mut text = table.render(colour);
    text.push('\n');
    if let Some(why) = &report.void {
        text.push_str(&format!("{}: {why}\n", colour.paint(Style::Bad, "void")));
    }
    for sentence in sentences(report) {
        text.push_str(&format!("{sentence}\n"));
    }
    text.push_str(&format!("written: {}\n", folder.join("stability.html").display()));
    text
}

/// Names an arm for people.
pub fn name(side: &LabStabilitySide) -> &'static str {
    if side.by == RULED { "our rule, own CPU" } else { "one run, anywhere" }
}

/// Makes a row for each arm.
pub fn rows(report: &LabStabilityReport) -> Vec<Vec<String>> {
    let row = |side: &LabStabilitySide| {
        let runs = 1.0 + side.extra_runs as f64 / side.judgements.max(1) as f64;
        let spread = side.spread.as_ref();
        vec![
            name(side).to_owned(),
            format!("{} %", side.needs_percent),
            format!("{:.2} %", side.needs_percent_measured),
            side.judgements.to_string(),
            side.flips.to_string(),
            side.undecided.to_string(),
            format!("{runs:.2}"),
            spread.map_or_else(|| "-".to_owned(), |spread| percent(spread.share)),
            spread.and_then(|spread| spread.variation).map_or_else(|| "-".to_owned(), percent),
        ]
    };
    report.sides.iter().map(row).collect()
}

/// What else is to be said, a sentence each.
pub fn sentences(report: &LabStabilityReport) -> Vec<String> {
    let part = if report.complete { "" } else { "; not all judgements that were wanted were made" };
    let mut sentences = vec![
        format!(
            "100 %: {}, the lowest of {} reference runs ({} in the first half, {} in the second, {} apart)",
            Nanos(report.reference_ns),
            report.references.len(),
            Nanos(report.first_half_ns),
            Nanos(report.second_half_ns),
            percent(report.drift)
        ),
        format!("program: {} {}, on {}{part}", report.program, report.argument, named(&report.cpus)),
        format!("load: {}", report.load),
        format!(
            "rule: version {}, the same function that 'tauto judge' asks; judgements share the time, so that the 2 s \
             between two runs of one are the work of others",
            report.rule_version
        ),
    ];
    sentences.extend(report.warnings.iter().map(|warning| format!("warning: {warning}")));
    sentences
}
