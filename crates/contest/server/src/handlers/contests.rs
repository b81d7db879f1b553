//! Contests: settings, state, and what staff does with time.

use super::{check_id, created};
use crate::auth::Auth;
use crate::collection::{self, Filters};
use crate::extract::{Json, Later, Query};
use crate::handlers::InContest;
use crate::wire::{contest_settings, wire_contest, wire_state};
use crate::{Problem, Shared};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use contest_rules::{Action, Command, ContestId, FileOwner, Instant, Millis};
use documents::contest as api;
use model::message;
use serde_json::Value;

/// Returns the contests that the caller may see.
pub async fn list(
    State(app): State<Shared>,
    auth: Auth,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let state = app.published.state();
    let all = state.views(&auth.caller).iter().map(wire_contest).collect();
    collection::answer::<api::Contest>(all, &filters)
}

pub async fn get(at: InContest) -> Result<Json<api::Contest>, Problem> {
    at.view(|view| Ok(Json(wire_contest(view))))
}

pub async fn create(
    State(app): State<Shared>,
    auth: Auth,
    Json(settings): Json<serde_json::Map<String, Value>>,
) -> Result<Response, Problem> {
    let (contest, settings) = contest_settings(&settings)?;
    if app.published.state().view(&auth.caller, &contest).is_ok() {
        return Err(Problem::conflict(
            "exists",
            message!("contest-exists", "there is a contest '{contest}' already", contest),
        ));
    }
    app.act(&auth, Command::SetContest(contest.clone(), Box::new(settings))).await?;
    let object = app.view(&auth, contest.as_str(), |view| Ok(wire_contest(view)))?;
    Ok(created(&format!("/api/contests/{contest}"), object))
}

