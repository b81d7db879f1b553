//! Contest packages: the files of a contest (CLICS Contest Package 2026-01, and older files that people have) to
//! settings and back.
//!
//! Bytes in, values out. All mistakes of all files are collected, each with file, line and field.

mod accounts;
mod changes;
mod contents;
mod contest_file;
mod csv;
mod references;
mod tsv;
mod write;

#[cfg(test)]
mod tests;

pub use accounts::{AccountChanges, limit_accounts};
pub use changes::compare;
pub use contents::{AccountEntry, ContestFiles, Present};
use contents::{Contents, ENTRIES_MAX, KINDS, Kind, Located, NOT_READ, PROBLEMSET};
pub use located::{Field, FileLocation, Finding, Object, Report, Reported, as_csv_text};
pub use write::write;

use crate::{
    AccountSettings, ContestId, ContestSettings, GroupSettings, Language, Millis, OrganizationSettings,
    PersonSettings, ProblemEntry, TeamSettings,
};
use located::{Node, SyntaxError, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Most values of a JSON file, each of which takes about a hundred bytes; YAML has its own limit.
const VALUES_MAX: usize = 2_000_000;

/// Returns whether a file at the top of a contest package is read. Names have no folder.
pub fn is_read(name: &str) -> bool {
    // What is in another table shows its first line.
    kind_of(name).is_some() || has_ending(name, CSV)
}

const CSV: &str = "csv";

fn has_ending(name: &str, wanted: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case(wanted))
}

fn stem(name: &str) -> String {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_ascii_lowercase()
}

fn kind_of(name: &str) -> Option<(Kind, &str)> {
    let (own, ending) = name.rsplit_once('.')?;
    let ending = if ending.eq_ignore_ascii_case(CSV) { CSV } else { ending };
    let (_, kind) = KINDS.iter().find(|(known, _)| own.eq_ignore_ascii_case(known))?;
    let has_table = matches!(kind, Kind::Groups | Kind::Teams | Kind::Accounts);
    let has_rows = has_table || matches!(kind, Kind::Organizations | Kind::Persons);
    match ending {
        "yaml" | "yml" | "json" => Some((*kind, ending)),
        "tsv" if has_table => Some((*kind, ending)),
        CSV if has_rows => Some((*kind, ending)),
        _ => None,
    }
}

/// Returns whether a table is one of teams by its columns, since its name says nothing.
fn is_csv_of_teams(name: &str, bytes: &[u8]) -> bool {
    has_ending(name, CSV) && csv::is_of_teams(&String::from_utf8_lossy(bytes))
}

/// Reads the files at the top of a contest package, by name. The findings are sorted; what was read is only complete if
/// none of them is an error.
///
/// With a contest among them, all that they refer to must be there; without one it may be on the server.
pub fn read(files: &BTreeMap<String, Vec<u8>>) -> (ContestFiles, Vec<Finding>) {
    read_over(files, None, &|_| None)
}

/// As [`read`], over what the contest has: settings that its file does not say stay, and so does what tables of spreadsheets
/// have no column for. The contest is `into`, unless the files have one.
pub fn read_over(
    files: &BTreeMap<String, Vec<u8>>,
    into: Option<&ContestId>,
    old: Present<'_>,
) -> (ContestFiles, Vec<Finding>) {
    read_with(Report::default(), files, into, old)
}

/// As [`read_over`], of a package from which the caller takes the files that objects name, such as a logo.
pub fn read_whole(files: &BTreeMap<String, Vec<u8>>, old: Present<'_>) -> (ContestFiles, Vec<Finding>) {
    read_with(Report::with_files(), files, None, old)
}

