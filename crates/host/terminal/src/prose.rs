//! Breaks lines between words, to the reader's width.

use rustix::fd::BorrowedFd;
use std::sync::OnceLock;
use textwrap::{Options, WordSeparator, WordSplitter};

/// Lines in files and pipes are as long as their text, up to this width.
const COLUMNS_MAX: usize = 160;
/// The same for standard error, where each message is one line for searches in logs.
const ERROR_COLUMNS_MAX: usize = 1 << 16;
/// The assumed width of a terminal that does not report one.
const COLUMNS_USUAL: usize = 80;
/// Narrower output would be unreadable.
const COLUMNS_MIN: usize = 40;
/// A placeholder for a blank at which no line is broken.
const GLUE: char = '\u{a0}';

/// The columns of standard output and of standard error.
static COLUMNS: OnceLock<(usize, usize)> = OnceLock::new();

/// Determines the widths of both outputs: by the variable `COLUMNS`, otherwise by the terminal. Without this call both
/// count as files.
pub fn read_columns() {
    let wanted = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let [output, error] = [rustix::stdio::stdout(), rustix::stdio::stderr()].map(terminal_columns);
    let error = error.map_or(ERROR_COLUMNS_MAX, |error| columns_of(wanted, Some(error)));
    let _ = COLUMNS.set((columns_of(wanted, output), error));
}

/// Returns the width of a terminal; `None` for a file or a pipe.
fn terminal_columns(descriptor: BorrowedFd<'_>) -> Option<usize> {
    rustix::termios::tcgetwinsize(descriptor).ok().map(|size| usize::from(size.ws_col))
}

fn columns_of(wanted: Option<usize>, terminal: Option<usize>) -> usize {
    let usable = |columns: &usize| *columns > 0;
    let terminal = terminal.map_or(COLUMNS_MAX, |columns| if columns > 0 { columns } else { COLUMNS_USUAL });
    wanted.filter(usable).unwrap_or(terminal).max(COLUMNS_MIN)
}

/// Returns the width of standard output.
pub fn columns() -> usize {
    COLUMNS.get().map_or(COLUMNS_MAX, |columns| columns.0)
}

/// Returns the width of standard error.
pub fn error_columns() -> usize {
    COLUMNS.get().map_or(ERROR_COLUMNS_MAX, |columns| columns.1)
}

/// Returns a text as lines for standard output: the first begins with `lead`, the others are indented by `hang`.
pub fn prose(lead: &str, hang: usize, text: &str) -> String {
    wrap(lead, hang, text, columns())
}

/// Returns a text as lines of at most this width; what cannot be broken may be longer.
pub fn wrap(lead: &str, hang: usize, text: &str, columns: usize) -> String {
    let indent = " ".repeat(hang);
    let options = Options::new(columns)
        .initial_indent(lead)
        .subsequent_indent(&indent)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(&glued(text), options).join("\n");
    unglued(&lines) + "\n"
}

/// Returns how wide a text is on a terminal.
pub fn width(text: &str) -> usize {
    textwrap::core::display_width(text)
}

/// Returns the text with placeholders for blanks, so that no line is broken within a number with its unit, or within
/// quotes that contain a command.
pub fn glued(text: &str) -> String {
    /// A longer quote is a sentence rather than a command.
    const QUOTED_MAX: usize = 12;
    let words: Vec<&str> = text.split(' ').collect();
    let mut glued = String::with_capacity(text.len());
    let mut quoted_until = 0;
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            let is_one = at <= quoted_until || is_quantity(words[at - 1], word);
            glued.push(if is_one { GLUE } else { ' ' });
        }
        if at >= quoted_until && word.trim_start_matches('(').starts_with('\'') {
            let end = words[at..].iter().take(QUOTED_MAX).position(|word| ends_quote(word));
            quoted_until = end.map_or(quoted_until, |length| at + length);
        }
        glued.push_str(word);
    }
    glued
}

/// Returns the text with placeholders for all blanks.
pub fn unbroken(text: &str) -> String {
    text.replace(' ', &GLUE.to_string())
}

/// Returns the text with ordinary blanks.
pub fn unglued(text: &str) -> String {
    text.replace(GLUE, " ")
}

fn ends_quote(word: &str) -> bool {
    let word = word.trim_end_matches([',', '.', ';', ':', ')']);
    word.len() > 1 && word.ends_with('\'')
}

fn is_quantity(number: &str, unit: &str) -> bool {
    const UNITS: [&str; 16] =
        ["%", "ns", "us", "ms", "s", "min", "h", "B", "KiB", "MiB", "GiB", "TiB", "Hz", "kHz", "MHz", "GHz"];
    number.ends_with(|c: char| c.is_ascii_digit())
        && UNITS.contains(&unit.trim_end_matches([',', '.', ';', ':', ')']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_hang() {
        let text =
            "fails in 1.5 ms, says 'tauto machine check' of /a/very/long/path-that-has-no-blank/at.all";
        assert_eq!(
            wrap("why: ", 5, text, 20),
            "why: fails in\n     1.5 ms, says\n     'tauto machine check'\n     of\n     /a/very/long/path-that-has-no-blank/at.all\n"
        );
        assert_eq!(wrap("- ", 2, "short", 20), "- short\n");
        assert_eq!(wrap("", 2, "one two three", 7), "one two\n  three\n");
    }

    #[test]
    fn an_apostrophe_is_no_quote() {
        assert_eq!(wrap("", 0, "others' time and 'a", 6), "others'\ntime\nand 'a\n");
    }

    #[test]
    fn the_width_is_what_is_wanted_else_the_terminals() {
        assert_eq!(columns_of(None, None), 160);
        assert_eq!(columns_of(None, Some(100)), 100);
        assert_eq!(columns_of(Some(70), Some(100)), 70);
        assert_eq!(columns_of(Some(70), None), 70);
        assert_eq!(
            (columns_of(Some(0), Some(100)), columns_of(None, Some(0)), columns_of(None, Some(9))),
            (100, 80, 40)
        );
    }
}
