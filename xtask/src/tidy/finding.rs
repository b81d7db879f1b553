//! A rule that is broken.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Error,
    Warning,
}

/// A rule that is broken, where, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    pub(super) level: Level,
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) fix: String,
}

impl Finding {
    pub(super) fn error(path: &str, line: usize, text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: Level::Error, path: path.to_owned(), line, text: text.into(), fix: fix.into() }
    }

    pub(super) fn warning(path: &str, line: usize, text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: Level::Warning, ..Self::error(path, line, text, fix) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        write!(f, "{level}: {}:{}: {}\n  fix: {}", self.path, self.line, self.text, self.fix)
    }
}
