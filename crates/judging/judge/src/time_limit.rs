//! The time limit of a package, and its origin.

use model::Nanos;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    /// The time that a run may use.
    pub limit: Nanos,
    pub origin: LimitOrigin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitOrigin {
    Asked,
    /// The package specifies it, at this place.
    Package(String),
    /// It was derived from the slowest accepted submission.
    Derived {
        submission: String,
        time: Nanos,
    },
    /// It was derived earlier.
    Stored {
        submission: String,
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
