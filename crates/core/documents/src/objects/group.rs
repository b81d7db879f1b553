//! Groups of teams.

use super::{GroupId, Location, LocationSettings};
use located::{Field, Report, Reported};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A group of teams, such as a site, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupSettings {
    pub id: GroupId,
    pub name: String,
    /// Its id in the ICPC's system.
    pub icpc_id: Option<String>,
    pub kind: Option<String>,
    pub is_hidden: bool,
    pub location: Option<LocationSettings>,
}

/// A group of teams, such as a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    pub id: GroupId,
    /// Its id in the ICPC's system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icpc_id: Option<String>,
    pub name: String,
    /// Its kind, such as `site`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Whether its teams are hidden from the public; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
}

impl Group {
    pub const OF_ALL: &[&str] = &["id", "icpc_id", "name", "type", "location"];

    pub const OF_JURY: &[&str] = &["hidden"];
}

impl GroupSettings {
    pub fn new(id: GroupId, name: impl Into<String>) -> Self {
        Self { id, name: name.into(), icpc_id: None, kind: None, is_hidden: false, location: None }
    }

    pub fn read(report: &Report, field: &Field<'_>) -> Option<Self> {
        let mut object = field.object().reported(report)?;
        let id = object.require(report, &["id"]).and_then(|field| field.parse(report));
        let name = object.require(report, &["name"]).and_then(|field| field.name().reported(report));
        let icpc_id = object.name(report, &["icpc_id"]);
        let kind = object.name(report, &["type"]);
        let is_hidden = object.boolean(report, &["hidden", "is_hidden"]).unwrap_or(false);
        let location =
            object.take_any(&["location"]).and_then(|field| LocationSettings::read(report, &field));
        object.finish(report, &[]);
        Some(Self { id: id?, name: name?, icpc_id, kind, is_hidden, location })
    }

    pub fn object(&self, is_staff: bool) -> Group {
        Group {
            id: self.id.clone(),
            icpc_id: self.icpc_id.clone(),
            name: self.name.clone(),
            kind: self.kind.clone(),
            location: self.location.as_ref().map(LocationSettings::object),
            hidden: is_staff.then_some(self.is_hidden),
        }
    }
}

#[cfg(test)]
pub(super) const EXAMPLE: &str =
    "{id: g, icpc_id: '7', name: G, type: site, hidden: true, location: {latitude: 1, longitude: -2.5}}";
