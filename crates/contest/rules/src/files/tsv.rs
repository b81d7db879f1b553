//! The tables of older contests: `groups.tsv`, `teams.tsv`, `accounts.tsv` (CCS system requirements of 2015).

use super::{AccountEntry, Contents, ENTRIES_MAX, Kind, Located};
use crate::{
    AccountSettings, AccountType, GroupSettings, OrganizationId, OrganizationSettings, TeamSettings,
};
use located::{Entry, Field, FileLocation, Node, Report, Row, Value, shorten};
use std::collections::{BTreeMap, BTreeSet};

/// A team's number, ICPC id, group and name.
const TEAM_CELLS_MIN: usize = 4;
/// An account's type, name, user name and password.
const ACCOUNT_CELLS_MIN: usize = 4;

pub fn read(contents: &mut Contents, report: &Report, kind: Kind, name: &str, text: &str) {
    let rows = match located::table(text) {
        Ok(rows) => rows,
        Err(error) => {
            return report.error(FileLocation::file(name).line(error.line.unwrap_or_default()), error.reason);
        }
    };
    let mut rows = rows.into_iter().peekable();
    let expected = format!("expected the first line to be '{}', a tab, and the version", kind.key());
    match rows.next_if(|first| !is_data(first, kind)) {
        Some(first) if is_header(&first, kind) => {}
        None if rows.peek().is_some() => {
            report.warning(
                FileLocation::file(name).line(1),
                format!("has no header, {expected}; all its lines are read"),
            );
        }
        Some(first) => return report.error(FileLocation::file(name).line(first.line), expected),
        None => return report.error(FileLocation::file(name), format!("is empty, {expected}")),
    }
    if rows.len() > ENTRIES_MAX {
        let found = format!("has {} lines, expected at most {ENTRIES_MAX}", rows.len());
        return report.error(FileLocation::file(name), found);
    }
    let rows: Vec<Row<'_>> = rows.collect();
    let line = |row| Line { report, file: name, row };
    match kind {
        Kind::Groups => {
            let group = |line: Line<'_>| Some(line.placed(line.group()?));
            contents.groups.extend(rows.iter().map(line).filter_map(group));
        }
        Kind::Teams => teams(contents, &rows, line),
        Kind::Accounts => {
            let account = |line: Line<'_>| Some(line.placed(line.account()?));
            contents.accounts.extend(rows.iter().map(line).filter_map(account));
        }
        Kind::Contest
        | Kind::Problems
        | Kind::Languages
        | Kind::Organizations
        | Kind::Persons
        | Kind::System => {}
    }
}

/// Returns whether a line has what others than the first have: some tables come without their first line.
fn is_data(row: &Row<'_>, kind: Kind) -> bool {
    let first = row.cells.first().copied().unwrap_or_default();
    match kind {
        Kind::Accounts => AccountType::named(first).is_some() && row.cells.len() >= ACCOUNT_CELLS_MIN,
        Kind::Teams => first.parse::<u32>().is_ok() && row.cells.len() >= TEAM_CELLS_MIN,
        _ => first.parse::<u32>().is_ok() && row.cells.len() > 1,
    }
}

fn teams<'r>(contents: &mut Contents, rows: &'r [Row<'r>], line: impl Fn(&'r Row<'r>) -> Line<'r>) {
    let mut institutions = Institutions::default();
    let places: Vec<Option<usize>> =
        rows.iter().enumerate().map(|(at, row)| institutions.add(at, &line(row))).collect();
    let ids = institutions.ids();
    let mut organizations = Vec::new();
    for (one, id) in institutions.all.iter().zip(&ids) {
        let line = line(&rows[one.line]);
        organizations.push(one.read(id, &line).map(|read| line.placed(read)));
    }
    for (row, place) in rows.iter().zip(places) {
        let line = line(row);
        let organization = place.and_then(|place| organizations[place].as_ref()).map(|one| &one.value.id);
        contents.teams.extend(line.team(organization).map(|team| line.placed(team)));
    }
    let known: BTreeSet<&OrganizationId> = contents.organizations.iter().map(|one| &one.value.id).collect();
    let new = organizations.into_iter().flatten().filter(|one| !known.contains(&one.value.id));
    let new: Vec<_> = new.collect();
    contents.organizations.extend(new);
}

