//! What the files of packages need of fields beyond [`located`].

use crate::PackageError;
use crate::error::{Complaint, Warnings};
use crate::room::check_arguments;
use located::{Field, Object, Value, Wrong};
use model::{Bytes, Nanos};

/// Whether an unknown field is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    Refuse,
    Warn,
}

/// The fields of a map in a package.
pub(crate) trait ObjectOfPackage<'n> {
    /// Takes the field of this name, or returns an error if it is missing.
    fn demand(&mut self, key: &'static str, remedy: &str) -> Result<Field<'n>, Wrong>;

    /// Returns an error or a warning for every field that was not taken.
    fn close(self, unknown: Unknown, warnings: &Warnings) -> Result<(), PackageError>;
}

impl<'n> ObjectOfPackage<'n> for Object<'n> {
    fn demand(&mut self, key: &'static str, remedy: &str) -> Result<Field<'n>, Wrong> {
        let place = self.place_of(key);
        self.take(key).ok_or_else(|| place.wrong("is missing", remedy))
    }

    fn close(self, unknown: Unknown, warnings: &Warnings) -> Result<(), PackageError> {
        for Wrong { place, problem, remedy } in self.unknown() {
            match unknown {
                Unknown::Refuse => return Err(place.invalid(problem, remedy)),
                Unknown::Warn => warnings.push(place.warning(problem, remedy)),
            }
        }
        Ok(())
    }
}

pub(crate) trait FieldOfPackage<'n> {
    fn field(&self) -> &Field<'n>;

    fn finite(&self) -> Result<f64, Wrong> {
        match self.field().node.value {
            Value::Number { value, .. } if value.is_finite() => Ok(value),
            _ => Err(self.field().wrong("a number", "write it without quotes and unit, such as 1.5")),
        }
    }

    /// Reads a finite number of at least `least`.
    fn number_from(&self, least: f64) -> Result<f64, Wrong> {
        let value = self.finite()?;
        if value >= least {
            Ok(value)
        } else {
            Err(self.field().wrong(format!("a number of at least {least}"), "raise it"))
        }
    }

    /// Reads a whole number of at least `least`.
    fn integer_from(&self, least: u64) -> Result<u64, Wrong> {
        /// Up to this number every integer has an exact floating-point value.
        const MOST: f64 = 9_007_199_254_740_992.0;
        match self.field().node.value {
            Value::Number { value, .. } if value.fract() == 0.0 && value >= least as f64 && value <= MOST => {
                Ok(value as u64)
            }
            _ => Err(self.field().wrong(
                format!("a whole number of at least {least}"),
                "write it without quotes, unit and fraction",
            )),
        }
    }

    /// Reads a time in seconds, greater than zero.
    fn seconds(&self) -> Result<Nanos, Wrong> {
        let time = match self.field().node.value {
            Value::Number { value, .. } => Nanos::from_secs_f64(value),
            _ => None,
        };
        time.filter(|time| *time > Nanos::ZERO).ok_or_else(|| {
            self.field().wrong("a number of seconds above 0", "write it without quotes and unit, such as 1.5")
        })
    }

    /// Reads an amount of memory in the given unit, greater than zero.
    fn amount(&self, unit: Bytes, whole: bool, unit_name: &str) -> Result<Bytes, Wrong> {
        let kind = if whole { "a whole number" } else { "a number" };
        let expected = format!("{kind} of {unit_name} above 0");
        let wrong = || self.field().wrong(&expected, "write it without quotes and unit, such as 256");
        let Value::Number { value, .. } = self.field().node.value else { return Err(wrong()) };
        let bytes = (value * unit.0 as f64).round();
        // No system call accepts a limit of 2^63 or more.
        let in_range = (1.0..9.2e18).contains(&bytes) && (!whole || value.fract() == 0.0);
        if in_range { Ok(Bytes(bytes as u64)) } else { Err(wrong()) }
    }

    /// Reads a map; nothing is an empty one.
    fn fields(&self) -> Result<Object<'n>, Wrong> {
        match &self.field().node.value {
            Value::Null => Ok(Object::empty(self.field())),
            _ => self.field().object(),
        }
    }

    fn texts(&self) -> Result<Vec<String>, Wrong> {
        self.field().items()?.iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    fn arguments(&self) -> Result<Vec<String>, PackageError> {
        let arguments = self.texts()?;
        check_arguments(|| self.field().place(), &arguments)?;
        Ok(arguments)
    }

    /// Reads one text or a list of texts that is not empty.
    fn one_or_more_texts(&self) -> Result<Vec<String>, Wrong> {
        match self.field().value() {
            Value::List(items) if items.is_empty() => Err(self
                .field()
                .wrong("a text or a list that is not empty", "remove the key or name a value")),
            Value::List(_) => self.texts(),
            Value::Text(_) | Value::Number { .. } => Ok(vec![self.field().text()?.to_owned()]),
            _ => Err(self.field().wrong("a text or a list of texts", "write it as a or as [a, b]")),
        }
    }
}

impl<'n> FieldOfPackage<'n> for Field<'n> {
    fn field(&self) -> &Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    fn with(text: &str, check: impl FnOnce(&mut Object<'_>)) {
        let node = parse("problem.yaml", text).unwrap();
        check(&mut Field::document("problem.yaml", &node).fields().unwrap());
    }

    fn refused<T>(result: Result<T, impl ToString>) -> String {
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
            let mut fields = Field::document("problem.yaml", &node).fields().unwrap();
            assert!(fields.take("name").is_none());
            fields
        };
        let warnings = Warnings::default();
        fields().close(Unknown::Warn, &warnings).unwrap();
        assert_eq!(
            warnings.take().iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "problem.yaml:1: nmae: is not a known key; did you mean 'name'?",
                "problem.yaml:2: zzz: is not a known key; remove it, or use one of name",
            ]
        );
        refused(fields().close(Unknown::Refuse, &warnings));
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
