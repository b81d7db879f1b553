//! Makes other programs' texts, such as file names and messages, safe for a terminal.

/// Replaces characters that could control the terminal or disguise a text; line breaks and tabs stay.
pub fn visible(text: &str) -> String {
    text.chars().map(|c| if is_treacherous(c) { '·' } else { c }).collect()
}

/// Returns whether a character is displayed as something other than itself: control characters, and those of Unicode's
/// category Cf that reorder, join or hide their neighbours.
fn is_treacherous(c: char) -> bool {
    let is_format = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}');
    is_format || c.is_control() && c != '\n' && c != '\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal_or_turns_the_text_around() {
        assert_eq!(visible("a\x1b[2J\r\u{9b}b"), "a·[2J··b");
        assert_eq!(visible("ab\u{202e}cd\u{2066}e\u{200b}f\u{feff}"), "ab·cd·e·f·");
        assert_eq!(visible("one\n\ttwo äü 加法 é"), "one\n\ttwo äü 加法 é");
    }
}
