//! The backend that runs the programs of one timed place.

use crate::cancel::Cancel;
use crate::check::{Checked, FeedbackFolder};
use crate::clock::Clock;
use crate::prepare::Ready;
use crate::relay::TranscriptLine;
use crate::run::OverOutput;
use crate::untimed::{Answer, Job};
use crate::written::Written;
use crate::{JudgeError, Problem};
use judging_steps::RunLimits;
use model::{Bytes, Nanos, Reading, RunResult, Slowdown};
use package::TestCase;
use sandbox::MemoryInput;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// Executes the steps that a place's thread decides on: timed runs, one at a time, and the helpers' work.
///
/// For the sandbox this is [`crate::Place`]; tests of the thread use one with prepared results. Requests are data;
/// descriptors, mounts and CPUs are up to the backend.
pub(crate) trait RunBackend: Debug + Send + Sync {
    fn run(&self, run: &TimedRun<'_>) -> Result<RunOutcome, JudgeError>;

    /// Connects a submission with the package's interactor.
    ///
    /// This is one method because only the code that holds both ends knows what the interactor could see before it ended,
    /// which decides the verdict, and can end one side when the other no longer matters.
    ///
    /// # Errors
    /// On an internal failure; a failure of the interactor is a result.
    fn converse(&self, run: &TimedRun<'_>, talk: Talk<'_>) -> Result<Conversation, JudgeError>;

    /// Compiles, checks or grades, not timed. May be called while a timed run is active.
    fn help(&self, job: Job) -> Answer;

    /// Returns whether it can do helpers' work now without using the CPU of timed runs.
    fn can_overlap(&self) -> bool;

    /// Probes how much slower the core of timed runs is now than at its best.
    fn slowdown(&self) -> Result<Reading<Slowdown>, JudgeError>;

    /// Prepares for a run that may be held.
    fn post_guard(&self);

    /// Brings as much memory as a run used into the caches, as if that run had just ended.
    fn warm_memory(&self, used: &Reading<Bytes>) -> Result<(), JudgeError>;

    fn is_stopped(&self) -> bool;

    /// Returns the clock for rests and patience.
    fn clock(&self) -> Clock {
        Clock::of_machine()
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TimedRun<'a> {
    pub problem: &'a Problem,
    pub ready: &'a Ready,
    pub case: &'a TestCase,
    pub input: &'a MemoryInput,
    pub limits: RunLimits,
    /// How long it may be held while its core is contended.
    pub hold: Nanos,
    /// Whether nearby helpers are paused during the run.
    pub alone: bool,
    pub over_output: OverOutput,
    /// The root that it sees, if different from the place's.
    pub root: Option<&'a Path>,
    pub cancel: &'a Cancel,
}

#[derive(Debug)]
pub(crate) struct RunOutcome {
    pub run: RunResult,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// The parameters of a conversation other than its run.
pub(crate) struct Talk<'a> {
    pub pass: u32,
    /// The interactor's folder, if there was an earlier pass.
    pub feedback: Option<Arc<FeedbackFolder>>,
    /// Returns whether the interactor decides after a run with this result.
    pub decides: &'a dyn Fn(&RunResult) -> bool,
}

#[derive(Debug)]
pub(crate) struct Conversation {
    pub run: RunResult,
    pub stderr: Vec<u8>,
    /// What the interactor and the submission sent, with as much of the beginning as a transcript has.
    pub sent: [Written; 2],
    pub interactor: RunResult,
    /// The interactor's decision, or why it failed.
    pub checked: Result<Checked, JudgeError>,
    /// Whether it ended before it could see the end of the submission's output.
    pub before_end: bool,
    pub transcript: Vec<TranscriptLine>,
    /// The interactor's folder, which lasts over passes.
    pub feedback: Option<Arc<FeedbackFolder>>,
}
