//! `tauto sim explain`: why a job was placed where it was.

use super::files::{RunFile, failed, open};
use super::text::duration;
use crate::arguments::SimExplainArguments;
use anyhow::Context;
use documents::{SimCandidate, SimDecision, SimExplanation, SimJob, SimMove};
use placement::Filter;
use simulator::run::{Explanation, Run};
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{because, input_with_hint};
use terminal::{Align, Cell, Progress, Report, Style, Table, print_result};

/// Explains the decisions about a job.
///
/// # Errors
/// Also when the trace is not the one that was run.
pub fn run(arguments: &SimExplainArguments, json: bool) -> anyhow::Result<ExitCode> {
    let name = &arguments.job;
    // A trace may use a name again.
    let (mut jobs, mut moves): (Vec<SimJob>, Vec<SimMove>) = (Vec::new(), Vec::new());
    let take_job = |job: SimJob| {
        if job.name == *name {
            jobs.push(job);
        }
    };
    let take_move = |step: SimMove| {
        if step.job == *name {
            moves.push(step);
        }
    };
    let run = RunFile::read(&arguments.run, take_job, take_move)?.run;
    if jobs.is_empty() {
        let file = arguments.run.display();
        return Err(input_with_hint(
            format!("no job '{name}' is in {file}"),
            format!("names are in its lines of jobs, as in: grep '\"job\"' {file}"),
        ));
    }
    let wrong = || because("the run's policy cannot be read; it was made by another version");
    let mut policies = placement::policy::read(&run.policy).ok().context(wrong())?;
    let policy = (!policies.all.is_empty()).then(|| policies.all.remove(0)).context(wrong())?;
    let trace_path = arguments.trace.as_deref().unwrap_or(Path::new(&run.trace_path));
    let trace = open(trace_path)?;
    let progress = Progress::on_stderr(!json);
    progress.say("repeating the run as far as the job");
    let mut again = Run::start(trace, policy, run.options.clone(), "", std::io::sink())
        .map_err(|error| failed(trace_path, error))?;
    again.watch(name);
    // Its last decision may come when its host fails, so the run is repeated to its end.
    let end_ms = jobs.iter().map(|job| job.end_ms.unwrap_or(u64::MAX)).max().unwrap_or(u64::MAX);
    while again.now_ms() <= end_ms
        && !again.advance(again.now_ms().saturating_add(1)).map_err(|error| failed(trace_path, error))?
    {}
    let explained = again.explanations();
    let first = explained.iter().find_map(|decision| decision.host.clone());
    let Some(fared) = jobs.into_iter().find(|job| job.host == first) else {
        return Err(input_with_hint(
            format!("{} is not the trace of this run: there the job went elsewhere", trace_path.display()),
            "give the right one by --trace",
        ));
    };
    let explanation = SimExplanation {
        job: name.clone(),
        decisions: explained.iter().map(Explanation::document).collect(),
        fared: Some(fared),
        moves,
    };
    drop(progress);
    print_result(&explanation, json, report_of)?;
    Ok(ExitCode::SUCCESS)
}

fn report_of(explanation: &SimExplanation) -> Report {
    let mut report = Report::default();
    for decision in &explanation.decisions {
        let often = match decision.times {
            0 | 1 => String::new(),
            times => format!("{times} times until {}, from ", duration(decision.last_ms)),
        };
        let result = match &decision.host {
            Some(host) => format!("went to {host}"),
            None => "found no host".to_owned(),
        };
        let when = duration(decision.at_ms);
        report.section(&format!("{often}{when}: {} {result} under {}", explanation.job, decision.policy));
        compared(&mut report, decision);
    }
    report.sentences(explanation.moves.iter().map(moved).collect());
    if explanation.decisions.iter().any(|decision| !decision.candidates.is_empty()) {
        report.line(LEGEND);
    }
    report
}

/// What the table of the compared hosts needs.
pub const LEGEND: &str = "*: chosen. Values are from 0 to 1000; of each kind of host only the first candidates of the policy are compared.";

/// Shows which hosts failed, and how the others compare.
pub fn compared(report: &mut Report, decision: &SimDecision) {
    report.sentences(hosts(decision));
    if let Some(first) = decision.candidates.first() {
        report.table("", candidates(decision, first));
    }
}

/// Says how many hosts failed which condition, and how many passed.
fn hosts(decision: &SimDecision) -> Vec<String> {
    let failed = |(filter, number): (&String, &u64)| {
        let failed = Filter::ALL.iter().find(|known| known.id() == filter).map_or("", |known| known.failed());
        format!("{number} {} {failed}", if *number == 1 { "host" } else { "hosts: each" })
    };
    let mut sentences: Vec<String> = decision.failed.iter().map(failed).collect();
    sentences.push(format!("{} passed", decision.passed));
    if decision.rearranged > 0 {
        let number = decision.rearranged;
        sentences.push(format!("strict jobs of its host that changed their cores to make room: {number}"));
    }
    sentences
}

/// Makes the table of the compared hosts; `first` has the same scores as the others.
fn candidates(decision: &SimDecision, first: &SimCandidate) -> Table {
    let names: Vec<String> =
        first.scores.iter().map(|(name, score)| format!("{name} x {}", score.weight)).collect();
    let mut columns = vec![("host", Align::Left), ("value", Align::Right)];
    columns.extend(names.iter().map(|name| (name.as_str(), Align::Right)));
    let mut table = Table::new(&columns);
    for candidate in &decision.candidates {
        let host = match Some(&candidate.host) == decision.host.as_ref() {
            true => Cell::styled(Style::Good, format!("{} *", candidate.host)),
            false => candidate.host.as_str().into(),
        };
        // Of another's scores, those that the first has: a document may be anybody's.
        let values = first.scores.keys().map(|name| {
            candidate.scores.get(name).map_or("-".into(), |score| Cell::from(thousandths(score.value)))
        });
        table.row([host, thousandths(candidate.total).into()].into_iter().chain(values));
    }
    table
}

fn moved(step: &SimMove) -> String {
    let way = if step.from == step.to {
        format!("changed its cores on {}", step.from)
    } else {
        format!("moved from {} to {}", step.from, step.to)
    };
    let (when, still) = (duration(step.at_ms), duration(step.pause_ms));
    format!("{when}: {way} ({}), and stood still for {still}", step.reason)
}

fn thousandths(value: u32) -> String {
    format!("{:.1}", f64::from(value) / 1000.0)
}
