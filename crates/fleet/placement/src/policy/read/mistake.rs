//! Mistakes in a file of policies, and in names.

use super::fields::{Field, Report};
use std::fmt;

/// Longest name of a policy or pool: it has its place in tables.
pub(super) const NAME_CHARACTERS_MAX: usize = 64;

/// Words of the format or of YAML, in any spelling.
pub(super) const NO_NAMES: [&str; 5] = ["none", "all", "null", "true", "false"];

/// What is wrong with a file, or may surprise, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Its line, if known.
    pub line: Option<u64>,
    /// The field, such as `limits.peak`; empty for the whole file.
    pub field: String,
    /// What was found, what was expected, and how to mend it.
    pub message: String,
}

impl fmt::Display for Mistake {
    /// Prints what follows the name of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.field.is_empty() {
            write!(f, ": {}", self.field)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Returns whether a text can be the name of a policy or a pool: not what YAML, or a person, reads as something else.
pub fn is_name(text: &str) -> bool {
    let is_word = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(is_word)
        && text.len() <= NAME_CHARACTERS_MAX
        && !NO_NAMES.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Returns what [`is_name`] expects.
pub fn expected_name() -> String {
    format!(
        "a name of up to {NAME_CHARACTERS_MAX} letters, digits, '.', '_' and '-' that begins with a letter and is not {}",
        NO_NAMES.join(", ")
    )
}

/// Reports a name that is none.
pub(super) fn name_ok(report: &Report, field: &Field<'_>, name: &str) -> bool {
    let is_good = is_name(name);
    if !is_good {
        field.wrong(report, &expected_name(), "choose another name");
    }
    is_good
}
