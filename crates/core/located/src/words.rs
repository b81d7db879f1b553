//! Words of messages about a field: where it is, what it says, and what was probably meant.

use crate::Value;

/// Longest text that a message repeats.
const SHOWN_CHARACTERS_MAX: usize = 60;
/// Less similar words are not typing errors. Keys are short, and one letter in four is often the wrong one.
const LIKENESS_MIN: f64 = 0.75;
/// Shorter texts are parts of too many names.
const PART_BYTES_MIN: usize = 6;

/// Returns the path of a field in a map, such as `limits.memory`.
pub fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Returns the known word that is most similar to a wrong one, if it is similar enough to be meant.
pub fn meant<'w>(word: &str, known: &[&'w str]) -> Option<&'w str> {
    // A long text is no typing error, and would take long to compare.
    if word.len() > SHOWN_CHARACTERS_MAX {
        return None;
    }
    // A part of a name is likelier than another name that is spelt alike.
    let is_part = |known: &&&str| word.len() >= PART_BYTES_MIN && known.contains(word);
    let similar = || {
        let scored = known.iter().map(|known| (strsim::jaro_winkler(word, known), *known));
        scored.filter(|(likeness, _)| *likeness >= LIKENESS_MIN).max_by(|a, b| a.0.total_cmp(&b.0))
    };
    known.iter().find(is_part).copied().or_else(|| similar().map(|(_, known)| known))
}

/// Cuts a text for a message and makes its control characters visible.
pub fn shorten(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARACTERS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN_CHARACTERS_MAX).is_some() {
        shown.push_str("...");
    }
    shown
}

impl Value {
    /// Returns the value as a message repeats it: a text in quotes, a number as it is written, or the kind of value.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) => format!("'{}'", shorten(text)),
            Self::Number { text, .. } => shorten(text),
            Self::Bool(value) => value.to_string(),
            other => other.kind().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_meant_if_they_are_similar_and_short() {
        assert_eq!(meant("memroy", &["time", "memory"]), Some("memory"));
        assert_eq!(meant("colour", &["time", "memory"]), None);
        assert_eq!(
            meant("freeze_duration", &["duration", "scoreboard_freeze_duration"]),
            Some("scoreboard_freeze_duration")
        );
        assert_eq!(meant(&"memory".repeat(20), &["memory"]), None);
    }

    #[test]
    fn texts_are_cut_and_their_control_characters_shown() {
        assert_eq!(Value::Text("a\u{1b}b".to_owned()).shown(), "'a\\u{1b}b'");
        assert_eq!(shorten(&"x".repeat(61)), "x".repeat(60) + "...");
        assert_eq!(Value::Null.shown(), "nothing");
    }
}
