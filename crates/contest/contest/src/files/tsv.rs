//! The tables of older contests: `groups.tsv`, `teams.tsv`, `accounts.tsv` (CCS system requirements of 2015).

use super::object::Report;
use super::people::{self, NAME_CHARACTERS_MAX, is_name, role, role_names};
use super::{AccountEntry, Contents, ENTRIES_MAX, Kind, Placed};
use crate::{AccountSettings, GroupSettings, OrganizationId, OrganizationSettings, Role, TeamSettings};
use located::Row;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;

/// A team's number, ICPC id, group and name.
const TEAM_CELLS_MIN: usize = 4;
/// An account's type, name, user name and password.
const ACCOUNT_CELLS_MIN: usize = 4;

/// Reads a table.
pub fn read(contents: &mut Contents, report: &Report, kind: Kind, name: &str, text: &str) {
    let rows = match located::table(text) {
        Ok(rows) => rows,
        Err(error) => return report.error(name, error.line, None, error.reason),
    };
    let mut rows = rows.into_iter().peekable();
    let expected = format!("expected the first line to be '{}', a tab, and the version", kind.key());
    match rows.next_if(|first| !is_data(first, kind)) {
        Some(first) if is_header(&first, kind) => {}
        None if rows.peek().is_some() => {
            report.warning(name, Some(1), None, format!("has no header, {expected}; all its lines are read"));
        }
        Some(first) => return report.error(name, Some(first.line), None, expected),
        None => return report.error(name, None, None, format!("is empty, {expected}")),
    }
    if rows.len() > ENTRIES_MAX {
        let found = format!("has {} lines, expected at most {ENTRIES_MAX}", rows.len());
        return report.error(name, None, None, found);
    }
    let mut known: BTreeSet<OrganizationId> =
        contents.organizations.iter().map(|one| one.value.id.clone()).collect();
    for row in rows {
        let reader = Reader { report, file: name, row: &row };
        match kind {
            Kind::Groups => contents.groups.extend(reader.group().map(|value| reader.placed(value))),
            Kind::Teams => {
                if let Some((team, organization)) = reader.team() {
                    contents.teams.push(reader.placed(team));
                    if let Some(organization) = organization.filter(|one| known.insert(one.id.clone())) {
                        contents.organizations.push(reader.placed(organization));
                    }
                }
            }
            Kind::Accounts => contents.accounts.extend(reader.account().map(|value| reader.placed(value))),
            Kind::Contest | Kind::Problems | Kind::Languages | Kind::Organizations | Kind::System => {}
        }
    }
}

/// Returns whether a line has what others than the first have: some tables come without their first line.
fn is_data(row: &Row<'_>, kind: Kind) -> bool {
    let first = row.cells.first().copied().unwrap_or_default();
    match kind {
        Kind::Accounts => role(first).is_some() && row.cells.len() >= ACCOUNT_CELLS_MIN,
        Kind::Teams => first.parse::<u32>().is_ok() && row.cells.len() >= TEAM_CELLS_MIN,
        _ => first.parse::<u32>().is_ok() && row.cells.len() > 1,
    }
}

/// `File_Version` is in the specification, the name of the table in DOMjudge's files, with a capital in PC^2's.
fn is_header(row: &Row<'_>, kind: Kind) -> bool {
    let first = row.cells.first().copied().unwrap_or_default();
    first == "File_Version" || first.trim_end_matches('2').eq_ignore_ascii_case(kind.key())
}

struct Reader<'r> {
    report: &'r Report,
    file: &'r str,
    row: &'r Row<'r>,
}

