//! The ladder's report for the terminal and as a page.

use super::document::sets_frequency;
use crate::lab::stage::spread;
use documents::{LabSieveProgram, LabSieveReport, LabSieveStep, LabSieveTime};
use host_command::wire::named;
use labs::sieve::Step;
use model::Nanos;
use plot::{StripPlot, StripRow, Unit};
use std::collections::BTreeMap;
use terminal::numbers::percent;
use terminal::{Report, Table};

pub fn report(document: &LabSieveReport) -> Report {
    let mut report = Report::new("The ladder: what makes the same code take the same time");
    report.paragraph(
        "Each program runs repeatedly, step by step with fewer causes of timing variance. Steps take turns in rounds, \
         so that drift of the machine affects all of them alike. The experiment is that of Pavel Tykvin's article \"How to \
         make code run in the same time? Methods of Yandex.Contest\". It measured user time of the sieve with \
         n = 500,000,000 on six cores at 2.2 GHz; here it is user and system time. The article's spreads are shown next to \
         the sieve only, as parts of its mean, which is 10 s at its last steps and about 8 s before.",
    );
    let spreads = "Spread (highest less lowest) as a part of the mean";
    report.heading(spreads);
    report.table(spreads, Table::of(&matrix_header(document), matrix(document)));
    report.sentences(sentences(document));
    report.heading("The steps");
    report.details(document.steps.iter().map(|step| format!("{}: {}", step.title, step.what)).collect());
    let ran = document.programs.iter().filter(|program| !program.results.is_empty());
    for (at, program) in ran.enumerate() {
        let title = format!("{}: {}", program.name, program.what);
        report.heading(&title);
        let caption = "Each dot is a time that the step reports; point at it for its round.";
        report.figure(&program.name, strips(document, program), caption);
        // The terminal shows one program as an example.
        match at {
            0 => report.table(&title, Table::of(&COMPARED_COLUMNS, next_to_article(document, program))),
            _ => report.detail_table(Table::of(&COMPARED_COLUMNS, next_to_article(document, program))),
        }
    }
    report.heading("How it was measured");
    let machine = crate::bench::machine_words(&document.machine);
    report.paragraph(&format!("{machine}. Every run is in report.json next to this page."));
    report
}

