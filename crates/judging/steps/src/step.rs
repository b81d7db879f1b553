//! Steps, their events, and what follows from them.

use crate::CaseEnd;
use model::{InstructionCount, Nanos, RunResult, Verdict};
use ruling::Ruling;

/// The next step. Each except the last three counts as begun when it is returned, and its event follows.
#[derive(Clone, Debug, PartialEq)]
pub enum Step<C, T> {
    Compile,
    /// Examine whether the answers can be taken as files.
    TakeAnswers,
    /// Run the package's static validator on the sources.
    CheckSources {
        item: usize,
    },
    /// Run a case once, untimed, so that its files are in memory for the first timed run.
    WarmUp {
        item: usize,
        limits: RunLimits,
    },
    Run {
        item: usize,
        /// In which pass, from 1.
        pass: u32,
        /// The number of the run within the pass, from 1.
        attempt: u32,
        limits: RunLimits,
        /// How long it may be held while its core is contended.
        hold: Nanos,
    },
    Converse {
        item: usize,
        /// In which pass, from 1. The first pass resets what lasts over passes.
        pass: u32,
        /// The number of the run within the pass, from 1.
        attempt: u32,
        limits: RunLimits,
    },
    /// Check the output of a run, or the answer that was handed in.
    Check {
        item: usize,
        /// In which pass, from 1.
        pass: u32,
        /// Which run of the pass wrote it, from 0.
        run: usize,
    },
    /// Wait for a core at its best, and warm the memory of the next run.
    WaitForCalm {
        item: usize,
        /// For how long at most.
        patience: Nanos,
    },
    /// Ask the package's grader.
    Grade(C),
    /// Leave the CPU alone until this instant; an event may arrive before.
    RestUntil(Nanos),
    Wait,
    Done(Outcome<T>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// Where they are the clock.
    pub instructions: Option<InstructionCount>,
    pub cpu_time: Nanos,
    pub wall_time: Nanos,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checked {
    pub verdict: Verdict,
    /// Its score, if cases have scores.
    pub score: Option<f64>,
    pub score_multiplier: Option<f64>,
    pub next_pass: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Conversed {
    pub run: RunResult,
    /// What the interactor found, or why it failed.
    pub checked: Result<Checked, String>,
    /// Whether the interactor ended before it could see the end of the submission's output.
    pub before_end: bool,
}

/// Which of the activities that can run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// [`Step::Compile`] or [`Step::TakeAnswers`].
    Preparation,
    /// [`Step::WarmUp`], [`Step::Run`], [`Step::Converse`] or [`Step::WaitForCalm`].
    Timed,
    /// [`Step::Check`] or [`Step::CheckSources`].
    Check,
}

#[derive(Clone, Debug)]
pub enum Event<G> {
    /// The program or the answers are ready.
    Prepared,
    /// The submission does not compile, or its answers cannot be taken.
    NotPrepared,
    WarmedUp,
    Ran(Box<RunResult>),
    Conversed(Box<Conversed>),
    /// The wait for a calm core is over.
    Waited {
        /// How long the wait was.
        time: Nanos,
        /// How long the next run may be held.
        hold: Nanos,
    },
    Checked(Checked),
    Graded(G),
    /// An internal failure; the submission is not the cause.
    Failed(Side, String),
    Cancel,
}

/// What follows from an event, for reports and records.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// The ruling on the runs of a case so far.
    Ruled {
        item: usize,
        /// In which pass, from 1.
        pass: u32,
        ruling: Ruling,
    },
    /// The runs of a case are discarded: results that arrived meanwhile decide without it.
    ThrownAway {
        item: usize,
    },
    CaseDone(Box<CaseEnd>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<T> {
    /// Everything that could change the result is done.
    Judged {
        /// The items that count, in judging order.
        cases: Vec<CaseEnd>,
        total: T,
    },
    /// It did not compile, or its answers cannot be taken.
    NotPrepared,
    /// An internal failure on an item, or a time that could not be determined.
    JudgingError {
        /// The items that are done, in judging order.
        cases: Vec<CaseEnd>,
        /// The first such item.
        item: usize,
        why: String,
    },
    /// An internal failure before or between items.
    Failed(String),
    Cancelled,
}