pub async fn remove(at: InContest) -> Result<StatusCode, Problem> {
    at.app.act(&at.auth, Command::RemoveContest(at.id()?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets a contest's start or thaw, as CLICS has it.
pub async fn patch(at: InContest, patch: Later<serde_json::Map<String, Value>>) -> Result<Response, Problem> {
    super::objects::may_set(&at)?;
    let mut body = patch.read(&at.app).await?;
    let files = super::objects::take_files(&FileOwner::Contest, &mut body)?;
    let has_files = !files.is_empty();
    let patch: api::ContestPatch = serde_json::from_value(Value::Object(body))
        .map_err(|error| Problem::invalid(format!("the JSON is not as expected: {error}")))?;
    check_id(&at.contest, Some(&patch.id))?;
    if patch.start_time.is_some() && patch.scoreboard_thaw_time.is_some() {
        let detail = message!(
            "start-and-thaw",
            "a contest's start and its thaw are set one after the other: no contest has both ahead"
        );
        return Err(Problem::invalid_field("scoreboard_thaw_time", detail));
    }
    let mut actions = Vec::new();
    if let Some(start) = patch.start_time {
        let countdown_pause = patch.countdown_pause_time.flatten().map(|time| Millis(time.0));
        actions.push(Action::Start { at: start.map(|time| Instant(time.0)), countdown_pause });
    } else if patch.countdown_pause_time.is_some() {
        return Err(Problem::invalid_field(
            "countdown_pause_time",
            message!("start-time-missing", "it needs start_time, too"),
        ));
    }
    actions.extend(patch.scoreboard_thaw_time.map(|thaw| Action::Thaw(Some(Instant(thaw.0)))));
    actions.extend(super::objects::file_actions(&at, &FileOwner::Contest, files).await?);
    let id: ContestId = at.id()?;
    let commands = actions.into_iter().map(|action| Command::In(id.clone(), action)).collect();
    // The standard has 403 for what does not fit the contest's time.
    let refused = |problem: Problem| match problem.status() {
        StatusCode::CONFLICT => {
            Problem::new(StatusCode::FORBIDDEN, problem.kind(), problem.message().clone())
        }
        _ => problem,
    };
    at.app.act_all(&at.auth, commands).await.map_err(refused)?;
    let after = at.view(|view| Ok(wire_contest(view)))?;
    let is_thaw_exact =
        patch.scoreboard_thaw_time.is_some_and(|thaw| after.scoreboard_thaw_time == Some(thaw));
    let is_only_thaw = patch.start_time.is_none() && !has_files;
    if is_thaw_exact && is_only_thaw {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(Json(after).into_response())
}

fn settings(at: &InContest) -> Result<api::ContestFile, Problem> {
    at.view(|view| Ok(view.jury()?.settings.file(view.id())))
}

pub async fn get_settings(at: InContest) -> Result<Json<api::ContestFile>, Problem> {
    Ok(Json(settings(&at)?))
}

/// Replaces those settings that the body has.
pub async fn patch_settings(
    at: InContest,
    Json(patch): Json<serde_json::Map<String, Value>>,
) -> Result<Json<api::ContestFile>, Problem> {
    let all = serde_json::to_value(settings(&at)?).map_err(Problem::internal)?;
    let Value::Object(mut all) = all else { return Err(Problem::internal("settings are an object")) };
    all.extend(patch);
    let (id, changed) = contest_settings(&all)?;
    if id.as_str() != at.contest {
        return Err(Problem::conflict(
            "id",
            message!("contest-id-fixed", "the id of a contest cannot be changed"),
        ));
    }
    at.app.act(&at.auth, Command::SetContest(id, Box::new(changed))).await?;
    Ok(Json(settings(&at)?))
}

/// Returns what has happened in a contest.
pub async fn state(at: InContest) -> Result<Json<api::ContestState>, Problem> {
    at.view(|view| Ok(Json(wire_state(&view.state()))))
}

async fn act(at: &InContest, action: Action) -> Result<Json<api::ContestState>, Problem> {
    at.act(action).await?;
    at.view(|view| Ok(Json(wire_state(&view.state()))))
}

pub async fn start(at: InContest) -> Result<Json<api::ContestState>, Problem> {
    act(&at, Action::StartNow).await
}

/// Starts the contest a while from now, or pauses the countdown.
pub async fn countdown(
    at: InContest,
    Json(countdown): Json<api::Countdown>,
) -> Result<Json<api::Contest>, Problem> {
    let api::Countdown { remaining, is_paused } = countdown;
    let action = Action::Countdown { remaining: remaining.map(|time| Millis(time.0)), is_paused };
    at.act(action).await?;
    at.view(|view| Ok(Json(wire_contest(view))))
}

pub async fn freeze(at: InContest) -> Result<Json<api::ContestState>, Problem> {
    act(&at, Action::FreezeNow).await
}

pub async fn thaw(at: InContest) -> Result<Json<api::ContestState>, Problem> {
    act(&at, Action::Thaw(None)).await
}

pub async fn extend(
    at: InContest,
    Json(extend): Json<api::Extend>,
) -> Result<Json<api::ContestState>, Problem> {
    act(&at, Action::Extend(Millis(extend.by.0))).await
}

/// Lets the contest's time stand still.
pub async fn pause(at: InContest) -> Result<Json<api::ContestState>, Problem> {
    act(&at, Action::Pause).await
}

/// Lets the contest's time go on.
pub async fn resume(at: InContest) -> Result<Json<api::ContestState>, Problem> {
    act(&at, Action::Resume).await
}

pub async fn set_removed(
    at: InContest,
    Json(removed): Json<Vec<api::RemovedTime>>,
) -> Result<Json<api::ContestState>, Problem> {
    let removed = removed.into_iter().map(Into::into).collect();
    act(&at, Action::SetRemoved(removed)).await
}

pub async fn finalize(
    at: InContest,
    Json(finalize): Json<api::Finalize>,
) -> Result<Json<api::ContestState>, Problem> {
    let api::Finalize { extra_bronze, comment } = finalize;
    act(&at, Action::Finalize { extra_bronze, comment }).await
}

pub async fn unfinalize(
    at: InContest,
    Json(because): Json<api::Because>,
) -> Result<Json<api::ContestState>, Problem> {
    act(&at, Action::Unfinalize(because.reason)).await
}
