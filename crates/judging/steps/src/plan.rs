//! What is known before anything is done.

use crate::CaseEnd;
use model::Nanos;
use ruling::TimeRule;
use std::fmt::Debug;

/// The CPU time after which a warm-up run ends; by then everything is loaded.
pub const WARM_UP_TIME_MAX: Nanos = Nanos::from_millis(500);

#[derive(Clone, Debug)]
pub struct Plan {
    /// How runs and checks follow each other.
    pub kind: Kind,
    /// What has a result of its own, in judging order.
    pub items: Vec<Item>,
    /// How times become verdicts; its patience is that of the submission.
    pub rule: TimeRule,
    /// How many repeats the submission may cause.
    pub repeats: u32,
    /// Whether the check of one case may run while the next case runs. Not with a grader, which is only asked about
    /// groups without pending cases, and not if both need the same CPU.
    pub overlaps: bool,
}

/// How runs and checks follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Answers were handed in; only checks run.
    Answers,
    /// A case is run until its time is certain, then checked.
    Simple,
    /// After each check there may be another pass.
    Passes,
    /// Submission and interactor communicate, in one pass or several.
    Conversation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Sources,
    Case,
    NoAnswer,
}

/// Computes the total of the cases. Its decisions depend on the finished cases, and it may first ask the package's
/// grader.
pub trait Scoring {
    type Call: Clone + Debug;
    /// What the grader answered, or why it failed.
    type Grade;
    type Total: Clone + Debug;

    /// Returns whether an item can still change the result.
    ///
    /// # Errors
    /// Returns the question whose answer is needed first.
    fn needs(&self, done: &[CaseEnd], item: usize) -> Result<bool, Self::Call>;

    /// Stores the answer to a question, which is not asked again.
    fn graded(&mut self, call: Self::Call, grade: Self::Grade);

    /// Computes the total.
    ///
    /// # Errors
    /// Returns the question whose answer is needed first.
    fn total(&self, done: &[CaseEnd]) -> Result<Self::Total, Self::Call>;
}
