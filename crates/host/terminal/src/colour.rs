//! Colours, on terminals only; words always say the same.

use model::Verdict;

/// Whether colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Standard output is a terminal with colours.
    On,
    /// It is a file or a pipe, or the user does not want colours.
    Off,
}

/// The meaning of a text, not its appearance.
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
    /// Decides for standard output, by `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR` and `TERM`.
    pub fn for_stdout() -> Self {
        match anstream::AutoStream::choice(&std::io::stdout()) {
            anstream::ColorChoice::Never => Self::Off,
            _ => Self::On,
        }
    }

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
    fn off_leaves_the_text_alone() {
        assert_eq!(Colour::Off.paint(Style::Bad, "WA"), "WA");
        assert_eq!(Colour::On.paint(Style::Bad, "WA"), "\x1b[31mWA\x1b[0m");
    }
}
