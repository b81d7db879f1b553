//! The time limit of a package, and its origin.

use model::Nanos;

/// A time limit and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    /// The time that a run may use.
    pub limit: Nanos,
    /// Its origin.
    pub origin: LimitOrigin,
}

/// The origin of a time limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitOrigin {
    /// The caller set it.
    Asked,
    /// The package specifies it, at this place.
    Package(String),
    /// It was derived from the slowest accepted submission.
    Derived {
        /// The submission.
        submission: String,
        /// Its time.
        time: Nanos,
    },
    /// It was derived earlier.
    Stored {
        /// The submission.
        submission: String,
        /// The submission's time.
        time: Nanos,
        /// When, for people.
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
