//! Fields of a file's entries, read one by one, with every mistake reported.

use super::Finding;
use located::{Entry, Node, Value, join, meant, shorten};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;

/// More would not be read.
const FINDINGS_MAX: usize = 1000;

/// Collects what is wrong.
#[derive(Default)]
pub struct Report {
    findings: RefCell<Vec<Finding>>,
    /// The unknown fields that were warned of, by file.
    unknown: RefCell<BTreeSet<(String, String)>>,
}

impl Report {
    /// Adds an error.
    pub fn error(&self, file: &str, line: Option<u64>, field: Option<&str>, message: impl Into<String>) {
        self.add(file, line, field, message.into(), false);
    }

    /// Adds a warning.
    pub fn warning(&self, file: &str, line: Option<u64>, field: Option<&str>, message: impl Into<String>) {
        self.add(file, line, field, message.into(), true);
    }

    /// Returns whether an unknown field is worth a warning: once in a file, and only while somebody would read it.
    fn is_news(&self, file: &str, field: &str) -> bool {
        self.findings.borrow().len() < FINDINGS_MAX
            && self.unknown.borrow_mut().insert((file.to_owned(), field.to_owned()))
    }

    fn add(&self, file: &str, line: Option<u64>, field: Option<&str>, message: String, is_warning: bool) {
        let mut findings = self.findings.borrow_mut();
        if findings.len() < FINDINGS_MAX {
            let field = field.map(str::to_owned);
            findings.push(Finding { file: file.to_owned(), line, field, message, is_warning });
        }
    }

    /// Returns all findings in the order of the files.
    pub fn into_findings(self) -> Vec<Finding> {
        let mut findings = self.findings.into_inner();
        findings.sort();
        findings
    }
}

/// A value of a file, and where it is.
#[derive(Clone)]
pub struct Field<'n> {
    /// The file's name.
    pub file: &'n str,
    /// Where in the file, such as `pools.fast.noise`; empty for all of it.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// The value.
    pub node: &'n Node,
}

impl<'n> Field<'n> {
    /// Adds an error: what is there, and what was expected.
    pub fn wrong(&self, report: &Report, expected: impl Display) {
        let found = self.node.value.shown();
        self.error(report, format!("is {found}, expected {expected}"));
    }

    /// Adds an error.
    pub fn error(&self, report: &Report, message: String) {
        report.error(
            self.file,
            Some(self.line),
            Some(&self.path).filter(|path| !path.is_empty()).map(String::as_str),
            message,
        );
    }

    /// Returns a text; a number or a boolean is taken as it is written.
    pub fn text(&self, report: &Report) -> Option<String> {
        match &self.node.value {
            Value::Text(text) => Some(text.trim().to_owned()),
            Value::Number { text, .. } => Some(text.clone()),
            _ => {
                self.wrong(report, "a text");
                None
            }
        }
    }

    /// Returns a value that is written as a text, such as an id.
    pub fn parse<T: FromStr<Err: Display>>(&self, report: &Report) -> Option<T> {
        let text = self.text(report)?;
        text.parse().map_err(|error: T::Err| self.error(report, error.to_string())).ok()
    }

    /// Returns a number in a range.
    pub fn number(&self, report: &Report, range: std::ops::RangeInclusive<f64>) -> Option<f64> {
        let value = match &self.node.value {
            Value::Number { value, .. } => Some(*value),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        let value = value.filter(|value| range.contains(value));
        if value.is_none() {
            self.wrong(report, format!("a number from {} to {}", range.start(), range.end()));
        }
        value
    }

    /// Returns a whole number in a range.
    pub fn integer(&self, report: &Report, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let value = match &self.node.value {
            Value::Number { text, .. } => text.parse().ok(),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        let value = value.filter(|value| range.contains(value));
        if value.is_none() {
            self.wrong(report, format!("a whole number from {} to {}", range.start(), range.end()));
        }
        value
    }

    /// Returns true or false.
    pub fn boolean(&self, report: &Report) -> Option<bool> {
        match &self.node.value {
            Value::Bool(value) => Some(*value),
            _ => {
                self.wrong(report, "true or false");
                None
            }
        }
    }

    /// Returns one of these words.
    pub fn word<T: Copy>(&self, report: &Report, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(report)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.wrong(report, format!("one of {}", all.join(", ")));
        }
        found
    }

    /// Returns the items of a list; a single value is a list of one.
    pub fn items(&self) -> Vec<Self> {
        match &self.node.value {
            Value::List(items) => items
                .iter()
                .zip(0..)
                .map(|(node, place)| Self {
                    path: format!("{}[{place}]", self.path),
                    line: node.line,
                    node,
                    file: self.file,
                })
                .collect(),
            _ => vec![self.clone()],
        }
    }

    /// Returns the values of a list that are written as texts.
    pub fn list<T: FromStr<Err: Display>, C: FromIterator<T>>(&self, report: &Report) -> C {
        self.items().iter().filter_map(|item| item.parse(report)).collect()
    }

    /// Returns the fields of a map.
    pub fn object(&self, report: &Report) -> Option<Object<'n>> {
        match &self.node.value {
            Value::Map(entries) => Some(Object {
                file: self.file,
                path: self.path.clone(),
                line: self.line,
                entries: entries.iter().collect(),
                known: Vec::new(),
            }),
            _ => {
                self.wrong(report, "a map with fields");
                None
            }
        }
    }
}

