//! What the calls say about the sources.

use stats::Interval;

/// The time that calls are longer than half of them, as a part of all time: beyond the median of each half second, so
/// that a clock that goes faster or slower for seconds is no loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lost {
    /// As it was measured.
    pub of_calls: f64,
    /// Of calls that are laid over the loop's trace.
    pub expected: f64,
    /// Where the first less the second lies.
    pub difference: Interval,
}

/// What two losses are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Chance does what they differ by.
    Agrees,
    /// Calls lost more: something makes them slower without stopping the loop.
    More,
    /// Calls lost less: what the loop saw was not there for them.
    Less,
}

/// What calls say of one periodic source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Line {
    /// They are longer in its rhythm.
    Seen {
        /// By how much, in nanoseconds for each of its detours.
        length_ns: f64,
        /// The standard error of that.
        error_ns: f64,
        /// At most so likely, by its decimal logarithm, would chance alone do that.
        chance_log10: f64,
    },
    /// They are not, though a source of its length would show.
    Absent,
    /// They are, but other sources, which come a whole part as often, have that rhythm, too.
    Hidden,
    /// A source of its length would not show among what else makes calls longer, or comes too often for calls so long.
    Faint,
}

impl Lost {
    /// Returns whether the two are alike.
    pub fn agreement(&self) -> Agreement {
        if self.difference.low > 0.0 {
            Agreement::More
        } else if self.difference.high < 0.0 {
            Agreement::Less
        } else {
            Agreement::Agrees
        }
    }
}

impl Agreement {
    /// One word for a document.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::More => "more",
            Self::Less => "less",
        }
    }
}

impl Line {
    /// One word for a document.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Seen { .. } => "seen",
            Self::Absent => "absent",
            Self::Hidden => "hidden",
            Self::Faint => "faint",
        }
    }
}
