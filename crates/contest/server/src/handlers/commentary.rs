//! Commentary.

use super::{Id, InContest, noted};
use crate::Problem;
use crate::collection::Filters;
use crate::extract::{Json, Query};
use crate::wire::{ids, numbered, wire_commentary};
use axum::response::Response;
use contest_rules::{Action, Body, Comment, CommentaryNumber, SubmissionNumber};
use documents::contest as api;
use model::Message;
use std::collections::BTreeSet;

pub async fn list(at: InContest, Query(filters): Query<Filters>) -> Result<Response, Problem> {
    at.list(&filters, |view| Ok(view.commentary().map(|entry| wire_commentary(&entry)).collect()))
}

fn read(at: &InContest, number: u32) -> Result<api::Commentary, Problem> {
    at.view(|view| Ok(wire_commentary(&view.one_commentary(CommentaryNumber(number))?)))
}

pub async fn get(at: InContest, Id(commentary): Id) -> Result<Json<api::Commentary>, Problem> {
    Ok(Json(read(&at, numbered("commentary", &commentary)?)?))
}

pub async fn send(at: InContest, Json(new): Json<api::NewCommentary>) -> Result<Response, Problem> {
    let number = |text: &String| {
        let none = |_| Problem::invalid_field("submission_ids", Message::none("submission", text));
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
    let done = at.act(Action::Comment(comment)).await?;
    let number = noted(&done, |body| match body {
        Body::Commented(commentary) => Some(commentary.number.0),
        _ => None,
    })?;
    let object = read(&at, number)?;
    Ok(at.created(&format!("commentary/{number}"), object))
}
