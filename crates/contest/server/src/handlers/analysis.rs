//! How a contest goes, in numbers.

use crate::Problem;
use crate::extract::{Json, Query};
use crate::handlers::InContest;
use crate::wire::id;
use documents::contest as api;
use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct AnalysisQuery {
    group_id: Option<String>,
}

/// Returns how a contest goes.
pub async fn analysis(
    at: InContest,
    Query(query): Query<AnalysisQuery>,
) -> Result<Json<api::Analysis>, Problem> {
    let group = query.group_id.as_deref().map(|group| id("group_id", group)).transpose()?;
    at.view(|view| Ok(Json(view.analysis(group.as_ref())?)))
}
