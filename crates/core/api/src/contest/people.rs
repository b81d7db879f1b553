//! Groups, organizations, teams and accounts.

use super::RelTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A group of teams, such as a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// Its id.
    pub id: String,
    /// Its id in the ICPC's system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icpc_id: Option<String>,
    /// Its name.
    pub name: String,
    /// Its kind, such as `site`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether its teams are hidden from the public; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_hidden: Option<bool>,
}

/// An organization, such as a university.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Organization {
    /// Its id.
    pub id: String,
    /// Its id in the ICPC's system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icpc_id: Option<String>,
    /// Its short name.
    pub name: String,
    /// Its full name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formal_name: Option<String>,
    /// Its country: ISO 3166-1 alpha-3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

/// A team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Team {
    /// Its id.
    pub id: String,
    /// Its id in the ICPC's system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icpc_id: Option<String>,
    /// Its label, such as a seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its name.
    pub name: String,
    /// Its name for boards, if another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Its organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<String>,
    /// Its groups.
    #[serde(default)]
    pub group_ids: Vec<String>,
    /// Whether it is hidden from the public; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_hidden: Option<bool>,
    /// Penalty time that the jury adds; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty_adjustment: Option<RelTime>,
}

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Account {
    /// Its id.
    pub id: String,
    /// Its user name.
    pub username: String,
    /// The person's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it may do.
    #[serde(rename = "type")]
    pub kind: AccountType,
    /// Its team, if it is one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<String>,
    /// Addresses from which it is logged in without a password, separated by commas; only for admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// In which contests it is valid; empty for all. Only for admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest_ids: Option<Vec<String>>,
    /// Whether it can be used; only for admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
}

/// What an account may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccountType {
    /// Everything.
    Admin,
    /// Sees all, answers, rejudges, verifies.
    Judge,
    /// Sees all, changes nothing.
    Analyst,
    /// Helps on site.
    Staff,
    /// Carries balloons.
    Balloon,
    /// Takes part.
    Team,
    /// Sees the public part of contests that need an account.
    Spectator,
    /// A machine that judges.
    Judgehost,
}

/// A new account, or all of an account's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAccount {
    /// Its id; the user name if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its user name.
    pub username: String,
    /// Its password; without one it can only use tokens and addresses, and a known password stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The person's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it may do.
    #[serde(rename = "type")]
    pub kind: AccountType,
    /// Its team, if it is one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<String>,
    /// Addresses from which it is logged in without a password: CIDR, separated by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// In which contests it is valid; empty for all, which a team's account may not be.
    #[serde(default)]
    pub contest_ids: Vec<String>,
    /// Whether it can be used.
    #[serde(default = "yes")]
    pub is_enabled: bool,
}

fn yes() -> bool {
    true
}

/// A change of an account. What is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AccountPatch {
    /// A new password, which ends the account's sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The caller's own present password; needed to change one's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_password: Option<String>,
    /// The person's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Addresses from which it is logged in without a password; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// In which contests it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contest_ids: Option<Vec<String>>,
    /// Whether it can be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
}
