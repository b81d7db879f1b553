//! Teams that register themselves.

use super::login::begin_session;
use crate::auth::{Auth, Proof, check_origin, check_registration};
use crate::extract::{Json, Path};
use crate::wire::{id, named};
use crate::{App, Problem, Shared};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use contest_rules::{
    AccountId, Action, Caller, Command, ContestId, NewTeam, Registration, RegistrationMode, Standing,
};
use documents::contest as api;

const PASSWORD_BYTES_MIN: usize = 8;

/// Returns how a team registers; nothing where none can, which is no error: pages ask for each contest.
pub async fn get(State(app): State<Shared>, Path(contest): Path<String>) -> Response {
    let Ok((_, contest, registration)) = open(&app, &contest) else {
        return StatusCode::NO_CONTENT.into_response();
    };
    let needs_code = registration.mode == RegistrationMode::Code;
    Json(api::OpenRegistration { contest, needs_code }).into_response()
}

fn open(app: &App, contest: &str) -> Result<(ContestId, String, Registration), Problem> {
    let id: ContestId = named("contest", contest)?;
    let state = app.published.state();
    let (name, registration) = state.registration(&id).ok_or_else(|| {
        let detail = format!("there is no contest '{id}' in which teams can register");
        Problem::new(StatusCode::NOT_FOUND, "registration-closed", detail)
    })?;
    let found = (name.to_owned(), registration.clone());
    Ok((id, found.0, found.1))
}

/// Adds a team with its account, and logs it in.
pub async fn register(
    State(app): State<Shared>,
    auth: Auth,
    headers: HeaderMap,
    Path(contest): Path<String>,
    Json(wanted): Json<api::NewRegistration>,
) -> Result<Response, Problem> {
    check_origin(&headers, &app.config.names)?;
    let (contest, _, registration) = open(&app, &contest)?;
    let team = id("username", &wanted.username)?;
    let account: AccountId = id("username", &wanted.username)?;
    if wanted.password.len() < PASSWORD_BYTES_MIN {
        let detail = format!("a password has at least {PASSWORD_BYTES_MIN} bytes");
        return Err(Problem::invalid_field("password", detail));
    }
    check_registration(&app, &registration, (&wanted.username, wanted.code.as_deref()), auth.address).await?;
    let hash = app.passwords.hash(wanted.password).await?;
    // The server does it, in the audit by the name of who is new.
    let caller = Caller {
        standing: Standing::System,
        account: Some(account.clone()),
        ..Caller::public(Some(auth.address.to_string()))
    };
    let new = NewTeam { id: team, name: wanted.team.trim().to_owned(), hash: hash.clone() };
    app.writer.act(caller, Command::In(contest, Action::Register(Box::new(new)))).await?;
    let session = begin_session(&app, account, Proof::Password(hash))?;
    Ok((StatusCode::CREATED, session).into_response())
}
