//! What judges jobs: the engine with its sandbox, or a recording.

use crate::cache::CachedPackage;
use crate::error::Failure;
use documents::judgehost::{Job, JobCases, JobDone, JobLimits, JobMode, JobRun, JobTimeLimit, PlaceNow};
use languages::SourceFile;
use model::Nanos;
use std::sync::Arc;

/// Judges jobs whose files are there.
///
/// [`crate::Sandboxed`] is the real one; [`crate::Recorded`] answers from a recording, for tests and for loads that no
/// single machine could judge.
pub trait Judges: Send + Sync + 'static {
    /// A package that is ready.
    type Problem: Clone + Send + 'static;

    /// Returns how many programs are timed at once.
    fn places(&self) -> u32;

    /// Returns how many judgings it makes sense to have open at once.
    fn open_max(&self) -> usize;

    /// Makes a package ready that was fetched.
    ///
    /// # Errors
    /// When that is not possible, with what is to blame.
    fn prepare(&self, cached: &CachedPackage, key: &ProblemKey) -> Result<Prepared<Self::Problem>, Failure>;

    /// Returns the same package with another time limit.
    fn with_time_limit(&self, problem: &Self::Problem, limit: Nanos) -> Self::Problem;

    /// Begins to judge. Everything that happens is told with the ticket; the last is [`Told::Done`] or
    /// [`Told::Failed`], and nothing follows a cancellation.
    ///
    /// # Errors
    /// When that is not possible.
    fn judge(
        &self,
        problem: &Self::Problem,
        task: JudgeTask,
        tells: Tells,
    ) -> Result<Box<dyn Cancels>, Failure>;

    /// Compiles and runs a program in a language.
    fn test_language(&self, _id: &str) -> LanguageTested {
        LanguageTested::Works
    }

    /// Ends the test of a language that is under way, or is about to be.
    fn drop_test(&self) {}

    /// Runs the reference program, and returns its CPU time; `None` if there is none.
    fn run_reference(&self) -> Option<Nanos>;

    /// Returns for how long timed places have run programs since the start, all together.
    fn busy(&self) -> Nanos;

    /// Returns what each timed place does.
    fn now(&self) -> Vec<PlaceNow> {
        Vec::new()
    }
}

/// What came of the test of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LanguageTested {
    /// Its program was compiled and ran.
    Works,
    /// It was not, or did not, with the reason.
    Broken(String),
    /// The test was ended before it came to anything.
    Dropped,
}

/// Takes what happens to judgings; may be called from any thread.
pub type Tells = Arc<dyn Fn(Ticket, Told) + Send + Sync>;

/// Cancels a judging.
pub trait Cancels: Send {
    /// Ends it; nothing more is told about it.
    fn cancel(&self);
}

/// A number that a judgehost gives to each job that it receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// What a package is made ready for: jobs with the same key share it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProblemKey {
    /// The package's hash.
    pub package: String,
    /// What replaces its limits.
    pub limits: JobLimits,
    /// By which rule it is judged.
    pub mode: JobMode,
    /// By which rules its points are computed; `None` for those that its files show.
    pub scores: Option<model::ScoreRules>,
}

impl ProblemKey {
    /// Returns the key of a job.
    pub fn of(job: &Job) -> Self {
        Self {
            package: job.package.hash.clone(),
            limits: job.limits.clone(),
            mode: job.mode,
            scores: job.scores,
        }
    }
}

/// A package that was made ready.
#[derive(Clone, Debug)]
pub struct Prepared<P> {
    /// The package.
    pub problem: P,
    /// Its time limit, if it was derived now.
    pub derived: Option<JobTimeLimit>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// A submission to judge.
#[derive(Clone, Debug)]
pub struct JudgeTask {
    /// The job's ticket.
    pub ticket: Ticket,
    /// The job.
    pub job: Arc<Job>,
    /// Its files.
    pub files: Vec<SourceFile>,
}

impl JudgeTask {
    /// Returns whether every case runs.
    pub fn all_cases(&self) -> bool {
        self.job.cases == JobCases::Full
    }
}

/// What happened to a judging.
#[derive(Clone, Debug)]
pub enum Told {
    /// A place has begun with it.
    Begun,
    /// A case is done.
    Run(JobRun),
    /// It is done; `evidence` is its record.
    Done {
        /// The judgement.
        done: Box<JobDone>,
        /// The record.
        evidence: Vec<u8>,
    },
    /// It could not be made.
    Failed(Failure),
}
