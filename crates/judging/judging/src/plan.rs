//! What is known before anything is done.

use crate::CaseEnd;
use model::Nanos;
use ruling::TimeRule;
use std::fmt::Debug;

/// A warm-up run ends after this much CPU time at the latest; by then everything is loaded.
pub const WARM_UP_TIME_MAX: Nanos = Nanos::from_millis(500);

/// What is to be judged, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How runs and checks follow each other.
    pub kind: Kind,
    /// What has a result of its own, in judging order.
    pub items: Vec<Item>,
    /// How times become verdicts; its patience is the submission's.
    pub rule: TimeRule,
    /// How many repeats the submission may cause.
    pub repeats: u32,
    /// Whether the check of one case may go on while the next case runs. Not with a grader, who is asked only about groups
    /// of which nothing is open, and not where both need the same CPU.
    pub overlaps: bool,
}

/// How runs and checks follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Answers were handed in; nothing runs but checks.
    Answers,
    /// A case is run until its time is certain, and then checked.
    Simple,
    /// After each check there may be another pass.
    Passes,
    /// Submission and interactor talk, in one pass or several.
    Conversation,
}

/// Something that has a result of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// The check of the source files.
    Sources,
    /// A test case.
    Case,
    /// A test case whose answer is missing among those handed in.
    NoAnswer,
}

/// What the cases come to together. It decides by what is done, and may first ask the package's grader.
pub trait Scoring {
    /// A question to the grader.
    type Call: Clone + Debug;
    /// What the grader answered, or why it failed.
    type Grade;
    /// What all cases come to.
    type Total: Clone + Debug;

    /// Returns whether an item can still change the result.
    ///
    /// # Errors
    /// Returns the question on whose answer that depends.
    fn needs(&self, done: &[CaseEnd], item: usize) -> Result<bool, Self::Call>;

    /// Takes the answer to a question, which is not asked again.
    fn graded(&mut self, call: Self::Call, grade: Self::Grade);

    /// Makes one result of all.
    ///
    /// # Errors
    /// Returns the question on whose answer that depends.
    fn total(&self, done: &[CaseEnd]) -> Result<Self::Total, Self::Call>;
}
