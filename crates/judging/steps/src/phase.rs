//! The present phase of an open judging, for status displays.

use model::Nanos;

/// The phase of a judging. While a run and a check are active together, the phase is the run's.
///
/// Here a case is the index of its item and an instant is a time on the driver's clock; callers translate both for
/// display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase<C = usize, T = Nanos> {
    /// Waiting for something that others are using.
    Queued,
    Compiling,
    /// Examining the answers that were handed in.
    TakingAnswers,
    /// Running untimed, before the first timed run.
    WarmingUp {
        case: C,
    },
    Running {
        case: C,
        /// In which pass, from 1.
        pass: u32,
        /// The number of the run within the pass, from 1.
        attempt: u32,
    },
    /// Checking the output, or the sources.
    Checking {
        case: C,
    },
    /// Asking the package's grader.
    Grading,
    /// Resting: it leaves the CPUs alone.
    Resting {
        case: C,
        /// The number of the next run, from 1.
        attempt: u32,
        /// When the rest is over.
        until: T,
    },
    /// Waiting for an undisturbed core.
    WaitingForCalm {
        case: C,
        /// The number of the next run, from 1.
        attempt: u32,
        /// For how long in total, without other judgings' turns.
        at_most: Nanos,
    },
}

impl<C, T> Phase<C, T> {
    pub fn map<D, U>(self, name: impl FnOnce(C) -> D, instant: impl FnOnce(T) -> U) -> Phase<D, U> {
        match self {
            Self::Queued => Phase::Queued,
            Self::Compiling => Phase::Compiling,
            Self::TakingAnswers => Phase::TakingAnswers,
            Self::WarmingUp { case } => Phase::WarmingUp { case: name(case) },
            Self::Running { case, pass, attempt } => Phase::Running { case: name(case), pass, attempt },
            Self::Checking { case } => Phase::Checking { case: name(case) },
            Self::Grading => Phase::Grading,
            Self::Resting { case, attempt, until } => {
                Phase::Resting { case: name(case), attempt, until: instant(until) }
            }
            Self::WaitingForCalm { case, attempt, at_most } => {
                Phase::WaitingForCalm { case: name(case), attempt, at_most }
            }
        }
    }

    /// Returns whether a helper does this, next to the timed place.
    pub fn is_untimed(&self) -> bool {
        matches!(self, Self::Compiling | Self::TakingAnswers | Self::Checking { .. } | Self::Grading)
    }
}