fn read_with(
    report: Report,
    files: &BTreeMap<String, Vec<u8>>,
    into: Option<&ContestId>,
    old: Present<'_>,
) -> (ContestFiles, Vec<Finding>) {
    let mut contents = Contents::default();
    let mut seen: BTreeMap<Kind, &str> = BTreeMap::new();
    let is_of_problems = |name: &&String| kind_of(name).is_some_and(|(kind, _)| kind == Kind::Problems);
    contents.problem_file = files.keys().find(is_of_problems).cloned();
    let mut in_order = Vec::new();
    for (name, bytes) in files {
        if let Some((kind, ending)) = kind_of(name) {
            in_order.push((name, bytes, kind, ending));
            continue;
        }
        let stem = name.split('.').next().unwrap_or(name);
        if is_csv_of_teams(name, bytes) {
            in_order.push((name, bytes, Kind::Teams, CSV));
        } else if has_ending(name, CSV) && !NOT_READ.contains(&stem) {
            let message = "is ignored, since its first line has no columns of teams; name it teams.csv, \
                           organizations.csv, groups.csv, persons.csv or accounts.csv";
            report.warning(FileLocation::file(name), message);
        } else if !NOT_READ.contains(&stem) {
            report.warning(FileLocation::file(name), "is not a file of a contest package, and is ignored");
        }
    }
    // The contest comes late: it is read over what other files say of it. Tables name what is in any of them.
    in_order.sort_by_key(|(_, _, kind, ending)| match *ending {
        CSV => (2, Some(*kind)),
        _ => (u8::from(*kind == Kind::Contest), None),
    });
    for (name, bytes, kind, ending) in in_order {
        if let Some(other) = seen.get(&kind).filter(|other| stem(other) != stem(name) && ending != CSV) {
            report.warning(FileLocation::file(name), format!("is ignored, since {other} has the same kind"));
            continue;
        }
        if let Some(other) = seen.insert(kind, name) {
            report
                .error(FileLocation::file(name), format!("has the same kind as {other}; remove one of them"));
            continue;
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                let text = text.trim_start_matches('\u{feff}');
                if ending == CSV {
                    let contest = contents.contest.as_ref().map(|contest| &contest.value.0).or(into);
                    let old = contest.and_then(old);
                    csv::read(&mut contents, &report, kind, (name, text), old.as_ref());
                } else {
                    contents.read(&report, kind, (name, ending), text, old);
                }
            }
            Err(error) => {
                let line =
                    bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
                report.error(FileLocation::file(name).line(line), "is not UTF-8; save the file as UTF-8");
            }
        }
    }
    references::check(&report, &contents);
    (contents.into_files(), report.into_findings())
}

/// Reads one file of teams, accounts, groups, organizations or problems, whatever its name. Its kind follows from the
/// name, or else from `kind`, such as `teams`.
pub fn read_one(name: &str, kind: &str, bytes: &[u8]) -> (ContestFiles, Vec<Finding>) {
    let base = name.rsplit('/').next().unwrap_or(name);
    let ending = base.rsplit_once('.').map_or("yaml", |(_, ending)| ending);
    let known = if kind_of(base).is_some() { base.to_owned() } else { format!("{kind}.{ending}") };
    let (files, mut findings) = read(&BTreeMap::from([(known, bytes.to_vec())]));
    findings.iter_mut().for_each(|finding| finding.place.file = name.to_owned());
    (files, findings)
}

impl Contents {
    fn read(
        &mut self,
        report: &Report,
        kind: Kind,
        (name, ending): (&str, &str),
        text: &str,
        old: Present<'_>,
    ) {
        if ending == "tsv" {
            return tsv::read(self, report, kind, name, text);
        }
        let values = text.bytes().filter(|byte| matches!(byte, b',' | b':' | b'[' | b'{')).count();
        if ending == "json" && values > VALUES_MAX {
            return report.error(FileLocation::file(name), format!("has more than {VALUES_MAX} values"));
        }
        let parsed = if ending == "json" { located::json(text) } else { located::yaml(text) };
        let root = match parsed {
            Ok(root) => root,
            Err(SyntaxError { line, reason }) => {
                return report.error(FileLocation::file(name).line(line.unwrap_or_default()), reason);
            }
        };
        match kind {
            Kind::Contest => return contest_file::read(self, report, name, &root, old),
            Kind::System => return contest_file::read_system(self, report, name, &root),
            _ => {}
        }
        let Some(entries) = entries(report, kind, name, &root) else { return };
        self.read_entries(report, kind, &entries);
    }

