//! `tauto sim explain`: why a job went where it went.

use super::files::{RunFile, failed, open};
use super::text::duration;
use crate::arguments::SimExplainArguments;
use anyhow::Context;
use documents::{SimCandidate, SimDecision, SimExplanation, SimJob, SimMove, SimScore};
use placement::Filter;
use simulator::run::{Explanation, Run};
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{because, input_with_hint};
use terminal::{Align, Cell, Colour, Progress, Style, Table, print, prose, visible};

/// Explains the decisions about a job.
///
/// # Errors
/// When the file is no run's, the job is not in it, or the trace is not the one that was run.
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
        decisions: explained.iter().map(decision).collect(),
        fared: Some(fared),
        moves,
    };
    drop(progress);
    print(&if json { documents::to_json(&explanation) } else { text(&explanation, Colour::for_stdout()) })?;
    Ok(ExitCode::SUCCESS)
}

fn decision(found: &Explanation) -> SimDecision {
    let candidate = |candidate: &simulator::run::Candidate| SimCandidate {
        host: candidate.host.clone(),
        total: candidate.total,
        scores: candidate
            .scores
            .iter()
            .map(|(score, (value, weight))| {
                (score.id().to_owned(), SimScore { value: *value, weight: *weight })
            })
            .collect(),
    };
    SimDecision {
        at_ms: found.at_ms,
        times: found.times,
        last_ms: found.last_ms,
        policy: found.policy.clone(),
        host: found.host.clone(),
        failed: found.failed.iter().map(|(filter, count)| (filter.id().to_owned(), *count)).collect(),
        passed: found.passed,
        rearranged: found.rearranged,
        candidates: found.candidates.iter().map(candidate).collect(),
    }
}

fn text(explanation: &SimExplanation, colour: Colour) -> String {
    let mut text = String::new();
    for decision in &explanation.decisions {
        let when = duration(decision.at_ms);
        if decision.times > 1 {
            let (times, until) = (decision.times, duration(decision.last_ms));
            text.push_str(&format!("{times} times until {until}, from "));
        }
        text.push_str(&visible(&match &decision.host {
            Some(host) => format!("{when}: {} went to {host} under {}\n", explanation.job, decision.policy),
            None => format!("{when}: {} found no host under {}\n", explanation.job, decision.policy),
        }));
        for (filter, number) in &decision.failed {
            let failed =
                Filter::ALL.iter().find(|known| known.id() == filter).map_or("", |known| known.failed());
            let each = if *number == 1 { "host" } else { "hosts: each" };
            text.push_str(&format!("  {number} {each} {failed}\n"));
        }
        text.push_str(&format!("  {} passed\n", decision.passed));
        if decision.rearranged > 0 {
            let number = decision.rearranged;
            text.push_str(&format!(
                "  strict jobs of its host that changed their cores to make room: {number}\n"
            ));
        }
        let Some(first) = decision.candidates.first() else { continue };
        let names: Vec<String> =
            first.scores.iter().map(|(name, score)| format!("{name} x {}", score.weight)).collect();
        let mut columns = vec![("host", Align::Left), ("value", Align::Right)];
        columns.extend(names.iter().map(|name| (name.as_str(), Align::Right)));
        let mut table = Table::new(&columns);
        for candidate in &decision.candidates {
            let is_chosen = Some(&candidate.host) == decision.host.as_ref();
            let mark = if is_chosen { format!("{} *", candidate.host) } else { candidate.host.clone() };
            let host = if is_chosen { Cell::styled(Style::Good, mark) } else { mark.into() };
            let values = candidate.scores.values().map(|score| thousandths(score.value).into());
            table.row([host, thousandths(candidate.total).into()].into_iter().chain(values));
        }
        text.push('\n');
        text.push_str(&table.render(colour));
        text.push('\n');
    }
    for step in &explanation.moves {
        let way = if step.from == step.to {
            format!("changed its cores on {}", step.from)
        } else {
            format!("moved from {} to {}", step.from, step.to)
        };
        let (when, still) = (duration(step.at_ms), duration(step.pause_ms));
        text.push_str(&visible(&format!("{when}: {way} ({}), and stood still for {still}\n", step.reason)));
    }
    if explanation.decisions.iter().any(|decision| !decision.candidates.is_empty()) {
        text.push_str(&prose(
            "",
            2,
            "*: chosen. Values are from 0 to 1000; of each kind of host only the first candidates of the policy are \
             compared.",
        ));
    }
    text
}

fn thousandths(value: u32) -> String {
    format!("{:.1}", f64::from(value) / 1000.0)
}
