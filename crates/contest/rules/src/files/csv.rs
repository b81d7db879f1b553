//! Tables of spreadsheets: a line that names the columns, and a line for each object.
//!
//! What a table has no column for stays as it is. Objects without an id are those of the same name, or new ones.

use super::contents::{Contents, ContestFiles, ENTRIES_MAX, Kind};
use super::tsv::Institution;
use located::{CsvRow, Entry, Field, FileLocation, Node, Report, SyntaxError, Value, did_you_mean, shorten};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What a column is called in other files, and how people call it.
type Column = (&'static str, &'static [&'static str]);

/// Far more than any table of people has.
const COLUMNS_MAX: usize = 200;
/// So many errors have hints, which take time to find.
const HINTS_MAX: usize = 200;
const ID: Column = ("id", &["number", "no", "nr"]);
const ICPC_ID: Column = ("icpc_id", &[]);
const HIDDEN: Column = ("hidden", &["is_hidden"]);
const LOGIN: Column = ("username", &["login", "user", "user_name", "login_name"]);
const PASSWORD: Column = ("password", &[]);
const ON_EARTH: [Column; 2] = [("latitude", &["location_latitude"]), ("longitude", &["location_longitude"])];

const OF_TEAMS: &[Column] = &[
    ("id", &["team_id", "number", "team_number", "no", "nr"]),
    ("name", &["team", "team_name"]),
    ("display_name", &[]),
    ("label", &["seat"]),
    ICPC_ID,
    ("organization_id", &["organisation_id", "affiliation_id", "institution_id"]),
    (
        ORGANIZATION,
        &[
            "organisation",
            "organization_name",
            "organisation_name",
            "affiliation",
            "affiliation_name",
            "institution",
            "university",
            "school",
        ],
    ),
    ("group_ids", &["group_id", "groups", "group", "category"]),
    ("location", &[]),
    ("x", &["location_x"]),
    ("y", &["location_y"]),
    ("rotation", &["location_rotation"]),
    ("penalty_adjustment", &[]),
    HIDDEN,
    LOGIN,
    PASSWORD,
    // Tables of logins have where to log in.
    ("address", &[]),
];
const OF_GROUPS: &[Column] =
    &[ID, ("name", &["group", "group_name"]), ICPC_ID, ("type", &[]), HIDDEN, ON_EARTH[0], ON_EARTH[1]];
const OF_ORGANIZATIONS: &[Column] = &[
    ID,
    ("name", &["shortname", "short_name", "organization", "organisation", "affiliation", "institution"]),
    ("formal_name", &["full_name"]),
    ("country", &[]),
    ("country_subdivision", &[]),
    ICPC_ID,
    ("url", &[]),
    ("twitter_hashtag", &[]),
    ("twitter_account", &[]),
    ON_EARTH[0],
    ON_EARTH[1],
];
const OF_PERSONS: &[Column] = &[
    ID,
    ("name", &["person"]),
    ("role", &[]),
    ("team_ids", &["team_id", "teams", "team"]),
    ICPC_ID,
    ("title", &[]),
    ("email", &[]),
    ("sex", &[]),
];
const OF_ACCOUNTS: &[Column] = &[
    ("id", &[]),
    LOGIN,
    PASSWORD,
    ("type", &["role"]),
    ("name", &[]),
    ("team_id", &["team"]),
    ("person_id", &["person"]),
    ("ip", &["address"]),
    ("is_enabled", &["enabled"]),
];

/// An id or a name of an organization.
const ORGANIZATION: &str = "organization";
/// Any of these, with a name, makes a table one of teams.
const ONLY_OF_TEAMS: [&str; 9] = [
    "display_name",
    "label",
    "organization_id",
    ORGANIZATION,
    "group_ids",
    "penalty_adjustment",
    "username",
    "password",
    "hidden",
];

fn columns(kind: Kind) -> &'static [Column] {
    match kind {
        Kind::Groups => OF_GROUPS,
        Kind::Organizations => OF_ORGANIZATIONS,
        Kind::Teams => OF_TEAMS,
        Kind::Persons => OF_PERSONS,
        Kind::Accounts => OF_ACCOUNTS,
        Kind::Contest | Kind::Problems | Kind::Languages | Kind::System => &[],
    }
}

/// Returns the column that a cell of the first line names.
fn column(kind: Kind, written: &str) -> Option<&'static str> {
    let is_between = |c: char| c.is_whitespace() || matches!(c, '_' | '-' | '.');
    let words: Vec<String> =
        written.to_lowercase().split(is_between).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let name = words.join("_");
    let found = columns(kind).iter().find(|(own, others)| *own == name || others.contains(&name.as_str()));
    found.map(|(own, _)| *own)
}

