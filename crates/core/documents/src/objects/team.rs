//! Teams.

use super::{GroupId, Millis, OrganizationId, Seat, SeatSettings, TeamId, span};
use crate::contest::{FileReference, RelTime};
use located::{Field, Report, Reported};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamSettings {
    pub id: TeamId,
    pub name: String,
    /// The name for boards, if another.
    pub display_name: Option<String>,
    /// Its label, such as a seat.
    pub label: Option<String>,
    /// Its id in the ICPC's system.
    pub icpc_id: Option<String>,
    pub organization: Option<OrganizationId>,
    pub groups: BTreeSet<GroupId>,
    /// Whether it is hidden from the public, such as a jury's test team.
    pub is_hidden: bool,
    /// Penalty time that a jury adds.
    pub penalty_adjustment: Millis,
    pub location: Option<SeatSettings>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Team {
    pub id: TeamId,
    /// Its id in the ICPC's system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icpc_id: Option<String>,
    /// Its label, such as a seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub name: String,
    /// Its name for boards, if another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<OrganizationId>,
    #[serde(default)]
    pub group_ids: Vec<GroupId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Seat>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo: Option<Vec<FileReference>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<Vec<FileReference>>,
    /// What its screen shows; for the public only while the board is not frozen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desktop: Option<Vec<FileReference>>,
    /// What its camera shows; for the public only while the board is not frozen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webcam: Option<Vec<FileReference>>,
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
    pub hidden: Option<bool>,
    /// Penalty time that the jury adds; only for staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty_adjustment: Option<RelTime>,
}

impl Team {
    pub const OF_ALL: &[&str] = &[
        "id",
        "icpc_id",
        "name",
        "label",
        "display_name",
        "organization_id",
        "group_ids",
        "location",
        "photo",
        "video",
        "desktop",
        "webcam",
        "audio",
    ];

    pub const OF_JURY: &[&str] = &["backup", "key_log", "tool_data", "hidden", "penalty_adjustment"];
}

impl TeamSettings {
    pub const FILES: &[&str] =
        &["photo", "video", "desktop", "webcam", "audio", "backup", "key_log", "tool_data"];

    pub fn new(id: TeamId, name: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
            display_name: None,
            label: None,
            icpc_id: None,
            organization: None,
            groups: BTreeSet::new(),
            is_hidden: false,
            penalty_adjustment: Millis::ZERO,
            location: None,
        }
    }

    pub fn read(report: &Report, field: &Field<'_>) -> Option<Self> {
        let mut object = field.object().reported(report)?;
        let id: Option<TeamId> = object.require(report, &["id"]).and_then(|field| field.parse(report));
        let name = object.require(report, &["name"]).and_then(|field| field.name().reported(report));
        let display_name = object.name(report, &["display_name"]);
        // One without a label is written with its id.
        let is_own = |label: &String| id.as_ref().is_none_or(|id| id.as_str() != label);
        let label = object.name(report, &["label"]).filter(is_own);
        let icpc_id = object.name(report, &["icpc_id"]);
        let organization = object.parse(report, &["organization_id"]);
        let groups = object.list(report, &["group_ids", "group_id"]);
        let is_hidden = object.boolean(report, &["hidden", "is_hidden"]).unwrap_or(false);
        let penalty = object.take_any(&["penalty_adjustment"]).and_then(|field| span(report, &field));
        let location = object.take_any(&["location"]).and_then(|field| SeatSettings::read(report, &field));
        object.finish_with_files(report, Self::FILES);
        Some(Self {
            id: id?,
            name: name?,
            display_name,
            label,
            icpc_id,
            organization,
            groups,
            is_hidden,
            penalty_adjustment: penalty.unwrap_or_default(),
            location,
        })
    }

    pub fn object(&self, is_staff: bool) -> Team {
        Team {
            id: self.id.clone(),
            icpc_id: self.icpc_id.clone(),
            label: Some(self.label.as_deref().unwrap_or(self.id.as_str()).to_owned()),
            name: self.name.clone(),
            display_name: self.display_name.clone(),
            organization_id: self.organization.clone(),
            group_ids: self.groups.iter().cloned().collect(),
            location: self.location.as_ref().map(SeatSettings::object),
            photo: None,
            video: None,
            desktop: None,
            webcam: None,
            audio: None,
            backup: None,
            key_log: None,
            tool_data: None,
            hidden: is_staff.then_some(self.is_hidden),
            penalty_adjustment: is_staff.then_some(RelTime(self.penalty_adjustment.0)),
        }
    }
}

#[cfg(test)]
pub(super) const EXAMPLE: &str = "{id: 1, icpc_id: 7, name: T, label: L, display_name: D, organization_id: o, group_ids: [g, h], \
     location: {x: 1, y: 2, rotation: 90}, hidden: true, penalty_adjustment: 5}";
