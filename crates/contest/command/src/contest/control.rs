//! A contest's clock, its board, its result.

use super::answer::{done, show};
use crate::arguments::{
    AtArguments, ExtendArguments, FinalizeArguments, OnServer, ReasonArguments, RemoveContestArguments,
    StartArguments,
};
use crate::client::{Client, segment};
use contest_rules::Millis;
use documents::contest::{CheckReport, CheckState, Countdown, RelTime};
use serde_json::{Value, json};
use std::process::ExitCode;
use terminal::{Align, Colour, Style, Table, print, prose, visible};

/// Lists the contests.
pub fn list(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    show(&client, "contests", json, |contests: Vec<documents::contest::Contest>| {
        let columns = [
            ("id", Align::Left),
            ("name", Align::Left),
            ("start", Align::Left),
            ("duration", Align::Right),
            ("state", Align::Left),
        ];
        let mut table = Table::new(&columns);
        for contest in contests {
            let state: documents::contest::ContestState =
                client.get(&format!("contests/{}/state", crate::client::segment(&contest.id)))?;
            let is_paused = state.ended.is_none() && is_paused(&client, &contest.id);
            let start = contest.start_time.map_or_else(|| "not set".to_owned(), |start| start.to_string());
            let duration = contest.duration.to_string();
            let duration = duration.trim_end_matches(".000").to_owned();
            table.row([
                contest.id.into(),
                contest.name.into(),
                start.into(),
                duration.into(),
                if is_paused { "paused" } else { phase(&state) }.into(),
            ]);
        }
        Ok(table.render(Colour::for_stdout()))
    })
}

/// Returns whether a contest's clock stands still; only its jury knows.
fn is_paused(client: &Client, id: &str) -> bool {
    let settings = client
        .get::<documents::contest::ContestFile>(&format!("contests/{}/settings", crate::client::segment(id)));
    settings.is_ok_and(|settings| settings.removed_intervals.iter().any(|one| one.end.is_none()))
}

/// Returns how far a contest is, in a word or two.
pub fn phase(state: &documents::contest::ContestState) -> &'static str {
    match state {
        state if state.finalized.is_some() => "final",
        state if state.ended.is_some() && state.frozen.is_some() && state.thawed.is_none() => "over, frozen",
        state if state.ended.is_some() => "over",
        state if state.frozen.is_some() => "running, frozen",
        state if state.started.is_some() => "running",
        _ => "not started",
    }
}

/// Checks whether the contest can begin, or once it has, whether its result can be made final.
pub fn check(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    let report: CheckReport = client.get(&client.in_contest("check")?)?;
    if json {
        print(&format!("{}\n", serde_json::to_string_pretty(&report)?))?;
    } else {
        let colour = Colour::for_stdout();
        let mut text = String::new();
        for check in &report.checks {
            let (style, mark) = match check.state {
                CheckState::Pass => (Style::Good, "pass"),
                CheckState::Caution => (Style::Caution, "caution"),
                CheckState::Fail => (Style::Bad, "fail"),
            };
            let remedy = check.remedy.iter().map(|remedy| format!("; {remedy}")).collect::<String>();
            let line = format!("{}{remedy}", check.text);
            text.push_str(&prose(
                &format!("{} ", colour.paint(style, &format!("{mark:<7}"))),
                2,
                &visible(&line),
            ));
        }
        print(&text)?;
    }
    let fails = report.checks.iter().any(|check| check.state == CheckState::Fail);
    Ok(ExitCode::from(u8::from(fails)))
}

/// Starts the contest: now, after a while, or at a time. "Now" is the server's: this machine's clock may be wrong.
pub fn start(arguments: &StartArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    match (arguments.at, arguments.after) {
        (Some(at), _) => {
            let answer = patch(&client, json!({ "start_time": at.to_string() }))?;
            done(&format!("the contest starts at {at}"), &answer, json)
        }
        (None, Some(after)) => {
            let countdown = Countdown { remaining: Some(RelTime(after.0)), is_paused: false };
            count_down(&client, &countdown, json)
        }
        (None, None) => {
            let answer = client.send("POST", &client.in_contest("start")?, &json!({}))?;
            done("the contest has started", &answer, json)
        }
    }
}

