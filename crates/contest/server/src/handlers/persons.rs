//! Persons and commentary.

use super::created;
use super::people::{commands, may_set};
use crate::auth::Auth;
use crate::collection::{self, Filters};
use crate::extract::{Json, Later, Path, Query};
use crate::wire::{from_request, ids, named, numbered, wire_commentary, wire_person};
use crate::{App, Problem, Shared};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use contest_rules::{Action, Body, Comment, CommentaryNumber, PersonSettings, SubmissionNumber};
use documents::contest as api;
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns the persons.
pub async fn list(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let all = app
        .view(&auth, &contest, |view| Ok(view.persons().map(|person| wire_person(view, person)).collect()))?;
    collection::answer::<api::Person>(all, &filters)
}

/// Returns a person.
pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, person)): Path<(String, String)>,
) -> Result<Json<api::Person>, Problem> {
    app.view(&auth, &contest, |view| Ok(Json(wire_person(view, view.person(&named("person", &person)?)?))))
}

/// Adds or replaces persons: all of them, or none.
pub async fn set_all(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    persons: Later<Vec<Value>>,
) -> Result<StatusCode, Problem> {
    may_set(&app, &auth, &contest)?;
    let persons = persons.read(&app).await?;
    let commands = commands(&contest, persons, |person| {
        Ok(Action::SetPerson(from_request(&person, PersonSettings::read)?))
    })?;
    app.act_all(&auth, commands).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a person.
pub async fn remove(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, person)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    app.act_in(&auth, &contest, Action::RemovePerson(named("person", &person)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the commentary.
pub async fn commentary(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let all = app
        .view(&auth, &contest, |view| Ok(view.commentary().map(|entry| wire_commentary(&entry)).collect()))?;
    collection::answer::<api::Commentary>(all, &filters)
}

fn read(app: &App, auth: &Auth, contest: &str, number: u32) -> Result<api::Commentary, Problem> {
    app.view(auth, contest, |view| Ok(wire_commentary(&view.one_commentary(CommentaryNumber(number))?)))
}

/// Returns one commentary.
pub async fn one_commentary(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, commentary)): Path<(String, String)>,
) -> Result<Json<api::Commentary>, Problem> {
    Ok(Json(read(&app, &auth, &contest, numbered("commentary", &commentary)?)?))
}

/// Comments on the contest.
pub async fn comment(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Json(new): Json<api::NewCommentary>,
) -> Result<Response, Problem> {
    let number = |text: &String| {
        let none = |_| Problem::invalid_field("submission_ids", format!("there is no submission '{text}'"));
        numbered("submission", text).map(SubmissionNumber).map_err(none)
    };
    let submissions: Result<BTreeSet<_>, _> = new.submission_ids.iter().flatten().map(number).collect();
    let comment = Comment {
        message: new.message,
        tags: new.tags.unwrap_or_default().into_iter().collect(),
        teams: ids("team_ids", &new.team_ids.unwrap_or_default())?,
        problems: ids("problem_ids", &new.problem_ids.unwrap_or_default())?,
        submissions: submissions?,
    };
    let done = app.act_in(&auth, &contest, Action::Comment(comment)).await?;
    let number = done.events.iter().find_map(|event| match &event.body {
        Body::Commented(commentary) => Some(commentary.number.0),
        _ => None,
    });
    let number = number.ok_or_else(|| Problem::internal("a commentary has no event"))?;
    let object = read(&app, &auth, &contest, number)?;
    Ok(created(&format!("/api/contests/{contest}/commentary/{number}"), object))
}
