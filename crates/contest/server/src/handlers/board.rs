//! Scoreboards, awards and results.

use crate::boards::{Board, Form, Key};
use crate::etag::has_tag;
use crate::extract::{Json, Query, accepts};
use crate::guard::IsShared;
use crate::handlers::InContest;
use crate::wire::{id, reltime, texts, time, wire_state};
use crate::{Problem, static_board, zips};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contest_rules::board::{Award, BoardRow, BoardSide, award_id};
use contest_rules::view::View;
use contest_rules::{GroupId, GroupSettings, Millis, Scoring};
use documents::contest as api;
use model::message;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct BoardQuery {
    group_id: Option<String>,
    /// Staff sees the board without the freeze, unless it asks for the public one.
    public: bool,
}

pub async fn scoreboard(
    at: InContest,
    Query(query): Query<BoardQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let group: Option<GroupId> = query.group_id.as_deref().map(|group| id("group_id", group)).transpose()?;
    let board = at.view(|view| {
        let side = view.side(query.public);
        // What is cached for everybody must not depend on the first request.
        let side_of_viewer = view.side(false);
        let (group, form) = (group.clone(), Form::Standard);
        let key =
            Key { contest: at.contest.clone(), group: group.clone(), side, viewer: side_of_viewer, form };
        at.app.boards.get(key, view.changes(side_of_viewer), || build(view, side, group.as_ref()))
    })?;
    Ok(answer(&board, &headers))
}

/// Returns the scoreboard as an archive with a page: the public one to all but the jury.
pub async fn archive(at: InContest, Query(query): Query<BoardQuery>) -> Result<Response, Problem> {
    let group: Option<GroupId> = query.group_id.as_deref().map(|group| id("group_id", group)).transpose()?;
    let (files, logos) = at.view(|view| {
        let side = view.side(query.public);
        let view = if side == BoardSide::Jury { view.clone() } else { view.as_public() };
        static_board::files(&view, side, group.as_ref())
    })?;
    zips::answer(&at.app, &format!("{}-scoreboard.zip", at.contest), move |app, zip| {
        files.iter().try_for_each(|(name, content)| zip.bytes(name, content))?;
        logos.iter().try_for_each(|(name, hash)| zip.blob(app, name, hash))
    })
    .await
}

/// Answers with a board, or that it has not changed.
pub(super) fn answer(board: &Board, headers: &HeaderMap) -> Response {
    let is_zipped = accepts(headers, "gzip");
    let etag = if is_zipped { board.etag.replacen('"', "\"gz-", 1) } else { board.etag.clone() };
    let mut response = if has_tag(headers, &etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else if is_zipped {
        let headers = [(header::CONTENT_TYPE, "application/json"), (header::CONTENT_ENCODING, "gzip")];
        (headers, board.zipped()).into_response()
    } else {
        ([(header::CONTENT_TYPE, "application/json")], board.bytes.clone()).into_response()
    };
    let answer = response.headers_mut();
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    answer.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        answer.insert(header::ETAG, etag);
    }
    response.extensions_mut().insert(IsShared);
    response
}

pub(crate) fn build(view: &View<'_>, side: BoardSide, group: Option<&GroupId>) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(&wire_board(view, side, group)?).map_err(Problem::internal)
}

pub(super) fn wire_board(
    view: &View<'_>,
    side: BoardSide,
    group: Option<&GroupId>,
) -> Result<api::Scoreboard, Problem> {
    let board = view.board(side, group)?;
    let (contest, state) = (view.contest(), view.state());
    let problems: Vec<String> = texts(board.problems.iter().copied());
    let row = |row: &BoardRow<'_>| wire_row(row, &problems, contest.scoring);
    // Only from what is on the board: the time of another event would tell of it.
    let seen = board.rows.iter().filter_map(|row| row.time).max().unwrap_or_default();
    let at = contest.start.map(|start| start + seen);
    let changes = [state.started, state.frozen, state.ended, state.thawed, state.finalized, at];
    let mut above = 0;
    let rows = board.rows.iter().map(|entry| {
        above += u32::from(entry.rank.is_some());
        // A hidden team is on the jury's board at the rank that it would have.
        let would_be = above + u32::from(entry.rank.is_none());
        api::ScoreboardRow { rank: entry.rank.unwrap_or(would_be), ..row(entry) }
    });
    let rows = rows.collect();
    Ok(api::Scoreboard {
        time: time(changes.into_iter().flatten().max().unwrap_or_default()),
        contest_time: reltime(seen),
        state: wire_state(&state),
        rows,
    })
}