/// Returns whether a table with another name has what teams have.
pub fn is_of_teams(text: &str) -> bool {
    // A mistake further below is reported when it is read.
    let first = text.trim_start().lines().next().unwrap_or_default();
    let Ok(rows) = located::csv(first) else { return false };
    let names: Vec<&str> =
        rows.iter().flat_map(|row| &row.cells).filter_map(|cell| column(Kind::Teams, cell)).collect();
    (names.contains(&"name") || names.contains(&"id"))
        && names.iter().any(|name| ONLY_OF_TEAMS.contains(name))
}

/// Reads a table over what the contest has, if that is known.
pub fn read(
    contents: &mut Contents,
    report: &Report,
    kind: Kind,
    (file, text): (&str, &str),
    old: Option<&ContestFiles>,
) {
    let place = |line: u64| FileLocation::file(file).line(line);
    let rows = match located::csv(text) {
        Ok(rows) => rows,
        Err(SyntaxError { line, reason }) => return report.error(place(line.unwrap_or_default()), reason),
    };
    let own: Vec<&str> = columns(kind).iter().map(|(own, _)| *own).collect();
    let Some((header, rows)) = rows.split_first() else {
        let expected = format!("is empty, expected a first line with names of columns: {}", own.join(", "));
        return report.error(place(0), expected);
    };
    if rows.len() > ENTRIES_MAX {
        return report.error(place(0), format!("has {} lines, expected at most {ENTRIES_MAX}", rows.len()));
    }
    if header.cells.len() > COLUMNS_MAX {
        let message = format!("has {} columns, expected at most {COLUMNS_MAX}", header.cells.len());
        return report.error(place(header.line), message);
    }
    let mut found = BTreeMap::new();
    for (at, written) in header.cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
        let place = place(header.line).field(written.clone());
        match column(kind, written) {
            Some(name) if found.contains_key(name) => {
                report.error(place, format!("is a second column for '{name}'; remove one of them"));
            }
            Some(name) => drop(found.insert(name, at)),
            None => {
                let known = columns(kind).iter().flat_map(|(own, others)| [&[*own], *others].concat());
                let hint = did_you_mean(&written.to_lowercase(), &known.collect::<Vec<_>>())
                    .unwrap_or_else(|| format!("known are {}", own.join(", ")));
                report.warning(place, format!("is not a known column and is left out; {hint}"));
            }
        }
    }
    // The command reads what the server reads again: only there the contest is known, and what a name stands for.
    let is_known = old.is_some() || contents.contest.is_some();
    let none = ContestFiles::default();
    let mut known = Known::new(old.unwrap_or(&none), contents);
    let table = Table { report, file, kind, header, columns: found, is_known };
    let ids = rows.iter().filter_map(|row| table.cell(row, "id"));
    known.taken = ids.map(str::to_owned).collect();
    let (mut entries, mut accounts) = (Vec::new(), Vec::new());
    for row in rows {
        if let Some(stray) = row.cells.iter().skip(header.cells.len()).find(|cell| !cell.is_empty()) {
            let message = format!(
                "'{}' has no column: the first line has {} cells; a text with the separator needs quotes",
                shorten(stray),
                header.cells.len()
            );
            report.error(place(row.line), message);
            continue;
        }
        let entry = table.entry(row, &mut known);
        accounts.extend(table.account(row, &entry, &known));
        entries.push(node(row.line, entry));
    }
    table.take(contents, Kind::Organizations, &known.made);
    table.take(contents, kind, &entries);
    table.take(contents, Kind::Accounts, &accounts);
}

type Members = BTreeMap<String, Value>;

fn node(line: u64, members: Members) -> Node {
    let entry = |(key, value)| Entry { key, line, value: Node { line, value } };
    Node { line, value: Value::Map(members.into_iter().map(entry).collect()) }
}

