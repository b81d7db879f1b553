//! Fields of a file's entries, read one by one.
//!
//! Each reader returns what is wrong, with its place and how to fix it. A caller that reports every mistake of a file passes
//! this to a [`Report`]; one that stops at the first returns it.

use crate::{Entry, FileLocation, Node, Report, Reported, Value, Wrong, join, meant, shorten};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The longest name of anything, in bytes. Longer ones are mistakes, such as a missing quote.
pub const NAME_BYTES_MAX: usize = 255;
/// Names that differ by more than a letter or two are less alike.
const SLIP_LIKENESS_MIN: f64 = 0.9;

/// A value of a file, and where it is.
#[derive(Clone)]
pub struct Field<'n> {
    pub file: &'n str,
    /// Where in the file, such as `pools.fast.noise`; empty for all of it.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    pub node: &'n Node,
}

impl<'n> Field<'n> {
    pub fn document(file: &'n str, root: &'n Node) -> Self {
        Self { file, path: String::new(), line: root.line, node: root }
    }

    pub fn place(&self) -> FileLocation {
        FileLocation::file(self.file).line(self.line).field(self.path.clone())
    }

    pub fn value(&self) -> &'n Value {
        &self.node.value
    }

    /// Returns what is there, what was expected, and how to fix it.
    pub fn wrong(&self, expected: impl Display, remedy: impl Into<String>) -> Wrong {
        self.place().wrong(format!("is {}, expected {expected}", self.node.value.shown()), remedy)
    }

    /// Adds an error: what is there, and what was expected.
    pub fn reject(&self, report: &Report, expected: impl Display) {
        self.error(report, format!("is {}, expected {expected}", self.node.value.shown()));
    }

    pub fn error(&self, report: &Report, message: impl Into<String>) {
        report.error(self.place(), message);
    }

    pub fn warning(&self, report: &Report, message: impl Into<String>) {
        report.warning(self.place(), message);
    }

    /// Adds a warning that the value is left out: what is there, and what was expected. In a request it is an error.
    pub fn leave_out(&self, report: &Report, expected: impl Display) {
        if report.is_strict() {
            return self.reject(report, expected);
        }
        let found = self.node.value.shown();
        report.warning(self.place(), format!("is {found}, expected {expected}; it is left out"));
    }

    /// Reads a text; a number is taken as it is written.
    pub fn text(&self) -> Result<&'n str, Wrong> {
        match &self.node.value {
            Value::Text(text) | Value::Number { text, .. } => Ok(text),
            _ => Err(self.wrong("a text", "put it in quotes if it is meant as a text")),
        }
    }

    /// Reads a text without the spaces around it.
    pub fn trimmed(&self) -> Result<String, Wrong> {
        self.text().map(|text| text.trim().to_owned())
    }

    /// Reads a name: one line that can be shown.
    pub fn name(&self) -> Result<String, Wrong> {
        let text = self.trimmed()?;
        if is_name(&text) {
            return Ok(text);
        }
        Err(self
            .wrong(format!("one line of 1 to {NAME_BYTES_MAX} bytes"), "shorten it, or write it on one line"))
    }

    /// Reads a value that is written as a text, such as an id.
    pub fn parse<T: FromStr<Err: Display>>(&self, report: &Report) -> Option<T> {
        let text = self.trimmed().reported(report)?;
        text.parse().map_err(|error: T::Err| self.error(report, error.to_string())).ok()
    }

    pub fn number(&self, range: RangeInclusive<f64>) -> Result<f64, Wrong> {
        self.within(self.as_number(), range, "a number")
    }

    /// Reads a whole number in a range.
    pub fn integer(&self, range: RangeInclusive<i64>) -> Result<i64, Wrong> {
        let value = self.text().ok().and_then(|text| text.trim().parse().ok());
        self.within(value, range, "a whole number")
    }

    fn within<T: PartialOrd + Copy + Display>(
        &self,
        value: Option<T>,
        range: RangeInclusive<T>,
        kind: &str,
    ) -> Result<T, Wrong> {
        let remedy = match value {
            Some(value) if range.contains(&value) => return Ok(value),
            Some(value) if value < *range.start() => "raise it",
            Some(_) => "lower it",
            None => "write digits, without a unit",
        };
        Err(self.wrong(format!("{kind} from {} to {}", range.start(), range.end()), remedy))
    }

    /// Returns its value as a number, whether it is written as one or as a text.
    pub fn as_number(&self) -> Option<f64> {
        match &self.node.value {
            Value::Number { value, .. } => Some(*value),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    pub fn boolean(&self) -> Result<bool, Wrong> {
        match self.node.value {
            Value::Bool(value) => Ok(value),
            _ => Err(self.wrong("true or false", "write it without quotes")),
        }
    }

    pub fn word<T: Copy>(&self, words: &[(&'static str, T)]) -> Result<T, Wrong> {
        let names: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        let remedy = match self.text() {
            Ok(text) => {
                let text = text.trim();
                if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
                    return Ok(*value);
                }
                did_you_mean(text, &names)
            }
            Err(_) => None,
        };
        Err(self.wrong(
            format!("one of {}", names.join(", ")),
            remedy.unwrap_or_else(|| "use one of them".to_owned()),
        ))
    }

    pub fn items(&self) -> Result<Vec<Self>, Wrong> {
        match &self.node.value {
            Value::List(_) => Ok(self.each()),
            _ => Err(self.wrong("a list", "write it as [a, b]")),
        }
    }

    /// Returns the items of a list; a single value is a list of one.
    pub fn each(&self) -> Vec<Self> {
        let Value::List(items) = &self.node.value else { return vec![self.clone()] };
        let item = |(place, node): (usize, &'n Node)| Self {
            file: self.file,
            path: format!("{}[{place}]", self.path),
            line: node.line,
            node,
        };
        items.iter().enumerate().map(item).collect()
    }

    /// Reads the values of a list that are written as texts.
    pub fn list<T: FromStr<Err: Display>, C: FromIterator<T>>(&self, report: &Report) -> C {
        self.each().iter().filter_map(|item| item.parse(report)).collect()
    }

    pub fn object(&self) -> Result<Object<'n>, Wrong> {
        let Value::Map(entries) = &self.node.value else {
            return Err(self.wrong("a map of keys and values", "write one 'key: value' on each line"));
        };
        Ok(Object { entries: entries.iter().collect(), ..Object::empty(self) })
    }
}

/// The fields of a map; each is taken once, and the remaining ones are unknown.
pub struct Object<'n> {
    file: &'n str,
    path: String,
    line: u64,
    entries: Vec<&'n Entry>,
    known: Vec<&'static str>,
}

