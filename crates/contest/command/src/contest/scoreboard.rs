//! The scoreboard.

use super::control::phase;
use super::names::{Problems, teams};
use super::saved::save;
use super::watch::watch;
use crate::arguments::ScoreboardArguments;
use crate::client::{Client, segment};
use documents::contest::{Contest, ContestFile, ProblemScore, Scoreboard, ScoreboardRow, ScoreboardType};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;
use terminal::{Align, Cell, Colour, Style, Table, print, prose};

/// CCS requirements: a board is at most 30 s old. This is no load for a server.
const WATCH_EVERY: Duration = Duration::from_secs(2);

pub fn run(arguments: &ScoreboardArguments, json: bool) -> anyhow::Result<ExitCode> {
    let client = Client::open(&arguments.server)?;
    let mut query: Vec<String> = (!arguments.jury).then(|| "public=true".to_owned()).into_iter().collect();
    query.extend(arguments.group.as_ref().map(|group| format!("group_id={}", segment(group))));
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    if let Some(out) = &arguments.out {
        let path = client.in_contest(&format!("scoreboard.zip{query}"))?;
        return save(&client, &path, Some(out), "", json);
    }
    let path = client.in_contest(&format!("scoreboard{query}"))?;
    let text = || -> anyhow::Result<String> {
        if json {
            return client.get_text(&path);
        }
        let contest: Contest = client.get(&client.in_contest("")?)?;
        let board = client.get(&path)?;
        let shown = (&contest, &board, arguments.jury && sees_frozen(&client)?);
        render(shown, &Problems::of(&client)?, &teams(&client)?, Colour::for_stdout())
    };
    if arguments.watch {
        watch(WATCH_EVERY, text)?;
    } else {
        print(&text()?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns whether the caller sees what is hidden during the freeze: only the jury gets a contest's settings.
fn sees_frozen(client: &Client) -> anyhow::Result<bool> {
    let settings = client.get::<ContestFile>(&client.in_contest("settings")?);
    Ok(settings.is_ok())
}

/// Returns the board as text: a contest, its board, and whether that is the jury's.
pub fn render(
    (contest, board, is_jury): (&Contest, &Scoreboard, bool),
    problems: &Problems,
    teams: &BTreeMap<String, String>,
    colour: Colour,
) -> anyhow::Result<String> {
    let is_pass_fail = contest.scoreboard_type == ScoreboardType::PassFail;
    let mut columns = vec![("rank", Align::Right), ("team", Align::Left)];
    columns.push((if is_pass_fail { "solved" } else { "score" }, Align::Right));
    if is_pass_fail {
        columns.push(("time", Align::Right));
    }
    columns.extend(problems.0.iter().map(|problem| (problem.label.as_str(), Align::Right)));
    let mut table = Table::new(&columns);
    for row in &board.rows {
        let name = teams.get(&row.team_id).unwrap_or(&row.team_id);
        let mut cells: Vec<Cell> = vec![rank(row).into(), name.as_str().into()];
        if is_pass_fail {
            let minutes = row.score.total_time.map_or(0, |time| time.0 / 60_000);
            cells.push(row.score.num_solved.unwrap_or(0).to_string().into());
            cells.push(minutes.to_string().into());
        } else {
            cells.push(row.score.score.unwrap_or(0.0).to_string().into());
        }
        for problem in &problems.0 {
            let score = row.problems.iter().find(|score| score.problem_id == problem.id);
            cells.push(score.map_or_else(|| Cell::from(""), |score| cell(score, is_pass_fail)));
        }
        table.row(cells);
    }
    let phase = match phase(&board.state) {
        word if is_jury => word.trim_end_matches(", frozen"),
        word => word,
    };
    let mut text = prose("", 2, &format!("{}: {phase}", contest.name));
    let sentence = board.freeze_sentence(contest).map(|sentence| {
        let hidden = "The jury's board: it shows what the public board does not show while it is frozen.";
        if is_jury { hidden.to_owned() } else { sentence }
    });
    if let Some(sentence) = sentence {
        text.push_str(&prose("", 2, &sentence));
    }
    text.push('\n');
    text.push_str(&table.render(colour));
    if board.state.ended.is_some() && board.state.finalized.is_none() {
        text.push_str("\nnot final\n");
    }
    Ok(text)
}

fn cell(score: &ProblemScore, is_pass_fail: bool) -> Cell {
    let minutes = score.time.map(|time| time.0 / 60_000);
    let pending = if score.num_pending > 0 { format!("+{}?", score.num_pending) } else { String::new() };
    if !is_pass_fail {
        let points = score.score.filter(|points| *points > 0.0).map(|points| points.to_string());
        return format!("{}{pending}", points.unwrap_or_default()).into();
    }
    match (score.solved.unwrap_or(false), minutes) {
        (true, minutes) => {
            let first = if score.first_to_solve == Some(true) { "*" } else { "" };
            Cell::styled(Style::Good, format!("+{first} {}/{}", score.num_judged, minutes.unwrap_or(0)))
        }
        (false, _) if score.num_pending > 0 => {
            let judged = if score.num_judged > 0 { score.num_judged.to_string() } else { String::new() };
            Cell::styled(Style::Caution, format!("{judged}{pending}"))
        }
        (false, _) if score.num_judged > 0 => Cell::styled(Style::Bad, format!("-{}", score.num_judged)),
        _ => "".into(),
    }
}

/// Returns a team's rank; hidden teams have none.
fn rank(row: &ScoreboardRow) -> String {
    if row.is_hidden == Some(true) { String::new() } else { row.rank.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn cells_have_a_sign_in_addition_to_a_colour() {
        let contest: Contest = from_value(json!({
            "id": "c", "name": "Spring", "start_time": "2026-11-23T09:00:00.000Z", "duration": "5:00:00.000",
            "scoreboard_freeze_duration": "1:00:00.000", "scoreboard_type": "pass-fail",
        }))
        .unwrap();
        let problem = |id: &str, label: &str| {
            json!({"id": id, "label": label, "name": id, "ordinal": 1, "memory_limit": 1,
            "output_limit": 1, "code_limit": 1, "test_data_count": 1})
        };
        let problems =
            Problems(from_value(json!([problem("a", "A"), problem("b", "B"), problem("c", "C")])).unwrap());
        let board: Scoreboard = from_value(json!({
            "time": "2026-11-23T13:30:00.000Z", "contest_time": "4:30:00.000",
            "state": {"started": "2026-11-23T09:00:00.000Z", "frozen": "2026-11-23T13:00:00.000Z", "ended": null,
                      "finalized": null, "end_of_updates": null},
            "rows": [
                {"rank": 1, "team_id": "1", "score": {"num_solved": 1, "total_time": "1:03:00.000"}, "problems": [
                    {"problem_id": "a", "num_judged": 2, "num_pending": 0, "solved": true, "time": "0:43:12.000",
                     "first_to_solve": true},
                    {"problem_id": "b", "num_judged": 3, "num_pending": 0, "solved": false},
                    {"problem_id": "c", "num_judged": 1, "num_pending": 2, "solved": false}]},
                {"rank": 2, "team_id": "2", "score": {"num_solved": 0, "total_time": "0:00:00.000"}, "problems": []},
            ],
        }))
        .unwrap();
        let teams = BTreeMap::from([("1".to_owned(), "Ada".to_owned()), ("2".to_owned(), "Bob".to_owned())]);
        let jury = render((&contest, &board, true), &problems, &teams, Colour::Off).unwrap();
        let top: Vec<&str> = jury.lines().take(2).collect();
        let hidden = "The jury's board: it shows what the public board does not show while it is frozen.";
        assert_eq!(top, ["Spring: running", hidden]);
        let text = render((&contest, &board, false), &problems, &teams, Colour::Off).unwrap();
        insta::assert_snapshot!(text, @r"
        Spring: running, frozen
        The scoreboard was frozen with 60 minutes remaining - submissions in the last 60 minutes of the contest are still shown as pending.

        rank  team  solved  time        A   B     C
        ───────────────────────────────────────────
           1  Ada        1    63  +* 2/43  -3  1+2?
           2  Bob        0     0
        ");
    }
}
