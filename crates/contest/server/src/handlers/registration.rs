//! Teams that register themselves.

use super::login::{begin_session, set_cookie};
use crate::auth::{Auth, check_code, check_origin, cookie, count_registration};
use crate::extract::{Json, Path};
use crate::oidc::{self, Identity};
use crate::wire::{id, named};
use crate::{App, Problem, Shared};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use contest_rules::{
    AccountId, Action, Caller, Command, ContestId, NewLogin, NewTeam, Proof, Registration, RegistrationMode,
    Standing,
};
use documents::contest as api;
use model::{Number, message};

const PASSWORD_BYTES_MIN: usize = 8;

/// Returns how a team registers; nothing where none can, which is no error: pages ask for each contest.
pub async fn get(
    State(app): State<Shared>,
    headers: HeaderMap,
    Path(contest): Path<String>,
) -> Result<Response, Problem> {
    let Ok((_, contest, registration)) = open(&app, &contest) else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let identity = identity(&app, &headers).map(|(_, identity)| identity.name);
    Ok(Json(api::OpenRegistration { contest, mode: registration.mode, identity }).into_response())
}

/// Returns who the OpenID provider says that somebody is, with the secret of the cookie.
fn identity<'h>(app: &App, headers: &'h HeaderMap) -> Option<(&'h str, Identity)> {
    let secret = cookie(headers, oidc::COOKIE)?;
    Some((secret, app.oidc.as_ref()?.identity(secret)?))
}

/// Returns a contest in which teams can register, its name, and how.
fn open(app: &App, contest: &str) -> Result<(ContestId, String, Registration), Problem> {
    let id: ContestId = named("contest", contest)?;
    let state = app.published.state();
    let Some((name, registration)) = state.registration(&id) else {
        let detail =
            message!("no-registration", "there is no contest '{id}' in which teams can register", id);
        return Err(Problem::new(StatusCode::NOT_FOUND, "registration-closed", detail));
    };
    let (name, registration) = (name.to_owned(), registration.clone());
    Ok((id, name, registration))
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
    check_code(&app, &registration, (&wanted.username, wanted.code.as_deref()), auth.address).await?;
    let (login, proof, known) = match registration.mode {
        RegistrationMode::Oidc => {
            let log_in =
                || Problem::unauthorized(message!("oidc-first", "log in at the OpenID provider first"));
            let (secret, Identity { subject, .. }) = identity(&app, &headers).ok_or_else(log_in)?;
            count_registration(&app, auth.address)?;
            (NewLogin::Oidc(subject.clone()), Some(Proof::Oidc(subject, None)), Some(secret))
        }
        _ => {
            let password = wanted.password.filter(|password| password.len() >= PASSWORD_BYTES_MIN);
            let short = || {
                let detail = message!(
                    "password-short",
                    "a password has at least {count} bytes",
                    count = Number(PASSWORD_BYTES_MIN)
                );
                Problem::invalid_field("password", detail)
            };
            let password = password.ok_or_else(short)?;
            count_registration(&app, auth.address)?;
            let hash = app.passwords.hash(password).await?;
            (NewLogin::Password(hash), None, None)
        }
    };
    // The server does it, in the audit by the name of who is new.
    let caller = Caller {
        standing: Standing::System,
        account: Some(account.clone()),
        ..Caller::public(Some(auth.address.to_string()))
    };
    let new = NewTeam { id: team, name: wanted.team.trim().to_owned(), login };
    app.writer.act(caller, Command::In(contest, Action::Register(Box::new(new)))).await?;
    let gone = || Problem::unauthorized(message!("account-unusable", "this account cannot be used"));
    let (caller, proof) = {
        let state = app.published.state();
        let password = || state.password(&account).map(|(_, event)| Proof::Password(event));
        let caller = state.caller(&account, Some(auth.address.to_string())).ok_or_else(gone)?;
        (caller, proof.or_else(password).ok_or_else(gone)?)
    };
    let mut session = begin_session(&app, caller, proof).await?;
    if let (Some(oidc), Some(secret)) = (&app.oidc, known) {
        oidc.forget(secret);
        set_cookie(&mut session, &oidc::cookie_header(None, app.config.is_https));
    }
    Ok((StatusCode::CREATED, session).into_response())
}
