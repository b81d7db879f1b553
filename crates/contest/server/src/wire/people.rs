//! Groups, organizations and teams.

use super::{id, ids, optional_id, reltime, texts};
use crate::Problem;
use api::contest as wire;
use contest::view::TeamView;
use contest::{GroupSettings, Millis, OrganizationSettings, TeamSettings};

/// Returns a group from the wire.
pub fn group_settings(group: wire::Group) -> Result<GroupSettings, Problem> {
    Ok(GroupSettings {
        id: id("id", &group.id)?,
        name: group.name,
        icpc_id: group.icpc_id,
        kind: group.kind,
        is_hidden: group.is_hidden.unwrap_or(false),
    })
}

/// Returns a group for the wire.
pub fn wire_group(group: &GroupSettings, is_staff: bool) -> wire::Group {
    wire::Group {
        id: group.id.to_string(),
        icpc_id: group.icpc_id.clone(),
        name: group.name.clone(),
        kind: group.kind.clone(),
        is_hidden: is_staff.then_some(group.is_hidden),
    }
}

/// Returns an organization from the wire.
pub fn organization_settings(organization: wire::Organization) -> Result<OrganizationSettings, Problem> {
    Ok(OrganizationSettings {
        id: id("id", &organization.id)?,
        name: organization.name,
        formal_name: organization.formal_name,
        country: organization.country,
        icpc_id: organization.icpc_id,
    })
}

/// Returns an organization for the wire.
pub fn wire_organization(organization: &OrganizationSettings) -> wire::Organization {
    wire::Organization {
        id: organization.id.to_string(),
        icpc_id: organization.icpc_id.clone(),
        name: organization.name.clone(),
        formal_name: organization.formal_name.clone(),
        country: organization.country.clone(),
    }
}

/// Returns a team from the wire.
pub fn team_settings(team: wire::Team) -> Result<TeamSettings, Problem> {
    Ok(TeamSettings {
        id: id("id", &team.id)?,
        name: team.name,
        display_name: team.display_name,
        label: team.label,
        icpc_id: team.icpc_id,
        organization: optional_id("organization_id", team.organization_id.as_deref())?,
        groups: ids("group_ids", &team.group_ids)?,
        is_hidden: team.is_hidden.unwrap_or(false),
        penalty_adjustment: Millis(team.penalty_adjustment.map_or(0, |time| time.0)),
    })
}

/// Returns a team for the wire.
pub fn wire_team(team: &TeamView<'_>) -> wire::Team {
    wire::Team {
        id: team.id.to_string(),
        icpc_id: team.icpc_id.map(ToOwned::to_owned),
        label: team.label.map(ToOwned::to_owned),
        name: team.name.to_owned(),
        display_name: team.display_name.map(ToOwned::to_owned),
        organization_id: team.organization.map(ToString::to_string),
        group_ids: texts(team.groups.iter().copied()),
        is_hidden: team.is_hidden,
        penalty_adjustment: team.is_hidden.map(|_| reltime(team.penalty_adjustment)),
    }
}