/// Lets the countdown to the start stand still, or go on.
fn count_down(client: &Client, countdown: &Countdown, json: bool) -> anyhow::Result<ExitCode> {
    let answer = client.send("POST", &client.in_contest("countdown")?, countdown)?;
    let contest: documents::contest::Contest = serde_json::from_slice(&answer)?;
    let sentence = match (contest.start_time, contest.countdown_pause_time) {
        (Some(start), _) => format!("the contest starts at {start}"),
        (None, Some(left)) => format!("the countdown is paused, {} before the start", Millis(left.0)),
        (None, None) => "the contest has no start".to_owned(),
    };
    done(&sentence, &answer, json)
}

/// Changes the contest by the standard's PATCH, which names it in the body too.
fn patch(client: &Client, mut change: Value) -> anyhow::Result<Vec<u8>> {
    change["id"] = client.contest()?.into();
    client.send("PATCH", &client.in_contest("")?, &change)
}

/// Lets the contest's clock, or before the start the countdown, stand still.
pub fn pause(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    let state: documents::contest::ContestState = client.get(&client.in_contest("state")?)?;
    if state.started.is_none() {
        return count_down(&client, &Countdown { remaining: None, is_paused: true }, json);
    }
    let answer = client.send("POST", &client.in_contest("pause")?, &json!({}))?;
    done("the contest is paused", &answer, json)
}

/// Lets the contest, or its countdown, go on.
pub fn resume(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    let contest: documents::contest::Contest = client.get(&client.in_contest("")?)?;
    if contest.countdown_pause_time.is_some() {
        return count_down(&client, &Countdown::default(), json);
    }
    let answer = client.send("POST", &client.in_contest("resume")?, &json!({}))?;
    done("the contest goes on", &answer, json)
}

/// Opens the final result again.
pub fn unfinalize(arguments: &ReasonArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let sent = json!({ "reason": arguments.reason });
    let answer = client.send("POST", &client.in_contest("unfinalize")?, &sent)?;
    done("the result is open again", &answer, json)
}

/// Removes a contest.
pub fn remove(arguments: &RemoveContestArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let path = format!("contests/{}", segment(&arguments.id));
    let answer = client.call("DELETE", &path, None, Vec::new())?;
    done(&format!("contest {} is removed", arguments.id), &answer, json)
}

/// Freezes the board.
pub fn freeze(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    let answer = client.send("POST", &client.in_contest("freeze")?, &json!({}))?;
    done("the board is frozen", &answer, json)
}

/// Thaws the board, now or at a time.
pub fn thaw(arguments: &AtArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let path = client.in_contest("")?;
    match arguments.at {
        None => {
            let answer = client.send("POST", &format!("{path}/thaw"), &json!({}))?;
            done("the board is thawed", &answer, json)
        }
        Some(at) => {
            let answer = patch(&client, json!({ "scoreboard_thaw_time": at.to_string() }))?;
            done(&format!("the board thaws at {at}"), &answer, json)
        }
    }
}

/// Lets the contest last longer.
pub fn extend(arguments: &ExtendArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let by = arguments.by;
    let answer = client.send("POST", &client.in_contest("extend")?, &json!({ "by": by.to_string() }))?;
    let words = if by < Millis::ZERO { "shorter" } else { "longer" };
    let contest: documents::contest::Contest = client.get(&client.in_contest("")?)?;
    let by = by.to_string();
    let sentence = format!(
        "the contest lasts {} {words}, {} in all",
        by.trim_start_matches('-'),
        Millis(contest.duration.0)
    );
    done(&sentence, &answer, json)
}

/// Makes the result final.
pub fn finalize(arguments: &FinalizeArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let body = documents::contest::Finalize {
        extra_bronze: arguments.extra_bronze,
        comment: arguments.comment.clone(),
    };
    let answer = client.send("POST", &client.in_contest("finalize")?, &body)?;
    done("the result is final", &answer, json)
}

/// Lists the machines that judge.
pub fn machines(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    show(&client, "judgehosts", json, |hosts: Vec<documents::contest::Judgehost>| {
        Ok(super::judging::machines(&hosts, Colour::for_stdout()))
    })
}
