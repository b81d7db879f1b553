//! Commands with placeholders, and the values that these get.

/// More commands than this are no benchmark that anybody waits for.
pub const COMMANDS_MAX: usize = 64;

/// A name and the values that stand for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, in braces where a value is put.
    pub name: String,
    /// Its values, in order.
    pub values: Vec<String>,
}

/// One value for each name.
pub type Values = Vec<(String, String)>;

/// Why values cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// It cannot be written between braces.
    #[error("'{0}' is no name of a parameter")]
    Name(String),
    /// Two have the same.
    #[error("there are two parameters {0}")]
    Twice(String),
    #[error("'{0}' is not a number such as 8 or 0.25")]
    Number(String),
    /// From the end to the beginning there is nothing.
    #[error("from {min} to {max} there is no value")]
    Empty {
        min: String,
        /// Where it ends.
        max: String,
    },
    /// It never arrives.
    #[error("the step {0} is not more than 0")]
    Step(String),
    /// Steps of 1 are hardly meant between numbers with a point.
    #[error("from {min} to {max} a step is needed: --parameter-step-size 0.1")]
    StepNeeded {
        min: String,
        /// Where it ends.
        max: String,
    },
    /// More combinations than can be measured.
    #[error("that makes {0} commands, more than {COMMANDS_MAX}")]
    TooMany(u128),
}

/// A number with a point, exactly: a number of units of 10 to the power of minus the digits.
#[derive(Clone, Copy)]
struct Decimal {
    units: i128,
    digits: u32,
}

impl Decimal {
    /// With more digits, products of them would not fit.
    const DIGITS_MAX: usize = 15;

    fn read(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(part) || whole.len() + part.len() > Self::DIGITS_MAX {
            return None;
        }
        let units: i128 = format!("{whole}{part}").parse().ok()?;
        Some(Self { units: if unsigned == text { units } else { -units }, digits: part.len() as u32 })
    }

    fn with_digits(self, digits: u32) -> i128 {
        self.units * 10_i128.pow(digits - self.digits)
    }

    fn write(units: i128, digits: u32) -> String {
        let sign = if units < 0 { "-" } else { "" };
        let (size, one) = (units.abs(), 10_i128.pow(digits));
        match digits {
            0 => format!("{sign}{size}"),
            _ => format!("{sign}{}.{:0width$}", size / one, size % one, width = digits as usize),
        }
    }
}

impl Parameter {
    fn new(name: &str, values: Vec<String>) -> Result<Self, ParameterError> {
        if name.is_empty() || name.contains(['{', '}']) {
            return Err(ParameterError::Name(name.to_owned()));
        }
        Ok(Self { name: name.to_owned(), values })
    }

    /// Takes values with commas between them; a comma that belongs to a value stands behind a backslash.
    ///
    /// # Errors
    /// When the name cannot be one.
    pub fn list(name: &str, text: &str) -> Result<Self, ParameterError> {
        let mut values = Vec::new();
        let mut value = String::new();
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                ',' => values.push(std::mem::take(&mut value)),
                '\\' if characters.peek() == Some(&',') => value.extend(characters.next()),
                _ => value.push(character),
            }
        }
        values.push(value);
        Self::new(name, values)
    }

    /// Counts from one number to another, both included.
    ///
    /// # Errors
    /// When the numbers are none, or there is no value or too many.
    pub fn scan(name: &str, min: &str, max: &str, step: Option<&str>) -> Result<Self, ParameterError> {
        let read = |text: &str| Decimal::read(text).ok_or_else(|| ParameterError::Number(text.to_owned()));
        let range = || (min.to_owned(), max.to_owned());
        let (first, last) = (read(min)?, read(max)?);
        let step = match step {
            Some(text) => read(text).and_then(|step| match step.units {
                ..=0 => Err(ParameterError::Step(text.to_owned())),
                _ => Ok(step),
            })?,
            None if first.digits.max(last.digits) > 0 => {
                let (min, max) = range();
                return Err(ParameterError::StepNeeded { min, max });
            }
            None => Decimal { units: 1, digits: 0 },
        };
        let digits = first.digits.max(last.digits).max(step.digits);
        let [first, last, step] = [first, last, step].map(|number| number.with_digits(digits));
        if last < first {
            let (min, max) = range();
            return Err(ParameterError::Empty { min, max });
        }
        let count = ((last - first) / step + 1) as u128;
        if count > COMMANDS_MAX as u128 {
            return Err(ParameterError::TooMany(count));
        }
        let values = (0..count as i128).map(|at| Decimal::write(first + at * step, digits)).collect();
        Self::new(name, values)
    }
}

