//! Clarifications.

use super::answer::show;
use super::names::{Problems, teams};
use super::submissions::short;
use crate::arguments::{AnswerArguments, AskArguments, ClarificationCommand};
use crate::client::{Client, segment};
use crate::output::{done, table};
use documents::contest::{Clarification, NewClarification};
use std::process::ExitCode;
use terminal::Colour;

pub fn run(command: &ClarificationCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        ClarificationCommand::Ask(arguments) => ask(arguments, json),
        ClarificationCommand::Answer(arguments) => answer(arguments, json),
        ClarificationCommand::List(server) => {
            let client = Client::open(server)?;
            let path = client.in_contest("clarifications")?;
            show(&client, &path, json, |all: Vec<Clarification>| list(&client, &all))
        }
    }
}

fn list(client: &Client, all: &[Clarification]) -> anyhow::Result<String> {
    let (problems, teams) = (Problems::of(client)?, teams(client)?);
    let name = |id: &String| teams.get(id).unwrap_or(id).clone();
    let mut table = table(&[">id", ">time", "from", "to", "about", "text"]);
    for one in all {
        let to: Vec<String> = one
            .to_team_ids
            .iter()
            .flatten()
            .map(name)
            .chain(one.to_group_ids.iter().flatten().cloned())
            .collect();
        let to = match (&one.from_team_id, to.is_empty()) {
            (Some(_), _) => "jury".to_owned(),
            (None, true) => "all".to_owned(),
            (None, false) => to.join(", "),
        };
        let about = one.problem_id.as_ref().map(|id| problems.label(id)).or_else(|| one.category.clone());
        let text = match &one.reply_to_id {
            Some(question) => format!("(to {question}) {}", one.text),
            None => one.text.clone(),
        };
        table.row([
            one.id.as_str().into(),
            short(one.contest_time).into(),
            one.from_team_id.as_ref().map_or_else(|| "jury".to_owned(), name).into(),
            to.into(),
            about.unwrap_or_else(|| "-".to_owned()).into(),
            text.into(),
        ]);
        match (&one.from_team_id, one.is_answered, &one.claimed_by) {
            (Some(_), Some(false), Some(who)) => table.note(None, &format!("{who} answers it")),
            (Some(_), Some(false), None) => table.note(None, "not answered"),
            _ => {}
        }
    }
    Ok(table.render(Colour::for_stdout()))
}

fn ask(arguments: &AskArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let problem = arguments.problem.as_ref();
    let problem =
        problem.map(|name| Ok::<_, anyhow::Error>(Problems::of(&client)?.require(name)?.id.clone()));
    let clarification = NewClarification {
        to_team_ids: Some(arguments.team.clone()).filter(|teams| !teams.is_empty()),
        problem_id: problem.transpose()?,
        category: arguments.category.clone(),
        ..new(&arguments.text)
    };
    send(&client, &clarification, json)
}

fn answer(arguments: &AnswerArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let path = client.in_contest(&format!("clarifications/{}", segment(&arguments.id)))?;
    let question: Clarification = client.get(&path)?;
    let clarification = NewClarification {
        to_team_ids: question.from_team_id.filter(|_| !arguments.all).map(|team| vec![team]),
        reply_to_id: Some(question.id),
        problem_id: question.problem_id,
        category: question.category,
        again: arguments.again,
        ..new(&arguments.text)
    };
    send(&client, &clarification, json)
}

/// Returns a clarification by the jury to all teams.
fn new(text: &str) -> NewClarification {
    NewClarification {
        id: None,
        time: None,
        contest_time: None,
        from_team_id: None,
        to_team_ids: None,
        to_group_ids: None,
        reply_to_id: None,
        problem_id: None,
        category: None,
        text: text.to_owned(),
        again: false,
    }
}

fn send(client: &Client, clarification: &NewClarification, json: bool) -> anyhow::Result<ExitCode> {
    let answer = client.send("POST", &client.in_contest("clarifications")?, clarification)?;
    let made: Clarification = serde_json::from_slice(&answer)?;
    done(&format!("clarification {} is sent", made.id), &answer, json)
}
