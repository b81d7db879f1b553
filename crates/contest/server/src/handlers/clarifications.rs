//! Clarifications.

use super::submissions::chosen_number;
use crate::Problem;
use crate::collection::Filters;
use crate::extract::{Json, Query};
use crate::handlers::{Id, InContest, noted};
use crate::wire::{ids, numbered, optional_id, wire_clarification};
use axum::http::StatusCode;
use axum::response::Response;
use contest_rules::{Action, Body, ClarificationNumber, Instant, Millis, SendClarification};
use documents::contest as api;
use model::Message;

pub async fn list(at: InContest, Query(filters): Query<Filters>) -> Result<Response, Problem> {
    at.list(&filters, |view| {
        Ok(view.clarifications().map(|entry| wire_clarification(&entry, view.is_jury())).collect())
    })
}

fn read(at: &InContest, number: u32) -> Result<api::Clarification, Problem> {
    at.view(|view| Ok(wire_clarification(&view.clarification(ClarificationNumber(number))?, view.is_jury())))
}

pub async fn get(at: InContest, Id(clarification): Id) -> Result<Json<api::Clarification>, Problem> {
    Ok(Json(read(&at, numbered("clarification", &clarification)?)?))
}

pub async fn send(at: InContest, Json(new): Json<api::NewClarification>) -> Result<Response, Problem> {
    take(&at, None, new).await
}

/// Sends one with the number that it shall have, from an admin.
pub async fn put(
    at: InContest,
    Id(number): Id,
    Json(new): Json<api::NewClarification>,
) -> Result<Response, Problem> {
    take(&at, Some(number), new).await
}

async fn take(
    at: &InContest,
    number: Option<String>,
    new: api::NewClarification,
) -> Result<Response, Problem> {
    let number = chosen_number(number, new.id.as_deref())?.map(ClarificationNumber);
    let reply_to = new.reply_to_id.map(|text| {
        let none = |_| Problem::invalid_field("reply_to_id", Message::none("clarification", &text));
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
    let done = at.act(Action::SendClarification(send)).await?;
    let number = noted(&done, |body| match body {
        Body::ClarificationSent(clarification) => Some(clarification.number.0),
        _ => None,
    })?;
    let object = read(at, number)?;
    Ok(at.created(&format!("clarifications/{number}"), object))
}

/// Claims a question, or gives it back.
pub async fn claim(
    at: InContest,
    Id(clarification): Id,
    Json(claim): Json<api::ClaimClarification>,
) -> Result<StatusCode, Problem> {
    let number = ClarificationNumber(numbered("clarification", &clarification)?);
    let action = if claim.is_claimed {
        Action::ClaimClarification(number)
    } else {
        Action::ReleaseClarification(number)
    };
    at.done(action).await
}
