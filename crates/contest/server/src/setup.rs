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

/// Makes the account `admin` in a server that has none, and returns its password. That is first kept in the data folder: a
/// crash between both leaves one that is replaced at the next start, and never an account that cannot be used.
pub async fn add_admin(
    writer: &Writer,
    published: &Published,
    data: &Path,
) -> Result<Option<String>, SetupError> {
    if !published.state().is_new() {
        return Ok(None);
    }
    let password = random::hex_256()[..24].to_owned();
    let hash = hash_password(&password).map_err(|error| SetupError::Hash(error.to_string()))?;
    keep_password(data, &password).map_err(SetupError::Keep)?;
    let settings = account("admin", Role::Admin)?;
    let commands =
        vec![Command::SetAccount(settings.clone()), Command::SetPassword { account: settings.id, hash }];
    writer.act_all(Caller::system(), commands).await?;
    Ok(Some(password))
}

fn keep_password(data: &Path, password: &str) -> std::io::Result<()> {
    let new = data.join(format!("{PASSWORD_FILE}.new"));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(PRIVATE).open(&new)?;
    file.write_all(format!("{password}\n").as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, data.join(PASSWORD_FILE))?;
    File::open(data)?.sync_all()
}

/// Makes a token of this secret for the local judgehosts, unless there is one. Tokens of earlier secrets end.
pub async fn add_judgehost(writer: &Writer, published: &Published, secret: &str) -> Result<(), SetupError> {
    const NOTE: &str = "judgehosts that the server starts";
    let settings = account("judgehost", Role::Judgehost)?;
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
        let old =
            server.tokens().into_iter().filter(|token| *token.account == settings.id && token.note == NOTE);
        commands.extend(old.map(|token| Command::RevokeToken(token.id.clone())));
    }
    commands.push(Command::IssueToken(NewToken {
        id: random::short_id()
            .parse()
            .map_err(|error: contest_rules::IdError| SetupError::Refused(error.to_string()))?,
        account: settings.id,
        hash,
        note: NOTE.to_owned(),
        expires: None,
    }));
    writer.act_all(Caller::system(), commands).await?;
    Ok(())
}

/// Stores the local judgehosts' token as soon as the store can be written, if it cannot now: a server whose
/// disk is full is there for its readers.
pub(crate) async fn add_judgehost_when_possible(app: Weak<App>, secret: &str) -> Result<(), SetupError> {
    let Some(served) = app.upgrade() else { return Ok(()) };
    match add_judgehost(&served.writer, &served.published, secret).await {
        Err(SetupError::NotNow(why)) => {
            tracing::error!(reason = why.detail(), "the server starts although it cannot store anything now");
            served.unstored.set(Some((random::sha256_hex(secret.as_bytes()), why)));
            tokio::spawn(keep_trying(app, secret.to_owned()));
            Ok(())
        }
        other => other,
    }
}

async fn keep_trying(app: Weak<App>, secret: String) {
    loop {
        tokio::time::sleep(TRY_EVERY).await;
        let Some(app) = app.upgrade() else { return };
        match add_judgehost(&app.writer, &app.published, &secret).await {
            Err(SetupError::NotNow(_)) => continue,
            Ok(()) => tracing::info!("the server can store again, and the local judgehosts can begin"),
            Err(error) => {
                tracing::error!(error = with_causes(&error), "the local judgehosts have no token");
            }
        }
        app.unstored.set(None);
        return;
    }
}