/// `File_Version` is in the specification, the name of the table in DOMjudge's files, with a capital in PC^2's.
fn is_header(row: &Row<'_>, kind: Kind) -> bool {
    let first = row.cells.first().copied().unwrap_or_default();
    first == "File_Version" || first.trim_end_matches('2').eq_ignore_ascii_case(kind.key())
}

/// A line, whose cells are the fields of an object.
struct Line<'r> {
    report: &'r Report,
    file: &'r str,
    row: &'r Row<'r>,
}

impl Line<'_> {
    fn placed<T>(&self, value: T) -> Located<T> {
        Located { file: self.file.to_owned(), line: self.row.line, value }
    }

    fn cell(&self, column: usize) -> Option<String> {
        self.row.cells.get(column).filter(|cell| !cell.is_empty()).map(|cell| (*cell).to_owned())
    }

    /// Returns an id or a code, for which the ICPC's system writes `null` where there is none.
    fn code(&self, column: usize) -> Option<String> {
        self.cell(column).filter(|cell| cell != "null")
    }

    /// Reads an object with the reader for files of all kinds.
    fn read<T>(
        &self,
        cells: Vec<(&'static str, Option<String>)>,
        read: impl FnOnce(&Report, &Field<'_>) -> Option<T>,
    ) -> Option<T> {
        let line = self.row.line;
        let entry = |(key, text): (&str, Option<String>)| {
            let value = Node { line, value: Value::Text(text?) };
            Some(Entry { key: key.to_owned(), line, value })
        };
        let node = Node { line, value: Value::Map(cells.into_iter().filter_map(entry).collect()) };
        read(self.report, &Field { file: self.file, path: String::new(), line, node: &node })
    }

    fn group(&self) -> Option<GroupSettings> {
        self.read(vec![("id", self.cell(0)), ("name", self.cell(1))], GroupSettings::read)
    }

    /// Reads number, ICPC id, group, name; what follows is the institution.
    fn team(&self, organization: Option<&OrganizationId>) -> Option<TeamSettings> {
        let cells = vec![
            ("id", self.cell(0)),
            ("icpc_id", self.code(1)),
            // PC^2 writes 0 where there is none.
            ("group_ids", self.code(2).filter(|cell| cell != "0")),
            ("name", self.cell(3)),
            ("organization_id", organization.map(ToString::to_string)),
        ];
        self.read(cells, TeamSettings::read)
    }

    /// Reads type, name, user name, password, address.
    fn account(&self) -> Option<AccountEntry> {
        let (kind, user) = (self.cell(0), self.cell(2));
        let is_team = kind.as_deref().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("team"));
        let team = user.as_deref().filter(|_| is_team).map(team_of);
        if let (Some(user), Some(None)) = (&user, &team) {
            let message = format!("is '{user}', expected the team's number at its end, such as team-001");
            self.report.error(FileLocation::file(self.file).line(self.row.line).field("username"), message);
            return None;
        }
        let cells = vec![
            ("type", kind),
            ("name", self.cell(1)),
            ("username", user),
            ("password", self.cell(3)),
            ("team_id", team.flatten()),
            ("ip", self.cell(4)),
        ];
        if self.cell(3).is_none() {
            self.report.error(
                FileLocation::file(self.file).line(self.row.line).field("password"),
                "is missing, expected it in column 4",
            );
        }
        let (settings, password) = self.read(cells, AccountSettings::read)?;
        Some(AccountEntry { settings, password })
    }
}

/// Returns the team that a user name has at its end: 1 for `team-001`, 33 for its second account `team033b`.
fn team_of(user: &str) -> Option<String> {
    let name = user.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let start = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let number = name[start..].trim_start_matches('0');
    (!number.is_empty()).then(|| number.to_owned())
}

pub(super) struct Institution {
    line: usize,
    short: Option<String>,
    formal: Option<String>,
    country: Option<String>,
    icpc_id: Option<String>,
}

/// The institutions of a table of teams. One is known by its id in the ICPC's system, or else by name, full name and country.
#[derive(Default)]
struct Institutions {
    all: Vec<Institution>,
    by_icpc_id: BTreeMap<String, usize>,
    by_name: BTreeMap<[Option<String>; 3], usize>,
}

