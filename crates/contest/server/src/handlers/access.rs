//! What the caller can see and do in a contest, and the accounts of a contest.

use crate::collection::Filters;
use crate::extract::{Json, Query};
use crate::handlers::{Id, InContest};
use crate::wire::named;
use crate::{Problem, access};
use axum::extract::State;
use axum::response::Response;
use contest_rules::{AccountId, ContestId};
use documents::contest as api;

/// Returns what the caller can see and do.
pub async fn get(at: InContest) -> Result<Json<api::Access>, Problem> {
    let id: ContestId = at.id()?;
    let capabilities = contest_rules::roles::capabilities(&at.app.published.state(), &at.auth.caller, &id);
    at.view(|view| Ok(Json(access::access(view, &capabilities))))
}

/// Returns the caller's account, without its team where that is of other contests.
pub async fn account(at: InContest) -> Result<Json<api::Account>, Problem> {
    let contest = at.id()?;
    at.view(|_| Ok(()))?;
    let Json(account) = super::login::account(State(at.app), at.auth).await?;
    let is_of_all = |contests: &Vec<ContestId>| contests.is_empty() || contests.contains(&contest);
    let team_id = account.team_id.filter(|_| account.contest_ids.as_ref().is_none_or(is_of_all));
    Ok(Json(api::Account { team_id, contest_ids: None, ..account }))
}

pub async fn accounts(at: InContest, Query(filters): Query<Filters>) -> Result<Response, Problem> {
    at.list(&filters, |view| Ok(view.accounts()?.map(|settings| settings.object()).collect()))
}

pub async fn one_account(at: InContest, Id(account): Id) -> Result<Json<api::Account>, Problem> {
    at.view(|view| {
        let id: AccountId = named("account", &account)?;
        let found = view.accounts()?.find(|settings| settings.id == id);
        found.map(|settings| Json(settings.object())).ok_or_else(|| Problem::not_found("account", id))
    })
}
