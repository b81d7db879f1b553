//! What judges jobs: the engine with its sandbox, or a recording.

use crate::cache::CachedPackage;
use crate::error::Failure;
use crate::statements::MadeStatement;
use documents::judgehost::{
    Job, JobCases, JobDone, JobLimits, JobMode, JobRun, JobTimeLimit, PlaceNow, StatementTask,
};
use judge::Cancel;
use languages::SourceFile;
use model::Nanos;
use std::sync::Arc;

/// Judges jobs whose files are there.
///
/// [`crate::Sandboxed`] is the real one; [`crate::Recorded`] answers from a recording, for tests and for loads that no
/// single machine could judge.
pub trait Judges: Send + Sync + 'static {
    type Problem: Clone + Send + 'static;

    /// Returns how many programs are timed at once.
    fn places(&self) -> u32;

    /// Returns how many judgings it makes sense to have open at once.
    fn open_max(&self) -> usize;

    fn prepare(&self, cached: &CachedPackage, key: &ProblemKey) -> Result<Prepared<Self::Problem>, Failure>;

    fn with_time_limit(&self, problem: &Self::Problem, limit: Nanos) -> Self::Problem;

    /// Begins to judge. Its progress goes to `sink` with the ticket and ends with [`Progress::Done`], [`Progress::Failed`] or [`Progress::Doubted`]; nothing
    /// follows a cancellation.
    fn judge(
        &self,
        problem: &Self::Problem,
        task: JudgeTask,
        sink: ProgressSink,
    ) -> Result<Box<dyn CancelJudging>, Failure>;

    fn test_language(&self, _id: &str) -> LanguageTested {
        LanguageTested::Works
    }

    /// Ends the test of a language that is under way, or is about to be.
    fn drop_test(&self) {}

    /// Runs the reference program, and returns its CPU time; `None` if there is none.
    fn run_reference(&self) -> Option<Nanos>;

    /// Returns for how long timed places have run programs since the start, all together.
    fn busy(&self) -> Nanos;

    /// Returns the programs for statements that are missing here; `None` if it makes no statements.
    fn lacking(&self) -> Option<Vec<String>> {
        None
    }

    /// Makes a form of the statement of a package, unless it is stopped.
    fn make_statement(
        &self,
        _cached: &CachedPackage,
        _task: &StatementTask,
        _stop: &Cancel,
    ) -> MadeStatement {
        MadeStatement::Stopped
    }

    fn now(&self) -> Vec<PlaceNow> {
        Vec::new()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LanguageTested {
    Works,
    /// Why the program was not compiled, or did not run.
    Broken(String),
    /// The test was ended before it had a result.
    Dropped,
}

/// Receives the progress of judgings; may be called from any thread.
pub type ProgressSink = Arc<dyn Fn(Ticket, Progress) + Send + Sync>;

pub trait CancelJudging: Send {
    /// Ends it; it makes no more progress reports.
    fn cancel(&self);
}

/// A number that a judgehost gives to each job that it receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// What a package is made ready for: jobs with the same key share it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProblemKey {
    pub package: String,
    /// What replaces its limits.
    pub limits: JobLimits,
    /// By which rule it is judged.
    pub mode: JobMode,
    /// By which rules its points are computed; `None` for those that its files show.
    pub scores: Option<model::ScoreRules>,
}

impl ProblemKey {
    pub fn of(job: &Job) -> Self {
        Self {
            package: job.package.hash.clone(),
            limits: job.limits.clone(),
            mode: job.mode,
            scores: job.scores,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Prepared<P> {
    pub problem: P,
    /// Its time limit, if it was derived now.
    pub derived: Option<JobTimeLimit>,
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct JudgeTask {
    pub ticket: Ticket,
    pub job: Arc<Job>,
    pub files: Vec<SourceFile>,
}

impl JudgeTask {
    pub fn all_cases(&self) -> bool {
        self.job.cases == JobCases::Full
    }
}

#[derive(Clone, Debug)]
pub enum Progress {
    Begun,
    Run(JobRun),
    /// `evidence` is its record.
    Done {
        done: Box<JobDone>,
        evidence: Vec<u8>,
    },
    Failed(Failure),
    /// This machine counts otherwise than at its start, so its result is not believed.
    Doubted(String),
}
