//! Organizations, teams and persons with their files, and commentary.

use super::files::WireFiles;
use super::{reltime, texts, time};
use contest_rules::view::{CommentaryView, View};
use contest_rules::{FileOwner, FileProperty, OrganizationSettings};
use documents::contest as wire;

/// Returns an organization with its files.
pub fn wire_organization(view: &View<'_>, organization: &OrganizationSettings) -> wire::Organization {
    let mut files = WireFiles::new(view, &FileOwner::Organization(organization.id.clone()));
    wire::Organization {
        country_flag: files.take(FileProperty::CountryFlag),
        country_subdivision_flag: files.take(FileProperty::CountrySubdivisionFlag),
        logo: files.take(FileProperty::Logo),
        ..organization.object()
    }
}

/// Returns a team with its files.
pub fn wire_team(view: &View<'_>, team: wire::Team) -> wire::Team {
    let mut files = WireFiles::new(view, &FileOwner::Team(team.id.clone()));
    wire::Team {
        photo: files.take(FileProperty::Photo),
        video: files.take(FileProperty::Video),
        desktop: files.take(FileProperty::Desktop),
        webcam: files.take(FileProperty::Webcam),
        audio: files.take(FileProperty::Audio),
        backup: files.take(FileProperty::Backup),
        key_log: files.take(FileProperty::KeyLog),
        tool_data: files.take(FileProperty::ToolData),
        ..team
    }
}

/// Returns a person with its files.
pub fn wire_person(view: &View<'_>, person: wire::Person) -> wire::Person {
    let mut files = WireFiles::new(view, &FileOwner::Person(person.id.clone()));
    wire::Person { photo: files.take(FileProperty::Photo), ..person }
}

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
