//! Clarifications.

use super::created;
use super::submissions::chosen_number;
use crate::auth::Auth;
use crate::collection::{self, Filters};
use crate::extract::{Json, Path, Query};
use crate::wire::{ids, numbered, optional_id, wire_clarification};
use crate::{App, Problem, Shared};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use contest_rules::{Action, Body, ClarificationNumber, Instant, Millis, SendClarification};
use documents::contest as api;

/// Returns the clarifications.
pub async fn list(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let all = app.view(&auth, &contest, |view| {
        Ok(view.clarifications().map(|entry| wire_clarification(&entry, view.is_jury())).collect())
    })?;
    collection::answer::<api::Clarification>(all, &filters)
}

fn read(app: &App, auth: &Auth, contest: &str, number: u32) -> Result<api::Clarification, Problem> {
    app.view(auth, contest, |view| {
        Ok(wire_clarification(&view.clarification(ClarificationNumber(number))?, view.is_jury()))
    })
}

/// Returns a clarification.
pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, clarification)): Path<(String, String)>,
) -> Result<Json<api::Clarification>, Problem> {
    Ok(Json(read(&app, &auth, &contest, numbered("clarification", &clarification)?)?))
}

/// Sends a question, an answer or an announcement.
pub async fn send(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Json(new): Json<api::NewClarification>,
) -> Result<Response, Problem> {
    take(&app, &auth, &contest, None, new).await
}

/// Sends one with the number that it shall have, from an admin.
pub async fn put(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, number)): Path<(String, String)>,
    Json(new): Json<api::NewClarification>,
) -> Result<Response, Problem> {
    take(&app, &auth, &contest, Some(number), new).await
}

async fn take(
    app: &App,
    auth: &Auth,
    contest: &str,
    number: Option<String>,
    new: api::NewClarification,
) -> Result<Response, Problem> {
    let number = chosen_number(number, new.id.as_deref())?.map(ClarificationNumber);
    let reply_to = new.reply_to_id.map(|text| {
        let none = |_| Problem::invalid_field("reply_to_id", format!("there is no clarification '{text}'"));
        numbered("clarification", &text).map(ClarificationNumber).map_err(none)
    });
    let send = SendClarification {
        from_team: optional_id("from_team_id", new.from_team_id.as_deref())?,
        to_teams: ids("to_team_ids", &new.to_team_ids.unwrap_or_default())?,
        to_groups: ids("to_group_ids", &new.to_group_ids.unwrap_or_default())?,
        reply_to: reply_to.transpose()?,
        problem: optional_id("problem_id", new.problem_id.as_deref())?,
        category: new.category,
        text: new.text,
        again: new.again,
        number,
        time: new.time.map(|time| Instant(time.0)),
        contest_time: new.contest_time.map(|time| Millis(time.0)),
    };
    let done = app.act_in(auth, contest, Action::SendClarification(send)).await?;
    let number = done.events.iter().find_map(|event| match &event.body {
        Body::ClarificationSent(clarification) => Some(clarification.number.0),
        _ => None,
    });
    let number = number.ok_or_else(|| Problem::internal("a clarification has no event"))?;
    let object = read(app, auth, contest, number)?;
    Ok(created(&format!("/api/contests/{contest}/clarifications/{number}"), object))
}

/// Claims a question, or gives it back.
pub async fn claim(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, clarification)): Path<(String, String)>,
    Json(claim): Json<api::ClaimClarification>,
) -> Result<StatusCode, Problem> {
    let number = ClarificationNumber(numbered("clarification", &clarification)?);
    let action = if claim.is_claimed {
        Action::ClaimClarification(number)
    } else {
        Action::ReleaseClarification(number)
    };
    app.act_in(&auth, &contest, action).await?;
    Ok(StatusCode::NO_CONTENT)
}
