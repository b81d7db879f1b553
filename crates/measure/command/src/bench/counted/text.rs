//! The result for people.

use documents::{
    BenchCountsComparisonReport, BenchCountsReport, ChangedFunction, CountedComparison, CountedResult,
};
use model::{Bytes, InstructionCount};
use terminal::numbers::percent;
use terminal::{Align, Cell, Report, Table};

/// More are in the document.
const FUNCTIONS_SHOWN_MAX: usize = 10;
/// Names with templates may have thousands of characters.
const NAME_COLUMNS_MAX: usize = 60;

pub fn report(bench: &BenchCountsReport) -> Report {
    let title: Vec<&str> = bench.results.iter().map(|result| result.command.as_str()).collect();
    let mut report = Report::new(&title.join(" against "));
    let what = unit(bench);
    for comparison in &bench.comparisons {
        let of = |letter: &str| bench.results.iter().find(|result| result.letter == letter);
        let reference = bench.compared_with.as_deref().unwrap_or("A");
        if let (Some(before), Some(after)) = (of(reference), of(&comparison.command)) {
            report.statement(&headline(comparison, before, after, what));
        }
    }
    if let [result] = bench.results.as_slice() {
        let verb = if bench.model.is_some() { "takes" } else { "executes" };
        let count = count(result.count);
        report.statement(&format!("{} {verb} {count} {what}, {}.", result.command, spread(result)));
    } else {
        let rows = bench.results.iter().map(|result| {
            let name = format!("{}  {}", result.letter, result.command);
            [name, count(result.count), spread(result)]
        });
        report.table("", Table::with_words(&["", what, "runs"], &[2], rows));
    }
    if bench.model.is_some() {
        let columns = ["", "instructions", "first level, code", "first level, data", "last level"];
        let rows = bench.results.iter().map(|result| {
            let misses = result.misses.unwrap_or_default();
            let numbers = [result.instructions, misses.first_instructions, misses.first_data, misses.last];
            [result.letter.clone()].into_iter().chain(numbers.map(count)).collect::<Vec<_>>()
        });
        report.table("Misses of the simulated caches", Table::of(&columns, rows));
    }
    for comparison in &bench.comparisons {
        let reference = bench.compared_with.as_deref().unwrap_or("A");
        let title = format!("What changed from {reference} to {}", comparison.command);
        changes(&mut report, &title, &comparison.functions);
    }
    if let [result] = bench.results.as_slice() {
        functions(&mut report, result, what);
    }
    report.heading("How it was counted");
    report.facts(facts(bench));
    report.cautions(bench.warnings.clone());
    report
}

pub fn comparison_of_files(
    found: &BenchCountsComparisonReport,
    first: &BenchCountsReport,
    second: &BenchCountsReport,
) -> Report {
    let mut report = Report::new(&found.files.join(" against "));
    for ((comparison, before), after) in found.comparisons.iter().zip(&first.results).zip(&second.results) {
        report.section(&format!("{}  {}", after.letter, after.command));
        report.statement(&headline(comparison, before, after, unit(first)));
        changes(&mut report, "What changed", &comparison.functions);
    }
    report
}

fn unit(bench: &BenchCountsReport) -> &'static str {
    if bench.model.is_some() { "estimated cycles" } else { "instructions" }
}

/// Returns what counted, in words.
pub fn counter(bench: &BenchCountsReport) -> String {
    match bench.model {
        None => bench.counter.clone(),
        Some(model) => format!(
            "{} with caches of {} and {}",
            bench.counter,
            Bytes(model.first_bytes),
            Bytes(model.last_bytes)
        ),
    }
}

fn headline(
    comparison: &CountedComparison,
    before: &CountedResult,
    after: &CountedResult,
    what: &str,
) -> String {
    let name = &comparison.command;
    // Of two files, a command is compared with itself.
    let other = if *name == before.letter { "before" } else { &before.letter };
    let numbers = format!("{} against {}", count(after.count), count(before.count));
    let difference = count(after.count.abs_diff(before.count));
    let part = percent((comparison.ratio - 1.0).abs());
    if !comparison.exact {
        format!("{name} and {other} overlap, so they show no difference: {numbers} {what} at least.")
    } else if after.count == before.count {
        format!("{name} counts as many {what} as {other}: {}.", count(after.count))
    } else {
        let direction = if after.count > before.count { "more" } else { "fewer" };
        format!("{name} counts {difference} {what} {direction} than {other}, {part}: {numbers}.")
    }
}

fn count(number: u64) -> String {
    InstructionCount(number).to_string()
}

fn spread(result: &CountedResult) -> String {
    let highest = result.runs.iter().copied().max().unwrap_or(0);
    match result.runs.len() {
        1 => "1 run".to_owned(),
        runs if highest == result.count => format!("the same in {runs} runs"),
        runs => {
            let part = (highest - result.count) as f64 / result.count.max(1) as f64;
            format!("the lowest of {runs} runs, which are {} apart", percent(part))
        }
    }
}

fn place(name: Option<&str>, file: Option<&str>) -> Cell {
    let file = file.map(|file| file.rsplit('/').next().unwrap_or(file));
    Cell::from(match (name, file) {
        (Some(name), None) => name.to_owned(),
        (Some(name), Some(file)) => format!("{name} ({file})"),
        (None, Some(file)) => format!("code without a name ({file})"),
        (None, None) => "code without a name".to_owned(),
    })
    .cut(NAME_COLUMNS_MAX)
}

fn changes(report: &mut Report, title: &str, functions: &[ChangedFunction]) {
    if functions.is_empty() {
        return;
    }
    let columns = [
        ("function", Align::Left),
        ("before", Align::Right),
        ("after", Align::Right),
        ("difference", Align::Right),
    ];
    let rows = functions.iter().take(FUNCTIONS_SHOWN_MAX).map(|function| {
        let sign = if function.after > function.before { "+" } else { "-" };
        let difference = format!("{sign}{}", count(function.before.abs_diff(function.after)));
        [
            place(function.name.as_deref(), function.file.as_deref()),
            count(function.before).into(),
            count(function.after).into(),
            difference.into(),
        ]
    });
    report.table(title, Table::from_rows(&columns, rows));
}

fn functions(report: &mut Report, result: &CountedResult, what: &str) {
    let counts = result.functions.iter().map(|function| function.count);
    let all = counts.fold(0, u64::saturating_add).max(1);
    let rows = result.functions.iter().take(FUNCTIONS_SHOWN_MAX).map(|function| {
        [
            place(function.name.as_deref(), function.file.as_deref()),
            count(function.count).into(),
            percent(function.count as f64 / all as f64).into(),
        ]
    });
    report.table("Where they are", Table::of(&["function", what, "part"], rows));
}

fn facts(bench: &BenchCountsReport) -> Vec<(&'static str, String)> {
    let mut facts = vec![("counter", bench.counter.clone())];
    if let Some(model) = bench.model {
        facts.push((
            "caches",
            format!(
                "{} in {} ways for code and for data each, {} in {} ways for both; lines of 64 bytes",
                Bytes(model.first_bytes),
                model.first_ways,
                Bytes(model.last_bytes),
                model.last_ways
            ),
        ));
        facts.push((
            "cycles",
            format!(
                "1 for an instruction, {} for a miss of the first level, {} more for one of the last",
                model.first_miss_cycles, model.last_miss_cycles
            ),
        ));
    }
    facts
}
