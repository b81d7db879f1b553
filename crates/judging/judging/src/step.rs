//! What is to be done, what came of it, and what that means.

use crate::CaseEnd;
use model::{Nanos, RunResult, Verdict};
use ruling::Ruling;

/// What is to be done now. Each but the last three is begun when it is given, and its event is to come.
#[derive(Clone, Debug, PartialEq)]
pub enum Step<C, T> {
    /// Compile the submission.
    Compile,
    /// Look whether the answers can be taken as files.
    TakeAnswers,
    /// Show the sources to the package's static validator.
    CheckSources {
        /// Which item that is.
        item: usize,
    },
    /// Run a case once, untimed, so that the first timed run finds its files in memory.
    WarmUp {
        /// Which item the case is.
        item: usize,
        /// When it is ended.
        limits: RunLimits,
    },
    /// Run a case.
    Run {
        /// Which item it is.
        item: usize,
        /// In which pass, from 1.
        pass: u32,
        /// The how manieth run of it that is, from 1.
        attempt: u32,
        /// When it is ended.
        limits: RunLimits,
        /// How long it may be held while somebody shares its core.
        hold: Nanos,
    },
    /// Let submission and interactor talk.
    Converse {
        /// On which item.
        item: usize,
        /// In which pass, from 1. The first begins anew what lasts over passes.
        pass: u32,
        /// The how manieth run of it that is, from 1.
        attempt: u32,
        /// When the submission is ended.
        limits: RunLimits,
    },
    /// Check what a run of a case wrote, or the answer that was handed in.
    Check {
        /// Which item the case is.
        item: usize,
        /// In which pass, from 1.
        pass: u32,
        /// Which of the pass's runs wrote it, from 0.
        run: usize,
    },
    /// Wait for a core that is at its best, and warm the memory of the next run.
    WaitForCalm {
        /// For which item.
        item: usize,
        /// For how long at most.
        patience: Nanos,
    },
    /// Ask the package's grader.
    Grade(C),
    /// Leave the CPU alone until then; an event may come before.
    RestUntil(Nanos),
    /// Nothing, until something that was begun tells its event.
    Wait,
    /// Nothing any more.
    Done(Outcome<T>),
}

/// When a run is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// After so much CPU time.
    pub cpu_time: Nanos,
    /// After so much time on the clock.
    pub wall_time: Nanos,
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checked {
    /// What the output comes to.
    pub verdict: Verdict,
    /// Its score, where cases have scores.
    pub score: Option<f64>,
    /// What its score is multiplied by.
    pub score_multiplier: Option<f64>,
    /// Whether there is to be another pass.
    pub next_pass: bool,
}

/// How a conversation ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversed {
    /// The submission's run.
    pub run: RunResult,
    /// What the interactor found, or why it failed.
    pub said: Result<Checked, String>,
    /// Whether the interactor ended first, or at the same instant.
    pub interactor_first: bool,
}

/// Which of the things that may go on at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// [`Step::Compile`] or [`Step::TakeAnswers`].
    Preparation,
    /// [`Step::WarmUp`], [`Step::Run`], [`Step::Converse`] or [`Step::WaitForCalm`].
    Timed,
    /// [`Step::Check`] or [`Step::CheckSources`].
    Check,
}

/// What came of a step.
#[derive(Clone, Debug)]
pub enum Event<G> {
    /// The program or the answers are ready.
    Prepared,
    /// The submission does not compile, or its answers cannot be taken.
    NotPrepared,
    /// The warm-up is over.
    WarmedUp,
    /// A run ended.
    Ran(Box<RunResult>),
    /// A conversation ended.
    Conversed(Box<Conversed>),
    /// The wait for a calm core is over.
    Waited {
        /// How long it took.
        time: Nanos,
        /// How long the run that comes now may be held.
        hold: Nanos,
    },
    /// A check is done.
    Checked(Checked),
    /// The grader answered.
    Graded(G),
    /// We failed, the submission did not.
    Failed(Side, String),
    /// Everything is to end.
    Cancel,
}

/// What an event means to whoever tells or records it.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// The runs of a case so far come to this.
    Ruled {
        /// Which item the case is.
        item: usize,
        /// In which pass, from 1.
        pass: u32,
        /// What they come to.
        ruling: Ruling,
    },
    /// The runs of a case count for nothing: what became known meanwhile decides without it.
    ThrownAway {
        /// Which item the case is.
        item: usize,
    },
    /// An item is done.
    CaseDone(Box<CaseEnd>),
}

/// How a judging ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<T> {
    /// All that could change the result is done.
    Judged {
        /// The items that count, in judging order.
        cases: Vec<CaseEnd>,
        /// What they come to together.
        total: T,
    },
    /// It did not compile, or its answers cannot be taken.
    NotPrepared,
    /// We failed on an item, or its time cannot be told.
    JudgingError {
        /// The items that are done, in judging order.
        cases: Vec<CaseEnd>,
        /// The first on which we failed.
        item: usize,
        /// Why.
        why: String,
    },
    /// We failed before or between items.
    Failed(String),
    /// It was cancelled.
    Cancelled,
}
