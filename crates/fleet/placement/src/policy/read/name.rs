//! Names of policies and pools.

use located::{Field, Report, Reported};

/// Longest name of a policy or pool: it has its place in tables.
pub(super) const NAME_CHARACTERS_MAX: usize = 64;

/// Words of the format or of YAML, in any spelling.
pub(super) const NO_NAMES: [&str; 5] = ["none", "all", "null", "true", "false"];

/// Returns whether a text can be the name of a policy or a pool: not what YAML, or a person, reads as something else.
pub fn is_name(text: &str) -> bool {
    let is_word = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(is_word)
        && text.len() <= NAME_CHARACTERS_MAX
        && !NO_NAMES.iter().any(|word| word.eq_ignore_ascii_case(text))
}

pub fn expected_name() -> String {
    format!(
        "a name of up to {NAME_CHARACTERS_MAX} letters, digits, '.', '_' and '-' that begins with a letter and is not {}",
        NO_NAMES.join(", ")
    )
}

/// Reads the name of a policy or a pool.
pub(super) fn name<'n>(report: &Report, field: &Field<'n>, name: &'n str) -> Option<&'n str> {
    let read =
        if is_name(name) { Ok(name) } else { Err(field.wrong(expected_name(), "choose another name")) };
    read.reported(report)
}