/// The fields of an entry; each is taken once, and the remaining ones are unknown.
pub struct Object<'n> {
    file: &'n str,
    path: String,
    line: u64,
    entries: Vec<&'n Entry>,
    known: Vec<&'static str>,
}

impl<'n> Object<'n> {
    /// Takes a field by its name, or by one of its older names; a field without a value counts as missing.
    pub fn take(&mut self, names: &[&'static str]) -> Option<Field<'n>> {
        self.known.push(names[0]);
        let place = self.entries.iter().position(|entry| names.contains(&entry.key.as_str()))?;
        let entry = self.entries.remove(place);
        let path = join(&self.path, &entry.key);
        let field = Field { file: self.file, path, line: entry.line, node: &entry.value };
        (entry.value.value != Value::Null).then_some(field)
    }

    /// Takes a field that must be there.
    pub fn require(&mut self, report: &Report, names: &[&'static str]) -> Option<Field<'n>> {
        let field = self.take(names);
        if field.is_none() {
            self.error(report, names[0], "is missing");
        }
        field
    }

    /// Takes a text.
    pub fn text(&mut self, report: &Report, names: &[&'static str]) -> Option<String> {
        self.take(names)?.text(report).filter(|text| !text.is_empty())
    }

    /// Takes a value that is written as a text.
    pub fn parse<T: FromStr<Err: Display>>(&mut self, report: &Report, names: &[&'static str]) -> Option<T> {
        self.take(names)?.parse(report)
    }

    /// Takes true or false; false if it is not there.
    pub fn boolean(&mut self, report: &Report, names: &[&'static str]) -> Option<bool> {
        self.take(names)?.boolean(report)
    }

    /// Takes a list of values that are written as texts.
    pub fn list<T: FromStr<Err: Display>, C: FromIterator<T> + Default>(
        &mut self,
        report: &Report,
        names: &[&'static str],
    ) -> C {
        self.take(names).map(|field| field.list(report)).unwrap_or_default()
    }

    /// Adds an error about a field of this entry.
    pub fn error(&self, report: &Report, name: &str, message: impl Into<String>) {
        report.error(self.file, Some(self.line), Some(&join(&self.path, name)), message);
    }

    /// Warns of each field that is neither taken nor among those that are known and not kept.
    pub fn finish(self, report: &Report, not_kept: &[&str]) {
        for entry in &self.entries {
            let is_left_out = entry.value.value == Value::Null || not_kept.contains(&entry.key.as_str());
            if is_left_out || !report.is_news(self.file, &entry.key) {
                continue;
            }
            let hint = meant(&entry.key, &self.known).map(|known| format!("; did you mean '{known}'?"));
            let message = format!(
                "'{}' is not known here and is left out{}",
                shorten(&entry.key),
                hint.unwrap_or_default()
            );
            report.warning(self.file, Some(entry.line), self.shown_path(), message);
        }
    }

    /// Adds an error for each field that is not taken, for files of our own.
    pub fn refuse_rest(self, report: &Report) {
        for entry in &self.entries {
            let mend = meant(&entry.key, &self.known).map_or_else(
                || format!("expected one of {}", self.known.join(", ")),
                |known| format!("did you mean '{known}'?"),
            );
            let message = format!("'{}' is not known here; {mend}", shorten(&entry.key));
            report.error(self.file, Some(entry.line), self.shown_path(), message);
        }
    }

    fn shown_path(&self) -> Option<&str> {
        Some(self.path.as_str()).filter(|path| !path.is_empty())
    }
}
