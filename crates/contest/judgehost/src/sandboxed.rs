//! Judges with the engine, in sandboxes.

use crate::cache::CachedPackage;
use crate::counting::{Counting, Recount};
use crate::error::{Failure, reason};
use crate::evidence::{Evidence, RecordedProblem, machine_of};
use crate::judges::{
    CancelJudging, JudgeTask, Judges, LanguageTested, Prepared, ProblemKey, Progress, ProgressSink, Ticket,
};
use crate::self_test::Canaries;
use crate::statements::{self, MadeStatement};
use documents::MachineIdentity;
use documents::judgehost::{
    FailureScopeId, JobMode, JobTimeLimit, PlaceNow, StatementTask, WorkNow, WorkStep,
};
use judge::{
    Cancel, Engine, JudgeError, JudgeOptions, JudgingHandle, JudgingNotice, LimitOrigin, NamedPhase, Notice,
    Order, Problem, Quiet, SubmissionSource, TimeLimit,
};
use model::{Bytes, Nanos, Verdict};
use package::{Package, PackageError, PackageOptions};
use record::{JudgingMachine, LimitRecord};
use statement::Programs;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Runs of the reference work for one time: the lowest is least disturbed.
const REFERENCE_RUNS: usize = 5;
/// What a job's limits may be at most; a larger one is a mistake that would stop the machine.
const MEMORY_MAX: Bytes = Bytes(1 << 40);
/// A limit of more than ten minutes is a mistake.
const TIME_MAX: Nanos = Nanos::from_millis(600_000);

pub struct Sandboxed {
    engine: Arc<Engine>,
    canaries: Arc<Canaries>,
    around: JudgingMachine,
    programs: Programs,
    /// How instructions are counted, if these are its clock.
    counted: Option<Arc<Counting>>,
    notices: Mutex<Sender<JudgingNotice>>,
    testing: Mutex<Testing>,
    open: Arc<Mutex<HashMap<u64, Open>>>,
    busy: Arc<AtomicU64>,
}

/// The test of a language that is under way, or is about to be.
#[derive(Default)]
struct Testing {
    handle: Option<JudgingHandle>,
    is_dropped: bool,
}

struct Open {
    ticket: Ticket,
    job: String,
    name: String,
    evidence: Evidence,
    sink: ProgressSink,
    handle: JudgingHandle,
}

impl Sandboxed {
    /// `programs` are those with which statements are made.
    pub fn start(
        engine: Arc<Engine>,
        canaries: Canaries,
        machine: MachineIdentity,
        programs: Programs,
        counted: Option<Counting>,
    ) -> std::io::Result<Self> {
        let (notices, received) = channel();
        let around = machine_of(engine.station(), machine);
        let (open, busy) = (Arc::default(), Arc::new(AtomicU64::new(0)));
        let (canaries, counted) = (Arc::new(canaries), counted.map(Arc::new));
        let listener = Listener {
            engine: Arc::downgrade(&engine),
            canaries: Arc::clone(&canaries),
            counted: counted.clone(),
            open: Arc::clone(&open),
            busy: Arc::clone(&busy),
        };
        std::thread::Builder::new().name("notices".to_owned()).spawn(move || listener.listen(&received))?;
        let (notices, testing) = (Mutex::new(notices), Mutex::default());
        Ok(Self { engine, canaries, around, programs, counted, notices, testing, open, busy })
    }

    pub fn canaries(&self) -> &Canaries {
        &self.canaries
    }

    /// Unpacks a package, unless that was done for another job, and reads it.
    fn read(&self, cached: &CachedPackage, key: &ProblemKey) -> Result<Package, Failure> {
        let options = PackageOptions { scores: key.scores, ..PackageOptions::default() };
        let read = cached.read(|path, scratch| {
            let package = Package::open_with(path, scratch, &options, &|| false)?;
            let root = package.root.clone();
            Ok((package, root))
        });
        let mut package = read.map_err(|error: PackageError| match &error {
            PackageError::Io { source, .. } if is_full(source.kind()) => Failure::machine(reason(&error)),
            _ => Failure::package(reason(&error)),
        })?;
        let limits = &mut package.limits;
        let size = |asked: Option<u64>, own: Bytes| asked.map_or(own, |asked| Bytes(asked.max(1)));
        limits.memory = size(key.limits.memory_bytes, limits.memory).min(MEMORY_MAX);
        limits.output = size(key.limits.output_bytes, limits.output).min(MEMORY_MAX);
        limits.code = size(key.limits.code_bytes, limits.code).min(MEMORY_MAX);
        Ok(package)
    }
}

fn is_full(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::OutOfMemory)
}

/// Scopes a judging's error: a failure of the package's programs, which a submission may cause, is about this judging alone.
fn failure_of(error: &JudgeError) -> Failure {
    let failure = Failure::from(error);
    match failure.scope {
        FailureScopeId::Package => Failure::judgement(failure.reason),
        _ => failure,
    }
}

