//! How a contest goes, in numbers.

use crate::auth::Auth;
use crate::extract::{Json, Path, Query};
use crate::wire::{id, wire_analysis};
use crate::{Problem, Shared};
use axum::extract::State;
use documents::contest as api;
use serde::Deserialize;

/// Of which teams.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct AnalysisQuery {
    group_id: Option<String>,
}

/// Returns how a contest goes.
pub async fn analysis(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(query): Query<AnalysisQuery>,
) -> Result<Json<api::Analysis>, Problem> {
    let group = query.group_id.as_deref().map(|group| id("group_id", group)).transpose()?;
    app.view(&auth, &contest, |view| Ok(Json(wire_analysis(&view.analysis(group.as_ref())?))))
}