/// Draws a program's times, a row for each step.
fn strips(report: &LabSieveReport, program: &LabSieveProgram) -> String {
    let title_of = |id: &str| {
        report
            .steps
            .iter()
            .find(|step| step.id == id)
            .map_or_else(|| id.to_owned(), |step| step.title.clone())
    };
    let rows = program.results.iter().map(|result| StripRow {
        label: format!("{}: spread {}", title_of(&result.step), percent(result.spread.share)),
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

/// The columns of [`next_to_article`].
const COMPARED_COLUMNS: [&str; 7] = ["step", "mean", "median", "spread", "of mean", "CV", "article, of mean"];

/// A program's steps compared with the article's numbers.
fn next_to_article(report: &LabSieveReport, program: &LabSieveProgram) -> Vec<Vec<String>> {
    report.steps.iter().map(|step| beside_row(report, program, step)).collect()
}

fn beside_row(report: &LabSieveReport, program: &LabSieveProgram, step: &LabSieveStep) -> Vec<String> {
    let ms = |ns: u64| format!("{:.2} ms", ns as f64 / 1e6);
    let mut row = vec![step.title.clone()];
    match program.results.iter().find(|result| result.step == step.id) {
        Some(result) => {
            let spread = &result.spread;
            row.extend([
                ms(spread.mean_ns),
                ms(spread.median_ns),
                ms(spread.spread_ns),
                percent(spread.share),
            ]);
            row.push(spread.variation.map_or_else(|| "-".to_owned(), percent));
        }
        None => row.extend(["not applied", "-", "-", "-", "-"].map(str::to_owned)),
    }
    row.push(article_share(report, program, step).map_or_else(|| "-".to_owned(), percent));
    row
}

/// Returns the article's spread as a fraction of its mean, if the conditions are the same: for the sieve, at a step
/// that was executed, and for its last two steps with frequency changes off.
fn article_share(report: &LabSieveReport, program: &LabSieveProgram, step: &LabSieveStep) -> Option<f64> {
    let applied = program.results.iter().any(|result| result.step == step.id);
    let fixed_frequency = [Step::Tuned, Step::OneNode].iter().any(|late| late.id() == step.id);
    let same = program.name == "sieve" && applied && (!fixed_frequency || sets_frequency(&report.changed));
    step.article_share.filter(|_| same)
}

/// The header of [`matrix`]: the program and the steps that were executed.
fn matrix_header(report: &LabSieveReport) -> Vec<String> {
    let steps = applied(report).map(|step| step.title.clone());
    let ruled = ["agreed alone", "runs a time"].map(str::to_owned);
    std::iter::once("program".to_owned()).chain(steps).chain(ruled).collect()
}

/// The spread of each program at each step that was executed; that of the ruled times which calm runs confirm, and how
/// many runs a ruled time took.
fn matrix(report: &LabSieveReport) -> Vec<Vec<String>> {
    let programs = report.programs.iter().filter(|program| !program.results.is_empty());
    programs
        .map(|program| {
            let spread = |step: &LabSieveStep| {
                let result = program.results.iter().find(|result| result.step == step.id);
                result.map_or_else(|| "-".to_owned(), |result| percent(result.spread.share))
            };
            let spreads = applied(report).map(spread);
            let ruled = program.results.iter().find(|result| result.step == Step::Ruled.id());
            let of_ruled = [agreed_alone, runs_a_time]
                .map(|reported| ruled.map_or_else(|| "-".to_owned(), |result| reported(&result.times)));
            std::iter::once(program.name.clone()).chain(spreads).chain(of_ruled).collect()
        })
        .collect()
}

fn applied(report: &LabSieveReport) -> impl Iterator<Item = &LabSieveStep> {
    let has = |step: &&LabSieveStep| {
        report.programs.iter().any(|program| program.results.iter().any(|result| result.step == step.id))
    };
    report.steps.iter().filter(has)
}

fn agreed_alone(times: &[LabSieveTime]) -> String {
    let agreed: Vec<Nanos> =
        times.iter().filter(|time| time.agreed).map(|time| Nanos(time.cpu_time_ns)).collect();
    match spread(&agreed) {
        Some(spread) if agreed.len() > 1 => {
            format!("{} ({} of {})", percent(spread.share), agreed.len(), times.len())
        }
        _ => format!("- ({} of {})", agreed.len(), times.len()),
    }
}

fn runs_a_time(times: &[LabSieveTime]) -> String {
    let runs: usize = times.iter().map(|time| time.runs.len()).sum();
    format!("{:.1}", runs as f64 / times.len().max(1) as f64)
}

/// Further remarks, a sentence each.
fn sentences(report: &LabSieveReport) -> Vec<String> {
    let mut sentences = vec![format!(
        "runs: {} of {} rounds, in each of which every program runs at every step; leased {}",
        report.rounds,
        report.rounds_wanted,
        named(&report.cpus)
    )];
    sentences.push(format!("load: {}", report.load));
    if !report.changed.is_empty() {
        sentences.push(format!("tuned: {}", tuned(&report.changed)));
    }
    let not_applied = report.steps.iter().filter_map(|step| Some((step, step.not_applied.as_ref()?)));
    sentences.extend(not_applied.map(|(step, why)| format!("not applied: {}: {why}", step.title)));
    let undecided: Vec<String> = report
        .programs
        .iter()
        .filter_map(|program| {
            let ruled = program.results.iter().find(|result| result.step == Step::Ruled.id())?;
            let count = ruled.times.iter().filter(|time| !time.agreed).count();
            (count > 0).then(|| format!("{count} of {} of {}", ruled.times.len(), program.name))
        })
        .collect();
    if !undecided.is_empty() {
        sentences.push(format!(
            "not agreed: {}; in ten runs no two on an undisturbed core were within 0.5 % of the lowest",
            undecided.join(", ")
        ));
    }
    sentences.extend(report.not_shown.iter().map(|sentence| format!("not shown here: {sentence}")));
    sentences.extend(report.warnings.iter().map(|warning| format!("warning: {warning}")));
    sentences
}

/// Describes which settings were changed, without each of their files.
fn tuned(changed: &[String]) -> String {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for change in changed {
        *files.entry(change.split(':').next().unwrap_or(change)).or_default() += 1;
    }
    let part =
        |(id, count): (&str, usize)| if count > 1 { format!("{id} ({count} files)") } else { id.to_owned() };
    files.into_iter().map(part).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_named_once() {
        let changed =
            ["irq: /proc/irq/1 = 0", "irq: /proc/irq/2 = 0", "autogroup: /proc/x = 0"].map(str::to_owned);
        assert_eq!(tuned(&changed), "autogroup, irq (2 files)");
    }

    #[test]
    fn times_that_are_borne_out_spread_by_themselves() {
        let time = |(cpu_time_ns, agreed)| LabSieveTime { cpu_time_ns, agreed, runs: Vec::new() };
        let reported =
            |times: &[(u64, bool)]| agreed_alone(&times.iter().copied().map(time).collect::<Vec<_>>());
        assert_eq!(reported(&[(99, true), (101, true), (160, false)]), "2.00 % (2 of 3)");
        assert_eq!(reported(&[(99, true), (160, false)]), "- (1 of 2)");
    }
}