impl Judges for Sandboxed {
    type Problem = RecordedProblem;

    fn places(&self) -> u32 {
        u32::try_from(self.engine.station().places().len()).unwrap_or(u32::MAX)
    }

    fn open_max(&self) -> usize {
        self.engine.open_max()
    }

    fn prepare(
        &self,
        cached: &CachedPackage,
        key: &ProblemKey,
    ) -> Result<Prepared<RecordedProblem>, Failure> {
        let package = Arc::new(self.read(cached, key)?);
        let hash = judge::package_hash(&package.root, None).map_err(|error| Failure::from(&error))?;
        let options = JudgeOptions {
            time_limit: key.limits.time_ns.map(|limit| Nanos(limit.max(1)).min(TIME_MAX)),
            hash_programs: true,
            quick: key.mode == JobMode::Fast,
            counted: self.counted.as_ref().map(|counted| counted.by.clone()),
            ..JudgeOptions::default()
        };
        let prepared = Problem::prepare(&self.engine, Arc::clone(&package), options, &mut Quiet);
        let (problem, _) = prepared.map_err(|error| Failure::from(&error))?;
        let derived = problem.derivation();
        let warnings = problem.warnings().to_vec();
        let job_limit = derived.clone().map(|derivation| JobTimeLimit {
            package: key.package.clone(),
            time_limit_ns: problem.time_limit().limit.0,
            derivation,
        });
        let limit = LimitRecord { derivation: derived, ..LimitRecord::default() };
        let problem = RecordedProblem::new(problem, hash, limit);
        Ok(Prepared { problem, derived: job_limit, warnings })
    }

    fn with_time_limit(&self, problem: &RecordedProblem, limit: Nanos) -> RecordedProblem {
        let limit = TimeLimit { limit: limit.min(TIME_MAX), origin: LimitOrigin::Asked };
        problem.with_problem(problem.problem.with_time_limit(limit))
    }

    fn judge(
        &self,
        problem: &RecordedProblem,
        task: JudgeTask,
        sink: ProgressSink,
    ) -> Result<Box<dyn CancelJudging>, Failure> {
        let all_cases = task.all_cases();
        let JudgeTask { ticket, job, files } = task;
        let name = job.judgement.clone();
        let source = SubmissionSource {
            name: name.clone(),
            files,
            language: job.language.clone(),
            entry_point: job.entry_point.clone(),
            all_cases,
            root: None,
        };
        let evidence = Evidence::begin(problem.clone(), &self.around);
        let notices = lock(&self.notices).clone();
        // A notice may come before this returns; the listener waits for this lock.
        let mut open = lock(&self.open);
        let begun = self.engine.judge(&problem.problem, source, Order::default(), notices);
        let handle = begun.map_err(|error| failure_of(&error))?;
        let (job, handle_kept) = (job.job.clone(), handle.clone());
        open.insert(handle.number, Open { ticket, job, name, evidence, sink, handle: handle_kept });
        Ok(Box::new(handle))
    }

    fn test_language(&self, id: &str) -> LanguageTested {
        let tested = self.canaries.still_works(&self.engine, id, |handle| {
            let mut testing = lock(&self.testing);
            if testing.is_dropped {
                handle.cancel();
            }
            testing.handle = Some(handle);
        });
        *lock(&self.testing) = Testing::default();
        tested
    }

    fn drop_test(&self) {
        let mut testing = lock(&self.testing);
        testing.is_dropped = true;
        if let Some(handle) = &testing.handle {
            handle.cancel();
        }
    }

    fn run_reference(&self) -> Option<Nanos> {
        // A slower machine counts the same.
        if self.counted.is_some() {
            return None;
        }
        let place = self.engine.station().places().first()?;
        let times = (0..REFERENCE_RUNS).filter_map(|_| place.reference_time().ok().flatten());
        times.min()
    }

    fn busy(&self) -> Nanos {
        Nanos(self.busy.load(Ordering::Relaxed))
    }

    fn lacking(&self) -> Option<Vec<String>> {
        Some(self.programs.missing().map(str::to_owned).collect())
    }

    fn make_statement(&self, cached: &CachedPackage, task: &StatementTask, stop: &Cancel) -> MadeStatement {
        statements::make(cached, task, (self.engine.station().helper(), self.programs), stop)
    }

    fn now(&self) -> Vec<PlaceNow> {
        let places = self.engine.station().places().iter();
        let mut now: Vec<PlaceNow> =
            places.map(|place| PlaceNow { cpus: place.cpus().to_string(), work: Vec::new() }).collect();
        for open in lock(&self.open).values() {
            if let Some(place) = now.get_mut(open.handle.place) {
                place.work.push(work_now(open));
            }
        }
        now
    }
}

