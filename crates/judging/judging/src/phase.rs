//! What an open judging is at, for whoever waits for it.

use model::Nanos;

/// What a judging is at. A check beside a run is not told: the run is.
///
/// Here a case is its item and an instant a time on the driver's clock; whoever tells people has names and a clock of his own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase<C = usize, T = Nanos> {
    /// What it needs next is in use by others.
    Queued,
    /// It is being compiled.
    Compiling,
    /// The answers that were handed in are looked at.
    TakingAnswers,
    /// It runs untimed, before the first timed run.
    WarmingUp {
        /// On which case.
        case: C,
    },
    /// It runs.
    Running {
        /// On which case.
        case: C,
        /// In which pass, from 1.
        pass: u32,
        /// The how manieth run of the pass that is, from 1.
        attempt: u32,
    },
    /// What it wrote is checked, or its sources are.
    Checking {
        /// For which case.
        case: C,
    },
    /// The package's grader is asked.
    Grading,
    /// It leaves the CPUs alone.
    Resting {
        /// The case that is run again.
        case: C,
        /// The how manieth run that will be, from 1.
        attempt: u32,
        /// When the rest is over.
        until: T,
    },
    /// It waits for an undisturbed core.
    WaitingForCalm {
        /// The case that is run again.
        case: C,
        /// The how manieth run that will be, from 1.
        attempt: u32,
        /// For how long in all, turns of others not counted.
        at_most: Nanos,
    },
}

impl<C, T> Phase<C, T> {
    /// Translates cases and instants.
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

    /// Returns whether a helper does it, beside the timed place.
    pub fn is_beside(&self) -> bool {
        matches!(self, Self::Compiling | Self::TakingAnswers | Self::Checking { .. } | Self::Grading)
    }
}