impl Institutions {
    /// Adds the institution of a line, and returns its place.
    fn add(&mut self, at: usize, line: &Line<'_>) -> Option<usize> {
        let (formal, short) = (line.cell(4), line.cell(5));
        if formal.is_none() && short.is_none() {
            return None;
        }
        let is_code = |code: &String| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_alphabetic());
        let written = line.code(6);
        let country = written.clone().filter(is_code).map(|code| code.to_ascii_uppercase());
        if let (Some(written), None) = (written, &country) {
            let message =
                format!("is '{}', expected three letters of ISO 3166-1; it is left out", shorten(&written));
            line.report.warning(FileLocation::file(line.file).line(line.row.line).field("country"), message);
        }
        let icpc_id = line.code(7).map(|id| id.trim_start_matches("INST-").trim().to_owned());
        // Ids of the ICPC have digits; `XXX` and `null` stand for none.
        let icpc_id = icpc_id.filter(|id| id.bytes().any(|byte| byte.is_ascii_digit()));
        let names = [short.clone(), formal.clone(), country.clone()];
        let by_icpc_id = icpc_id.as_ref().and_then(|id| self.by_icpc_id.get(id)).copied();
        let is_other = |place: &usize| icpc_id.is_some() && self.all[*place].icpc_id.is_some();
        let by_name = self.by_name.get(&names).copied().filter(|place| !is_other(place));
        if let Some(place) = by_icpc_id.or(by_name) {
            let known = &mut self.all[place];
            if by_icpc_id.is_some() && [&known.short, &known.formal, &known.country] != names.each_ref() {
                let id = icpc_id.as_deref().unwrap_or_default();
                let message = format!("{id} has other names in an earlier line, which count");
                line.report
                    .warning(FileLocation::file(line.file).line(line.row.line).field("institution"), message);
            }
            if let (None, Some(id)) = (&known.icpc_id, icpc_id) {
                self.by_icpc_id.insert(id.clone(), place);
                known.icpc_id = Some(id);
            }
            return Some(place);
        }
        let place = self.all.len();
        self.by_icpc_id.extend(icpc_id.clone().map(|id| (id, place)));
        self.by_name.entry(names).or_insert(place);
        self.all.push(Institution { line: at, short, formal, country, icpc_id });
        Some(place)
    }

    /// Returns their ids. They do not depend on the order of the lines: of two that would have the same one, each has what distinguishes
    /// them apart at its end.
    fn ids(&self) -> Vec<String> {
        let own: Vec<String> = self.all.iter().map(Institution::own_id).collect();
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        own.iter().for_each(|id| *count.entry(id).or_default() += 1);
        let id = |(one, own): (&Institution, &String)| match count[own.as_str()] {
            1 => own.clone(),
            _ => one.distinct_id(own),
        };
        self.all.iter().zip(&own).map(id).collect()
    }
}

impl Institution {
    pub(super) fn named(name: &str) -> Self {
        Self { line: 0, short: Some(name.to_owned()), formal: None, country: None, icpc_id: None }
    }

    /// Returns an id that others with the same id of their own do not have.
    pub(super) fn distinct_id(&self, own: &str) -> String {
        let kept: String = own.chars().take(crate::ID_LENGTH_MAX - 9).collect();
        format!("{kept}-{:08x}", self.fingerprint())
    }

    /// Returns its id in the ICPC's system, or letters and digits of a name; of a name without any a number that follows from
    /// it.
    pub(super) fn own_id(&self) -> String {
        let letters = |name: &String| {
            let letters = name.chars().filter(char::is_ascii_alphanumeric).take(crate::ID_LENGTH_MAX);
            Some(letters.collect::<String>().to_ascii_lowercase()).filter(|id| !id.is_empty())
        };
        let icpc_id = self.icpc_id.clone().filter(|id| crate::is_id(id));
        let names = [&self.short, &self.formal].into_iter().flatten();
        icpc_id
            .or_else(|| names.into_iter().find_map(letters))
            .unwrap_or_else(|| format!("org-{:08x}", self.fingerprint()))
    }

    /// Returns a number that follows from its names alone (FNV-1a).
    fn fingerprint(&self) -> u32 {
        let names = [&self.short, &self.formal, &self.country, &self.icpc_id];
        let bytes = names.into_iter().flat_map(|name| name.as_deref().unwrap_or_default().bytes().chain([0]));
        bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }

    fn read(&self, id: &str, line: &Line<'_>) -> Option<OrganizationSettings> {
        let cells = vec![
            ("id", Some(id.to_owned())),
            ("name", self.short.clone()),
            ("formal_name", self.formal.clone()),
            ("country", self.country.clone()),
            ("icpc_id", self.icpc_id.clone()),
        ];
        line.read(cells, OrganizationSettings::read)
    }
}
