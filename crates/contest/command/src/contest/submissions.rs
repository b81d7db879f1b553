//! Lists submissions.

use super::answer::show;
use super::names::{Problems, teams};
use crate::arguments::SubmissionsArguments;
use crate::client::{Client, segment};
use crate::output::table;
use documents::contest::{Judgement, RelTime, Submission};
use model::Verdict;
use std::collections::BTreeMap;
use std::process::ExitCode;
use terminal::failure::input_with_hint;
use terminal::{Cell, Colour, verdict_style};

/// Lists them, the newest last.
pub fn run(arguments: &SubmissionsArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let problems = Problems::of(&client)?;
    let mut query = Vec::new();
    if let Some(problem) = &arguments.problem {
        query.push(format!("problem_id={}", segment(&problems.require(problem)?.id)));
    }
    let teams = teams(&client)?;
    if let Some(team) = arguments.team.as_ref().filter(|team| !teams.contains_key(*team)) {
        return Err(input_with_hint(
            format!("there is no team '{team}'"),
            "'tauto team list' shows their ids",
        ));
    }
    query.extend(arguments.team.as_ref().map(|team| format!("team_id={}", segment(team))));
    let path = client.in_contest(&format!("submissions?{}", query.join("&")))?;
    let text = |submissions: Vec<Submission>| {
        if submissions.is_empty() {
            return Ok("no submissions\n".to_owned());
        }
        let judgements: Vec<Judgement> = client.get(&client.in_contest("judgements")?)?;
        let current: BTreeMap<&str, &Judgement> = judgements
            .iter()
            .filter(|one| one.current)
            .map(|one| (one.submission_id.as_str(), one))
            .collect();
        let mut table = table(&[">id", ">time", "team", "problem", "language", "verdict", ">slowest"]);
        for one in &submissions {
            let judgement = current.get(one.id.as_str());
            let slowest = judgement.and_then(|judgement| judgement.max_run_time);
            let team = one.team_id.as_ref().map(|id| teams.get(id).unwrap_or(id).as_str()).unwrap_or("-");
            table.row([
                one.id.as_str().into(),
                short(one.contest_time).into(),
                team.into(),
                problems.label(&one.problem_id).into(),
                one.language_id.as_str().into(),
                verdict(judgement.and_then(|judgement| judgement.judgement_type_id.as_deref())),
                slowest.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.3} s")).into(),
            ]);
        }
        Ok(table.render(Colour::for_stdout()))
    };
    show(&client, path.trim_end_matches('?'), json, text)
}

pub fn verdict(id: Option<&str>) -> Cell {
    match id.map(|id| (id, id.parse::<Verdict>())) {
        Some((_, Ok(verdict))) => {
            Cell::styled(verdict_style(verdict), format!("{:<3} {}", verdict.clics_id(), verdict.words()))
        }
        Some((id, Err(_))) => id.into(),
        None => "pending".into(),
    }
}

/// Returns a contest time in hours, minutes and seconds.
pub fn short(time: RelTime) -> String {
    let text = time.to_string();
    text.split('.').next().unwrap_or_default().to_owned()
}
