//! Fields of a YAML map, read one by one, with every mistake reported.

use super::Mistake;
use crate::policy::units::{NONE, decimal, digits, duration, milliseconds, thousandths};

use located::{Entry, Node, Value, join, meant, shorten};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// More would not be read.
const MISTAKES_MAX: usize = 20;

/// Collects what is wrong, and where each field is.
#[derive(Default)]
pub struct Report {
    mistakes: RefCell<Vec<Mistake>>,
    warnings: RefCell<Vec<Mistake>>,
    lines: RefCell<BTreeMap<String, u64>>,
    count: Cell<usize>,
}

impl Report {
    /// Adds a mistake.
    pub fn mistake(&self, line: Option<u64>, field: &str, message: String) {
        self.count.set(self.count.get() + 1);
        add(&self.mistakes, line, field, message);
    }

    /// Adds a warning.
    pub fn warning(&self, line: u64, field: &str, message: String) {
        add(&self.warnings, Some(line), field, message);
    }

    /// Returns the line of a field, if the file has it.
    pub fn line(&self, field: &str) -> Option<u64> {
        self.lines.borrow().get(field).copied()
    }

    /// Returns how many mistakes were found, also those that are not kept.
    pub fn count(&self) -> usize {
        self.count.get()
    }

    /// Returns the warnings, or the mistakes if there are any, in the order of the file.
    pub fn finish(self) -> Result<Vec<Mistake>, Vec<Mistake>> {
        let mut mistakes = self.mistakes.into_inner();
        let mut warnings = self.warnings.into_inner();
        // The sort is stable: what is on the same line stays in the order in which it was found.
        mistakes.sort_by_key(|mistake| mistake.line);
        warnings.sort_by_key(|warning| warning.line);
        let more = self.count.get() - mistakes.len();
        if more > 0 {
            let message = format!("has {more} more mistakes; correct these first");
            mistakes.push(Mistake { line: None, field: String::new(), message });
        }
        if mistakes.is_empty() { Ok(warnings) } else { Err(mistakes) }
    }
}

fn add(list: &RefCell<Vec<Mistake>>, line: Option<u64>, field: &str, message: String) {
    let mut list = list.borrow_mut();
    if list.len() < MISTAKES_MAX {
        list.push(Mistake { line, field: shorten(field), message });
    }
}

/// A value of the file, and where it is.
#[derive(Clone)]
pub struct Field<'n> {
    /// Its place in the tree, such as `policies[1].limits.peak`; empty for the whole file.
    pub path: String,
    /// Its line.
    pub line: u64,
    /// Its value.
    pub node: &'n Node,
}

impl<'n> Field<'n> {
    /// Reports what is there, what was expected, and how to mend it.
    pub fn wrong(&self, report: &Report, expected: &str, remedy: &str) {
        let found = self.node.value.shown();
        self.mistake(report, format!("is {found}, expected {expected}; {remedy}"));
    }

    /// Reports a mistake.
    pub fn mistake(&self, report: &Report, message: String) {
        report.mistake(Some(self.line), &self.path, message);
    }

    /// Returns whether it says `none`.
    pub fn is_none(&self) -> bool {
        matches!(&self.node.value, Value::Text(text) if text == NONE)
    }

