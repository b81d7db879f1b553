//! The ladder as pictures and a page.

use super::text;
use api::{LabSieveProgram, LabSieveReport};
use plot::Page;
use plot::{StripPlot, StripRow, Unit};

/// Draws a program's times, a row for each step.
pub fn strips(report: &LabSieveReport, program: &LabSieveProgram) -> String {
    let title_of = |id: &str| {
        report
            .steps
            .iter()
            .find(|step| step.id == id)
            .map_or_else(|| id.to_owned(), |step| step.title.clone())
    };
    let rows = program.results.iter().map(|result| StripRow {
        label: format!("{}: spread {}", title_of(&result.step), crate::numbers::percent(result.spread.share)),
        values: result.times.iter().map(|time| time.cpu_time_ns as f64).collect(),
        odd: result
            .times
            .iter()
            .enumerate()
            .filter(|(_, time)| !time.agreed)
            .map(|(at, _)| (at, "not confirmed by two undisturbed runs".to_owned()))
            .collect(),
        median: Some(result.spread.median_ns as f64),
        median_range: None,
    });
    StripPlot {
        title: format!("{} ({})", program.name, program.what),
        quantity: "CPU time reported".to_owned(),
        units: Unit::TIME_NS,
        dot: "a time that the step reports",
        diamond: "one that is not confirmed by two undisturbed runs",
        rows: rows.collect(),
    }
    .draw()
}

/// Writes a page with all of it.
pub fn page(report: &LabSieveReport) -> String {
    let mut page = Page::new("The ladder: what makes the same code take the same time");
    page.paragraph(
        "Each program runs repeatedly, step by step with fewer causes of timing variance. Steps take turns in rounds, \
         so that drift of the machine affects all of them alike. The experiment is that of Pavel Tykvin's article \"How to \
         make code run in the same time? Methods of Yandex.Contest\". It measured user time of the sieve with \
         n = 500,000,000 on six cores at 2.2 GHz; here it is user and system time. The article's spreads are shown beside \
         the sieve only, as parts of its mean, which is 10 s at its last steps and about 8 s before.",
    );
    page.heading("Spread (highest less lowest) as a part of the mean");
    let header = text::matrix_header(report);
    page.table(&header.iter().map(String::as_str).collect::<Vec<_>>(), &text::matrix(report));
    page.list(&text::sentences(report));
    page.heading("The steps");
    page.list(&report.steps.iter().map(|step| format!("{}: {}", step.title, step.what)).collect::<Vec<_>>());
    for program in report.programs.iter().filter(|program| !program.results.is_empty()) {
        page.heading(&format!("{}: {}", program.name, program.what));
        page.figure(
            &strips(report, program),
            "Each dot is a time that the step reports; point at it for its round.",
        );
        page.table(&text::BESIDE_COLUMNS, &text::beside(report, program));
    }
    page.heading("How it was measured");
    let machine = crate::bench_command::machine_words(&report.machine);
    page.paragraph(&format!("{machine}. Every run is in sieve.json beside this page."));
    page.finish()
}