fn texts(members: &[(&str, &str)]) -> Members {
    members.iter().map(|(key, text)| ((*key).to_owned(), Value::Text((*text).to_owned()))).collect()
}

/// Returns the parts of a cell with several ids or names.
fn parts(cell: &str) -> impl Iterator<Item = &str> {
    cell.split([',', ';', '|']).map(str::trim).filter(|part| !part.is_empty())
}

struct Table<'a> {
    report: &'a Report,
    file: &'a str,
    kind: Kind,
    header: &'a CsvRow,
    /// Where each column is.
    columns: BTreeMap<&'static str, usize>,
    is_known: bool,
}

impl Table<'_> {
    fn cell<'r>(&self, row: &'r CsvRow, name: &str) -> Option<&'r str> {
        let cell = row.cells.get(*self.columns.get(name)?)?;
        Some(cell.as_str()).filter(|cell| !cell.is_empty())
    }

    fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.columns.contains_key(name))
    }

    fn error(&self, row: &CsvRow, name: &str, message: String) {
        let written = self.columns.get(name).map_or(name, |at| &self.header.cells[*at]);
        self.report.error(FileLocation::file(self.file).line(row.line).field(written), message);
    }

    /// Returns whether the table says what a member of an object is.
    fn says(&self, member: &str) -> bool {
        match member {
            "organization_id" => self.has(&[member, ORGANIZATION]),
            "location" => self.has(&[member, "x", "y", "rotation", "latitude", "longitude"]),
            _ => self.has(&[member]),
        }
    }

    /// Returns what an object had that the table says nothing of.
    fn kept(&self, old: Option<&Members>) -> Members {
        let old = old.into_iter().flatten().filter(|(member, _)| !self.says(member));
        old.map(|(member, value)| (member.clone(), value.clone())).collect()
    }

    fn entry(&self, row: &CsvRow, known: &mut Known) -> Members {
        let name = self.cell(row, "name");
        let id = match self.cell(row, "id") {
            None if self.kind != Kind::Accounts => Some(known.id_of(self.kind, name.unwrap_or_default())),
            written => written.map(str::to_owned),
        };
        let old_id = id.as_deref().or_else(|| self.cell(row, "username"));
        let old = old_id.and_then(|id| known.objects.get(&self.kind)?.get(id));
        let old_text = |member: &str| old.and_then(|old| text_of(old, member)).map(str::to_owned);
        let (old_name, shown) = (old_text("name"), old_text("display_name"));
        let is_new = old.is_none();
        let mut entry = self.kept(old);
        entry.extend(id.as_deref().map(|id| ("id".to_owned(), Value::Text(id.to_owned()))));
        for &column in self.columns.keys() {
            let Some(cell) = self.cell(row, column) else { continue };
            let value = match column {
                "id" | "address" | "x" | "y" | "rotation" | "latitude" | "longitude" | "location" => continue,
                "username" | "password" if self.kind == Kind::Teams => continue,
                ORGANIZATION => {
                    let id = known.organization(row.line, cell);
                    entry.insert("organization_id".to_owned(), Value::Text(id));
                    continue;
                }
                // Tables of logins have the shown name.
                "name" if old_name.is_some() && shown.as_deref() == Some(cell) => {
                    Value::Text(old_name.clone().unwrap_or_default())
                }
                "hidden" | "is_enabled" => match cell.to_lowercase().as_str() {
                    "yes" | "true" | "1" | "x" | "y" => Value::Bool(true),
                    "no" | "false" | "0" | "n" => Value::Bool(false),
                    _ => {
                        let message = format!("is '{}', expected yes or no", shorten(cell));
                        self.error(row, column, message);
                        continue;
                    }
                },
                "group_ids" => self.groups(row, cell, known),
                "team_ids" => {
                    let item = |id: &str| Node { line: row.line, value: Value::Text(id.to_owned()) };
                    Value::List(parts(cell).map(item).collect())
                }
                _ => Value::Text(cell.to_owned()),
            };
            entry.insert(column.to_owned(), value);
        }
        entry.extend(self.location(row).map(|place| ("location".to_owned(), place)));
        if !self.is_known && !self.has(&["name"]) {
            // The server may know it.
            entry.extend(id.map(|id| ("name".to_owned(), Value::Text(id))));
        }
        if self.kind == Kind::Persons && is_new && !self.has(&["role"]) {
            entry.insert("role".to_owned(), Value::Text("contestant".to_owned()));
        }
        entry
    }

    /// Returns groups by id or name.
    fn groups(&self, row: &CsvRow, cell: &str, known: &Known) -> Value {
        let find = |text: &str| known.named(Kind::Groups, text);
        let found: Vec<String> = match find(cell) {
            Some(id) => vec![id],
            None => parts(cell)
                .filter_map(|part| {
                    let id = find(part);
                    if id.is_none() && self.is_known && self.report.errors() >= HINTS_MAX {
                        self.error(row, "group_ids", format!("there is no group '{}'", shorten(part)));
                    } else if id.is_none() && self.is_known {
                        let all = known.objects.get(&Kind::Groups).into_iter().flatten();
                        let names: Vec<&str> = all.filter_map(|(_, group)| text_of(group, "name")).collect();
                        let there = match did_you_mean(part, &names) {
                            Some(hint) => hint,
                            None if names.is_empty() => "there are none: add it first".to_owned(),
                            None => format!(
                                "add it first, or use one of {}",
                                names[..names.len().min(5)].join(", ")
                            ),
                        };
                        let message = format!("there is no group '{}'; {there}", shorten(part));
                        self.error(row, "group_ids", message);
                    }
                    id
                })
                .collect(),
        };
        let item = |id| Node { line: row.line, value: Value::Text(id) };
        Value::List(found.into_iter().map(item).collect())
    }

    /// Returns a place, whose numbers are in one cell or have their own.
    fn location(&self, row: &CsvRow) -> Option<Value> {
        let names: &[&str] = match self.kind {
            Kind::Teams => &["x", "y", "rotation"],
            _ => &["latitude", "longitude"],
        };
        let cells: Vec<&str> = match self.cell(row, "location") {
            Some(cell) => cell.split([' ', ';', '/']).filter(|part| !part.is_empty()).collect(),
            None => names.iter().filter_map(|name| self.cell(row, name)).collect(),
        };
        if cells.is_empty() {
            return None;
        }
        let numbers = names.iter().zip(cells);
        let members = numbers.map(|(name, cell)| ((*name).to_owned(), Value::Text(cell.replace(',', "."))));
        Some(node(row.line, members.collect()).value)
    }

    /// Returns the account of a team that has a login or a password.
    fn account(&self, row: &CsvRow, team: &Members, known: &Known) -> Option<Node> {
        let (login, password) = (self.cell(row, "username"), self.cell(row, "password"));
        if self.kind != Kind::Teams || (login.is_none() && password.is_none()) {
            return None;
        }
        let team = text_of(team, "id")?;
        let login = login.unwrap_or(team);
        let old = known.objects.get(&Kind::Accounts).and_then(|all| all.get(login));
        let mut account = old.cloned().unwrap_or_default();
        account.extend(texts(&[("id", login), ("username", login), ("type", "team"), ("team_id", team)]));
        account.extend(password.map(|text| ("password".to_owned(), Value::Text(text.to_owned()))));
        Some(node(row.line, account))
    }

    /// Reads entries with the reader for files of all kinds. Mistakes are named by the table's own words for the columns.
    fn take(&self, contents: &mut Contents, kind: Kind, entries: &[Node]) {
        let inner = Report::default();
        let fields =
            entries.iter().map(|node| Field { file: self.file, path: String::new(), line: node.line, node });
        let entries: Vec<Field<'_>> = fields.collect();
        if !entries.is_empty() {
            contents.read_entries(&inner, kind, &entries);
        }
        for mut finding in inner.into_findings() {
            let field = finding.place.field.take().unwrap_or_default();
            let (member, rest) = field.split_at(field.find(['.', '[']).unwrap_or(field.len()));
            let column = match member {
                "name" if kind == Kind::Organizations && self.kind == Kind::Teams => ORGANIZATION,
                "organization_id" if !self.has(&[member]) => ORGANIZATION,
                _ => member,
            };
            let written = self.columns.get(column).map(|at| &self.header.cells[*at]);
            let field = written.map_or(field.clone(), |written| format!("{written}{rest}"));
            let place = finding.place.field(field);
            match finding.is_warning {
                true => self.report.warning(place, finding.message),
                false => self.report.error(place, finding.message),
            }
        }
    }
}

