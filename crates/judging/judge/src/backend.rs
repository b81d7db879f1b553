//! What runs the programs of one timed place.

use crate::beside::{Answer, Job};
use crate::cancel::Cancel;
use crate::check::{Checked, FeedbackFolder};
use crate::clock::Clock;
use crate::prepare::Ready;
use crate::relay::TranscriptLine;
use crate::run::OverOutput;
use crate::{JudgeError, Problem};
use judging::RunLimits;
use model::{Bytes, Nanos, Reading, RunResult, Slowdown};
use package::TestCase;
use sandbox::MemoryInput;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// Runs what the thread of a place decides: timed runs, one at a time, and what helps beside them.
///
/// The sandbox's is [`crate::Place`]; the tests of the thread have one whose results are drawn. What is asked for is data;
/// descriptors, mounts and CPUs are the backend's own business.
pub(crate) trait RunBackend: Debug + Send + Sync {
    /// Runs a submission on a case.
    ///
    /// # Errors
    /// When we fail.
    fn run(&self, run: &TimedRun<'_>) -> Result<RunOutcome, JudgeError>;

    /// Lets a submission and the package's interactor talk.
    ///
    /// This is one method because only whoever holds both ends can say who ended first, which decides the verdict, and end
    /// one side when the other no longer matters.
    ///
    /// # Errors
    /// When we fail; that the interactor does is a result.
    fn converse(&self, run: &TimedRun<'_>, talk: Talk<'_>) -> Result<Conversation, JudgeError>;

    /// Compiles, checks or grades, beside the timed runs. It may be called while one goes on.
    fn help(&self, job: Job) -> Answer;

    /// Returns whether it can help now without taking the CPU of timed runs.
    fn can_overlap(&self) -> bool;

    /// Looks how much slower than at its best the core of timed runs is now.
    ///
    /// # Errors
    /// When we fail.
    fn slowdown(&self) -> Result<Reading<Slowdown>, JudgeError>;

    /// Makes ready for a run that may be held.
    fn post_guard(&self);

    /// Brings memory of a run that used so much into the caches, as if one had just ended.
    ///
    /// # Errors
    /// When we fail.
    fn warm_memory(&self, used: &Reading<Bytes>) -> Result<(), JudgeError>;

    /// Returns whether everything is to end.
    fn is_stopped(&self) -> bool;

    /// Returns the clock by which rests and patience are counted.
    fn clock(&self) -> Clock {
        Clock::of_machine()
    }
}

/// A submission on a case, to be timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimedRun<'a> {
    pub problem: &'a Problem,
    pub ready: &'a Ready,
    pub case: &'a TestCase,
    pub input: &'a MemoryInput,
    pub limits: RunLimits,
    /// How long it may be held while somebody shares its core.
    pub hold: Nanos,
    /// Whether what helps near it is to stand still meanwhile.
    pub alone: bool,
    pub over_output: OverOutput,
    /// The root that it sees, if not the place's own.
    pub root: Option<&'a Path>,
    pub cancel: &'a Cancel,
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct RunOutcome {
    pub run: RunResult,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// What a conversation needs besides its run.
pub(crate) struct Talk<'a> {
    pub pass: u32,
    /// The interactor's folder, once there was a pass.
    pub feedback: Option<Arc<FeedbackFolder>>,
    /// Returns whether a run leaves the decision to the interactor.
    pub decides: &'a dyn Fn(&RunResult) -> bool,
}

/// What came of a conversation.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub run: RunResult,
    pub stderr: Vec<u8>,
    pub interactor: RunResult,
    /// What the interactor decided, or why it failed.
    pub said: Result<Checked, JudgeError>,
    /// Whether it ended first, or at the same instant.
    pub interactor_first: bool,
    pub transcript: Vec<TranscriptLine>,
    /// The interactor's folder, which lasts over passes.
    pub feedback: Option<Arc<FeedbackFolder>>,
}