impl<'n> Object<'n> {
    /// Returns the map without fields that a field without a value stands for.
    pub fn empty(field: &Field<'n>) -> Self {
        Self {
            file: field.file,
            path: field.path.clone(),
            line: field.line,
            entries: Vec::new(),
            known: Vec::new(),
        }
    }

    pub fn place(&self) -> FileLocation {
        FileLocation::file(self.file).line(self.line).field(self.path.clone())
    }

    /// Returns its path in the file, such as `limits`; empty for all of it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns where a field of it is, or would be.
    pub fn place_of(&self, name: &str) -> FileLocation {
        self.place().field(join(&self.path, name))
    }

    pub fn entry(&mut self, name: &'static str) -> Option<Field<'n>> {
        self.known.push(name);
        let index = self.entries.iter().position(|entry| entry.key == name)?;
        let entry = self.entries.remove(index);
        Some(self.field(entry))
    }

    /// Takes the field of this name; one without a value counts as missing.
    pub fn take(&mut self, name: &'static str) -> Option<Field<'n>> {
        self.entry(name).filter(|field| field.node.value != Value::Null)
    }

    /// Takes a field by its name, or by one of its older names; a field without a value, or with an empty text, counts as
    /// missing.
    pub fn take_any(&mut self, names: &[&'static str]) -> Option<Field<'n>> {
        self.known.push(names[0]);
        let index = self.entries.iter().position(|entry| names.contains(&entry.key.as_str()))?;
        let entry = self.entries.remove(index);
        Some(self.field(entry)).filter(|field| !is_empty(&field.node.value))
    }

    /// Returns such a field without taking it.
    pub fn peek(&self, names: &[&'static str]) -> Option<Field<'n>> {
        let entry = self.entries.iter().find(|entry| names.contains(&entry.key.as_str()))?;
        Some(self.field(entry)).filter(|field| !is_empty(&field.node.value))
    }

    /// Takes all remaining fields, for maps with arbitrary keys.
    pub fn take_rest(&mut self) -> Vec<(&'n str, Field<'n>)> {
        let rest = std::mem::take(&mut self.entries);
        rest.into_iter().map(|entry| (entry.key.as_str(), self.field(entry))).collect()
    }

    fn field(&self, entry: &'n Entry) -> Field<'n> {
        Field { file: self.file, path: join(&self.path, &entry.key), line: entry.line, node: &entry.value }
    }

    /// Takes a field that must be there.
    pub fn require(&mut self, report: &Report, names: &[&'static str]) -> Option<Field<'n>> {
        let field = self.take_any(names);
        if field.is_none() {
            let unknown: Vec<&str> = self.entries.iter().map(|entry| entry.key.as_str()).collect();
            // What is not read yet may be right as it is: only a slip of the fingers is taken for another name.
            let likely = meant(names[0], &unknown)
                .filter(|key| strsim::jaro_winkler(names[0], key) >= SLIP_LIKENESS_MIN)
                .and_then(|key| self.entries.iter().find(|entry| entry.key == key));
            let message = match likely {
                Some(entry) => {
                    format!("is missing; is it meant by '{}' in line {}?", shorten(&entry.key), entry.line)
                }
                None => "is missing".to_owned(),
            };
            self.error(report, names[0], message);
        }
        field
    }

    pub fn text(&mut self, report: &Report, names: &[&'static str]) -> Option<String> {
        self.take_any(names)?.trimmed().reported(report).filter(|text| !text.is_empty())
    }

    /// Takes a name: one line that can be shown.
    pub fn name(&mut self, report: &Report, names: &[&'static str]) -> Option<String> {
        self.take_any(names)?.name().reported(report)
    }

    /// Takes a value that is written as a text.
    pub fn parse<T: FromStr<Err: Display>>(&mut self, report: &Report, names: &[&'static str]) -> Option<T> {
        self.take_any(names)?.parse(report)
    }

    pub fn boolean(&mut self, report: &Report, names: &[&'static str]) -> Option<bool> {
        self.take_any(names)?.boolean().reported(report)
    }

    /// Takes a list of values that are written as texts.
    pub fn list<T: FromStr<Err: Display>, C: FromIterator<T> + Default>(
        &mut self,
        report: &Report,
        names: &[&'static str],
    ) -> C {
        self.take_any(names).map(|field| field.list(report)).unwrap_or_default()
    }

    /// Adds an error about a field of this entry.
    pub fn error(&self, report: &Report, name: &str, message: impl Into<String>) {
        report.error(self.place_of(name), message);
    }

    /// Returns what is wrong with each field that was not taken.
    pub fn unknown(&self) -> impl Iterator<Item = Wrong> {
        self.entries.iter().map(|entry| {
            let remedy = did_you_mean(&entry.key, &self.known)
                .unwrap_or_else(|| format!("remove it, or use one of {}", self.known.join(", ")));
            self.place_of(&shorten(&entry.key)).line(entry.line).wrong("is not a known key", remedy)
        })
    }

    /// Adds an error for each field that was not taken, for files of our own.
    pub fn refuse_rest(self, report: &Report) {
        self.unknown().for_each(|wrong| report.wrong(wrong));
    }

    /// Warns of each field that is neither taken nor among those that are known and not kept.
    pub fn finish(self, report: &Report, not_kept: &[&str]) {
        if report.is_closed() {
            return self.refuse_rest(report);
        }
        let entries = if report.is_strict() { &[] } else { &self.entries[..] };
        for entry in entries {
            let is_left_out = entry.value.value == Value::Null || not_kept.contains(&entry.key.as_str());
            if is_left_out || !report.is_news(self.file, &entry.key) {
                continue;
            }
            let hint = did_you_mean(&entry.key, &self.known).map(|hint| format!("; {hint}"));
            let message = format!(
                "'{}' is not known here and is left out{}",
                shorten(&entry.key),
                hint.unwrap_or_default()
            );
            report.warning(self.place().line(entry.line), message);
        }
    }

    /// As [`finish`](Self::finish), for an object with files, such as a logo, which only a whole package brings.
    pub fn finish_with_files(mut self, report: &Report, files: &[&str]) {
        if !report.takes_files() && !report.is_strict() {
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
                    report.warning(self.place().line(entry.line), message);
                }
            }
            self.entries = others;
        }
        self.finish(report, files);
    }
}

/// Returns whether there is nothing, or an empty text.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Text(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// Asks whether the most similar of the known words was meant.
pub fn did_you_mean(word: &str, known: &[&str]) -> Option<String> {
    meant(word, known).map(|known| format!("did you mean '{known}'?"))
}

/// Returns whether a text can be a name.
pub fn is_name(text: &str) -> bool {
    let is_line = |c: char| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}');
    !text.is_empty() && text.len() <= NAME_BYTES_MAX && text.chars().all(is_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name: ' a '\nsize: 12\nside: [left, up]\nshown: maybe\nold: 1\nempty: ''\nnsme: 3\n";

    /// Reads what can be read of it, with this report, and returns what is wrong.
    fn found(report: Report) -> Vec<String> {
        let root = crate::yaml(TEXT).unwrap();
        let mut object = Field::document("a.yaml", &root).object().unwrap();
        assert_eq!(object.take("name").unwrap().trimmed().unwrap(), "a");
        assert_eq!(object.take("size").unwrap().integer(0..=9).reported(&report), None);
        let side = object.take("side").unwrap().items().unwrap();
        let sides = side.iter().map(|item| item.word(&[("left", 0), ("up to", 1)]).reported(&report));
        assert_eq!(sides.collect::<Vec<_>>(), [Some(0), None]);
        assert_eq!(object.boolean(&report, &["shown"]), None);
        assert_eq!(object.take_any(&["new", "old"]).unwrap().number(0.0..=1.0), Ok(1.0));
        assert_eq!(object.text(&report, &["empty"]), None, "an empty text is as good as none");
        assert!(object.require(&report, &["needed"]).is_none());
        object.finish(&report, &[]);
        report.into_findings().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn errors_name_file_line_field_and_remedy() {
        let wrong = [
            "a.yaml:1: needed: is missing",
            "a.yaml:2: size: is 12, expected a whole number from 0 to 9; lower it",
            "a.yaml:3: side[1]: is 'up', expected one of left, up to; did you mean 'up to'?",
            "a.yaml:4: shown: is 'maybe', expected true or false; write it without quotes",
        ];
        let unknown = "a.yaml:7: 'nsme' is not known here and is left out; did you mean 'name'?";
        assert_eq!(found(Report::default()), [&wrong[..], &[unknown]].concat());
        assert_eq!(found(Report::strict()), wrong, "in a request, other fields are others' business");
        let refused = "a.yaml:7: nsme: is not a known key; did you mean 'name'?";
        assert_eq!(found(Report::closed()), [&wrong[..], &[refused]].concat());
        let most = found(Report::of_at_most(2));
        assert_eq!(most[most.len() - 1], "a.yaml: 2 more errors are left out");
    }

    #[test]
    fn a_place_shows_no_control_characters_and_no_long_keys() {
        let place = FileLocation::file("f").field("a\u{1b}b");
        assert_eq!(place.to_string(), "f: a\\u{1b}b");
        assert!(FileLocation::file("f").field("x".repeat(1000)).to_string().len() < 100);
    }
}
