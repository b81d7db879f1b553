//! `tauto sim compare`: policies on draws of one trace.

use super::files::{failed, open, options};
use super::text::duration;
use crate::arguments::SimCompareArguments;
use crate::policy::policy;
use documents::{SimComparison, SimFigure, SimOptions};
use simulator::compare::Comparison;
use simulator::run::RunError;
use std::process::ExitCode;
use std::time::Duration;
use terminal::failure::input;
use terminal::numbers::share;
use terminal::{Align, Cell, Progress, Report, Style, Table, print_result};

/// A difference with a lower p is more than chance.
const P_MAX: f64 = 0.05;

pub fn run(arguments: &SimCompareArguments, json: bool) -> anyhow::Result<ExitCode> {
    if arguments.policies.len() < 2 {
        return Err(input("there is nothing to compare: give --policy at least twice"));
    }
    let comparison = Comparison {
        policies: arguments.policies.iter().map(|name| policy(name)).collect::<anyhow::Result<_>>()?,
        options: SimOptions {
            sample_ms: simulator::compare::options().sample_ms,
            ..options(&arguments.options, arguments.seed, Duration::from_secs(60))?
        },
        replicates: arguments.replicates,
        groups: arguments.groups,
        seed: arguments.seed,
    };
    let progress = Progress::on_stderr(!json);
    progress.say("running");
    progress.expect(comparison.runs(1));
    let open = || open(&arguments.trace).map_err(Failed::Open);
    let found = comparison.run(open, || progress.step()).map_err(|error| match error {
        Failed::Open(error) => error,
        Failed::Run(error) => failed(&arguments.trace, error),
    })?;
    drop(progress);
    print_result(&found, json, report_of)?;
    Ok(ExitCode::SUCCESS)
}

/// Why a run of a comparison did not end.
enum Failed {
    Open(anyhow::Error),
    Run(RunError),
}

impl From<RunError> for Failed {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

fn report_of(found: &SimComparison) -> Report {
    let SimComparison { trace, policies, replicates, days, groups, .. } = found;
    let days = if *days > 1 { format!("{days} days and ") } else { String::new() };
    let mut report = Report::default();
    report.line(&format!("{trace}: {replicates} draws of {days}{groups} groups of jobs"));
    for (at, policy) in policies.iter().enumerate().skip(1) {
        let mut table = Table::new(&[
            ("figure", Align::Left),
            (&policies[0], Align::Right),
            (policy, Align::Right),
            ("difference", Align::Right),
            ("95 % interval", Align::Right),
            ("p", Align::Right),
            ("", Align::Left),
        ]);
        for figure in &found.figures {
            table.row(row(figure, at));
        }
        report.table("", table);
    }
    report
}

/// Returns a figure's name in words, and the function that writes its values.
fn labelled(name: &str) -> (String, fn(f64) -> String) {
    let count: fn(f64) -> String = |value| match value {
        // Less is left by rounding.
        0.0..0.005 => "0".to_owned(),
        100.0.. => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    };
    let (name, write): (_, fn(f64) -> String) = match name {
        "hosts_in_use" | "unplaced" | "moves" => (name, count),
        _ => match name.strip_suffix("_ms") {
            Some(name) => (name, |ms| duration(ms.round() as u64)),
            None => (name.strip_suffix("_share").unwrap_or(name), share),
        },
    };
    (name.replace('_', " "), write)
}

fn row(figure: &SimFigure, at: usize) -> Vec<Cell> {
    let (name, write) = labelled(&figure.name);
    let value = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), write);
    let mut cells: Vec<Cell> =
        vec![name.into(), value(figure.values[0]).into(), value(figure.values[at]).into()];
    let Some(difference) = figure.differences[at - 1] else { return cells };
    let nothing = write(0.0);
    let signed = |value: f64| match write(value.abs()) {
        size if size == nothing => size,
        size => format!("{}{size}", if value > 0.0 { '+' } else { '-' }),
    };
    cells.push(signed(difference.difference).into());
    cells.push(format!("{} to {}", signed(difference.low), signed(difference.high)).into());
    let Some(more_is_better) = figure.more_is_better else { return cells };
    cells.push(if difference.p < 0.001 { "< 0.001".into() } else { format!("{:.3}", difference.p).into() });
    cells.push(match () {
        () if difference.p >= P_MAX => Cell::styled(Style::Faint, "no difference seen"),
        () if (difference.difference > 0.0) == more_is_better => Cell::styled(Style::Good, "better"),
        () => Cell::styled(Style::Bad, "worse"),
    });
    cells
}
