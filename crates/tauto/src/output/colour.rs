//! Colours, where a person looks; what they say stands in words too.

use model::Verdict;
use std::ffi::OsStr;
use std::io::IsTerminal;

/// Whether colours are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Standard output is a terminal that shows them.
    On,
    /// It is a file or a pipe, or the person does not want them.
    Off,
}

/// What a text means, not how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As it should be.
    Good,
    /// Worth a look.
    Caution,
    /// Not as it should be.
    Bad,
    /// A heading.
    Strong,
    /// Less important than the rest.
    Faint,
}

impl Colour {
    /// Decides for standard output, by <https://no-color.org> and `TERM`.
    pub fn for_stdout() -> Self {
        Self::decide(
            std::io::stdout().is_terminal(),
            std::env::var_os("NO_COLOR").as_deref(),
            std::env::var_os("TERM").as_deref(),
        )
    }

    fn decide(terminal: bool, no_color: Option<&OsStr>, term: Option<&OsStr>) -> Self {
        let unwanted =
            no_color.is_some_and(|value| !value.is_empty()) || term.is_some_and(|term| term == "dumb");
        if terminal && !unwanted { Self::On } else { Self::Off }
    }

    /// Colours a text.
    pub fn paint(self, style: Style, text: &str) -> String {
        if self == Self::Off || text.is_empty() {
            return text.to_owned();
        }
        // Select Graphic Rendition (ECMA-48): the 16 colours that every terminal themes for legibility.
        let code = match style {
            Style::Good => "32",
            Style::Caution => "33",
            Style::Bad => "31",
            Style::Strong => "1",
            Style::Faint => "2",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Returns how a verdict is shown.
pub fn verdict_style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Accepted => Style::Good,
        Verdict::JudgingError | Verdict::CompileError => Style::Caution,
        Verdict::WrongAnswer
        | Verdict::TimeLimitExceeded
        | Verdict::RunTimeError
        | Verdict::MemoryLimitExceeded
        | Verdict::OutputLimitExceeded
        | Verdict::WallTimeLimitExceeded => Style::Bad,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_without_no_color_is_coloured() {
        let os = OsStr::new;
        for (terminal, no_color, term, expected) in [
            (true, None, Some(os("xterm")), Colour::On),
            (true, Some(os("")), None, Colour::On),
            (true, Some(os("1")), Some(os("xterm")), Colour::Off),
            (true, None, Some(os("dumb")), Colour::Off),
            (false, None, Some(os("xterm")), Colour::Off),
        ] {
            assert_eq!(
                Colour::decide(terminal, no_color, term),
                expected,
                "{terminal} {no_color:?} {term:?}"
            );
        }
    }

    #[test]
    fn off_leaves_the_text_alone() {
        assert_eq!(Colour::Off.paint(Style::Bad, "WA"), "WA");
        assert_eq!(Colour::On.paint(Style::Bad, "WA"), "\x1b[31mWA\x1b[0m");
    }
}
