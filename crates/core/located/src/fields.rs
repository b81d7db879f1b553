//! Fields of a file's entries, read one by one, with every mistake reported.

use crate::{Entry, Node, Value, join, meant, shorten};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::str::FromStr;

/// More errors, and more warnings, would not be read.
const FINDINGS_MAX: usize = 1000;
/// The longest name of anything, in bytes. Longer ones are mistakes, such as a missing quote.
pub const NAME_BYTES_MAX: usize = 255;

/// Something that is wrong or unusual in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The line, if known.
    pub line: Option<u64>,
    /// The field, such as `[3].group_ids`.
    pub field: Option<String>,
    /// What was found, and what was expected.
    pub message: String,
    /// Whether the files can be used in spite of it.
    pub is_warning: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(field) = &self.field {
            write!(f, ": {field}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Collects what is wrong.
#[derive(Default)]
pub struct Report {
    findings: RefCell<Vec<Finding>>,
    /// How many warnings and errors there were, also beyond what is kept.
    counts: RefCell<[usize; 2]>,
    /// The unknown fields that were warned of, by file.
    unknown: RefCell<BTreeSet<(String, String)>>,
    /// Whether what could be left out is an error: a request changes all that it has, or nothing.
    is_strict: bool,
    /// Whether an unknown field is an error.
    is_closed: bool,
    /// Whether files that objects name are taken too.
    takes_files: bool,
}

impl Report {
    /// Returns a report for a whole package, with the files that objects name.
    pub fn with_files() -> Self {
        Self { takes_files: true, ..Self::default() }
    }

    /// Returns a report for a request: a known field must be right, and others are ignored.
    pub fn strict() -> Self {
        Self { is_strict: true, ..Self::default() }
    }

    /// Returns a report for a request in which every field must be known.
    pub fn closed() -> Self {
        Self { is_closed: true, ..Self::strict() }
    }

    /// Returns whether it is for a request.
    pub fn is_strict(&self) -> bool {
        self.is_strict
    }

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
        self.counts.borrow()[1] < FINDINGS_MAX
            && self.unknown.borrow_mut().insert((file.to_owned(), field.to_owned()))
    }

    fn add(&self, file: &str, line: Option<u64>, field: Option<&str>, message: String, is_warning: bool) {
        let count = &mut self.counts.borrow_mut()[usize::from(is_warning)];
        *count += 1;
        if *count <= FINDINGS_MAX {
            let (file, field) = (file.to_owned(), field.map(str::to_owned));
            self.findings.borrow_mut().push(Finding { file, line, field, message, is_warning });
        }
    }

    /// Returns all findings in the order of the files.
    pub fn into_findings(self) -> Vec<Finding> {
        let mut findings = self.findings.into_inner();
        findings.sort();
        for (count, is_warning) in self.counts.into_inner().into_iter().zip([false, true]) {
            if let (Some(rest @ 1..), Some(last)) = (count.checked_sub(FINDINGS_MAX), findings.last()) {
                let message =
                    format!("{rest} more {} are left out", if is_warning { "warnings" } else { "errors" });
                let (file, line, field) = (last.file.clone(), None, None);
                findings.push(Finding { file, line, field, message, is_warning });
            }
        }
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

    /// Adds a warning that the value is left out: what is there, and what was expected. In a request it is an error.
    pub fn leave_out(&self, report: &Report, expected: impl Display) {
        if report.is_strict {
            return self.wrong(report, expected);
        }
        let found = self.node.value.shown();
        let path = Some(self.path.as_str()).filter(|path| !path.is_empty());
        let message = format!("is {found}, expected {expected}; it is left out");
        report.warning(self.file, Some(self.line), path, message);
    }

    /// Returns a name: one line that can be shown.
    pub fn name(&self, report: &Report) -> Option<String> {
        let text = self.text(report)?;
        let is_name = is_name(&text);
        if !is_name {
            self.wrong(report, format!("one line of 1 to {NAME_BYTES_MAX} bytes"));
        }
        is_name.then_some(text)
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
        let value = self.as_number().filter(|value| range.contains(value));
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

    /// Returns its value as a number, whether it is written as one or as a text.
    pub fn as_number(&self) -> Option<f64> {
        match &self.node.value {
            Value::Number { value, .. } => Some(*value),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
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
    /// Takes a field by its name, or by one of its older names; a field without a value, or with an empty text, counts as
    /// missing.
    pub fn take(&mut self, names: &[&'static str]) -> Option<Field<'n>> {
        self.known.push(names[0]);
        let place = self.entries.iter().position(|entry| names.contains(&entry.key.as_str()))?;
        let entry = self.entries.remove(place);
        self.field(entry)
    }

    /// Returns a field without taking it.
    pub fn peek(&self, names: &[&'static str]) -> Option<Field<'n>> {
        let entry = self.entries.iter().find(|entry| names.contains(&entry.key.as_str()))?;
        self.field(entry)
    }

    fn field(&self, entry: &'n Entry) -> Option<Field<'n>> {
        let is_there = match &entry.value.value {
            Value::Null => false,
            Value::Text(text) => !text.trim().is_empty(),
            _ => true,
        };
        let path = join(&self.path, &entry.key);
        is_there.then_some(Field { file: self.file, path, line: entry.line, node: &entry.value })
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

    /// Takes a name: one line that can be shown.
    pub fn name(&mut self, report: &Report, names: &[&'static str]) -> Option<String> {
        self.take(names)?.name(report)
    }

    /// Takes a value that is written as a text.
    pub fn parse<T: FromStr<Err: Display>>(&mut self, report: &Report, names: &[&'static str]) -> Option<T> {
        self.take(names)?.parse(report)
    }

    /// Takes true or false.
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
        if report.is_closed {
            return self.refuse_rest(report);
        }
        let entries = if report.is_strict { &[] } else { &self.entries[..] };
        for entry in entries {
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

    /// As [`finish`](Self::finish), for an object with files, such as a logo, which only a whole package brings.
    pub fn finish_with_files(mut self, report: &Report, files: &[&str]) {
        if !report.takes_files && !report.is_strict {
            let is_empty = |value: &Value| match value {
                Value::Null => true,
                Value::List(items) => items.is_empty(),
                _ => false,
            };
            let is_file = |entry: &&'n Entry| files.contains(&entry.key.as_str());
            let (named, others): (Vec<_>, Vec<_>) = self.entries.iter().copied().partition(is_file);
            for entry in named.into_iter().filter(|entry| !is_empty(&entry.value.value)) {
                if report.is_news(self.file, &entry.key) {
                    let message = format!(
                        "'{}' is left out: files are taken from a whole package, where they are in folders such as 'teams/ID'",
                        entry.key
                    );
                    report.warning(self.file, Some(entry.line), self.shown_path(), message);
                }
            }
            self.entries = others;
        }
        self.finish(report, files);
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

/// Returns whether a text can be a name.
pub fn is_name(text: &str) -> bool {
    let is_line = |c: char| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}');
    !text.is_empty() && text.len() <= NAME_BYTES_MAX && text.chars().all(is_line)
}
