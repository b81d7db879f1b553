//! Groups, organizations, teams, persons and commentary.

use super::files::{WireFiles, location, seat, wire_location, wire_seat};
use super::{id, ids, optional_id, reltime, texts, time};
use crate::Problem;
use api::contest as wire;
use contest::view::{CommentaryView, PersonView, TeamView, View};
use contest::{
    FileOwner, FileProperty, GroupSettings, Millis, OrganizationSettings, PersonRole, PersonSettings, Sex,
    TeamSettings,
};

/// Returns a group from the wire.
pub fn group_settings(group: wire::Group) -> Result<GroupSettings, Problem> {
    Ok(GroupSettings {
        id: id("id", &group.id)?,
        name: group.name,
        icpc_id: group.icpc_id,
        kind: group.kind,
        is_hidden: group.is_hidden.unwrap_or(false),
        location: location(group.location)?,
    })
}

/// Returns a group for the wire.
pub fn wire_group(group: &GroupSettings, is_staff: bool) -> wire::Group {
    wire::Group {
        id: group.id.to_string(),
        icpc_id: group.icpc_id.clone(),
        name: group.name.clone(),
        kind: group.kind.clone(),
        location: group.location.as_ref().map(wire_location),
        is_hidden: is_staff.then_some(group.is_hidden),
    }
}

/// Returns an organization from the wire, without its files.
pub fn organization_settings(organization: wire::Organization) -> Result<OrganizationSettings, Problem> {
    Ok(OrganizationSettings {
        id: id("id", &organization.id)?,
        name: organization.name,
        formal_name: organization.formal_name,
        country: organization.country,
        country_subdivision: organization.country_subdivision,
        icpc_id: organization.icpc_id,
        url: organization.url,
        twitter_hashtag: organization.twitter_hashtag,
        twitter_account: organization.twitter_account,
        location: location(organization.location)?,
    })
}

/// Returns an organization for the wire.
pub fn wire_organization(view: &View<'_>, organization: &OrganizationSettings) -> wire::Organization {
    let mut files = WireFiles::new(view, &FileOwner::Organization(organization.id.clone()));
    wire::Organization {
        id: organization.id.to_string(),
        icpc_id: organization.icpc_id.clone(),
        name: organization.name.clone(),
        formal_name: organization.formal_name.clone(),
        country: organization.country.clone(),
        country_flag: files.take(FileProperty::CountryFlag),
        country_subdivision: organization.country_subdivision.clone(),
        country_subdivision_flag: files.take(FileProperty::CountrySubdivisionFlag),
        url: organization.url.clone(),
        twitter_hashtag: organization.twitter_hashtag.clone(),
        twitter_account: organization.twitter_account.clone(),
        location: organization.location.as_ref().map(wire_location),
        logo: files.take(FileProperty::Logo),
    }
}

/// Returns a team from the wire, without its files.
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
        location: seat(team.location)?,
    })
}

/// Returns a team for the wire.
pub fn wire_team(view: &View<'_>, team: &TeamView<'_>) -> wire::Team {
    let mut files = WireFiles::new(view, &FileOwner::Team(team.id.clone()));
    wire::Team {
        id: team.id.to_string(),
        icpc_id: team.icpc_id.map(ToOwned::to_owned),
        label: Some(team.label.unwrap_or(team.id.as_str()).to_owned()),
        name: team.name.to_owned(),
        display_name: team.display_name.map(ToOwned::to_owned),
        organization_id: team.organization.map(ToString::to_string),
        group_ids: texts(team.groups.iter().copied()),
        location: team.location.map(wire_seat),
        photo: files.take(FileProperty::Photo),
        video: files.take(FileProperty::Video),
        desktop: files.take(FileProperty::Desktop),
        webcam: files.take(FileProperty::Webcam),
        audio: files.take(FileProperty::Audio),
        backup: files.take(FileProperty::Backup),
        key_log: files.take(FileProperty::KeyLog),
        tool_data: files.take(FileProperty::ToolData),
        is_hidden: team.is_hidden,
        penalty_adjustment: team.is_hidden.map(|_| reltime(team.penalty_adjustment)),
    }
}

/// Returns a person from the wire, without its files.
pub fn person_settings(person: wire::Person) -> Result<PersonSettings, Problem> {
    Ok(PersonSettings {
        id: id("id", &person.id)?,
        name: person.name,
        icpc_id: person.icpc_id,
        title: person.title,
        email: person.email,
        sex: person.sex.map(|sex| match sex {
            wire::Sex::Female => Sex::Female,
            wire::Sex::Male => Sex::Male,
        }),
        role: match person.role {
            wire::PersonRole::Contestant => PersonRole::Contestant,
            wire::PersonRole::Coach => PersonRole::Coach,
            wire::PersonRole::Staff => PersonRole::Staff,
            wire::PersonRole::Other => PersonRole::Other,
        },
        teams: ids("team_ids", &person.team_ids.unwrap_or_default())?,
    })
}

/// Returns a person for the wire.
pub fn wire_person(view: &View<'_>, person: &PersonView<'_>) -> wire::Person {
    let mut files = WireFiles::new(view, &FileOwner::Person(person.id.clone()));
    wire::Person {
        id: person.id.to_string(),
        icpc_id: person.icpc_id.map(ToOwned::to_owned),
        team_ids: person.role.is_of_team().then(|| texts(person.teams.iter().copied())),
        name: person.name.to_owned(),
        title: person.title.map(ToOwned::to_owned),
        email: person.email.map(ToOwned::to_owned),
        sex: person.sex.map(|sex| match sex {
            Sex::Female => wire::Sex::Female,
            Sex::Male => wire::Sex::Male,
        }),
        role: match person.role {
            PersonRole::Contestant => wire::PersonRole::Contestant,
            PersonRole::Coach => wire::PersonRole::Coach,
            PersonRole::Staff => wire::PersonRole::Staff,
            PersonRole::Other => wire::PersonRole::Other,
        },
        photo: files.take(FileProperty::Photo),
    }
}

/// Returns a commentary for the wire.
pub fn wire_commentary(commentary: &CommentaryView<'_>) -> wire::Commentary {
    let list = |ids: Vec<String>| (!ids.is_empty()).then_some(ids);
    wire::Commentary {
        id: commentary.number.to_string(),
        time: time(commentary.time),
        contest_time: reltime(commentary.contest_time),
        message: commentary.message.to_owned(),
        tags: commentary.tags.iter().cloned().collect(),
        source_id: commentary.source.map(ToString::to_string),
        team_ids: list(texts(commentary.teams)),
        problem_ids: list(texts(commentary.problems)),
        submission_ids: list(texts(commentary.submissions)),
    }
}
