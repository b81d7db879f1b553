//! Groups, organizations, teams and accounts.

use super::{FileReference, RelTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A group of teams, such as a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Whether its teams are hidden from the public; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_hidden: Option<bool>,
}

/// A place on earth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// Degrees from the equator, -90 to 90.
    pub latitude: f64,
    /// Degrees from Greenwich, -180 to 180.
    pub longitude: f64,
}

/// A place in the contest's room.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// Metres to the right.
    pub x: f64,
    /// Metres up.
    pub y: f64,
    /// Degrees against the clock.
    pub rotation: f64,
}

/// An organization, such as a university.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The flag of its country.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country_flag: Option<Vec<FileReference>>,
    /// Its part of the country: ISO 3166-2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country_subdivision: Option<String>,
    /// The flag of its part of the country.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country_subdivision_flag: Option<Vec<FileReference>>,
    /// Its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its hashtag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twitter_hashtag: Option<String>,
    /// Its account there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twitter_account: Option<String>,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Its logo, in one or several sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<Vec<FileReference>>,
}

/// A team.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Where it sits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Seat>,
    /// Its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo: Option<Vec<FileReference>>,
    /// Its video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<Vec<FileReference>>,
    /// What its screen shows; for the public only while the board is not frozen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desktop: Option<Vec<FileReference>>,
    /// What its camera shows; for the public only while the board is not frozen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webcam: Option<Vec<FileReference>>,
    /// What its microphone hears.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audio: Option<Vec<FileReference>>,
    /// The latest copy of its files; only for the jury.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<Vec<FileReference>>,
    /// What it typed; only for the jury.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_log: Option<Vec<FileReference>>,
    /// What its tools were; only for the jury.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_data: Option<Vec<FileReference>>,
    /// Whether it is hidden from the public; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_hidden: Option<bool>,
    /// Penalty time that the jury adds; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty_adjustment: Option<RelTime>,
}

/// A person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Person {
    /// Its id.
    pub id: String,
    /// Its id in the ICPC's system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icpc_id: Option<String>,
    /// Its teams: at least one for contestants and coaches, absent for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_ids: Option<Vec<String>>,
    /// Its name.
    pub name: String,
    /// Its title, such as `Technical director`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its address; only for the jury.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Its sex; only for the jury.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sex: Option<Sex>,
    /// What it does.
    pub role: PersonRole,
    /// Its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo: Option<Vec<FileReference>>,
}

/// A person's sex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sex {
    /// Female.
    Female,
    /// Male.
    Male,
}

/// What a person does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PersonRole {
    /// Takes part.
    Contestant,
    /// Coaches a team.
    Coach,
    /// Works for the contest.
    Staff,
    /// Anything else.
    Other,
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
    /// Whose it is, of the persons of its contests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_id: Option<String>,
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
    /// Whose it is, of the persons of its contests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_id: Option<String>,
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
