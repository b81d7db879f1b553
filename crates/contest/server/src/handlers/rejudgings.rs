//! Rejudgings.

use super::created;
use crate::auth::Auth;
use crate::extract::{Json, Path};
use crate::wire::{ids, numbered, wire_rejudging};
use crate::{App, Problem, Shared};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use contest_rules::{Action, Body, RejudgingNumber, Selection, StoredVerdict, SubmissionNumber};
use documents::contest as api;

/// Returns the rejudgings, without their submissions.
pub async fn list(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
) -> Result<Json<Vec<api::Rejudging>>, Problem> {
    app.view(&auth, &contest, |view| {
        Ok(Json(view.rejudgings()?.iter().map(|entry| wire_rejudging(entry, false)).collect()))
    })
}

fn read(app: &App, auth: &Auth, contest: &str, number: RejudgingNumber) -> Result<api::Rejudging, Problem> {
    app.view(auth, contest, |view| Ok(wire_rejudging(&view.rejudging(number)?, true)))
}

/// Returns a rejudging with what it changes.
pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, rejudging)): Path<(String, String)>,
) -> Result<Json<api::Rejudging>, Problem> {
    Ok(Json(read(&app, &auth, &contest, RejudgingNumber(numbered("rejudging", &rejudging)?))?))
}

/// Opens a rejudging.
pub async fn open(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Json(new): Json<api::NewRejudging>,
) -> Result<Response, Problem> {
    let submissions = new.submission_ids.iter().map(|id| Ok(SubmissionNumber(numbered("submission", id)?)));
    let verdicts = new.judgement_type_ids.into_iter().map(|text| {
        StoredVerdict::try_from(text).map_err(|e| Problem::invalid_field("judgement_type_ids", e.to_string()))
    });
    let selection = Selection {
        submissions: submissions.collect::<Result<_, Problem>>()?,
        problems: ids("problem_ids", &new.problem_ids)?,
        teams: ids("team_ids", &new.team_ids)?,
        languages: ids("language_ids", &new.language_ids)?,
        verdicts: verdicts.collect::<Result<_, _>>()?,
        ..Selection::default()
    };
    let action = Action::OpenRejudging { selection, repeat: new.repeat, reason: new.reason };
    let done = app.act_in(&auth, &contest, action).await?;
    let number = done.events.iter().find_map(|event| match &event.body {
        Body::RejudgingOpened { number, .. } => Some(*number),
        _ => None,
    });
    let number = number.ok_or_else(|| Problem::internal("a rejudging has no event"))?;
    let object = read(&app, &auth, &contest, number)?;
    Ok(created(&format!("/api/contests/{contest}/rejudgings/{number}"), object))
}

/// Lets a rejudging count.
pub async fn apply(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, rejudging)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let number = RejudgingNumber(numbered("rejudging", &rejudging)?);
    app.act_in(&auth, &contest, Action::ApplyRejudging(number)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Drops a rejudging.
pub async fn cancel(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, rejudging)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let number = RejudgingNumber(numbered("rejudging", &rejudging)?);
    app.act_in(&auth, &contest, Action::CancelRejudging(number)).await?;
    Ok(StatusCode::NO_CONTENT)
}
