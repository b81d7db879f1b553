//! What each endpoint does: read the request, ask the writer or the view, write the answer. Nothing here looks at roles.

pub mod access;
pub mod accounts;
pub mod analysis;
pub mod awards;
pub mod blobs;
pub mod board;
pub mod check;
pub mod clarifications;
pub mod commentary;
pub mod contests;
pub mod credentials;
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
pub mod oidc;
pub mod problem_files;
pub mod problems;
pub mod registration;
pub mod rejudgings;
pub mod root;
pub mod staff;
pub mod submissions;
pub mod uploads;

use crate::auth::Auth;
use crate::collection::{self, Filters};
use crate::extract::Path;
use crate::wire::named;
use crate::writer::Done;
use crate::{App, Problem, Shared, clock};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contest_rules::roles::{self, Resource};
use contest_rules::view::View;
use contest_rules::{Action, Body, Command, ContestId};
use model::message;
use serde::Serialize;

impl App {
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
        decided.map(|_| ()).map_err(|refusal| auth.explain(refusal))
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
    pub(crate) fn may_read(&self, resource: Resource) -> Result<(), Problem> {
        roles::may_read(&self.caller, resource).map_err(|refusal| self.explain(refusal))
    }

    /// Without a login, "you may not" means "log in".
    fn explain(&self, refused: impl Into<Problem>) -> Problem {
        let problem = refused.into();
        if problem.status() == StatusCode::FORBIDDEN && self.caller.account.is_none() {
            return Problem::unauthorized(problem.message().clone());
        }
        problem
    }
}

/// A request about a contest, whose id is the first in the path.
pub struct InContest {
    pub app: Shared,
    pub auth: Auth,
    pub contest: String,
}

impl FromRequestParts<Shared> for InContest {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        let auth = Auth::from_request_parts(parts, app).await?;
        let Path(names) = Path::<Vec<String>>::from_request_parts(parts, app).await?;
        let contest = names.into_iter().next().unwrap_or_default();
        Ok(Self { app: app.clone(), auth, contest })
    }
}

impl InContest {
    pub fn id(&self) -> Result<ContestId, Problem> {
        named("contest", &self.contest)
    }

    /// Looks at the contest as the caller sees it.
    pub fn view<T>(&self, look: impl FnOnce(&View<'_>) -> Result<T, Problem>) -> Result<T, Problem> {
        self.app.view(&self.auth, &self.contest, look)
    }

    /// Answers with the objects that `look` finds and that pass all filters.
    pub fn list<T: Serialize>(
        &self,
        filters: &Filters,
        look: impl FnOnce(&View<'_>) -> Result<Vec<T>, Problem>,
    ) -> Result<Response, Problem> {
        collection::answer(self.view(look)?, filters)
    }

    pub async fn act(&self, action: Action) -> Result<Done, Problem> {
        self.act_all(vec![action]).await
    }

    /// Does all of them, or nothing.
    pub async fn act_all(&self, actions: Vec<Action>) -> Result<Done, Problem> {
        let id = self.id()?;
        let commands = actions.into_iter().map(|action| Command::In(id.clone(), action)).collect();
        self.app.act_all(&self.auth, commands).await
    }

    /// Does something, and answers without content.
    pub async fn done(&self, action: Action) -> Result<StatusCode, Problem> {
        self.act(action).await?;
        Ok(StatusCode::NO_CONTENT)
    }

    /// Answers with a new object, whose path ends so.
    pub fn created<T: Serialize>(&self, path: &str, object: T) -> Response {
        created(&format!("/api/contests/{}/{path}", self.contest), object)
    }
}

/// The second id in the path: of an object of a contest.
pub struct Id(pub String);

impl FromRequestParts<Shared> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        let Path((_, id)) = Path::<(String, String)>::from_request_parts(parts, app).await?;
        Ok(Self(id))
    }
}

/// Returns what the event of a command says.
pub(crate) fn noted<T>(done: &Done, find: impl Fn(&Body) -> Option<T>) -> Result<T, Problem> {
    let found = done.events.iter().find_map(|event| find(&event.body));
    found.ok_or_else(|| Problem::internal("the command has no such event"))
}

/// Refuses a body whose id is not the one in the path.
pub(crate) fn check_id(path: &str, body: Option<&str>) -> Result<(), Problem> {
    match body {
        Some(id) if id != path => Err(Problem::conflict(
            "id",
            message!("id-differs", "the id in the body differs from the one in the path"),
        )),
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