fn work_now(open: &Open) -> WorkNow {
    let (phase, since) = open.handle.phase();
    let (step, case, attempt) = match phase {
        NamedPhase::Queued => (WorkStep::Queued, None, None),
        NamedPhase::Compiling => (WorkStep::Compiling, None, None),
        NamedPhase::TakingAnswers => (WorkStep::TakingAnswers, None, None),
        NamedPhase::WarmingUp { case } => (WorkStep::WarmingUp, Some(case), None),
        NamedPhase::Running { case, attempt, .. } => (WorkStep::Running, Some(case), Some(attempt)),
        NamedPhase::Checking { case } => (WorkStep::Checking, Some(case), None),
        NamedPhase::Grading => (WorkStep::Grading, None, None),
        NamedPhase::Resting { case, attempt, .. } => (WorkStep::Resting, Some(case), Some(attempt)),
        NamedPhase::WaitingForCalm { case, attempt, .. } => {
            (WorkStep::WaitingForCalm, Some(case), Some(attempt))
        }
    };
    let for_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
    WorkNow { job: open.job.clone(), step, for_ms, case, attempt }
}

impl CancelJudging for JudgingHandle {
    fn cancel(&self) {
        Self::cancel(self);
    }
}

struct Listener {
    /// Weak: the engine's judgings hold the sender to this thread, which would never end otherwise.
    engine: Weak<Engine>,
    canaries: Arc<Canaries>,
    counted: Option<Arc<Counting>>,
    open: Arc<Mutex<HashMap<u64, Open>>>,
    busy: Arc<AtomicU64>,
}

impl Listener {
    fn listen(&self, received: &Receiver<JudgingNotice>) {
        for JudgingNotice { judging, notice } in received {
            let mut all = lock(&self.open);
            let Some(open) = all.get_mut(&judging) else { continue };
            let progress = match notice {
                Notice::Preparing => {
                    open.evidence.place_begins();
                    Some(Progress::Begun)
                }
                Notice::Ran { run, .. } => {
                    open.evidence.ran(run.usage.wall_time);
                    self.busy.fetch_add(run.usage.wall_time.0, Ordering::Relaxed);
                    None
                }
                Notice::Case(case) => open.evidence.case(&case, &open.name),
                Notice::Rests { .. } | Notice::Waits { .. } => None,
                Notice::Done(result) => {
                    let open = all.remove(&judging);
                    drop(all);
                    if let Some(open) = open {
                        self.end(open, *result);
                    }
                    continue;
                }
            };
            if let Some(progress) = progress {
                (open.sink)(open.ticket, progress);
            }
        }
    }

    fn end(&self, open: Open, result: Result<judge::Judgement, JudgeError>) {
        let judgement = match result {
            Ok(judgement) => judgement,
            Err(JudgeError::Cancelled) => return,
            // By the signal on which the desk gives back all that is open; as a failure it would count against this machine.
            Err(error) if error.is_interruption() => return,
            Err(error) => {
                return (open.sink)(open.ticket, Progress::Failed(failure_of(&error)));
            }
        };
        let language = judgement.language.clone().filter(|_| judgement.verdict == Verdict::CompileError);
        let counted = self.counted.clone();
        if language.is_none() && counted.is_none() {
            return (open.sink)(open.ticket, open.evidence.done(judgement));
        }
        let Some(engine) = self.engine.upgrade() else { return };
        let canaries = Arc::clone(&self.canaries);
        let Open { ticket, evidence, sink, handle, .. } = open;
        let test = move || {
            // No result leaves a machine that counts otherwise than at its start.
            let place = engine.station().places().get(handle.place);
            let doubt = match counted.map(|counted| place.map(|place| counted.again(place))) {
                None | Some(Some(Recount::Same)) => None,
                Some(Some(Recount::Doubt(why))) => Some(why),
                // The desk gives back all that is open.
                Some(Some(Recount::Interrupted)) => return,
                Some(None) => Some("its place is gone".to_owned()),
            };
            // A compiler that has stopped working makes compile errors of everything.
            let tested =
                language.map(|language| (canaries.still_works(&engine, &language, |_| ()), language));
            let progress = match (doubt, tested) {
                (Some(why), _) => Progress::Doubted(why),
                (None, None | Some((LanguageTested::Works, _))) => evidence.done(judgement),
                (None, Some((LanguageTested::Broken(why), language))) => {
                    Progress::Failed(Failure::new(FailureScopeId::Language, format!("{language}: {why}")))
                }
                (None, Some((LanguageTested::Dropped, _))) => {
                    Progress::Failed(Failure::judgement("the judgehost ends"))
                }
            };
            sink(ticket, progress);
        };
        if let Err(error) = std::thread::Builder::new().name("canary".to_owned()).spawn(test) {
            // The job's lease ends, and it is judged again.
            debug_assert!(error.raw_os_error().is_some());
        }
    }
}

/// A panic while one of these is locked leaves no partial change.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
