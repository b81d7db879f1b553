//! Typed access to the fields of a YAML map, with errors that name file, line and field.

use crate::room::check_arguments;
use crate::yaml::{Entry, Node, Value};
use crate::{Location, PackageError, Warning};
use located::{join, meant};
use model::{Bytes, Nanos};

/// The fields of one map; each is taken once, and the remaining ones are unknown.
pub(crate) struct Fields<'n> {
    file: &'n str,
    path: String,
    line: u64,
    entries: Vec<&'n Entry>,
    known: Vec<&'static str>,
}

/// One field.
#[derive(Clone)]
pub(crate) struct Field<'n> {
    file: &'n str,
    path: String,
    line: u64,
    node: &'n Node,
}

/// Whether an unknown field is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    Refuse,
    Warn,
}

impl<'n> Fields<'n> {
    /// Takes a whole document, which must be a map or empty.
    pub(crate) fn of_document(file: &'n str, root: &'n Node) -> Result<Self, PackageError> {
        Field { file, path: String::new(), line: root.line, node: root }.fields()
    }

    /// Takes the field of this name; a field without a value counts as missing.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Field<'n>> {
        self.known.push(key);
        let index = self.entries.iter().position(|entry| entry.key == key)?;
        let entry = self.entries.remove(index);
        (entry.value.value != Value::Null).then(|| self.field(entry))
    }

    /// Takes the field of this name, or returns an error if it is missing.
    pub(crate) fn require(&mut self, key: &'static str, remedy: &str) -> Result<Field<'n>, PackageError> {
        let place = self.place().field(join(&self.path, key));
        self.take(key).ok_or_else(|| place.invalid("is missing", remedy))
    }

    /// Takes all remaining fields, for maps with arbitrary keys.
    pub(crate) fn take_rest(&mut self) -> Vec<(&'n str, Field<'n>)> {
        std::mem::take(&mut self.entries)
            .into_iter()
            .map(|entry| (entry.key.as_str(), self.field(entry)))
            .collect()
    }

    /// Returns an error or a warning for every field that was not taken.
    pub(crate) fn finish(self, unknown: Unknown, warnings: &mut Vec<Warning>) -> Result<(), PackageError> {
        for entry in &self.entries {
            let place = Location::file(self.file).line(entry.line).field(join(&self.path, &entry.key));
            let remedy = match meant(&entry.key, &self.known) {
                Some(word) => format!("did you mean '{word}'?"),
                None => format!("remove it, or use one of {}", self.known.join(", ")),
            };
            match unknown {
                Unknown::Refuse => return Err(place.invalid("is not a key of this format", remedy)),
                Unknown::Warn => warnings.push(place.warning("is not a key of this format", remedy)),
            }
        }
        Ok(())
    }

    /// Returns the place of the map.
    pub(crate) fn place(&self) -> Location {
        Location::file(self.file).line(self.line).field(self.path.clone())
    }

    fn field(&self, entry: &'n Entry) -> Field<'n> {
        Field { file: self.file, path: join(&self.path, &entry.key), line: entry.line, node: &entry.value }
    }
}

impl<'n> Field<'n> {
    /// Returns the place of the field.
    pub(crate) fn place(&self) -> Location {
        Location::file(self.file).line(self.line).field(self.path.clone())
    }

    pub(crate) fn value(&self) -> &'n Value {
        &self.node.value
    }

    /// Makes the error with what was expected instead.
    pub(crate) fn wrong(&self, expected: &str, remedy: &str) -> PackageError {
        let found = self.node.value.shown();
        self.place().invalid(format!("is {found}, expected {expected}"), remedy)
    }

    /// Reads a text; a number is taken as it is written.
    pub(crate) fn text(&self) -> Result<&'n str, PackageError> {
        match &self.node.value {
            Value::Text(text) | Value::Number { text, .. } => Ok(text),
            _ => Err(self.wrong("a text", "put it in quotes if it is meant as a text")),
        }
    }

    /// Reads `true` or `false`.
    pub(crate) fn boolean(&self) -> Result<bool, PackageError> {
        match self.node.value {
            Value::Bool(value) => Ok(value),
            _ => Err(self.wrong("true or false", "write it without quotes")),
        }
    }

    /// Reads a finite number.
    pub(crate) fn number(&self) -> Result<f64, PackageError> {
        match self.node.value {
            Value::Number { value, .. } if value.is_finite() => Ok(value),
            _ => Err(self.wrong("a number", "write it without quotes and unit, such as 1.5")),
        }
    }

    /// Reads a finite number of at least `least`.
    pub(crate) fn number_from(&self, least: f64) -> Result<f64, PackageError> {
        let value = self.number()?;
        if value >= least {
            Ok(value)
        } else {
            Err(self.wrong(&format!("a number of at least {least}"), "raise it"))
        }
    }

    /// Reads a whole number of at least `least`.
    pub(crate) fn integer_from(&self, least: u64) -> Result<u64, PackageError> {
        /// Up to this number every integer has an exact floating-point value.
        const MOST: f64 = 9_007_199_254_740_992.0;
        match self.node.value {
            Value::Number { value, .. } if value.fract() == 0.0 && value >= least as f64 && value <= MOST => {
                Ok(value as u64)
            }
            _ => Err(self.wrong(
                &format!("a whole number of at least {least}"),
                "write it without quotes, unit and fraction",
            )),
        }
    }

    /// Reads a time in seconds, greater than zero.
    pub(crate) fn seconds(&self) -> Result<Nanos, PackageError> {
        let wrong =
            || self.wrong("a number of seconds above 0", "write it without quotes and unit, such as 1.5");
        match self.node.value {
            Value::Number { value, .. } => {
                Nanos::from_secs_f64(value).filter(|time| *time > Nanos::ZERO).ok_or_else(wrong)
            }
            _ => Err(wrong()),
        }
    }

    /// Reads an amount of memory in the given unit, greater than zero.
    pub(crate) fn amount(&self, unit: Bytes, whole: bool, unit_name: &str) -> Result<Bytes, PackageError> {
        let kind = if whole { "a whole number" } else { "a number" };
        let expected = format!("{kind} of {unit_name} above 0");
        let wrong = || self.wrong(&expected, "write it without quotes and unit, such as 256");
        let Value::Number { value, .. } = self.node.value else { return Err(wrong()) };
        let bytes = (value * unit.0 as f64).round();
        // No system call accepts a limit of 2^63 or more.
        let in_range = (1.0..9.2e18).contains(&bytes) && (!whole || value.fract() == 0.0);
        if in_range { Ok(Bytes(bytes as u64)) } else { Err(wrong()) }
    }

    /// Reads a map.
    pub(crate) fn fields(&self) -> Result<Fields<'n>, PackageError> {
        let entries = match &self.node.value {
            Value::Map(entries) => entries.iter().collect(),
            Value::Null => Vec::new(),
            _ => return Err(self.wrong("a map of keys and values", "write one 'key: value' on each line")),
        };
        Ok(Fields { file: self.file, path: self.path.clone(), line: self.line, entries, known: Vec::new() })
    }

    /// Reads a list.
    pub(crate) fn items(&self) -> Result<Vec<Field<'n>>, PackageError> {
        match &self.node.value {
            Value::List(items) => Ok(items
                .iter()
                .enumerate()
                .map(|(index, node)| Field {
                    file: self.file,
                    path: format!("{}[{index}]", self.path),
                    line: node.line,
                    node,
                })
                .collect()),
            _ => Err(self.wrong("a list", "write it as [a, b]")),
        }
    }

    /// Reads a list of texts.
    pub(crate) fn texts(&self) -> Result<Vec<String>, PackageError> {
        self.items()?.iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    /// Reads a list of arguments.
    pub(crate) fn arguments(&self) -> Result<Vec<String>, PackageError> {
        let arguments = self.texts()?;
        check_arguments(|| self.place(), &arguments)?;
        Ok(arguments)
    }

    /// Reads one text or a list of texts that is not empty.
    pub(crate) fn one_or_more_texts(&self) -> Result<Vec<String>, PackageError> {
        match self.value() {
            Value::List(items) if items.is_empty() => {
                Err(self.wrong("a text or a list that is not empty", "remove the key or name a value"))
            }
            Value::List(_) => self.texts(),
            Value::Text(_) | Value::Number { .. } => Ok(vec![self.text()?.to_owned()]),
            _ => Err(self.wrong("a text or a list of texts", "write it as a or as [a, b]")),
        }
    }

    /// Reads one of the given words.
    pub(crate) fn word<T: Copy>(&self, words: &[(&'static str, T)]) -> Result<T, PackageError> {
        let text = self.text()?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Ok(*value);
        }
        let names: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        let remedy = match meant(text, &names) {
            Some(word) => format!("did you mean '{word}'?"),
            None => "use one of them".to_owned(),
        };
        Err(self.wrong(&format!("one of {}", names.join(", ")), &remedy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    fn with(text: &str, check: impl FnOnce(&mut Fields<'_>)) {
        let node = parse("problem.yaml", text).unwrap();
        check(&mut Fields::of_document("problem.yaml", &node).unwrap());
    }

    fn refused<T>(result: Result<T, PackageError>) -> String {
        match result {
            Ok(_) => panic!("accepted"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn wrong_types_name_line_field_and_remedy() {
        with("\nname: [a]\nlimits:\n  memory: much\n", |fields| {
            assert_eq!(
                refused(fields.take("name").unwrap().text()),
                "problem.yaml:2: name: is a list, expected a text; put it in quotes if it is meant as a text"
            );
            let mut limits = fields.take("limits").unwrap().fields().unwrap();
            assert_eq!(
                refused(limits.take("memory").unwrap().amount(Bytes::from_mib(1), true, "MiB")),
                "problem.yaml:4: limits.memory: is 'much', expected a whole number of MiB above 0; \
                 write it without quotes and unit, such as 256"
            );
        });
    }

    #[test]
    fn amounts_out_of_range_are_refused() {
        for text in ["0", "-1", ".nan", ".inf", "1e30", "0.5", "'256'", "true", "99999999999999999999"] {
            with(&format!("memory: {text}\n"), |fields| {
                refused(fields.take("memory").unwrap().amount(Bytes::from_mib(1), true, "MiB"));
            });
        }
        with("memory: 256\n", |fields| {
            let memory = fields.take("memory").unwrap().amount(Bytes::from_mib(1), true, "MiB");
            assert_eq!(memory.unwrap(), Bytes::from_mib(256));
        });
    }

    #[test]
    fn times_out_of_range_are_refused() {
        for text in ["0", "-1", ".nan", ".inf", "1e30", "1e-12", "'2'"] {
            with(&format!("time_limit: {text}\n"), |fields| {
                refused(fields.take("time_limit").unwrap().seconds());
            });
        }
        with("time_limit: 1.5\n", |fields| {
            assert_eq!(fields.take("time_limit").unwrap().seconds().unwrap(), Nanos::from_millis(1500));
        });
    }

    #[test]
    fn unknown_fields_come_with_a_suggestion() {
        let node = parse("problem.yaml", "nmae: x\nzzz: 1\n").unwrap();
        let fields = || {
            let mut fields = Fields::of_document("problem.yaml", &node).unwrap();
            assert!(fields.take("name").is_none());
            fields
        };
        let mut warnings = Vec::new();
        fields().finish(Unknown::Warn, &mut warnings).unwrap();
        assert_eq!(
            warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "problem.yaml:1: nmae: is not a key of this format; did you mean 'name'?",
                "problem.yaml:2: zzz: is not a key of this format; remove it, or use one of name",
            ]
        );
        refused(fields().finish(Unknown::Refuse, &mut warnings));
    }

    #[test]
    fn words_come_with_a_suggestion() {
        with("type: pass_fail\n", |fields| {
            assert_eq!(
                refused(fields.take("type").unwrap().word(&[("pass-fail", 0), ("scoring", 1)])),
                "problem.yaml:1: type: is 'pass_fail', expected one of pass-fail, scoring; did you mean 'pass-fail'?"
            );
        });
    }
}
