//! Contests, languages, problems, boards, balloons and sources in DOMjudge's shape.

use super::super::board::{answer, wire_board};
use crate::auth::Auth;
use crate::boards::{Form, Key};
use crate::extract::{Json, Query, flag};
use crate::handlers::{Id, InContest};
use crate::wire::{id, named, numbered, wire_contest, wire_languages, wire_problem};
use crate::{Problem, Shared, sources};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contest_rules::board::BoardSide;
use contest_rules::view::View;
use contest_rules::{GroupId, Millis, ProblemId, SubmissionNumber, SubmittedFile};
use documents::contest as api;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
pub struct ContestsQuery {
    /// Those in which something is still to come.
    #[serde(default = "yes", rename = "onlyActive", deserialize_with = "flag")]
    only_active: bool,
}

fn yes() -> bool {
    true
}

fn minutes(time: api::RelTime) -> i64 {
    Millis(time.0).whole_minutes()
}

fn takes_submissions(view: &View<'_>) -> bool {
    view.state().ended.is_none() || view.contest().practice
}

fn wire(view: &View<'_>) -> api::DomjudgeContest {
    let mut contest = wire_contest(view);
    let penalty_time = contest.penalty_time.take().map(minutes);
    api::DomjudgeContest {
        shortname: contest.id.clone(),
        end_time: view.contest().end.map(crate::wire::time),
        allow_submit: takes_submissions(view),
        penalty_time,
        contest,
    }
}

/// Returns the contests that the caller may see; without those that are over, unless asked for.
pub async fn contests(
    State(app): State<Shared>,
    auth: Auth,
    Query(query): Query<ContestsQuery>,
) -> Json<Vec<api::DomjudgeContest>> {
    let state = app.published.state();
    let views = state.views(&auth.caller);
    let shown = views.iter().filter(|view| !query.only_active || takes_submissions(view));
    Json(shown.map(wire).collect())
}

pub async fn contest(at: InContest) -> Result<Json<api::DomjudgeContest>, Problem> {
    at.view(|view| Ok(Json(wire(view))))
}

/// Returns the languages. Each has an extension, since `submit` takes none of them otherwise: the id, where the file's extension
/// is another language's.
pub async fn languages(at: InContest) -> Result<Json<Vec<api::Language>>, Problem> {
    let mut languages = at.view(|view| Ok(wire_languages(view)))?;
    for language in languages.iter_mut().filter(|language| language.extensions.is_empty()) {
        language.extensions.push(language.id.clone());
    }
    Ok(Json(languages))
}

pub async fn problems(at: InContest) -> Result<Json<Vec<api::DomjudgeProblem>>, Problem> {
    at.view(|view| {
        let wire = |problem: &_| wire_problem(view.id().as_str(), problem);
        Ok(Json(view.problems().iter().map(wire).map(with_short_name).collect()))
    })
}

pub async fn problem(at: InContest, Id(problem): Id) -> Result<Json<api::DomjudgeProblem>, Problem> {
    let key: ProblemId = named("problem", &problem)?;
    at.view(|view| Ok(Json(with_short_name(wire_problem(view.id().as_str(), &view.problem(&key)?)))))
}

fn with_short_name(problem: api::Problem) -> api::DomjudgeProblem {
    api::DomjudgeProblem { short_name: problem.label.clone(), problem }
}

/// Returns how much is judged, for the jury.
pub async fn status(at: InContest) -> Result<Json<api::DomjudgeStatus>, Problem> {
    at.view(|view| {
        view.jury()?;
        let mut status = api::DomjudgeStatus {
            num_submissions: view.submissions().count() as u32,
            num_queued: 0,
            num_judging: 0,
        };
        let current = view.judgements().filter(|judgement| judgement.is_current);
        for judgement in current.filter(|judgement| judgement.outcome.is_none()) {
            let count = if judgement.has_begun { &mut status.num_judging } else { &mut status.num_queued };
            *count += 1;
        }
        Ok(Json(status))
    })
}

