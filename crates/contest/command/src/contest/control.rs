//! A contest's clock, its checks, and the list of contests.

use super::answer::show;
use super::operation::Operation;
use crate::arguments::{ExtendArguments, OnServer, StartArguments};
use crate::client::{Client, segment};
use crate::output::{done, table};
use contest_rules::{Instant, Millis};
use documents::contest::{
    CheckReport, CheckState, Contest, ContestFile, ContestState, Countdown, Judgehost, RelTime,
};
use serde_json::{Value, json};
use std::process::ExitCode;
use terminal::{Colour, Style, print, prose, visible};

pub fn list(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    show(&client, "contests", json, |contests: Vec<Contest>| {
        let mut table = table(&["id", "name", "start", ">duration", "state"]);
        for contest in contests {
            let state: ContestState = client.get(&format!("contests/{}/state", segment(&contest.id)))?;
            let is_paused = state.ended.is_none() && is_paused(&client, &contest.id);
            let start = contest.start_time.map_or_else(|| "not set".to_owned(), |start| start.to_string());
            let duration = contest.duration.to_string();
            table.row([
                contest.id.into(),
                contest.name.into(),
                start.into(),
                duration.trim_end_matches(".000").into(),
                if is_paused { "paused" } else { phase(&state) }.into(),
            ]);
        }
        Ok(table.render(Colour::for_stdout()))
    })
}

/// Returns whether a contest's clock stands still; only its jury can read that.
fn is_paused(client: &Client, id: &str) -> bool {
    let settings = client.get::<ContestFile>(&format!("contests/{}/settings", segment(id)));
    settings.is_ok_and(|settings| settings.removed_intervals.iter().any(|one| one.end.is_none()))
}

/// Returns how far a contest is, in a word or two.
pub fn phase(state: &ContestState) -> &'static str {
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
            let mark = format!("{} ", colour.paint(style, &format!("{mark:<7}")));
            text.push_str(&prose(&mark, 2, &visible(&line)));
        }
        print(&text)?;
    }
    let fails = report.checks.iter().any(|check| check.state == CheckState::Fail);
    Ok(ExitCode::from(u8::from(fails)))
}

/// Starts the contest: now, after a while, or at a time. "Now" is the server's: this machine's clock may be wrong.
pub fn start(arguments: &StartArguments, json: bool) -> anyhow::Result<ExitCode> {
    let server = &arguments.server;
    match (arguments.at, arguments.after) {
        (Some(at), _) => {
            let sentence = format!("the contest starts at {}", with_local(at));
            change(server, json!({ "start_time": at.to_string() }), sentence, json)
        }
        (None, Some(after)) => {
            let countdown = Countdown { remaining: Some(RelTime(after.0)), is_paused: false };
            count_down(&Client::open(server)?, &countdown, json)
        }
        (None, None) => Operation::post("start", "the contest has started").run(server, json),
    }
}

/// Returns a time as the server has it, and by this machine's clock if that is of another zone.
pub fn with_local(at: Instant) -> String {
    let here =
        jiff::Timestamp::from_millisecond(at.0).map(|at| at.to_zoned_datetime(jiff::tz::TimeZone::system()));
    match here {
        Ok(here) if here.offset().seconds() != 0 => {
            format!("{at}, {} here", here.strftime("%Y-%m-%d %H:%M %Z"))
        }
        _ => at.to_string(),
    }
}

/// Pauses the countdown to the start, or resumes it.
fn count_down(client: &Client, countdown: &Countdown, json: bool) -> anyhow::Result<ExitCode> {
    let answer = client.send("POST", &client.in_contest("countdown")?, countdown)?;
    let contest: Contest = serde_json::from_slice(&answer)?;
    let sentence = match (contest.start_time, contest.countdown_pause_time) {
        (Some(start), _) => format!("the contest starts at {}", with_local(Instant(start.0))),
        (None, Some(left)) => format!("the countdown is paused, {} before the start", Millis(left.0)),
        (None, None) => "the contest has no start".to_owned(),
    };
    done(&sentence, &answer, json)
}

/// Changes the contest by the standard's PATCH, which names it in the body too.
pub fn change(
    server: &OnServer,
    mut change: Value,
    sentence: String,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    change["id"] = client.contest()?.into();
    Operation::patch("", sentence).with(&change).send(&client, json)
}

/// Pauses the contest, or before the start the countdown.
pub fn pause(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    let state: ContestState = client.get(&client.in_contest("state")?)?;
    if state.started.is_none() {
        return count_down(&client, &Countdown { remaining: None, is_paused: true }, json);
    }
    Operation::post("pause", "the contest is paused").send(&client, json)
}

pub fn resume(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(server)?;
    let contest: Contest = client.get(&client.in_contest("")?)?;
    if contest.countdown_pause_time.is_some() {
        return count_down(&client, &Countdown::default(), json);
    }
    Operation::post("resume", "the contest is resumed").send(&client, json)
}

pub fn extend(arguments: &ExtendArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let by = arguments.by;
    let answer = client.send("POST", &client.in_contest("extend")?, &json!({ "by": by.to_string() }))?;
    let words = if by < Millis::ZERO { "shorter" } else { "longer" };
    let contest: Contest = client.get(&client.in_contest("")?)?;
    let by = by.to_string();
    let (by, all) = (by.trim_start_matches('-'), Millis(contest.duration.0));
    done(&format!("the contest lasts {by} {words}, {all} in all"), &answer, json)
}

pub fn machines(server: &OnServer, json: bool) -> anyhow::Result<ExitCode> {
    show(&Client::open(server)?, "judgehosts", json, |hosts: Vec<Judgehost>| {
        Ok(super::judging::machines(&hosts, Colour::for_stdout()))
    })
}
