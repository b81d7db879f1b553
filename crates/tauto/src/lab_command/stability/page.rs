//! The judgements as a picture and a page.

use super::text;
use api::{LabRun, LabStabilityReport, LabStabilitySide};
use plot::Page;
use plot::{StripPlot, StripRow, Unit};

/// Times as a part of the reference, in per cent.
const PERCENT: &[Unit] = &[Unit { name: "% of the lowest reference", size: 1.0 }];

/// Draws the lowest time of each judgement.
pub fn strips(report: &LabStabilityReport) -> String {
    let part = |run: &LabRun| run.cpu_time_ns as f64 / report.reference_ns.max(1) as f64 * 100.0;
    let row = |side: &LabStabilitySide| {
        let values: Vec<f64> = side
            .each
            .iter()
            .filter_map(|judgement| judgement.runs.iter().map(part).min_by(f64::total_cmp))
            .collect();
        let expected = if side.needs_percent <= 100 { "within" } else { "over" };
        let odd = side.each.iter().enumerate().filter(|(_, judgement)| judgement.told != expected);
        let limit = side.limit_ns as f64 / report.reference_ns.max(1) as f64 * 100.0;
        StripRow {
            label: format!(
                "{}, {} %: {} flips, limit at {limit:.2}",
                text::name(side),
                side.needs_percent,
                side.flips
            ),
            odd: odd.map(|(at, judgement)| (at, judgement.told.clone())).collect(),
            median: side
                .spread
                .as_ref()
                .map(|spread| spread.median_ns as f64 / report.reference_ns.max(1) as f64 * 100.0),
            median_range: None,
            values,
        }
    };
    let references = StripRow {
        label: "reference runs, own CPU".to_owned(),
        values: report.references.iter().map(part).collect(),
        odd: Vec::new(),
        median: None,
        median_range: None,
    };
    StripPlot {
        title: "The lowest CPU time of each judgement".to_owned(),
        quantity: "CPU time".to_owned(),
        units: PERCENT,
        dot: "the lowest time of a judgement",
        diamond: "one whose verdict flipped",
        rows: report.sides.iter().map(row).chain([references]).collect(),
    }
    .draw()
}

/// Writes a page with all of it.
pub fn page(report: &LabStabilityReport) -> String {
    let mut page = Page::new("Does the same submission get the same verdict?");
    page.paragraph(
        "One program is judged again and again under load, with its limit set so that it needs a little less than the \
         limit, and a little more. A verdict that is not the same each time is a flip.",
    );
    if let Some(why) = &report.void {
        page.paragraph(&format!("This series is void: {why}."));
    }
    page.table(&text::COLUMNS, &text::rows(report));
    page.list(&text::sentences(report));
    page.figure(&strips(report), "Each dot is the lowest time of a judgement.");
    let machine = crate::bench_command::machine_words(&report.machine);
    page.paragraph(&format!("{machine}. Every run is in stability.json beside this page."));
    page.finish()
}
