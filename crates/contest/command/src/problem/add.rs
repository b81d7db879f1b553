//! `tauto problem add`: a package becomes a problem of a contest.

use super::archive::zip_of;
use crate::arguments::AddProblemArguments;
use crate::client::{Client, import_message, segment, send_package};
use crate::output;
use documents::contest::{
    ContestFile, NewProblem, PackageReport, Problem, ProblemState, StatementProgress, StatementState,
};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use terminal::failure::input_with_hint;
use terminal::{Colour, Progress, Style, prose, visible};

/// How long `--wait` waits for statements: a judgehost makes each form in seconds, once it has nothing to judge.
const WAIT_MAX: Duration = Duration::from_secs(600);
const ASK_EVERY: Duration = Duration::from_millis(500);

pub fn run(arguments: &AddProblemArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    // Before the package is packed and sent. Without a login there is no account.
    if client.call("GET", "account", None)?.is_empty() {
        return Err(input_with_hint(
            "there is no login to a server",
            "log in first: tauto login URL --user NAME",
        ));
    }
    let problems = client.in_contest("problems")?;
    let settings: ContestFile = client.get(&client.in_contest("settings")?)?;
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
    let mut warnings = left_out;
    warnings.extend(report.warnings.iter().map(import_message));
    if arguments.dry_run {
        drop(progress);
        let (name, tests) = (visible(&report.name), report.test_data_count);
        let mut text = format!("nothing was changed; this would be problem {name}, {tests} tests\n");
        text.push_str(&points(arguments, &report));
        text.push_str(&paragraphs(&warnings));
        return output::report(&report, &text, json);
    }
    let problem: Problem = serde_json::from_slice(&answer)?;
    let mut text = format!(
        "problem {}: {} ({}), {} tests\n",
        problem.label, problem.name, problem.id, problem.test_data_count
    );
    text.push_str(&points(arguments, &report));
    let state = format!("{problems}/{}/state", segment(&problem.id));
    let statements = statements(&client, &state, arguments.wait, &progress)?;
    drop(progress);
    let is_open = |one: &&StatementState| is_open(one.state);
    if statements.is_empty() {
        warnings.push("the package has no statement".to_owned());
    } else if statements.iter().any(|one| is_open(&one)) {
        let pool = &settings.strict_pool;
        text.push_str(&prose(
            "",
            2,
            &visible(&format!("its statements are made by a judgehost of pool '{pool}'")),
        ));
    }
    let mut is_wrong = false;
    for one in statements.iter().filter(|_| arguments.wait) {
        match one.state {
            StatementProgress::Waiting | StatementProgress::Making => {
                is_wrong = true;
                warnings.push(format!("{} is not made yet: no judgehost has had the time", form(one)));
            }
            StatementProgress::Impossible => {
                is_wrong = true;
                warnings.push(format!(
                    "{} was not made: {}",
                    form(one),
                    one.text.as_deref().unwrap_or_default()
                ));
            }
            StatementProgress::Plain => {
                let lacking = one.lacking.join(", ");
                warnings.push(format!("{} is rendered plainly: {lacking} is missing there", form(one)));
            }
            StatementProgress::Ready => {}
        }
        if !matches!(one.state, StatementProgress::Impossible) {
            let lines = one.text.iter().flat_map(|text| text.lines());
            warnings.extend(lines.map(|line| format!("{}: {line}", form(one))));
        }
    }
    let ready = statements.iter().filter(|one| one.state != StatementProgress::Impossible && !is_open(one));
    match ready.count() {
        0 => {}
        count => text.push_str(&format!("statements: {count}\n")),
    }
    text.push_str(&paragraphs(&warnings));
    output::done(text.trim_end_matches('\n'), &answer, json)?;
    Ok(if is_wrong { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

fn is_open(state: StatementProgress) -> bool {
    matches!(state, StatementProgress::Waiting | StatementProgress::Making)
}

/// Returns the forms of the problem's statement; if asked to wait, once all are made.
fn statements(
    client: &Client,
    path: &str,
    waits: bool,
    progress: &Progress,
) -> anyhow::Result<Vec<StatementState>> {
    let until = Instant::now() + WAIT_MAX;
    loop {
        let state: ProblemState = client.get(path)?;
        let open = state.statements.iter().filter(|one| is_open(one.state)).count();
        if !waits || open == 0 || Instant::now() >= until {
            return Ok(state.statements);
        }
        progress.say(format!("statements: {open} of {} wait for a judgehost", state.statements.len()));
        std::thread::sleep(ASK_EVERY);
    }
}

fn form(one: &StatementState) -> String {
    let format = match one.format {
        documents::judgehost::StatementFormat::Html => "HTML",
        documents::judgehost::StatementFormat::Pdf => "PDF",
    };
    format!("the statement in '{}' as {format}", one.language)
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
