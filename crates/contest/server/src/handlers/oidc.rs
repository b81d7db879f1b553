//! Logging in at the OpenID provider. The browser itself comes here, so what fails is shown by the page of the login.

use super::login::{begin_session, set_cookie};
use crate::auth::{Auth, cookie, count_change};
use crate::extract::Query;
use crate::oidc::{Answer, COOKIE, Oidc, OidcError, cookie_header};
use crate::{App, Problem, Shared, wire};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use contest_rules::{ContestId, Proof, RegistrationMode};
use documents::contest as api;
use serde::Deserialize;
use std::sync::Arc;

/// Returns the provider; nothing where there is none.
pub async fn about(State(app): State<Shared>) -> Response {
    match &app.oidc {
        Some(oidc) => Json(api::OidcProvider { name: oidc.settings.name.clone() }).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

#[derive(Deserialize)]
pub struct BeginQuery {
    contest: Option<String>,
}

/// Sends the browser to the provider.
pub async fn begin(
    State(app): State<Shared>,
    auth: Auth,
    Query(BeginQuery { contest }): Query<BeginQuery>,
) -> Result<Response, Problem> {
    let contest: Option<ContestId> = contest.map(|contest| wire::named("contest", &contest)).transpose()?;
    let oidc = provider(&app)?;
    let metadata = match oidc.known_metadata() {
        Some(metadata) => Ok(metadata),
        None => oidc.ask(auth.address, Oidc::find_metadata).await,
    };
    let began = metadata.and_then(|metadata| oidc.begin(metadata, contest));
    Ok(match began {
        Ok((url, secret)) => with_cookie(&app, &url, Some(&secret)),
        Err(error) => failed(&app, &error),
    })
}

#[derive(Deserialize)]
pub struct AnswerQuery {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
}

/// Takes the browser back: logs in an account that the provider knows, or lets a new team register.
pub async fn end(
    State(app): State<Shared>,
    auth: Auth,
    headers: HeaderMap,
    Query(AnswerQuery { code, state, error }): Query<AnswerQuery>,
) -> Result<Response, Problem> {
    let provider = provider(&app)?;
    let (Some(code), Some(state), Some(asked)) = (code, state, cookie(&headers, COOKIE)) else {
        // Any page makes a browser come here: its login at the provider goes on.
        let why = error.map_or(OidcError::Unknown, OidcError::Invalid);
        return Ok(Redirect::to(&noted(&why)).into_response());
    };
    let asked = asked.to_owned();
    let ended = provider.ask(auth.address, move |oidc| oidc.end(&asked, Answer { code, state })).await;
    let (identity, contest) = match ended {
        Ok(known) => known,
        Err(error) => return Ok(failed(&app, &error)),
    };
    let account = app.published.state().account_of_subject(&identity.subject).cloned();
    if let Some(account) = account {
        let caller = app.published.state().caller(&account, Some(auth.address.to_string()));
        let Some(caller) = caller else { return Ok(with_cookie(&app, "/login?failed=disabled", None)) };
        count_change(&app, &account)?;
        let password = app.published.state().password(&account).map(|(_, event)| event);
        let session = begin_session(&app, caller, Proof::Oidc(identity.subject, password)).await?;
        let to = contest.map_or_else(|| "/".to_owned(), |contest| format!("/contests/{contest}"));
        let mut response = with_cookie(&app, &to, None);
        for value in session.headers().get_all(axum::http::header::SET_COOKIE) {
            response.headers_mut().append(axum::http::header::SET_COOKIE, value.clone());
        }
        return Ok(response);
    }
    let registers = |id: &ContestId| {
        let state = app.published.state();
        state.registration(id).is_some_and(|(_, how)| how.mode == RegistrationMode::Oidc)
    };
    match contest.filter(registers) {
        Some(contest) => {
            let secret = provider.keep(identity);
            Ok(with_cookie(&app, &format!("/register/{contest}"), Some(&secret)))
        }
        None => Ok(with_cookie(&app, "/login?failed=unknown", None)),
    }
}

fn provider(app: &App) -> Result<&Arc<Oidc>, Problem> {
    let none = || Problem::new(StatusCode::NOT_FOUND, "not-found", "this server has no OpenID provider");
    app.oidc.as_ref().ok_or_else(none)
}

/// Notes why a login failed, and returns the page that says so. What the provider and the browser sent is escaped in the log.
fn noted(error: &OidcError) -> String {
    let text: String = error.to_string().escape_debug().take(300).collect();
    tracing::warn!(error = text, "a login at the OpenID provider failed");
    let why = match error {
        OidcError::Provider(_) => "provider",
        OidcError::Invalid(_) => "invalid",
        OidcError::Unknown => "late",
    };
    format!("/login?failed={why}")
}

fn failed(app: &App, error: &OidcError) -> Response {
    with_cookie(app, &noted(error), None)
}

/// Sends the browser on, with the cookie of a login that goes on or has ended.
fn with_cookie(app: &App, to: &str, secret: Option<&str>) -> Response {
    let mut response = Redirect::to(to).into_response();
    set_cookie(&mut response, &cookie_header(secret, app.config.is_https));
    response
}
