//! Logging in and out, and the caller's own account.

use crate::auth::{Auth, Means, check_origin, check_password, count_change, session_cookie};
use crate::extract::Json;
use crate::{App, Problem, Shared, clock, random, wire};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contest_rules::{AccountId, Caller, Command, Instant, NewSession, Proof};
use documents::contest as api;
use model::message;
use std::net::IpAddr;

/// How long a session lasts: a contest with its preparation and a day for the jury.
const SESSION_MS: i64 = 24 * 3_600_000;

/// Logs in by password or by address.
pub async fn login(
    State(app): State<Shared>,
    auth: Auth,
    headers: HeaderMap,
    Json(login): Json<api::Login>,
) -> Result<Response, Problem> {
    // Another page would log its visitor in as someone else, or try passwords from the visitor's address.
    check_origin(&headers, &app.config.names)?;
    let (account, proof) = match login.password {
        Some(password) => {
            let (account, hash) = check_password(&app, &login.username, password, auth.address).await?;
            let proof = by_password(&app, &account, &hash)?;
            (account, proof)
        }
        None => (by_address(&app, &login.username, auth.address)?, Proof::Address),
    };
    let caller = app.published.state().caller(&account, Some(auth.address.to_string()));
    let caller = caller
        .ok_or_else(|| Problem::unauthorized(message!("account-unusable", "this account cannot be used")))?;
    count_change(&app, &account)?;
    begin_session(&app, caller, proof).await
}

/// Logs in: begins a session, and returns the answer with its cookie.
pub(super) async fn begin_session(app: &App, caller: Caller, proof: Proof) -> Result<Response, Problem> {
    let secret = random::hex_256();
    let expires = Instant(clock::system_now().0 + SESSION_MS);
    let hash = random::sha256_hex(secret.as_bytes());
    let account = caller.account.clone();
    app.writer.act(caller, Command::LogIn(NewSession { hash, proof, expires })).await?;
    let account = account.ok_or_else(|| Problem::internal("a login without an account"))?;
    let mut response = Json(describe(app, &account, expires)?).into_response();
    set_cookie(&mut response, &session_cookie(Some(&secret), SESSION_MS / 1000, app.config.is_https));
    Ok(response)
}

/// Returns the proof of a password whose hash was right a moment ago.
pub(super) fn by_password(app: &App, account: &AccountId, hash: &str) -> Result<Proof, Problem> {
    let state = app.published.state();
    let now =
        state.password(account).filter(|(now, _)| *now == hash).map(|(_, event)| Proof::Password(event));
    now.ok_or_else(|| {
        Problem::unauthorized(message!("wrong-password", "the user name or the password is wrong"))
    })
}

fn by_address(app: &App, name: &str, address: IpAddr) -> Result<AccountId, Problem> {
    let state = app.published.state();
    let found = state
        .addresses()
        .find(|(account, networks)| account.as_str() == name && wire::is_in(networks, address));
    // Nothing can be guessed here, so what others at this address have tried does not count.
    found.map(|(account, _)| account.clone()).ok_or_else(|| {
        Problem::unauthorized(message!("password-needed", "a password is needed from this address"))
    })
}

fn describe(app: &App, account: &AccountId, expires: Instant) -> Result<api::Session, Problem> {
    let state = app.published.state();
    let caller = state.caller(account, None);
    let caller = caller
        .ok_or_else(|| Problem::unauthorized(message!("account-unusable", "this account cannot be used")))?;
    let account = state.server(&caller).account(account)?.object_for_owner();
    Ok(api::Session { account, expires: wire::time(expires) })
}

pub(super) fn set_cookie(response: &mut Response, cookie: &str) {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

pub async fn logout(State(app): State<Shared>, auth: Auth) -> Response {
    // A page of another origin makes a browser send this without the cookie, and must not remove it.
    let Means::Session(hash, _) = &auth.means else { return StatusCode::NO_CONTENT.into_response() };
    let ended = app.writer.act(auth.caller.clone(), Command::LogOut(hash.clone())).await;
    let mut response = match ended {
        Ok(_) => StatusCode::NO_CONTENT.into_response(),
        Err(problem) => problem.into_response(),
    };
    // Also where that cannot be stored now: the next one at this browser must not have it.
    set_cookie(&mut response, &session_cookie(None, 0, app.config.is_https));
    response
}

/// Returns the caller's account; nothing for who is not logged in, which is no error.
pub async fn own_account(state: State<Shared>, auth: Auth) -> Result<Response, Problem> {
    if auth.caller.account.is_none() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(account(state, auth).await?.into_response())
}

/// Returns the caller's account, which CLICS lacks for who is not logged in.
pub async fn account(State(app): State<Shared>, auth: Auth) -> Result<Json<api::Account>, Problem> {
    let none = || {
        Problem::new(StatusCode::NOT_FOUND, "not-found", message!("not-logged-in", "you are not logged in"))
    };
    let id = auth.caller.account.as_ref().ok_or_else(none)?;
    let state = app.published.state();
    let account = state.server(&auth.caller).account(id)?;
    Ok(Json(account.object_for_owner()))
}
