//! Checks of texts.

use crate::Refusal;
use located::NAME_BYTES_MAX;
use model::{Number, message};

/// The longest text of a reason, a comment or a clarification, in bytes: a page or two.
pub const TEXT_LENGTH_MAX: usize = 16 * 1024;

/// Checks a text that must not be empty.
pub(super) fn check_text(field: &'static str, text: &str) -> Result<(), Refusal> {
    check_present(field, text)?;
    check_optional_text(field, text)
}

/// Checks a text that may be empty.
pub(super) fn check_optional_text(field: &'static str, text: &str) -> Result<(), Refusal> {
    check_length(field, text, TEXT_LENGTH_MAX)?;
    check_characters(field, text, |letter| matches!(letter, '\n' | '\r' | '\t'))
}

/// Checks a name: not empty, one line.
pub(super) fn check_name(field: &'static str, text: &str) -> Result<(), Refusal> {
    check_present(field, text)?;
    check_line(field, text)
}

pub(super) fn check_optional(field: &'static str, name: Option<&str>) -> Result<(), Refusal> {
    name.map_or(Ok(()), |name| check_name(field, name))
}

/// Checks a line that may be empty.
pub(super) fn check_line(field: &'static str, text: &str) -> Result<(), Refusal> {
    check_length(field, text, NAME_BYTES_MAX)?;
    check_characters(field, text, |_| false)?;
    match text.chars().find(|letter| matches!(letter, '\u{2028}' | '\u{2029}')) {
        Some(letter) => Err(refused(field, letter)),
        None => Ok(()),
    }
}

/// Checks a text that was typed elsewhere, and that the caller cannot change.
pub(super) fn check_imported(field: &'static str, text: &str) -> Result<(), Refusal> {
    check_present(field, text)?;
    check_length(field, text, TEXT_LENGTH_MAX)
}

/// Returns what can be seen of a name, in small letters: without blanks and what only joins or selects signs (Unicode's
/// Default_Ignorable_Code_Point).
pub(super) fn visible_part(name: &str) -> String {
    let is_blank = |letter: char| {
        let ignorable = matches!(
            letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        );
        // The last one is a sign of Braille without a dot.
        ignorable || letter.is_whitespace() || letter == '\u{2800}'
    };
    name.chars().filter(|letter| !is_blank(*letter)).flat_map(char::to_lowercase).collect()
}

fn check_present(field: &'static str, text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::invalid(field, message!("field-empty", "'{field}' is empty", field)));
    }
    Ok(())
}

pub(super) fn check_length(field: &'static str, text: &str, max: usize) -> Result<(), Refusal> {
    if text.len() > max {
        let message = message!(
            "field-too-long",
            "'{field}' has {count} bytes; at most {max} are allowed",
            field,
            count = Number(text.len()),
            max
        );
        return Err(Refusal::invalid(field, message));
    }
    Ok(())
}

fn check_characters(
    field: &'static str,
    text: &str,
    is_allowed: impl Fn(char) -> bool,
) -> Result<(), Refusal> {
    let is_wrong = |letter: &char| (letter.is_control() && !is_allowed(*letter)) || turns_others(*letter);
    text.chars().find(is_wrong).map_or(Ok(()), |letter| Err(refused(field, letter)))
}

fn refused(field: &'static str, letter: char) -> Refusal {
    let character = format!("U+{:04X}", u32::from(letter));
    let message = if turns_others(letter) {
        message!(
            "turns-text",
            "'{field}' has {character}, which changes the direction of the text after it; leave it out",
            field,
            character
        )
    } else {
        message!(
            "control-character",
            "'{field}' has {character}, which is a control character; leave it out",
            field,
            character
        )
    };
    Refusal::invalid(field, message)
}

/// Returns whether a character sets the direction of others up to an end that may never come: a text with it looks like
/// another one, and reaches beyond itself. Marks for a single place (U+200E, U+200F, U+061C), which texts in Arabic and
/// Hebrew need, do not.
fn turns_others(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns whether a character is not seen, or changes the order of others: in the name of a file none is needed.
pub(super) fn hides_in_a_name(letter: char) -> bool {
    letter.is_control()
        || turns_others(letter)
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deceptive_characters_are_refused() {
        type Check = fn(&'static str, &str) -> Result<(), Refusal>;
        let checks: [Check; 4] = [check_text, check_optional_text, check_name, check_line];
        let check = |text: &str, expected: [bool; 4]| {
            assert_eq!(checks.map(|check| check("text", text).is_ok()), expected, "{text:?}");
        };
        check("Is N > 0?", [true; 4]);
        check("two\nlines\r\n\tand a tab", [true, true, false, false]);
        check("", [false, true, false, true]);
        check(" \n", [false, true, false, false]);
        check("שלום\u{200f}, עולם! سلام\u{61c} é 数 👩\u{200d}💻", [true; 4]);
        check("a soft\u{2028}break", [true, true, false, false]);
        for wrong in
            ['\0', '\u{7}', '\u{1b}', '\u{7f}', '\u{85}', '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}']
        {
            check(&format!("a{wrong}b"), [false; 4]);
        }
        check(&"a".repeat(NAME_BYTES_MAX + 1), [true, true, false, false]);
        check(&"a".repeat(TEXT_LENGTH_MAX + 1), [false; 4]);
        let message = |text: &str| check_text("text", text).unwrap_err().message.text;
        assert_eq!(message("a\0"), "'text' has U+0000, which is a control character; leave it out");
        assert!(message("\u{202e}a").contains("U+202E, which changes the direction"));
        assert!(check_imported("text", "as it was\u{202e}").is_ok() && check_imported("text", "").is_err());
    }
}
