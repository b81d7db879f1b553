//! Accounts and tokens.

use super::created;
use crate::auth::{Auth, Means, check_password, count_change};
use crate::extract::{Json, Later, Path};
use crate::wire::{from_request, id, ids, named, time};
use crate::{App, Problem, Shared, clock, random};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use contest_rules::roles::Resource;
use contest_rules::{AccountId, AccountSettings, Command, Instant, Millis, NewToken, Proof, networks};
use documents::contest as api;
use model::message;

/// More accounts are set in several requests.
pub(super) const ACCOUNTS_MAX: usize = 5000;
/// How long a login at the OpenID provider stands for a password that is asked for again.
const CONFIRMED_FOR: Millis = Millis::minutes(15);

pub async fn list(State(app): State<Shared>, auth: Auth) -> Result<Json<Vec<api::Account>>, Problem> {
    let state = app.published.state();
    let accounts = state.server(&auth.caller).accounts().map_err(|refusal| auth.explain(refusal))?;
    Ok(Json(accounts.iter().map(|account| account.object_for_admins()).collect()))
}

fn read(app: &App, auth: &Auth, account: &AccountId) -> Result<api::Account, Problem> {
    let state = app.published.state();
    let server = state.server(&auth.caller);
    let is_admin = server.accounts().is_ok();
    let settings = server.account(account)?;
    Ok(if is_admin { settings.object_for_admins() } else { settings.object() })
}

pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path(account): Path<String>,
) -> Result<Json<api::Account>, Problem> {
    Ok(Json(read(&app, &auth, &named("account", &account)?)?))
}

async fn commands(app: &App, account: api::NewAccount) -> Result<Vec<Command>, Problem> {
    let account = serde_json::to_value(account).map_err(Problem::internal)?;
    let (settings, password) = from_request(&account, AccountSettings::read)?;
    let id = settings.id.clone();
    let mut commands = vec![Command::SetAccount(settings)];
    if let Some(password) = password {
        let hash = app.passwords.hash(password).await?;
        commands.push(Command::SetPassword { account: id, hash });
    }
    Ok(commands)
}

/// Makes an account, or replaces its settings.
pub async fn set(
    State(app): State<Shared>,
    auth: Auth,
    Json(account): Json<api::NewAccount>,
) -> Result<Response, Problem> {
    // Before a password is hashed, which costs more than the rest.
    auth.may_read(Resource::Accounts)?;
    let id: AccountId = id("username", &account.username)?;
    let commands = commands(&app, account).await?;
    app.act_all(&auth, commands).await?;
    Ok(created(&format!("/api/accounts/{id}"), read(&app, &auth, &id)?))
}