/// What the contest has, and other files of the same import.
struct Known {
    objects: BTreeMap<Kind, BTreeMap<String, Members>>,
    /// Ids by names in lower case; none where several have the name.
    names: BTreeMap<(Kind, String), Option<String>>,
    /// Ids of rows of the table.
    taken: BTreeSet<String>,
    /// The last number that was an id, or was tried.
    number: u32,
    /// Organizations that teams name, and that are nowhere else.
    made: Vec<Node>,
}

impl Known {
    fn new(old: &ContestFiles, contents: &Contents) -> Self {
        let mut objects = BTreeMap::<Kind, Vec<(String, Members)>>::new();
        macro_rules! add {
            ($kind:ident, $list:ident, $one:ident => $object:expr) => {
                let all = old.$list.iter().chain(contents.$list.iter().map(|one| &one.value));
                objects.insert(Kind::$kind, all.map(|$one| members(&$object)).collect());
            };
        }
        add!(Groups, groups, one => one.object(true));
        add!(Organizations, organizations, one => one.object());
        add!(Teams, teams, one => one.object(true));
        add!(Persons, persons, one => one.object(true));
        add!(Accounts, accounts, one => one.settings.object_for_admins());
        let (names, taken, made) = (BTreeMap::new(), BTreeSet::new(), Vec::new());
        let mut known = Self { objects: BTreeMap::new(), names, taken, number: 0, made };
        for (kind, all) in objects {
            all.into_iter().for_each(|(id, one)| known.add(kind, id, one));
        }
        known
    }