fn wire_row(row: &BoardRow<'_>, problems: &[String], scoring: Scoring) -> api::ScoreboardRow {
    let is_pass_fail = matches!(scoring, Scoring::PassFail { .. });
    let cells: BTreeMap<&str, _> = row.problems.iter().map(|cell| (cell.problem.as_str(), cell)).collect();
    let problem = |id: &String| {
        let cell = cells.get(id.as_str());
        let value = cell.map(|entry| entry.cell.clone()).unwrap_or_default();
        api::ProblemScore {
            problem_id: id.clone(),
            num_judged: value.judged,
            num_pending: value.pending,
            solved: is_pass_fail.then_some(value.is_solved),
            score: (!is_pass_fail).then(|| value.score.points()),
            time: value.time.map(reltime),
            first_to_solve: cell.filter(|cell| cell.is_first).map(|_| true),
        }
    };
    api::ScoreboardRow {
        rank: row.rank.unwrap_or(0),
        team_id: row.team.to_string(),
        is_hidden: row.rank.is_none().then_some(true),
        score: api::TeamScore {
            num_solved: is_pass_fail.then_some(row.solved),
            total_time: is_pass_fail.then(|| reltime(row.total_time)),
            score: (!is_pass_fail).then(|| row.score.points()),
            time: row.time.map(reltime),
        },
        problems: problems.iter().map(problem).collect(),
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct ResultsQuery {
    pub(super) format: Option<String>,
}

/// Returns the results, as JSON or as the ICPC's `results.tsv`.
pub async fn results(at: InContest, Query(query): Query<ResultsQuery>) -> Result<Response, Problem> {
    let results = at.view(collect)?;
    match query.format.as_deref() {
        None | Some("json") => Ok(Json(results).into_response()),
        Some("tsv") => {
            let content_type = HeaderValue::from_static("text/tab-separated-values; charset=utf-8");
            Ok(([(header::CONTENT_TYPE, content_type)], tsv(&results)).into_response())
        }
        Some(_) => {
            Err(Problem::invalid_field("format", message!("wrong-format", "the formats are json and tsv")))
        }
    }
}

fn collect(view: &View<'_>) -> Result<api::Results, Problem> {
    let side = view.side(false);
    let board = view.board(side, None)?;
    let (awards, is_pass_fail) = (view.awards(), matches!(view.contest().scoring, Scoring::PassFail { .. }));
    let has = |award: &Award, row: &BoardRow<'_>| {
        award.teams.as_ref().is_some_and(|teams| teams.contains(row.team))
    };
    let mut rows = Vec::new();
    for row in board.rows.iter().filter(|row| row.rank.is_some()) {
        let of_team: Vec<&Award> = awards.iter().filter(|award| has(award, row)).collect();
        let named = |id: &str| of_team.iter().any(|award| award.id == id);
        let ranked = of_team.iter().find_map(|award| award.id.strip_prefix("rank-")?.parse().ok());
        let award = [
            ("gold-medal", "Gold Medal"),
            ("silver-medal", "Silver Medal"),
            ("bronze-medal", "Bronze Medal"),
            ("highest-honors", "Highest Honors"),
            ("high-honors", "High Honors"),
            ("honors", "Honors"),
            ("honorable-mention", "Honorable"),
        ]
        .iter()
        .find(|(id, _)| named(id))
        .map_or("Ranked", |(_, name)| *name);
        let team = view.team(row.team)?;
        let won = |group: &&GroupSettings| named(&award_id("group-winner-", group.id.as_str()));
        rows.push(api::ResultRow {
            team_id: row.team.to_string(),
            icpc_id: team.icpc_id,
            name: row.name.to_owned(),
            rank: if named("honorable-mention") { None } else { ranked.or(row.rank) },
            award: award.to_owned(),
            score: if is_pass_fail { row.solved.into() } else { row.score.points() },
            total_time: is_pass_fail.then(|| reltime(row.total_time)),
            time: row.time.map(reltime),
            group_winner: view.groups().find(won).map(|group| group.id.to_string()),
        });
    }
    Ok(api::Results { is_final: board.is_final, rows })
}

/// Returns the results as the ICPC's system reads them: its id, rank, award, solved, penalty, last time, group.
fn tsv(results: &api::Results) -> String {
    let mut text = "results\t1\n".to_owned();
    // A tab or a line break in a name would make another table.
    let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
    let minutes = |time: Option<api::RelTime>| Millis(time.map_or(0, |time| time.0)).whole_minutes();
    for row in &results.rows {
        let rank = row.rank.map(|rank| rank.to_string()).unwrap_or_default();
        let (id, group) = (row.icpc_id.as_deref().unwrap_or(&row.team_id), row.group_winner.as_deref());
        let fields = [
            plain(id),
            rank,
            row.award.clone(),
            row.score.to_string(),
            minutes(row.total_time).to_string(),
            minutes(row.time).to_string(),
            plain(group.unwrap_or("")),
        ];
        let _ = writeln!(text, "{}", fields.join("\t"));
    }
    text
}
