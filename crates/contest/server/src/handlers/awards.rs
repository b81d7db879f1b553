//! Awards (CLICS POST, PUT, PATCH, DELETE).

use super::check_id;
use crate::Problem;
use crate::collection::Filters;
use crate::extract::{Json, Query};
use crate::handlers::{Id, InContest};
use crate::wire::{id, texts};
use axum::http::StatusCode;
use axum::response::Response;
use contest_rules::board::Award;
use contest_rules::view::View;
use contest_rules::{Action, TeamId};
use documents::contest as api;
use model::message;
use std::collections::BTreeSet;

pub fn wire_award(award: &Award) -> api::Award {
    let team_ids = award.teams.as_ref().map(texts);
    api::Award { id: award.id.clone(), citation: award.citation.clone(), team_ids }
}

pub async fn list(at: InContest, Query(filters): Query<Filters>) -> Result<Response, Problem> {
    at.list(&filters, |view| Ok(view.awards().iter().map(wire_award).collect()))
}

fn read(at: &InContest, award: &str) -> Result<api::Award, Problem> {
    let all = at.view(|view| Ok(view.awards()))?;
    let found = all.iter().find(|entry| entry.id == award);
    found.map(wire_award).ok_or_else(|| Problem::not_found("award", award))
}

pub async fn get(at: InContest, Id(award): Id) -> Result<Json<api::Award>, Problem> {
    Ok(Json(read(&at, &award)?))
}

async fn set(
    at: &InContest,
    award: &str,
    citation: String,
    teams: Option<Vec<String>>,
) -> Result<api::Award, Problem> {
    let teams = teams.map(|teams| teams.iter().map(|team| id("team_ids", team)).collect());
    let teams: Option<Vec<TeamId>> = teams.transpose()?;
    let action = Action::SetAward { id: award.to_owned(), citation, teams };
    at.act(action).await?;
    read(at, award)
}

/// Adds an award; the server chooses its id.
pub async fn add(at: InContest, Json(new): Json<api::NewAward>) -> Result<Response, Problem> {
    if new.id.is_some() {
        return Err(Problem::invalid_field(
            "id",
            message!("id-not-wanted", "the server chooses the id; PUT sets one"),
        ));
    }
    if new.team_ids.is_none() {
        return Err(Problem::invalid_field("team_ids", "it is missing"));
    }
    let taken: BTreeSet<String> =
        at.view(|view| Ok(view.awards().into_iter().map(|award| award.id).collect()))?;
    let mut ids = (1..).map(|number: u32| format!("award-{number}"));
    let id = ids.find(|id| !taken.contains(id)).unwrap_or_default();
    let award = set(&at, &id, new.citation, new.team_ids).await?;
    Ok(at.created(&format!("awards/{id}"), award))
}

pub async fn replace(
    at: InContest,
    Id(award): Id,
    Json(new): Json<api::NewAward>,
) -> Result<Json<api::Award>, Problem> {
    check_id(&award, new.id.as_deref())?;
    Ok(Json(set(&at, &award, new.citation, new.team_ids).await?))
}

/// Changes what the body has of an award.
pub async fn change(
    at: InContest,
    Id(award): Id,
    Json(patch): Json<api::AwardPatch>,
) -> Result<Json<api::Award>, Problem> {
    check_id(&award, patch.id.as_deref())?;
    let missing = |field: &str| Problem::invalid_field(field, "it cannot be null");
    let citation = patch.citation.map(|text| text.ok_or_else(|| missing("citation"))).transpose()?;
    let teams = patch.team_ids.map(|teams| teams.ok_or_else(|| missing("team_ids"))).transpose()?;
    let old = read(&at, &award)?;
    // The teams of an award that only gets other words stay those who earn it.
    let edited = |view: &View<'_>| view.award_edits()?.get(&award)?.teams.as_deref().map(texts);
    let teams = teams.or(at.view(|view| Ok(edited(view)))?);
    let citation = citation.unwrap_or(old.citation);
    Ok(Json(set(&at, &award, citation, teams).await?))
}

pub async fn remove(at: InContest, Id(award): Id) -> Result<StatusCode, Problem> {
    at.done(Action::RemoveAward(award)).await
}