    fn add(&mut self, kind: Kind, id: String, one: Members) {
        for name in ["name", "display_name", "formal_name"].iter().filter_map(|name| text_of(&one, name)) {
            let found = self.names.entry((kind, name.to_lowercase())).or_insert_with(|| Some(id.clone()));
            found.take_if(|other| *other != id);
        }
        self.objects.entry(kind).or_default().insert(id, one);
    }

    /// Returns the id of the one object with this id or name.
    fn named(&self, kind: Kind, text: &str) -> Option<String> {
        match self.objects.get(&kind)?.contains_key(text) {
            true => Some(text.to_owned()),
            false => self.names.get(&(kind, text.to_lowercase())).cloned().flatten(),
        }
    }

    /// Returns the id for a row that has none: that of the object with its name, or else the first number that is free.
    fn id_of(&mut self, kind: Kind, name: &str) -> String {
        let of_name = self.names.get(&(kind, name.to_lowercase())).cloned().flatten();
        let id = of_name.filter(|id| !self.taken.contains(id)).unwrap_or_else(|| {
            loop {
                self.number += 1;
                let id = self.number.to_string();
                let is_there = self.objects.get(&kind).is_some_and(|all| all.contains_key(&id));
                if !is_there && !self.taken.contains(&id) {
                    break id;
                }
            }
        });
        self.taken.insert(id.clone());
        id
    }

    /// Returns the id of the organization with this id or name; makes it if there is none.
    fn organization(&mut self, line: u64, name: &str) -> String {
        if let Some(id) = self.named(Kind::Organizations, name) {
            return id;
        }
        let institution = Institution::named(name);
        let own = institution.own_id();
        let is_there = self.objects.get(&Kind::Organizations).is_some_and(|all| all.contains_key(&own));
        let id = if is_there { institution.distinct_id(&own) } else { own };
        let made = texts(&[("id", &id), ("name", name)]);
        self.add(Kind::Organizations, id.clone(), made.clone());
        self.made.push(node(line, made));
        id
    }
}

fn text_of<'m>(members: &'m Members, name: &str) -> Option<&'m str> {
    match members.get(name)? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns the id of an object, and what it has.
fn members(object: &impl Serialize) -> (String, Members) {
    let text = serde_json::to_string(object).unwrap_or_default();
    let Ok(Node { value: Value::Map(entries), .. }) = located::json(&text) else { return Default::default() };
    let is_there = |entry: &Entry| entry.value.value != Value::Null;
    let members = entries.into_iter().filter(is_there).map(|entry| (entry.key, entry.value.value));
    let members: Members = members.collect();
    (text_of(&members, "id").unwrap_or_default().to_owned(), members)
}
