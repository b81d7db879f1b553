//! The endpoint of the event feed.

use super::reader::Reader;
use crate::auth::Auth;
use crate::extract::{Path, Query};
use crate::{Problem, Shared, events};
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

/// Where a client goes on.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct FeedQuery {
    since_token: Option<String>,
}

/// Streams what the caller may see of a contest, and each change of it.
pub async fn event_feed(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(query): Query<FeedQuery>,
) -> Result<Response, Problem> {
    let token = query.since_token;
    events::stream(&app, auth, &contest, "application/x-ndjson", |channel, view| {
        Reader::new(channel, view, token.as_deref())
    })
}