    /// Returns a text.
    pub fn text(&self, report: &Report, expected: &str) -> Option<&'n str> {
        match &self.node.value {
            Value::Text(text) => Some(text),
            _ => {
                self.wrong(report, expected, "write it as a text");
                None
            }
        }
    }

    /// Returns true or false.
    pub fn boolean(&self, report: &Report) -> Option<bool> {
        match self.node.value {
            Value::Bool(value) => Some(value),
            _ => {
                self.wrong(report, "true or false", "write it without quotes");
                None
            }
        }
    }

    /// Returns a whole number in a range.
    pub fn integer(&self, report: &Report, range: RangeInclusive<u32>) -> Option<u32> {
        let value = self.number().and_then(digits);
        self.within(report, value, range, u32::to_string, "a whole number", "write digits alone, such as 8")
    }

    /// Returns a number with at most three decimals in a range, in thousandths.
    pub fn permille(&self, report: &Report, range: RangeInclusive<u32>) -> Option<u32> {
        let value = self.number().and_then(thousandths);
        let remedy = "write at most three decimals and no unit, such as 0.8 for 80 %";
        self.within(report, value, range, |value| decimal(*value), "a number", remedy)
    }

    /// Returns a duration in a range, in milliseconds.
    pub fn duration(&self, report: &Report, range: RangeInclusive<u64>) -> Option<u64> {
        let value = match &self.node.value {
            Value::Text(text) => milliseconds(text),
            _ => None,
        };
        let remedy = "write a whole number with ms, s, m, h or d, such as 5m";
        self.within(report, value, range, |value| duration(*value), "a time", remedy)
    }

    fn number(&self) -> Option<&'n str> {
        match &self.node.value {
            Value::Number { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns the value if it could be read and is in the range; `remedy` is for one that could not.
    fn within<T: PartialOrd + Copy>(
        &self,
        report: &Report,
        value: Option<T>,
        range: RangeInclusive<T>,
        print: impl Fn(&T) -> String,
        kind: &str,
        remedy: &str,
    ) -> Option<T> {
        let remedy = match value {
            Some(value) if value < *range.start() => "raise it",
            Some(value) if value > *range.end() => "lower it",
            Some(value) => return Some(value),
            None => remedy,
        };
        let expected = format!("{kind} from {} to {}", print(range.start()), print(range.end()));
        self.wrong(report, &expected, remedy);
        None
    }

    /// Returns one of these words.
    pub fn word<T: Copy>(&self, report: &Report, words: &[(&'static str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let expected = format!("one of {}", names.join(", "));
        let text = self.text(report, &expected)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            self.wrong(
                report,
                &expected,
                &did_you_mean(text, &names).unwrap_or_else(|| "use one of them".to_owned()),
            );
        }
        found
    }

    /// Returns the items of a list.
    pub fn items(&self, report: &Report) -> Option<Vec<Self>> {
        let Value::List(items) = &self.node.value else {
            self.wrong(report, "a list", "write it as [a, b]");
            return None;
        };
        let item = |(place, node): (usize, &'n Node)| Self {
            path: format!("{}[{place}]", self.path),
            line: node.line,
            node,
        };
        Some(items.iter().enumerate().map(item).collect())
    }

    /// Returns the fields of a map.
    pub fn map(&self, report: &Report) -> Option<Map<'n>> {
        let Value::Map(entries) = &self.node.value else {
            self.wrong(report, "a map of keys and values", "write one 'key: value' on each line");
            return None;
        };
        let entries = entries.iter().collect();
        Some(Map { path: self.path.clone(), line: self.line, entries, known: Vec::new() })
    }
}

/// The fields of a map; each is taken once, and the remaining ones are unknown.
pub struct Map<'n> {
    pub path: String,
    pub line: u64,
    entries: Vec<&'n Entry>,
    known: Vec<&'static str>,
}

impl<'n> Map<'n> {
    /// Takes the field of this name.
    pub fn take(&mut self, report: &Report, name: &'static str) -> Option<Field<'n>> {
        self.known.push(name);
        let place = self.entries.iter().position(|entry| entry.key == name)?;
        let entry = self.entries.remove(place);
        Some(self.field(report, entry))
    }

    /// Takes all remaining fields, for maps with names as keys.
    pub fn take_rest(&mut self, report: &Report) -> Vec<(&'n str, Field<'n>)> {
        let rest = std::mem::take(&mut self.entries);
        rest.into_iter().map(|entry| (entry.key.as_str(), self.field(report, entry))).collect()
    }

    /// Reports each field that was not taken.
    pub fn finish(self, report: &Report) {
        for entry in &self.entries {
            let remedy = did_you_mean(&entry.key, &self.known)
                .unwrap_or_else(|| format!("remove it, or use one of {}", self.known.join(", ")));
            let message = format!("is not a key that is known here; {remedy}");
            report.mistake(Some(entry.line), &join(&self.path, &entry.key), message);
        }
    }

    fn field(&self, report: &Report, entry: &'n Entry) -> Field<'n> {
        let path = join(&self.path, &entry.key);
        report.lines.borrow_mut().insert(path.clone(), entry.line);
        Field { path, line: entry.line, node: &entry.value }
    }
}

/// Asks whether the most similar of the known words was meant.
pub fn did_you_mean(word: &str, known: &[&str]) -> Option<String> {
    meant(word, known).map(|known| format!("did you mean '{known}'?"))
}
