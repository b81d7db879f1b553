//! The scoreboard as files that need no server: a page without scripts, its data, and the logos.

mod page;

use crate::Problem;
use crate::handlers::{awards::wire_award, board};
use crate::wire::{wire_contest, wire_organization, wire_problem};
use crate::zips::document_text;
use contest_rules::board::BoardSide;
use contest_rules::view::View;
use contest_rules::{BlobHash, FileContent, FileOwner, FileProperty, GroupId};
use documents::contest as api;
use std::collections::BTreeMap;

/// From this height on a logo is sharp on the page.
const LOGO_HEIGHT: u32 = 56;

/// Files by their names in the archive.
type Files = Vec<(&'static str, Vec<u8>)>;

/// Logos by their names in the archive.
type Logos = Vec<(String, BlobHash)>;

/// Returns the files and the logos of a board, as the viewer may see it.
pub fn files(view: &View<'_>, side: BoardSide, group: Option<&GroupId>) -> Result<(Files, Logos), Problem> {
    let scoreboard = board::build(view, side, group)?;
    let scoreboard: api::Scoreboard = serde_json::from_slice(&scoreboard).map_err(Problem::internal)?;
    let awards: Vec<api::Award> = view.awards().iter().map(wire_award).collect();
    let teams: Vec<api::Team> = view.teams();
    let mut logos = Logos::new();
    let mut organizations = BTreeMap::new();
    for organization in view.organizations() {
        let owner = FileOwner::Organization(organization.id.clone());
        let logo = logo(view, &owner, &format!("organizations/{}", organization.id));
        let path = logo.as_ref().map(|(path, _)| path.clone());
        logos.extend(logo);
        let named = wire_organization(view, organization);
        organizations.insert(named.id.to_string(), (named.name, path));
    }
    let of_contest = logo(view, &FileOwner::Contest, "contest");
    let page = page::Page {
        contest: &wire_contest(view),
        logo: of_contest.as_ref().map(|(path, _)| path.as_str()),
        group: group.and_then(|id| view.groups().find(|group| group.id == *id)).map(|group| &*group.name),
        is_jury: side == BoardSide::Jury,
        board: &scoreboard,
        problems: view.problems().iter().map(|problem| wire_problem(view.id().as_str(), problem)).collect(),
        teams: teams.iter().map(|team| (team.id.as_str(), team)).collect(),
        organizations: &organizations,
        awards: &awards,
    };
    let page = page.html().into_bytes();
    logos.extend(of_contest);
    let files = vec![
        ("index.html", page),
        ("scoreboard.json", document_text(&scoreboard)?),
        ("awards.json", document_text(&awards)?),
        ("teams.json", document_text(&teams)?),
    ];
    Ok((files, logos))
}

/// Returns the smallest logo that is sharp, or the largest, and its name in the archive.
fn logo(view: &View<'_>, owner: &FileOwner, folder: &str) -> Option<(String, BlobHash)> {
    let files = view.files(owner);
    let pictures = files.get(&FileProperty::Logo)?.iter().filter_map(|file| {
        // The name of a file may have any ending: what a browser makes of it follows from it. An SVG opened by its address
        // would run its scripts as the site where the page is published, and no header of ours prevents it there.
        let ending = match file.mime.as_str() {
            "image/png" => "png",
            "image/jpeg" => "jpg",
            _ => return None,
        };
        match &file.content {
            FileContent::Stored { blob, .. } => Some((file.height.unwrap_or(0), ending, blob)),
            FileContent::External { .. } => None,
        }
    });
    let by_fit = |(height, ..): &(u32, &str, &BlobHash)| match *height {
        height if height >= LOGO_HEIGHT => (0, height),
        height => (1, u32::MAX - height),
    };
    let (_, ending, blob) = pictures.min_by_key(by_fit)?;
    Some((format!("logos/{folder}.{ending}"), blob.clone()))
}
