//! Logging in.

use super::{Account, RegistrationMode, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Logs in. Without a password, by the caller's address.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    pub username: String,
    /// Its password; absent to log in by address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

/// The OpenID provider at which people can log in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OidcProvider {
    /// How people call it.
    pub name: String,
}

/// How a team registers itself in a contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenRegistration {
    /// The contest's name.
    pub contest: String,
    /// `code`, `oidc` or `open`.
    pub mode: RegistrationMode,
    /// The name at the OpenID provider of the person who asks, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
}

/// A team that registers itself, with the account that it logs in with.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRegistration {
    /// The team's name.
    pub team: String,
    /// The user name of its account, which is the team's id as well.
    pub username: String,
    /// At least 8 bytes; absent for who logs in at the OpenID provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The organiser's code, where one is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// A session. Its cookie is in the header `Set-Cookie`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    pub account: Account,
    pub expires: Time,
}

/// A token for scripts and judgehosts, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Token {
    pub id: String,
    /// Whose it is.
    pub account_id: String,
    pub note: String,
    pub created: Time,
    /// When it ends; `null` for never.
    pub expires: Option<Time>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// For which account; the caller's own if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    #[serde(default)]
    pub note: String,
    /// When it ends; absent for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Time>,
}

/// A new token. The secret is not shown again.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IssuedToken {
    #[serde(flatten)]
    pub token: Token,
    /// What to send as `Authorization: Bearer ...`.
    pub secret: String,
}
