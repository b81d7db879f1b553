//! Persons.

use super::{PersonId, TeamId};
use crate::contest::FileReference;
use located::{Field, Report, Reported};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A person: a contestant, a coach, a member of staff; as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonSettings {
    pub id: PersonId,
    pub name: String,
    /// Its id in the ICPC's system.
    pub icpc_id: Option<String>,
    /// Its title, such as `Technical director`.
    pub title: Option<String>,
    /// Its address; for the jury.
    pub email: Option<String>,
    /// Its sex; for the jury.
    pub sex: Option<Sex>,
    pub role: PersonRole,
    /// Its teams: at least one for contestants and coaches, none for others.
    pub teams: BTreeSet<TeamId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Person {
    pub id: PersonId,
    /// Its id in the ICPC's system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icpc_id: Option<String>,
    /// Its teams: at least one for contestants and coaches, absent for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_ids: Option<Vec<TeamId>>,
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
    pub role: PersonRole,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo: Option<Vec<FileReference>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sex {
    Female,
    Male,
}

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

impl PersonRole {
    const WORDS: [(&str, Self); 4] = [
        ("contestant", Self::Contestant),
        ("coach", Self::Coach),
        ("staff", Self::Staff),
        ("other", Self::Other),
    ];

    /// Returns whether it belongs to a team.
    pub fn is_of_team(self) -> bool {
        matches!(self, Self::Contestant | Self::Coach)
    }
}

impl Person {
    pub const OF_ALL: &[&str] = &["id", "icpc_id", "team_ids", "name", "title", "role", "photo"];

    /// The properties that only the jury sees.
    pub const OF_JURY: &[&str] = &["email", "sex"];
}

impl PersonSettings {
    /// Its properties with files, which are set one by one.
    pub const FILES: &[&str] = &["photo"];

    /// Returns a contestant of whom nothing else is known.
    pub fn new(id: PersonId, name: impl Into<String>, team: TeamId) -> Self {
        Self {
            id,
            name: name.into(),
            icpc_id: None,
            title: None,
            email: None,
            sex: None,
            role: PersonRole::Contestant,
            teams: BTreeSet::from([team]),
        }
    }

    pub fn read(report: &Report, field: &Field<'_>) -> Option<Self> {
        let mut object = field.object().reported(report)?;
        let id = object.require(report, &["id"]).and_then(|field| field.parse(report));
        let name = object.require(report, &["name"]).and_then(|field| field.name().reported(report));
        let icpc_id = object.name(report, &["icpc_id"]);
        let title = object.name(report, &["title"]);
        let email = object.name(report, &["email"]);
        let sexes = [("female", Sex::Female), ("male", Sex::Male)];
        let sex = object.take_any(&["sex"]).and_then(|field| field.word(&sexes).reported(report));
        let role = object
            .require(report, &["role"])
            .and_then(|field| field.word(&PersonRole::WORDS).reported(report));
        // Versions before `team_ids` have `team_id`.
        let teams: BTreeSet<TeamId> = object.list(report, &["team_ids", "team_id"]);
        if role.is_some_and(|role| role.is_of_team() == teams.is_empty()) {
            let expected = "contestants and coaches have at least one team, others none";
            object.error(report, "team_ids", expected);
        }
        object.finish_with_files(report, Self::FILES);
        Some(Self { id: id?, name: name?, icpc_id, title, email, sex, role: role?, teams })
    }

    /// Returns it as it is written for a viewer, without its files.
    pub fn object(&self, is_staff: bool) -> Person {
        Person {
            id: self.id.clone(),
            icpc_id: self.icpc_id.clone(),
            team_ids: self.role.is_of_team().then(|| self.teams.iter().cloned().collect()),
            name: self.name.clone(),
            title: self.title.clone(),
            email: self.email.clone().filter(|_| is_staff),
            sex: self.sex.filter(|_| is_staff),
            role: self.role,
            photo: None,
        }
    }
}

/// One with every property, for tests.
#[cfg(test)]
pub(super) const EXAMPLE: &str =
    "{id: p, icpc_id: 7, name: P, title: Dr, email: p@o, sex: female, role: coach, team_ids: [1, 2]}";
