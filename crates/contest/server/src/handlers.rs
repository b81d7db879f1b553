//! What each endpoint does: read the request, ask the writer or the view, write the answer. Nothing here looks at roles.

pub mod access;
pub mod accounts;
pub mod analysis;
pub mod awards;
pub mod blobs;
pub mod board;
pub mod check;
pub mod clarifications;
pub mod contests;
pub mod debugging;
pub mod domjudge;
pub mod export;
pub mod files;
pub mod import;
pub mod import_package;
pub mod judgehosts;
pub mod judging;
pub mod live;
pub mod login;
pub mod objects;
pub mod people;
pub mod persons;
pub mod problem_files;
pub mod problems;
pub mod rejudgings;
pub mod root;
pub mod staff;
pub mod submissions;
pub mod uploads;

use crate::auth::Auth;
use crate::wire::named;
use crate::writer::Done;
use crate::{App, Problem, clock};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contest_rules::view::View;
use contest_rules::{Action, Command, ContestId};
use serde::Serialize;

impl App {
    /// Does a command of a caller.
    pub(crate) async fn act(&self, auth: &Auth, command: Command) -> Result<Done, Problem> {
        self.act_all(auth, vec![command]).await
    }

    /// Does commands of a caller: all of them, or nothing.
    pub(crate) async fn act_all(&self, auth: &Auth, commands: Vec<Command>) -> Result<Done, Problem> {
        self.writer.act_all(auth.caller.clone(), commands).await.map_err(|problem| auth.explain(problem))
    }

    /// Decides commands of a caller as [`App::act_all`] does, and does nothing.
    pub(crate) async fn try_all(&self, auth: &Auth, commands: Vec<Command>) -> Result<(), Problem> {
        let tried = self.writer.try_all(auth.caller.clone(), commands).await;
        tried.map(|_| ()).map_err(|problem| auth.explain(problem))
    }

    /// Refuses what would be refused now, before something is kept for it. The writer decides again.
    pub(crate) fn check_now(&self, auth: &Auth, command: &Command) -> Result<(), Problem> {
        let state = self.published.state();
        let decided = contest_rules::decide(&state, &auth.caller, clock::system_now(), command.clone());
        decided.map(|_| ()).map_err(|refusal| auth.explain(refusal.into()))
    }

    /// Does something of a caller in a contest.
    pub(crate) async fn act_in(&self, auth: &Auth, contest: &str, action: Action) -> Result<Done, Problem> {
        let contest = named("contest", contest)?;
        self.act(auth, Command::In(contest, action)).await
    }

    /// Looks at a contest as the caller sees it.
    pub(crate) fn view<T>(
        &self,
        auth: &Auth,
        contest: &str,
        look: impl FnOnce(&View<'_>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let contest: ContestId = named("contest", contest)?;
        let state = self.published.state();
        let view = state.view(&auth.caller, &contest)?;
        look(&view).map_err(|problem| auth.explain(problem))
    }
}

impl Auth {
    /// To somebody who has not logged in, "you may not" means "log in".
    fn explain(&self, problem: Problem) -> Problem {
        if problem.status() == StatusCode::FORBIDDEN && self.caller.account.is_none() {
            return Problem::unauthorized(problem.detail().to_owned());
        }
        problem
    }
}

/// Refuses a body whose id is not the one in the path.
pub(crate) fn check_id(path: &str, body: Option<&str>) -> Result<(), Problem> {
    match body {
        Some(id) if id != path => {
            Err(Problem::conflict("id", "the id in the body differs from the one in the path"))
        }
        _ => Ok(()),
    }
}

/// Answers with a new object, and where it is.
pub(crate) fn created<T: Serialize>(location: &str, object: T) -> Response {
    let mut response = (StatusCode::CREATED, axum::Json(object)).into_response();
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
