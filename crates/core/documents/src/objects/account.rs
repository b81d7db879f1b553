//! Accounts.

use super::{AccountId, ContestId, PersonId, TeamId};
use located::{Field, Report, Reported};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// An account of the server, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountSettings {
    pub id: AccountId,
    pub name: Option<String>,
    pub role: AccountType,
    /// In which contests; empty for all (not for teams).
    pub contests: BTreeSet<ContestId>,
    /// Its team, if it is one's.
    pub team: Option<TeamId>,
    /// Whose it is, of the persons of its contests.
    pub person: Option<PersonId>,
    /// Addresses from which it is logged in without a password: CIDR.
    pub ip: Vec<String>,
    /// The claim `sub` by which the server's OpenID provider knows it.
    #[serde(default)]
    pub oidc_subject: Option<String>,
    pub is_enabled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Account {
    pub id: AccountId,
    pub username: AccountId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(rename = "type")]
    pub kind: AccountType,
    /// Its team, if it is one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    /// Whose it is, of the persons of its contests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_id: Option<PersonId>,
    /// Addresses from which it is logged in without a password, separated by commas; only for admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// The claim `sub` by which the server's OpenID provider knows it; only for admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_subject: Option<String>,
    /// In which contests it is valid; empty for all. Only for admins and its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest_ids: Option<Vec<ContestId>>,
    /// Whether it can be used; only for admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
}

/// A new account, or all of an account's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAccount {
    /// Its id; the user name if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub username: String,
    /// Its password; without one it can only use tokens and addresses, and a known password stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(rename = "type")]
    pub kind: AccountType,
    /// Its team, if it is one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<String>,
    /// Whose it is, of the persons of its contests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_id: Option<String>,
    /// Addresses from which it is logged in without a password: CIDR, separated by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// The claim `sub` by which the server's OpenID provider knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_subject: Option<String>,
    /// In which contests it is valid; empty for all, which a team's account may not be.
    #[serde(default)]
    pub contest_ids: Vec<String>,
    #[serde(default = "crate::values::yes")]
    pub is_enabled: bool,
}

/// Which teams' accounts get new passwords.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhichAccounts {
    /// Those of teams without an account that can log in.
    #[default]
    Missing,
    /// All; sessions and tokens of these accounts end.
    All,
}

/// A wish for passwords of the teams of a contest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCredentials {
    #[serde(default)]
    pub which: WhichAccounts,
    /// Only of these teams; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_ids: Option<Vec<String>>,
    /// Where teams log in, for the tables and sheets: an address of HTTP, or empty for none.
    #[serde(default)]
    pub address: String,
}

/// New passwords of teams. The server does not keep them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Credentials {
    /// By label and name of the teams.
    pub accounts: Vec<Credential>,
    /// The same as a table: CSV with a header.
    pub csv: String,
    /// The same as an HTML page to print: a part for each account, with a QR code of the address.
    pub sheets: String,
}

/// What a team logs in with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Credential {
    pub account_id: String,
    pub team_id: String,
    /// The team's label, such as a seat.
    pub label: Option<String>,
    /// The team's name.
    pub team: String,
    pub username: String,
    pub password: String,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Addresses from which it is logged in without a password; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// The claim `sub` by which the server's OpenID provider knows it; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_subject: Option<String>,
    /// In which contests it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contest_ids: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
}

model::words! {
    #[derive(PartialOrd, Ord, JsonSchema)]
    pub enum AccountType, name {
        /// Everything.
        Admin = "admin",
        /// Judges: sees all, answers, rejudges, verifies; changes no contest and no account.
        Judge = "judge",
        /// Sees all, changes nothing.
        Analyst = "analyst",
        /// Helps on site: sees what the public sees, prints.
        Staff = "staff",
        /// Carries balloons.
        Balloon = "balloon",
        /// Takes part.
        Team = "team",
        /// Sees the public part of contests that need an account.
        Spectator = "spectator",
        Judgehost = "judgehost",
        /// Keeps pools of judgehosts: sees them and what waits, lets machines in and takes them out.
        Operator = "operator",
    }
}

impl AccountType {
    /// The words of other systems.
    const OTHERS: [(&str, Self); 3] =
        [("administrator", Self::Admin), ("jury", Self::Judge), ("public", Self::Spectator)];

    /// Returns the type with a name, in any case.
    pub fn named(text: &str) -> Option<Self> {
        let found =
            Self::WORDS.iter().chain(&Self::OTHERS).find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
        found.map(|(_, kind)| *kind)
    }

    fn read(report: &Report, field: &Field<'_>) -> Option<Self> {
        let found = Self::named(&field.trimmed().reported(report)?);
        if found.is_none() {
            let names: Vec<&str> = Self::WORDS.iter().map(|(name, _)| *name).collect();
            field.reject(report, format!("one of {}", names.join(", ")));
        }
        found
    }
}

impl Account {
    /// The properties that the jury of its contests sees; the others are for admins.
    pub const OF_JURY: &[&str] = &["id", "username", "name", "type", "team_id", "person_id"];
}