    fn read_entries(&mut self, report: &Report, kind: Kind, entries: &[Field<'_>]) {
        if entries.len() > ENTRIES_MAX {
            let found = format!("has {} entries, expected at most {ENTRIES_MAX}", entries.len());
            return report.error(FileLocation::file(entries[0].file), found);
        }
        for (entry, place) in entries.iter().zip(0..) {
            let (file, line) = (entry.file.to_owned(), entry.node.line);
            macro_rules! add {
                ($list:ident, $read:expr) => {
                    if let Some(value) = $read {
                        self.$list.push(Located { file, line, value });
                    }
                };
            }
            match kind {
                Kind::Contest | Kind::System => {}
                Kind::Problems => {
                    let read = ProblemEntry::read(report, entry, place, &mut self.used);
                    add!(problems, read);
                }
                Kind::Languages => self.languages.extend(Language::read(report, entry)),
                Kind::Groups => add!(groups, GroupSettings::read(report, entry)),
                Kind::Organizations => add!(organizations, OrganizationSettings::read(report, entry)),
                Kind::Teams => add!(teams, TeamSettings::read(report, entry)),
                Kind::Persons => add!(persons, PersonSettings::read(report, entry)),
                Kind::Accounts => {
                    let read = AccountSettings::read(report, entry);
                    add!(accounts, read.map(|(settings, password)| AccountEntry { settings, password }));
                }
            }
        }
    }

    /// Returns the settings of a contest before its own file is read: what it has, or usual ones, and what other files say.
    fn settings_before(&mut self, old: Option<ContestSettings>) -> ContestSettings {
        let mut settings = old.unwrap_or_else(|| ContestSettings::usual("", Millis::ZERO));
        if !self.languages.is_empty() {
            settings.languages = std::mem::take(&mut self.languages);
        }
        settings.clarification_categories =
            self.categories.take().unwrap_or(settings.clarification_categories);
        settings.canned_answers = self.answers.take().unwrap_or(settings.canned_answers);
        settings
    }

    fn into_files(self) -> ContestFiles {
        fn values<T>(placed: Vec<Located<T>>) -> Vec<T> {
            placed.into_iter().map(|one| one.value).collect()
        }
        let contest = self.contest.map(|contest| contest.value);
        let mut accounts = values(self.accounts);
        if let Some((id, _)) = &contest {
            for account in &mut accounts {
                account.settings.contests = BTreeSet::from([id.clone()]);
                account.settings.person.take_if(|_| self.persons.is_empty());
            }
        }
        let mut problems = values(self.problems);
        problems.sort_by_key(|problem| problem.ordinal);
        ContestFiles {
            contest,
            problems,
            groups: values(self.groups),
            organizations: values(self.organizations),
            teams: values(self.teams),
            persons: values(self.persons),
            accounts,
        }
    }
}

/// Returns the entries of a file that is a list, or a map with the list.
fn entries<'n>(report: &Report, kind: Kind, name: &'n str, root: &'n Node) -> Option<Vec<Field<'n>>> {
    let key = kind.key();
    let is_key = |name: &str| name == key || (kind == Kind::Problems && name == PROBLEMSET);
    let inner = match &root.value {
        Value::Map(members) => members.iter().find(|member| is_key(&member.key)).map(|member| &member.value),
        _ => None,
    };
    let list = inner.unwrap_or(root);
    match &list.value {
        Value::List(items) => Some(
            items
                .iter()
                .zip(0..)
                .map(|(node, place)| Field { file: name, path: format!("[{place}]"), node, line: node.line })
                .collect(),
        ),
        Value::Null => Some(Vec::new()),
        other => {
            let found = format!("is {}, expected a list of {key}", other.kind());
            report.error(FileLocation::file(name).line(list.line), found);
            None
        }
    }
}
