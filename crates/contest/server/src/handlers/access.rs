//! What the caller can see and do in a contest, and the accounts of a contest.

use crate::auth::Auth;
use crate::collection::{self, Filters};
use crate::extract::{Json, Path, Query};
use crate::wire::named;
use crate::{Problem, Shared, access};
use axum::extract::State;
use axum::response::Response;
use contest_rules::{AccountId, ContestId};
use documents::contest as api;

/// Returns what the caller can see and do.
pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
) -> Result<Json<api::Access>, Problem> {
    let id: ContestId = named("contest", &contest)?;
    let capabilities = contest_rules::roles::capabilities(&app.published.state(), &auth.caller, &id);
    app.view(&auth, &contest, |view| Ok(Json(access::access(view, &capabilities))))
}

/// Returns the caller's own account.
pub async fn account(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
) -> Result<Json<api::Account>, Problem> {
    app.view(&auth, &contest, |_| Ok(()))?;
    super::login::account(State(app), auth).await
}

/// Returns the accounts of a contest.
pub async fn accounts(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    Query(filters): Query<Filters>,
) -> Result<Response, Problem> {
    let all =
        app.view(&auth, &contest, |view| Ok(view.accounts()?.map(|settings| settings.object()).collect()))?;
    collection::answer::<api::Account>(all, &filters)
}

/// Returns an account of a contest.
pub async fn one_account(
    State(app): State<Shared>,
    auth: Auth,
    Path((contest, account)): Path<(String, String)>,
) -> Result<Json<api::Account>, Problem> {
    app.view(&auth, &contest, |view| {
        let id: AccountId = named("account", &account)?;
        let found = view.accounts()?.find(|settings| settings.id == id);
        found.map(|settings| Json(settings.object())).ok_or_else(|| Problem::not_found("account", id))
    })
}