impl AccountSettings {
    /// Returns an account of which nothing else is known, valid in all contests.
    pub fn new(id: AccountId, role: AccountType) -> Self {
        Self {
            id,
            name: None,
            role,
            contests: BTreeSet::new(),
            team: None,
            person: None,
            ip: Vec::new(),
            oidc_subject: None,
            is_enabled: true,
        }
    }

    /// Returns whether it is one of a contest's people.
    pub fn is_in(&self, contest: &ContestId) -> bool {
        self.role != AccountType::Judgehost && (self.contests.is_empty() || self.contests.contains(contest))
    }

    /// Reads an account, and its password if that is there. Its id is its user name.
    pub fn read(report: &Report, field: &Field<'_>) -> Option<(Self, Option<String>)> {
        let mut object = field.object().reported(report)?;
        let own_id = object.take_any(&["id"]);
        let id = object.take_any(&["username"]).or_else(|| own_id.clone());
        if id.is_none() {
            object.error(report, "username", "is missing");
        }
        let id: Option<AccountId> = id.and_then(|field| field.parse(report));
        if let (Some(own), Some(id), true) = (&own_id, &id, report.is_strict())
            && own.trimmed().reported(report).is_some_and(|own| own != id.as_str())
        {
            own.reject(report, "the user name, which is the id of an account");
        }
        let role = object.require(report, &["type", "role"]);
        let role = role.and_then(|field| AccountType::read(report, &field));
        let name = object.name(report, &["name"]);
        let team = object.parse(report, &["team_id"]);
        match (role, &team) {
            (Some(AccountType::Team), None) => {
                object.error(report, "team_id", "is missing: an account of type team needs it")
            }
            (Some(role), Some(_)) if role != AccountType::Team => {
                object.error(report, "team_id", "is only for accounts of type team");
            }
            _ => {}
        }
        let person = object.parse(report, &["person_id"]);
        let contests = object.list(report, &["contest_ids"]);
        let password = object.text(report, &["password"]);
        let mut ip = Vec::new();
        for item in object.take_any(&["ip"]).map(|field| field.each()).unwrap_or_default() {
            match item.trimmed().reported(report).map(|text| networks(&text)) {
                Some(Ok(networks)) => ip.extend(networks),
                Some(Err(message)) => item.error(report, message),
                None => {}
            }
        }
        let oidc_subject = object.name(report, &["oidc_subject"]);
        let is_enabled = object.boolean(report, &["is_enabled", "enabled"]).unwrap_or(true);
        object.finish(report, &[]);
        let account =
            Self { id: id?, name, role: role?, contests, team, person, ip, oidc_subject, is_enabled };
        Some((account, password))
    }

    /// Returns it as it is written, without what only admins see.
    pub fn object(&self) -> Account {
        Account {
            id: self.id.clone(),
            username: self.id.clone(),
            name: self.name.clone(),
            kind: self.role,
            team_id: self.team.clone(),
            person_id: self.person.clone(),
            ip: None,
            oidc_subject: None,
            contest_ids: None,
            is_enabled: None,
        }
    }

    /// Returns it as it is written for its owner.
    pub fn object_for_owner(&self) -> Account {
        Account { contest_ids: Some(self.contests.iter().cloned().collect()), ..self.object() }
    }

    /// Returns it as it is written for admins.
    pub fn object_for_admins(&self) -> Account {
        Account {
            ip: (!self.ip.is_empty()).then(|| self.ip.join(",")),
            oidc_subject: self.oidc_subject.clone(),
            is_enabled: Some(self.is_enabled),
            ..self.object_for_owner()
        }
    }
}

/// Reads addresses and networks, separated by commas.
pub fn networks(text: &str) -> Result<Vec<String>, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let read = |part| {
        network(part).ok_or_else(|| format!("'{part}' is no address: write it like 10.1.2.3 or 10.1.2.0/24"))
    };
    parts.map(read).collect()
}

/// Returns an address or a network with its length.
fn network(text: &str) -> Option<String> {
    let (address, length) = text.split_once('/').unzip();
    let address: IpAddr = address.unwrap_or(text).parse().ok()?;
    let max = if address.is_ipv4() { 32 } else { 128 };
    let length = length.map_or(Some(max), |length| length.parse::<u8>().ok())?;
    (length <= max).then(|| format!("{address}/{length}"))
}

#[cfg(test)]
pub(super) const EXAMPLE: &str = "{username: a, name: A, type: team, team_id: 1, person_id: p, ip: [10.0.0.1, 10.1.0.0/16], oidc_subject: '24', contest_ids: [c], \
     enabled: false}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_have_a_length() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(network(text).as_deref(), expect, "{text}");
        check("10.1.2.3", Some("10.1.2.3/32"));
        check("10.2.0.0/16", Some("10.2.0.0/16"));
        check("2001:db8::/32", Some("2001:db8::/32"));
        check("2001:db8::1", Some("2001:db8::1/128"));
        for wrong in ["10.1.2.3/99", "10.1.2", "10.1.2.3/", "a/8", "10.0.0.0/-1"] {
            check(wrong, None);
        }
        assert_eq!(
            networks("10.1.2.3, 2001:db8::/32,"),
            Ok(vec!["10.1.2.3/32".into(), "2001:db8::/32".into()])
        );
    }
}
