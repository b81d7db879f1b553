//! The formats of packages and the kinds of problems.

use std::fmt;
use std::num::NonZeroU32;

/// A version of the problem package format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// `legacy`; also if no version is given.
    Legacy,
    /// `legacy-icpc`, the subset of `legacy` that ICPC contests use.
    LegacyIcpc,
    /// `2023-07-draft`.
    V2023_07,
    /// `2025-09`, and `draft`, its successor.
    V2025_09,
}

/// How submissions to a problem are run and judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// An accepted submission gets a score as well.
    pub scoring: bool,
    /// The output validator communicates with the running submission.
    pub interactive: bool,
    /// The submission runs again on what the validator writes, for at most this many passes.
    pub multi_pass: Option<NonZeroU32>,
    /// A submission consists of the answers themselves, not of a program.
    pub submit_answer: bool,
}

impl Format {
    /// Returns the name that `problem_format_version` uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::LegacyIcpc => "legacy-icpc",
            Self::V2023_07 => "2023-07-draft",
            Self::V2025_09 => "2025-09",
        }
    }

    /// Returns whether this is one of the two legacy formats.
    pub const fn is_legacy(self) -> bool {
        matches!(self, Self::Legacy | Self::LegacyIcpc)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
