//! `tauto problem add`: a package becomes a problem of a contest.

use super::archive::zip_of;
use super::publish::{Maker, Statements};
use crate::arguments::AddProblemArguments;
use crate::client::{Client, import_message, send_package};
use crate::output;
use documents::contest::{NewProblem, PackageReport, Problem};
use std::process::ExitCode;
use terminal::{Colour, Progress, Style, prose, visible};

pub fn run(arguments: &AddProblemArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    // First, while there is one thread.
    let mut statements = match arguments.no_statements {
        true => Statements::default(),
        false => Maker::open()?.make(&arguments.package)?,
    };
    let problems = client.in_contest("problems")?;
    let (mut file, left_out) = zip_of(&arguments.package)?;
    let progress = Progress::on_stderr(!json);
    let real = arguments.package.canonicalize().unwrap_or_else(|_| arguments.package.clone());
    let name = real.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let report = send_package(&client, &mut file, &name, &mut |done, all| {
        progress.say(format!("{} of {} KiB", done >> 10, all >> 10));
    })?;
    let wanted = NewProblem {
        id: Some(arguments.id.clone().unwrap_or_else(|| report.suggested_id.clone())),
        label: arguments.label.clone(),
        package: report.package.clone(),
        rgb: arguments.rgb.clone(),
        color: arguments.color.clone(),
        scores: arguments.scores,
        ..Default::default()
    };
    let path = format!("{problems}?dry_run={}", arguments.dry_run);
    let answer = client.send("POST", &path, &wanted)?;
    drop(progress);
    let mut warnings = left_out;
    warnings.extend(report.warnings.iter().map(import_message));
    warnings.append(&mut statements.warnings);
    if arguments.dry_run {
        let (name, tests) = (visible(&report.name), report.test_data_count);
        let mut text = format!("nothing was changed; this would be problem {name}, {tests} tests\n");
        text.push_str(&points(arguments, &report));
        text.push_str(&paragraphs(&warnings));
        return output::report(&report, &text, json);
    }
    let problem: Problem = serde_json::from_slice(&answer)?;
    let count = statements.send(&client, &client.contest()?, &problem.id)?;
    let mut text = format!(
        "problem {}: {} ({}), {} tests\n",
        problem.label, problem.name, problem.id, problem.test_data_count
    );
    text.push_str(&points(arguments, &report));
    if count > 0 {
        text.push_str(&format!("statements made: {count}\n"));
    }
    text.push_str(&paragraphs(&warnings));
    output::done(text.trim_end_matches('\n'), &answer, json)
}

fn paragraphs(warnings: &[String]) -> String {
    let mark = Colour::for_stdout().paint(Style::Caution, "warning:");
    warnings.iter().map(|warning| prose(&format!("{mark} "), 2, &visible(warning))).collect()
}

/// Returns by which rules the problem's points are computed.
fn points(arguments: &AddProblemArguments, report: &PackageReport) -> String {
    let Some(basis) = &report.scores else { return String::new() };
    let (rules, reason) = match arguments.scores {
        Some(rules) => (rules, "given on the command line"),
        None => (basis.rules, basis.reason.as_deref().unwrap_or_default()),
    };
    prose("", 2, &visible(&format!("points by the rules '{rules}' ({reason})")))
}
