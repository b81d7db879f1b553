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

model::words! {
    #[derive(JsonSchema)]
    pub enum Sex, word {
        Female = "female",
        Male = "male",
    }
}

model::words! {
    #[derive(JsonSchema)]
    pub enum PersonRole, word {
        /// Takes part.
        Contestant = "contestant",
        /// Coaches a team.
        Coach = "coach",
        /// Works for the contest.
        Staff = "staff",
        /// Anything else.
        Other = "other",
    }
}

impl PersonRole {
    /// Returns whether it belongs to a team.
    pub fn is_of_team(self) -> bool {
        matches!(self, Self::Contestant | Self::Coach)
    }
}

impl Person {
    pub const OF_ALL: &[&str] = &["id", "icpc_id", "team_ids", "name", "title", "role", "photo"];

    pub const OF_JURY: &[&str] = &["email", "sex"];
}

impl PersonSettings {
    pub const FILES: &[&str] = &["photo"];

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
        let sex = object.take_any(&["sex"]).and_then(|field| field.word(&Sex::WORDS).reported(report));
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

#[cfg(test)]
pub(super) const EXAMPLE: &str =
    "{id: p, icpc_id: 7, name: P, title: Dr, email: p@o, sex: female, role: coach, team_ids: [1, 2]}";
