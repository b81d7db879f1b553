//! What a server needs before anybody can log in.

mod unstored;
use crate::auth::hash_password;
use crate::problem::with_causes;
use crate::writer::Writer;
use crate::{App, Problem, Published, clock, random};
use axum::http::StatusCode;
use contest_rules::{AccountId, AccountSettings, Caller, Command, NewToken, Role};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Weak;
use std::time::Duration;
pub(crate) use unstored::Unstored;

/// Where the first password of the admin is, in the data folder.
const PASSWORD_FILE: &str = "admin-password";
/// For the owner only.
const PRIVATE: u32 = 0o600;
/// How often it is tried to store what could not be stored at the start.
const TRY_EVERY: Duration = Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("{0}")]
    Refused(String),
    #[error("{}", .0.detail())]
    NotNow(Problem),
    #[error("the password of 'admin' cannot be kept")]
    Keep(#[source] std::io::Error),
    #[error("a password cannot be hashed: {0}")]
    Hash(String),
}

impl From<Problem> for SetupError {
    fn from(problem: Problem) -> Self {
        match problem.status() {
            StatusCode::SERVICE_UNAVAILABLE => Self::NotNow(problem),
            _ => Self::Refused(problem.detail().to_owned()),
        }
    }
}

fn account(name: &str, role: Role) -> Result<AccountSettings, SetupError> {
    let id: AccountId =
        name.parse().map_err(|error: contest_rules::IdError| SetupError::Refused(error.to_string()))?;
    Ok(AccountSettings::new(id, role))
}

/// Makes the account `admin` in a server that has none, and returns its password, unless that was given. It is first kept in
/// the data folder: a crash between both leaves one that is replaced at the next start, and never an account that cannot be used.
pub async fn add_admin(
    writer: &Writer,
    published: &Published,
    data: &Path,
    given: Option<&str>,
) -> Result<Option<String>, SetupError> {
    if !published.state().is_new() {
        return Ok(None);
    }
    let password = given.map_or_else(|| random::hex_256()[..24].to_owned(), str::to_owned);
    let hash = hash_password(&password).map_err(|error| SetupError::Hash(error.to_string()))?;
    if given.is_none() {
        keep_password(data, &password).map_err(SetupError::Keep)?;
    }
    let settings = account("admin", Role::Admin)?;
    let commands =
        vec![Command::SetAccount(settings.clone()), Command::SetPassword { account: settings.id, hash }];
    writer.act_all(Caller::system(), commands).await?;
    Ok(given.is_none().then_some(password))
}

fn keep_password(data: &Path, password: &str) -> std::io::Result<()> {
    let new = data.join(format!("{PASSWORD_FILE}.new"));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(PRIVATE).open(&new)?;
    file.write_all(format!("{password}\n").as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, data.join(PASSWORD_FILE))?;
    File::open(data)?.sync_all()
}

/// The secrets of what works for the server, given to it when it starts.
#[derive(Clone)]
pub struct Tokens {
    pub judgehosts: String,
    pub operator: Option<String>,
}

/// Makes tokens of these secrets, unless they are there. Tokens of earlier secrets end.
pub async fn add_tokens(writer: &Writer, published: &Published, tokens: &Tokens) -> Result<(), SetupError> {
    add_token(writer, published, &JUDGEHOSTS, &tokens.judgehosts).await?;
    match &tokens.operator {
        Some(secret) => add_token(writer, published, &OPERATOR, secret).await,
        None => Ok(()),
    }
}

/// What has a token that is given to the server when it starts.
#[derive(Debug)]
struct Service {
    account: &'static str,
    role: Role,
    note: &'static str,
}

const JUDGEHOSTS: Service =
    Service { account: "judgehost", role: Role::Judgehost, note: "judgehosts that the server starts" };
const OPERATOR: Service =
    Service { account: "operator", role: Role::Operator, note: "the operator of the server's pools" };

async fn add_token(
    writer: &Writer,
    published: &Published,
    service: &Service,
    secret: &str,
) -> Result<(), SetupError> {
    let settings = account(service.account, service.role)?;
    let hash = random::sha256_hex(secret.as_bytes());
    let mut commands = Vec::new();
    {
        let state = published.state();
        if state.token(&hash, clock::system_now()).is_some_and(|(_, of)| *of == settings.id) {
            return Ok(());
        }
        let server = state.server(&Caller::system());
        if server.account(&settings.id).is_err() {
            commands.push(Command::SetAccount(settings.clone()));
        }
        let is_old = |token: &contest_rules::view::TokenView<'_>| {
            *token.account == settings.id && token.note == service.note
        };
        let old = server.tokens().into_iter().filter(is_old);
        commands.extend(old.map(|token| Command::RevokeToken(token.id.clone())));
    }
    commands.push(Command::IssueToken(NewToken {
        id: random::short_id()
            .parse()
            .map_err(|error: contest_rules::IdError| SetupError::Refused(error.to_string()))?,
        account: settings.id,
        hash,
        note: service.note.to_owned(),
        expires: None,
    }));
    writer.act_all(Caller::system(), commands).await?;
    Ok(())
}

/// Stores these tokens as soon as the store can be written, if it cannot now: a server whose disk is full is there for
/// its readers.
pub(crate) async fn add_tokens_when_possible(app: Weak<App>, tokens: Tokens) -> Result<(), SetupError> {
    let Some(served) = app.upgrade() else { return Ok(()) };
    match add_tokens(&served.writer, &served.published, &tokens).await {
        Err(SetupError::NotNow(why)) => {
            tracing::error!(reason = why.detail(), "the server starts although it cannot store anything now");
            served.unstored.set(Some((random::sha256_hex(tokens.judgehosts.as_bytes()), why)));
            tokio::spawn(keep_trying(app, tokens));
            Ok(())
        }
        other => other,
    }
}

async fn keep_trying(app: Weak<App>, tokens: Tokens) {
    loop {
        tokio::time::sleep(TRY_EVERY).await;
        let Some(app) = app.upgrade() else { return };
        match add_tokens(&app.writer, &app.published, &tokens).await {
            Err(SetupError::NotNow(_)) => continue,
            Ok(()) => tracing::info!("the server can store again, and its judgehosts can begin"),
            Err(error) => {
                tracing::error!(error = with_causes(&error), "the server's judgehosts have no token");
            }
        }
        app.unstored.set(None);
        return;
    }
}