impl Reader<'_> {
    fn placed<T>(&self, value: T) -> Placed<T> {
        Placed { file: self.file.to_owned(), line: self.row.line, value }
    }

    fn cell(&self, column: usize) -> Option<String> {
        self.row.cells.get(column).filter(|cell| !cell.is_empty()).map(|cell| (*cell).to_owned())
    }

    fn error(&self, column: &str, message: impl Into<String>) {
        self.report.error(self.file, Some(self.row.line), Some(column), message);
    }

    fn required(&self, column: usize, name: &str) -> Option<String> {
        let cell = self.cell(column);
        if cell.is_none() {
            self.error(name, format!("is missing, expected it in column {}", column + 1));
        }
        cell
    }

    /// Returns a name, if there is one that can be shown.
    fn name(&self, column: usize, name: &str) -> Option<String> {
        let cell = self.cell(column)?;
        let is_name = is_name(&cell);
        if !is_name {
            self.error(name, format!("expected one line of 1 to {NAME_CHARACTERS_MAX} characters"));
        }
        is_name.then_some(cell)
    }

    fn parse<T: FromStr<Err: Display>>(&self, text: &str, name: &str) -> Option<T> {
        text.parse().map_err(|error: T::Err| self.error(name, error.to_string())).ok()
    }

    fn group(&self) -> Option<GroupSettings> {
        let (id, name) = (self.required(0, "id"), self.required(1, "name").and(self.name(1, "name")));
        let id = self.parse(&id?, "id")?;
        Some(GroupSettings { id, name: name?, icpc_id: None, kind: None, is_hidden: false, location: None })
    }

    /// Reads number, ICPC id, group, name, institution, its short name, its country, its id.
    fn team(&self) -> Option<(TeamSettings, Option<OrganizationSettings>)> {
        let (id, name) = (self.required(0, "number"), self.required(3, "name").and(self.name(3, "name")));
        let id = self.parse(&id?, "number")?;
        // PC^2 writes 0 where there is none.
        let group = self.cell(2).filter(|cell| cell != "0");
        let groups = group.and_then(|cell| self.parse(&cell, "group")).into_iter().collect();
        let organization = self.organization();
        let team = TeamSettings {
            id,
            name: name?,
            display_name: None,
            label: None,
            icpc_id: self.cell(1),
            organization: organization.as_ref().map(|one| one.id.clone()),
            groups,
            is_hidden: false,
            penalty_adjustment: Default::default(),
            location: None,
        };
        Some((team, organization))
    }

    fn organization(&self) -> Option<OrganizationSettings> {
        let (formal, short) = (self.name(4, "institution"), self.name(5, "institution"));
        let name = short.clone().or_else(|| formal.clone())?;
        let own_id = self.cell(7).map(|id| id.trim_start_matches("INST-").trim().to_owned());
        let own_id = own_id.filter(|id| !id.is_empty());
        let id: OrganizationId = own_id.as_deref().and_then(|id| id.parse().ok()).or_else(|| id_of(&name))?;
        let is_country =
            |code: &String| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_alphabetic());
        let country = self.cell(6).filter(is_country).map(|code| code.to_ascii_uppercase());
        Some(OrganizationSettings {
            id,
            name,
            formal_name: formal,
            country,
            country_subdivision: None,
            icpc_id: own_id,
            url: None,
            twitter_hashtag: None,
            twitter_account: None,
            location: None,
        })
    }

    /// Reads type, name, user name, password, address.
    fn account(&self) -> Option<AccountEntry> {
        let (kind, user) = (self.required(0, "type"), self.required(2, "username"));
        let password = self.required(3, "password");
        let kind = kind?;
        let Some(role) = role(&kind) else {
            self.error("type", format!("is '{kind}', expected one of {}", role_names()));
            return None;
        };
        let user = user?;
        let id = self.parse(&user, "username")?;
        let team = match role {
            // The number of the team is in the user name, as in team-001.
            Role::Team => {
                let number = user.trim_start_matches(|c: char| !c.is_ascii_digit()).trim_start_matches('0');
                let team = number.parse().ok();
                if team.is_none() {
                    self.error(
                        "username",
                        format!("is '{user}', expected the team's number at its end, such as team-001"),
                    );
                }
                Some(team?)
            }
            _ => None,
        };
        let settings = AccountSettings {
            id,
            name: self.name(1, "name"),
            role,
            contests: Default::default(),
            team,
            person: None,
            ip: people::addresses(self.cell(4).as_slice()),
            is_enabled: true,
        };
        Some(AccountEntry { settings, password })
    }
}

/// Makes an id of a name: its letters and digits.
fn id_of(name: &str) -> Option<OrganizationId> {
    let letters = name.chars().filter(char::is_ascii_alphanumeric).take(crate::ID_LENGTH_MAX);
    letters.collect::<String>().to_ascii_lowercase().parse().ok()
}
