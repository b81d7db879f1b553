//! Rejudgings.

use crate::Problem;
use crate::extract::Json;
use crate::handlers::{Id, InContest, noted};
use crate::wire::{ids, numbered, wire_rejudging};
use axum::http::StatusCode;
use axum::response::Response;
use contest_rules::{Action, Body, RejudgingNumber, Selection, StoredVerdict, SubmissionNumber};
use documents::contest as api;

/// Returns the rejudgings, without their submissions.
pub async fn list(at: InContest) -> Result<Json<Vec<api::Rejudging>>, Problem> {
    at.view(|view| Ok(Json(view.rejudgings()?.iter().map(|entry| wire_rejudging(entry, false)).collect())))
}

fn read(at: &InContest, number: RejudgingNumber) -> Result<api::Rejudging, Problem> {
    at.view(|view| Ok(wire_rejudging(&view.rejudging(number)?, true)))
}

/// Returns a rejudging with what it changes.
pub async fn get(at: InContest, Id(rejudging): Id) -> Result<Json<api::Rejudging>, Problem> {
    Ok(Json(read(&at, RejudgingNumber(numbered("rejudging", &rejudging)?))?))
}

pub async fn open(at: InContest, Json(new): Json<api::NewRejudging>) -> Result<Response, Problem> {
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
    let done = at.act(action).await?;
    let number = noted(&done, |body| match body {
        Body::RejudgingOpened { number, .. } => Some(*number),
        _ => None,
    })?;
    let object = read(&at, number)?;
    Ok(at.created(&format!("rejudgings/{number}"), object))
}

pub async fn apply(at: InContest, Id(rejudging): Id) -> Result<StatusCode, Problem> {
    let number = RejudgingNumber(numbered("rejudging", &rejudging)?);
    at.done(Action::ApplyRejudging(number)).await
}

pub async fn cancel(at: InContest, Id(rejudging): Id) -> Result<StatusCode, Problem> {
    let number = RejudgingNumber(numbered("rejudging", &rejudging)?);
    at.done(Action::CancelRejudging(number)).await
}