/// Returns the files of a submission, each by itself.
pub async fn source_code(
    at: InContest,
    Id(submission): Id,
) -> Result<Json<Vec<api::DomjudgeSource>>, Problem> {
    let number = SubmissionNumber(numbered("submission", &submission)?);
    let files: Vec<SubmittedFile> = at.view(|view| Ok(view.source(number)?.to_vec()))?;
    let read = at.app.blocking(move |app| {
        let source = |(place, file): (u32, &SubmittedFile)| {
            let hash = file.blob.0.parse().map_err(Problem::internal)?;
            let content = app.blobs.read(&hash, sources::BYTES_MAX)?;
            Ok(api::DomjudgeSource {
                id: place.to_string(),
                submission_id: submission.clone(),
                filename: file.name.clone(),
                source: STANDARD.encode(content),
            })
        };
        (1..).zip(&files).map(source).collect()
    });
    Ok(Json(read.await?))
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct BoardQuery {
    category: Option<String>,
    #[serde(deserialize_with = "flag")]
    public: bool,
    #[serde(deserialize_with = "flag")]
    allteams: bool,
    country: Option<String>,
    affiliation: Option<String>,
    sortorder: Option<String>,
}

pub async fn scoreboard(
    at: InContest,
    Query(query): Query<BoardQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    for (name, value) in
        [("country", &query.country), ("affiliation", &query.affiliation), ("sortorder", &query.sortorder)]
    {
        if value.as_ref().is_some_and(|value| !value.is_empty()) {
            return Err(Problem::invalid_field(name, "boards are by group only here: use category"));
        }
    }
    let category = query.category.filter(|group| !group.is_empty());
    let group: Option<GroupId> = category.as_deref().map(|group| id("category", group)).transpose()?;
    let with_hidden = query.allteams;
    let board = at.view(|view| {
        let (side, viewer) = (view.side(query.public), view.side(false));
        let form = Form::Domjudge { with_hidden };
        let key = Key { contest: at.contest.clone(), group: group.clone(), side, viewer, form };
        at.app.boards.get(key, view.changes(viewer), || build(view, side, group.as_ref(), with_hidden))
    })?;
    Ok(answer(&board, &headers))
}

fn build(
    view: &View<'_>,
    side: BoardSide,
    group: Option<&GroupId>,
    with_hidden: bool,
) -> Result<Vec<u8>, Problem> {
    let board = wire_board(view, side, group)?;
    let labels: BTreeMap<String, String> = view
        .problems()
        .iter()
        .map(|problem| (problem.id.to_string(), problem.object.label.clone()))
        .collect();
    let rows = board.rows.into_iter().filter(|row| with_hidden || row.is_hidden.is_none());
    let board = api::DomjudgeScoreboard {
        time: board.time,
        contest_time: board.contest_time,
        state: board.state,
        rows: rows.map(|row| wire_row(row, &labels)).collect(),
    };
    serde_json::to_vec(&board).map_err(Problem::internal)
}

fn wire_row(row: api::ScoreboardRow, labels: &BTreeMap<String, String>) -> api::DomjudgeRow {
    let cell = |cell: api::ProblemScore| api::DomjudgeCell {
        label: labels.get(&cell.problem_id).cloned().unwrap_or_else(|| cell.problem_id.clone()),
        problem_id: cell.problem_id,
        num_judged: cell.num_judged,
        num_pending: cell.num_pending,
        solved: cell.solved.unwrap_or_else(|| cell.score.is_some_and(|score| score > 0.0)),
        time: cell.time.map(minutes),
        first_to_solve: cell.first_to_solve.unwrap_or(false),
        score: cell.score,
    };
    let problems: Vec<api::DomjudgeCell> = row.problems.into_iter().map(cell).collect();
    let solved = problems.iter().filter(|cell| cell.solved).count();
    api::DomjudgeRow {
        rank: row.rank,
        team_id: row.team_id,
        score: api::DomjudgeScore {
            num_solved: row.score.num_solved.unwrap_or(u32::try_from(solved).unwrap_or(u32::MAX)),
            total_time: row.score.total_time.map(minutes),
            total_score: row.score.score,
        },
        problems,
    }
}
