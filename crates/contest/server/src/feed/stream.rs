//! The endpoint of the event feed.

use super::reader::Reader;
use crate::auth::Auth;
use crate::extract::{Path, Query, flag};
use crate::{Problem, Shared, events};
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

/// Where a client goes on.
#[derive(Deserialize)]
pub struct FeedQuery {
    #[serde(default)]
    since_token: Option<String>,
    /// Not in the standard, but tools that archive a contest ask for it.
    #[serde(default = "yes", deserialize_with = "flag")]
    stream: bool,
}

fn yes() -> bool {
    true
}

/// Streams what the caller may see of a contest, and each change of it.
pub async fn event_feed(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(query): Query<FeedQuery>,
) -> Result<Response, Problem> {
    let FeedQuery { since_token, stream } = query;
    events::stream(&app, auth, &contest, "application/x-ndjson", |channel, view| {
        Reader::new(channel, view, since_token.as_deref(), !stream)
    })
}