/// Returns every combination of values for this many commands, the first parameter changing fastest.
///
/// # Errors
/// When there are too many, or two parameters with the same name.
pub fn combinations(parameters: &[Parameter], commands: usize) -> Result<Vec<Values>, ParameterError> {
    for (at, parameter) in parameters.iter().enumerate() {
        if parameters[..at].iter().any(|other| other.name == parameter.name) {
            return Err(ParameterError::Twice(parameter.name.clone()));
        }
    }
    let count = parameters
        .iter()
        .fold(commands as u128, |count, parameter| count.saturating_mul(parameter.values.len() as u128));
    if count > COMMANDS_MAX as u128 {
        return Err(ParameterError::TooMany(count));
    }
    let mut all: Vec<Values> = vec![Vec::new()];
    for Parameter { name, values } in parameters {
        let with = |value: &String| {
            let one = (name.clone(), value.clone());
            all.iter().map(move |others| [others.as_slice(), std::slice::from_ref(&one)].concat()).collect()
        };
        all = values.iter().map(with).collect::<Vec<Vec<Values>>>().concat();
    }
    Ok(all)
}

/// Puts the values where their names stand in braces; other braces stay.
pub fn substitute(text: &str, values: &Values) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        done.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = values.iter().find_map(|(name, value)| {
            Some((value, rest.strip_prefix('{')?.strip_prefix(name.as_str())?.strip_prefix('}')?))
        });
        rest = match found {
            Some((value, after)) => {
                done.push_str(value);
                after
            }
            None => {
                done.push('{');
                &rest[1..]
            }
        };
    }
    done + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(min: &str, max: &str, step: Option<&str>) -> Result<String, ParameterError> {
        Parameter::scan("n", min, max, step).map(|parameter| parameter.values.join(" "))
    }

    #[test]
    fn a_scan_counts_exactly() {
        assert_eq!(scan("1", "4", None).unwrap(), "1 2 3 4");
        assert_eq!(scan("-1", "1", None).unwrap(), "-1 0 1");
        assert_eq!(scan("0", "7", Some("3")).unwrap(), "0 3 6");
        assert_eq!(scan("0.1", "0.5", Some("0.1")).unwrap(), "0.1 0.2 0.3 0.4 0.5");
        assert_eq!(scan("-0.5", "1", Some("0.75")).unwrap(), "-0.50 0.25 1.00");
        assert_eq!(scan("5", "5", None).unwrap(), "5");
    }

    #[test]
    fn a_scan_that_makes_no_sense_is_refused() {
        for (min, max, step, message) in [
            ("x", "4", None, "'x' is not a number such as 8 or 0.25"),
            ("1", "", None, "'' is not a number such as 8 or 0.25"),
            ("4", "1", None, "from 4 to 1 there is no value"),
            ("1", "4", Some("0"), "the step 0 is not more than 0"),
            ("1", "4", Some("-1"), "the step -1 is not more than 0"),
            ("0.5", "4", None, "from 0.5 to 4 a step is needed: --parameter-step-size 0.1"),
            ("1", "100000", None, "that makes 100000 commands, more than 64"),
            ("1e9", "2", None, "'1e9' is not a number such as 8 or 0.25"),
        ] {
            assert_eq!(scan(min, max, step).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn lists_are_split_at_commas() {
        let list = |text| Parameter::list("x", text).unwrap().values;
        assert_eq!(list("a,b c,,d"), ["a", "b c", "", "d"]);
        assert_eq!(list(r"a\,b,\n"), ["a,b", r"\n"]);
        assert!(Parameter::list("a}", "1").is_err() && Parameter::list("", "1").is_err());
    }

    #[test]
    fn the_first_parameter_changes_fastest() {
        let of = |name, text| Parameter::list(name, text).unwrap();
        let all = combinations(&[of("a", "1,2"), of("b", "x,y,z")], 2).unwrap();
        let words: Vec<_> = all.iter().map(|values| format!("{}{}", values[0].1, values[1].1)).collect();
        assert_eq!(words, ["1x", "2x", "1y", "2y", "1z", "2z"]);
        assert_eq!(combinations(&[], 3).unwrap(), [Values::new()]);
        assert_eq!(
            combinations(&[of("a", "1"), of("a", "2")], 1),
            Err(ParameterError::Twice("a".to_owned()))
        );
        let eight = of("a", "1,2,3,4,5,6,7,8");
        let nine = of("b", "1,2,3,4,5,6,7,8,9");
        assert_eq!(combinations(&[eight, nine], 1), Err(ParameterError::TooMany(72)));
    }

    #[test]
    fn only_names_in_braces_are_replaced_and_once() {
        let values = vec![("n".to_owned(), "{m}".to_owned()), ("m".to_owned(), "2".to_owned())];
        assert_eq!(substitute("{n} {m}{m} {x} {n {{m}} m}", &values), "{m} 22 {x} {n {2} m}");
        assert_eq!(substitute("awk '{print $1}'", &values), "awk '{print $1}'");
    }
}
