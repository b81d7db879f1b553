//! Awards (CLICS POST, PUT, PATCH, DELETE).

use super::{check_id, created};
use crate::auth::Auth;
use crate::collection::{self, Filters};
use crate::extract::{Json, Path, Query};
use crate::wire::{id, texts};
use crate::{App, Problem, Shared};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use contest_rules::board::Award;
use contest_rules::view::View;
use contest_rules::{Action, TeamId};
use documents::contest as api;
use std::collections::BTreeSet;

/// Returns an award for the wire.
pub fn wire_award(award: &Award) -> api::Award {
    let team_ids = award.teams.as_ref().map(texts);
    api::Award { id: award.id.clone(), citation: award.citation.clone(), team_ids }
}

/// Returns the awards.
pub async fn list(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let all = app.view(&auth, &contest, |view| Ok(view.awards().iter().map(wire_award).collect()))?;
    collection::answer::<api::Award>(all, &filters)
}

fn read(app: &App, auth: &Auth, contest: &str, award: &str) -> Result<api::Award, Problem> {
    let all = app.view(auth, contest, |view| Ok(view.awards()))?;
    let found = all.iter().find(|entry| entry.id == award);
    found.map(wire_award).ok_or_else(|| Problem::not_found("award", award))
}

/// Returns an award.
pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, award)): Path<(String, String)>,
) -> Result<Json<api::Award>, Problem> {
    Ok(Json(read(&app, &auth, &contest, &award)?))
}

async fn set(
    app: &App,
    auth: &Auth,
    contest: &str,
    award: &str,
    citation: String,
    teams: Option<Vec<String>>,
) -> Result<api::Award, Problem> {
    let teams = teams.map(|teams| teams.iter().map(|team| id("team_ids", team)).collect());
    let teams: Option<Vec<TeamId>> = teams.transpose()?;
    let action = Action::SetAward { id: award.to_owned(), citation, teams };
    app.act_in(auth, contest, action).await?;
    read(app, auth, contest, award)
}

/// Adds an award; the server chooses its id.
pub async fn add(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Json(new): Json<api::NewAward>,
) -> Result<Response, Problem> {
    if new.id.is_some() {
        return Err(Problem::invalid_field("id", "the server chooses the id; PUT sets one"));
    }
    if new.team_ids.is_none() {
        return Err(Problem::invalid_field("team_ids", "it is missing"));
    }
    let taken: BTreeSet<String> =
        app.view(&auth, &contest, |view| Ok(view.awards().into_iter().map(|award| award.id).collect()))?;
    let mut ids = (1..).map(|number: u32| format!("award-{number}"));
    let id = ids.find(|id| !taken.contains(id)).unwrap_or_default();
    let award = set(&app, &auth, &contest, &id, new.citation, new.team_ids).await?;
    Ok(created(&format!("/api/contests/{contest}/awards/{id}"), award))
}

/// Adds or replaces an award.
pub async fn replace(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, award)): Path<(String, String)>,
    Json(new): Json<api::NewAward>,
) -> Result<Json<api::Award>, Problem> {
    check_id(&award, new.id.as_deref())?;
    Ok(Json(set(&app, &auth, &contest, &award, new.citation, new.team_ids).await?))
}

/// Changes what the body has of an award.
pub async fn change(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, award)): Path<(String, String)>,
    Json(patch): Json<api::AwardPatch>,
) -> Result<Json<api::Award>, Problem> {
    check_id(&award, patch.id.as_deref())?;
    let missing = |field: &str| Problem::invalid_field(field, "it cannot be null");
    let citation = patch.citation.map(|text| text.ok_or_else(|| missing("citation"))).transpose()?;
    let teams = patch.team_ids.map(|teams| teams.ok_or_else(|| missing("team_ids"))).transpose()?;
    let old = read(&app, &auth, &contest, &award)?;
    // The teams of an award that only gets other words stay those who earn it.
    let edited = |view: &View<'_>| view.award_edits()?.get(&award)?.teams.as_deref().map(texts);
    let teams = teams.or(app.view(&auth, &contest, |view| Ok(edited(&view)))?);
    let citation = citation.unwrap_or(old.citation);
    Ok(Json(set(&app, &auth, &contest, &award, citation, teams).await?))
}

/// Removes an award.
pub async fn remove(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, award)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    app.act_in(&auth, &contest, Action::RemoveAward(award)).await?;
    Ok(StatusCode::NO_CONTENT)
}
