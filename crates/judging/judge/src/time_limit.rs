//! The time limit of a package, and where it is from.

use model::Nanos;

/// A time limit and where it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    /// What a run may take.
    pub limit: Nanos,
    /// Where it is from.
    pub origin: LimitOrigin,
}

/// Where a time limit is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitOrigin {
    /// The caller asked for it.
    Asked,
    /// The package names it, there.
    Package(String),
    /// It follows from the slowest accepted submission.
    Derived {
        /// Which.
        submission: String,
        /// Its time.
        time: Nanos,
    },
    /// It followed so at an earlier time.
    Stored {
        /// From which submission.
        submission: String,
        /// From which time of it.
        time: Nanos,
        /// When that was, for people.
        when: String,
    },
}

impl std::fmt::Display for LimitOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Asked => f.write_str("as asked"),
            Self::Package(place) => f.write_str(place),
            Self::Derived { submission, time } => {
                write!(f, "derived now on this machine: {submission} takes {time}")
            }
            Self::Stored { submission, time, when } => {
                write!(f, "derived on this machine {when}: {submission} took {time}")
            }
        }
    }
}