/// Makes or replaces many accounts: all of them, or none.
pub async fn set_all(
    State(app): State<Shared>,
    auth: Auth,
    accounts: Later<Vec<api::NewAccount>>,
) -> Result<StatusCode, Problem> {
    // Before a password is hashed, which costs more than the rest.
    auth.may_read(Resource::Accounts)?;
    let accounts = accounts.read(&app).await?;
    if accounts.len() > ACCOUNTS_MAX {
        return Err(Problem::invalid(message!(
            "too-many-accounts",
            "at most {max} accounts at once",
            max = ACCOUNTS_MAX
        )));
    }
    let mut all = Vec::new();
    for account in accounts {
        all.extend(commands(&app, account).await?);
    }
    app.act_all(&auth, all).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn change(
    State(app): State<Shared>,
    auth: Auth,
    Path(account): Path<String>,
    Json(patch): Json<api::AccountPatch>,
) -> Result<Json<api::Account>, Problem> {
    let account: AccountId = named("account", &account)?;
    let mut settings = app.published.state().server(&auth.caller).account(&account)?.clone();
    let before = settings.clone();
    if let Some(name) = patch.name {
        settings.name = Some(name).filter(|name| !name.is_empty());
    }
    if let Some(ip) = patch.ip {
        settings.ip = networks(&ip).map_err(|detail| Problem::invalid_field("ip", detail))?;
    }
    if let Some(subject) = patch.oidc_subject {
        settings.oidc_subject = Some(subject).filter(|subject| !subject.is_empty());
    }
    if let Some(contests) = patch.contest_ids {
        settings.contests = ids("contest_ids", &contests)?;
    }
    if let Some(is_enabled) = patch.is_enabled {
        settings.is_enabled = is_enabled;
    }
    let mut commands = Vec::new();
    if settings != before {
        commands.push(Command::SetAccount(settings));
    }
    if let Some(password) = patch.password {
        if auth.caller.account.as_ref() == Some(&account) {
            require_password(&app, &auth, patch.current_password).await?;
        }
        count_own(&app, &auth)?;
        let hash = app.passwords.hash(password).await?;
        commands.push(Command::SetPassword { account: account.clone(), hash });
        commands.extend(tokens_of(&app, &auth, &account));
    }
    if !commands.is_empty() {
        app.act_all(&auth, commands).await?;
    }
    Ok(Json(read(&app, &auth, &account)?))
}

/// Counts changes by accounts that are no admins: the log keeps them for good.
fn count_own(app: &App, auth: &Auth) -> Result<(), Problem> {
    match auth.account() {
        Ok(account) if auth.may_read(Resource::Accounts).is_err() => count_change(app, account),
        _ => Ok(()),
    }
}

/// Returns what revokes an account's tokens, except the one that this request comes with: anyone who knew the old password may
/// have made one.
pub(super) fn tokens_of(app: &App, auth: &Auth, account: &AccountId) -> Vec<Command> {
    let state = app.published.state();
    let own = match &auth.means {
        Means::Token(hash) => state.token(hash, clock::system_now()).map(|(id, _)| id),
        _ => None,
    };
    let tokens = state.server(&auth.caller).tokens().into_iter();
    let others = tokens.filter(|token| token.account == account && Some(token.id) != own);
    others.map(|token| Command::RevokeToken(token.id.clone())).collect()
}

/// Checks the caller's own password again, before what somebody at an open screen must not do.
pub async fn require_password(app: &App, auth: &Auth, password: Option<String>) -> Result<(), Problem> {
    let Means::Session(_, session) = &auth.means else { return Ok(()) };
    let account = auth.account()?;
    // It has no password that it could give; the provider has just asked for what it has.
    if matches!(session.proof, Proof::Oidc(_, None)) {
        if session.age(clock::system_now()) < CONFIRMED_FOR {
            return Ok(());
        }
        return Err(Problem::forbidden(message!(
            "oidc-login-old",
            "this needs a new login: log out, and log in at the OpenID provider again"
        )));
    }
    let password = password.ok_or_else(|| {
        Problem::forbidden(message!("own-password-missing", "this needs your own present password, too"))
    })?;
    let known = check_password(app, account.as_str(), password, auth.address).await;
    // A wrong one does not mean that the session has ended.
    known.map(|_| ()).map_err(|problem| match problem.status() {
        StatusCode::UNAUTHORIZED => {
            Problem::forbidden(message!("own-password-wrong", "your own present password is wrong"))
        }
        _ => problem,
    })
}

pub async fn remove(
    State(app): State<Shared>,
    auth: Auth,
    Path(account): Path<String>,
) -> Result<StatusCode, Problem> {
    app.act(&auth, Command::RemoveAccount(named("account", &account)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns tokens, without their secrets.
pub async fn tokens(State(app): State<Shared>, auth: Auth) -> Result<Json<Vec<api::Token>>, Problem> {
    auth.account()?;
    let state = app.published.state();
    let tokens = state.server(&auth.caller).tokens().into_iter().map(|token| api::Token {
        id: token.id.to_string(),
        account_id: token.account.to_string(),
        note: token.note.to_owned(),
        created: time(token.issued),
        expires: token.expires.map(time),
    });
    Ok(Json(tokens.collect()))
}

pub async fn issue_token(
    State(app): State<Shared>,
    auth: Auth,
    Json(wanted): Json<api::NewToken>,
) -> Result<Response, Problem> {
    let account: AccountId = match &wanted.account_id {
        Some(account) => id("account_id", account)?,
        None => auth.account()?.clone(),
    };
    count_own(&app, &auth)?;
    let (secret, token) = (random::hex_256(), random::short_id());
    let expires = wanted.expires.map(|time| Instant(time.0));
    if expires.is_some_and(|expires| expires <= clock::system_now()) {
        return Err(Problem::invalid_field(
            "expires",
            message!("token-ends-before-begin", "the token would end before it begins"),
        ));
    }
    let command = Command::IssueToken(NewToken {
        id: id("id", &token)?,
        account: account.clone(),
        hash: random::sha256_hex(secret.as_bytes()),
        note: wanted.note.clone(),
        expires,
    });
    let done = app.act(&auth, command).await?;
    let issued = api::IssuedToken {
        token: api::Token {
            id: token.clone(),
            account_id: account.to_string(),
            note: wanted.note,
            created: time(done.events.first().map_or(Instant::default(), |event| event.time)),
            expires: wanted.expires,
        },
        secret,
    };
    Ok(created(&format!("/api/tokens/{token}"), issued))
}

pub async fn revoke_token(
    State(app): State<Shared>,
    auth: Auth,
    Path(token): Path<String>,
) -> Result<StatusCode, Problem> {
    let token = named("token", &token)?;
    count_own(&app, &auth)?;
    app.act(&auth, Command::RevokeToken(token)).await?;
    Ok(StatusCode::NO_CONTENT)
}
