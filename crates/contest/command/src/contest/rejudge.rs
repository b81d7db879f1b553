//! `tauto rejudge`: a set of submissions is judged again; what would change is shown before it counts.

use super::answer::{minute, show};
use super::names::Problems;
use super::operation::Operation;
use super::watch::pause;
use crate::arguments::RejudgeArguments;
use crate::client::{Client, segment};
use crate::output::table;
use documents::contest::{NewRejudging, Rejudging};
use model::counted;
use serde_json::json;
use std::process::ExitCode;
use std::time::Duration;
use terminal::interrupt::Interrupt;
use terminal::{Colour, Progress, print};

const ASK_EVERY: Duration = Duration::from_millis(500);

/// Opens a rejudging or takes an open one; waits, shows what changes, and applies or cancels it if wanted.
pub fn run(arguments: &RejudgeArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    if arguments.list {
        return list(&client, json);
    }
    let id = match &arguments.id {
        Some(id) => id.clone(),
        None => open(&client, arguments)?.id,
    };
    if arguments.cancel {
        let path = format!("rejudgings/{}/cancel", segment(&id));
        return Operation::post(path, format!("rejudging {id} is cancelled")).send(&client, json);
    }
    let path = client.in_contest(&format!("rejudgings/{}", segment(&id)))?;
    let rejudging = wait(&client, &path, json)?;
    if arguments.apply {
        client.send("POST", &format!("{path}/apply"), &json!({}))?;
    }
    if json {
        print(&client.get_text(&path)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = preview(&rejudging, Colour::for_stdout());
    text.push_str(&match (arguments.apply, rejudging.state.as_str()) {
        (true, _) => format!("rejudging {id} counts now\n"),
        (false, "open") => {
            format!("nothing counts yet: 'tauto rejudge {id} --apply' or 'tauto rejudge {id} --cancel'\n")
        }
        (false, state) => format!("rejudging {id} is {state}\n"),
    });
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn open(client: &Client, arguments: &RejudgeArguments) -> anyhow::Result<Rejudging> {
    let problems = Problems::of(client)?;
    let problem_ids = arguments.problem.iter().map(|name| Ok(problems.require(name)?.id.clone()));
    let wanted = NewRejudging {
        reason: arguments.reason.clone(),
        submission_ids: arguments.submission.clone(),
        problem_ids: problem_ids.collect::<anyhow::Result<_>>()?,
        team_ids: arguments.team.clone(),
        language_ids: arguments.language.clone(),
        judgement_type_ids: arguments.verdict.clone(),
        repeat: arguments.repeat,
    };
    client.send_for("POST", &client.in_contest("rejudgings")?, &wanted)
}

fn list(client: &Client, json: bool) -> anyhow::Result<ExitCode> {
    let path = client.in_contest("rejudgings")?;
    show(client, &path, json, |all: Vec<Rejudging>| {
        let mut table = table(&[">id", "made", "state", ">submissions", ">judged", "reason"]);
        for one in all {
            table.row([
                one.id.into(),
                minute(one.time).into(),
                one.state.into(),
                one.submissions.to_string().into(),
                format!("{}/{}", one.done, one.judgements).into(),
                one.reason.into(),
            ]);
        }
        Ok(table.render(Colour::for_stdout()))
    })
}

/// Waits until all is judged.
fn wait(client: &Client, path: &str, json: bool) -> anyhow::Result<Rejudging> {
    let interrupt = Interrupt::listen()?;
    let progress = Progress::on_stderr(!json);
    loop {
        let rejudging: Rejudging = client.get(path)?;
        if rejudging.state != "open" || rejudging.done >= rejudging.judgements {
            return Ok(rejudging);
        }
        progress.say(format!("{} of {} judged", rejudging.done, rejudging.judgements));
        pause(&interrupt, ASK_EVERY)?;
    }
}

/// Returns what changes, and how repetitions differ.
fn preview(rejudging: &Rejudging, colour: Colour) -> String {
    let mut text = format!(
        "rejudging {}: {}, {} of {} done\n",
        rejudging.id,
        counted(rejudging.submissions, "submission"),
        rejudging.done,
        counted(rejudging.judgements, "judgement"),
    );
    if rejudging.changes.is_empty() {
        text.push_str("no verdict changes\n");
    } else {
        let mut table = table(&[">submission", "before", "after"]);
        for change in &rejudging.changes {
            let words = |verdict: &Option<String>, score: Option<f64>| {
                let score = score.map_or_else(String::new, |score| format!(" ({score})"));
                format!("{}{score}", verdict.as_deref().unwrap_or("-"))
            };
            table.row([
                change.submission_id.as_str().into(),
                words(&change.from, change.from_score).into(),
                words(&change.to, change.to_score).into(),
            ]);
        }
        text.push_str(&table.render(colour));
    }
    if rejudging.repeat > 1 && !rejudging.spread.is_empty() {
        let mut table = table(&[">submission", "verdicts", ">fastest", ">slowest"]);
        let seconds = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), |time| format!("{time:.3} s"));
        for one in &rejudging.spread {
            table.row([
                one.submission_id.as_str().into(),
                one.verdicts.join(", ").into(),
                seconds(one.lowest_run_time).into(),
                seconds(one.highest_run_time).into(),
            ]);
        }
        text.push('\n');
        text.push_str(&table.render(colour));
    }
    text
}
