//! What a server needs before anybody can log in.

use crate::auth::hash_password;
use crate::writer::Writer;
use crate::{Problem, Published, random};
use contest::{AccountId, AccountSettings, Caller, Command, Role};
use std::collections::BTreeSet;

/// Why a server could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The writer refused.
    #[error("{0}")]
    Refused(String),
    /// A password cannot be hashed.
    #[error("a password cannot be hashed: {0}")]
    Hash(String),
}

impl From<Problem> for SetupError {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem.detail().to_owned())
    }
}

fn account(name: &str, role: Role) -> Result<AccountSettings, SetupError> {
    let id: AccountId =
        name.parse().map_err(|error: contest::IdError| SetupError::Refused(error.to_string()))?;
    Ok(AccountSettings {
        id,
        name: None,
        role,
        contests: BTreeSet::new(),
        team: None,
        ip: Vec::new(),
        is_enabled: true,
    })
}

/// Makes the account `admin` in a server that has none, and returns its password.
///
/// # Errors
///
/// When it cannot be stored.
pub async fn add_admin(writer: &Writer, published: &Published) -> Result<Option<String>, SetupError> {
    if !published.state().is_new() {
        return Ok(None);
    }
    let password = random::hex_256()[..24].to_owned();
    let hash = hash_password(&password).map_err(|error| SetupError::Hash(error.to_string()))?;
    let settings = account("admin", Role::Admin)?;
    let commands =
        vec![Command::SetAccount(settings.clone()), Command::SetPassword { account: settings.id, hash }];
    writer.act_all(Caller::system(), commands).await?;
    Ok(Some(password))
}

/// Makes a token for the judgehosts that the server starts itself, valid until the next one, and returns its secret.
///
/// # Errors
///
/// When it cannot be stored.
pub async fn add_judgehost(writer: &Writer, published: &Published) -> Result<String, SetupError> {
    const NOTE: &str = "judgehosts that the server starts";
    let settings = account("judgehost", Role::Judgehost)?;
    let mut commands = Vec::new();
    {
        let state = published.state();
        let server = state.server(&Caller::system());
        if server.account(&settings.id).is_err() {
            commands.push(Command::SetAccount(settings.clone()));
        }
        let old =
            server.tokens().into_iter().filter(|token| *token.account == settings.id && token.note == NOTE);
        commands.extend(old.map(|token| Command::RevokeToken(token.id.clone())));
    }
    let secret = random::hex_256();
    commands.push(Command::IssueToken {
        id: random::short_id()
            .parse()
            .map_err(|error: contest::IdError| SetupError::Refused(error.to_string()))?,
        account: settings.id,
        hash: random::sha256_hex(secret.as_bytes()),
        note: NOTE.to_owned(),
        expires: None,
    });
    writer.act_all(Caller::system(), commands).await?;
    Ok(secret)
}
