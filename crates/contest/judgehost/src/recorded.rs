//! Answers jobs from a recording: no program is compiled or run, only the time passes.

use crate::cache::CachedPackage;
use crate::error::Failure;
use crate::judges::{CancelJudging, JudgeTask, Judges, Prepared, ProblemKey, Progress, ProgressSink, Ticket};
use documents::judgehost::{Job, JobDone, JobRun, JobSpent, JobTimeLimit};
use model::{Nanos, Verdict};
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The outcome of a judging when it was recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    pub compiling: Duration,
    /// Each case: its verdict, its CPU time, and how long it took.
    pub cases: Vec<(Verdict, Nanos, Duration)>,
    /// The final verdict, or why there is none.
    pub end: Result<Verdict, Failure>,
}

impl Recording {
    pub fn of(verdict: Verdict, takes: Duration) -> Self {
        let cpu_time = Nanos::from(takes);
        Self { compiling: Duration::ZERO, cases: vec![(verdict, cpu_time, takes)], end: Ok(verdict) }
    }
}

pub type Script = dyn Fn(&Job) -> Recording + Send + Sync;
/// Makes a package ready: returns its derived limit, if it has none.
pub type Preparation = dyn Fn(&ProblemKey) -> Result<Option<JobTimeLimit>, Failure> + Send + Sync;

/// Judges by a script, on threads that sleep instead of running programs.
pub struct Recorded {
    places: u32,
    script: Box<Script>,
    preparation: Box<Preparation>,
    queue: Arc<Queue>,
    busy: Arc<AtomicU64>,
}

impl fmt::Debug for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorded").field("places", &self.places).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<VecDeque<Task>>,
    changed: Condvar,
}

struct Task {
    ticket: Ticket,
    recording: Recording,
    is_cancelled: Arc<AtomicBool>,
    sink: ProgressSink,
}

struct Handle {
    is_cancelled: Arc<AtomicBool>,
    queue: Arc<Queue>,
}

impl CancelJudging for Handle {
    fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::SeqCst);
        self.queue.changed.notify_all();
    }
}

impl Recorded {
    pub fn start(
        places: u32,
        script: impl Fn(&Job) -> Recording + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let (queue, busy) = (Arc::new(Queue::default()), Arc::new(AtomicU64::new(0)));
        for number in 0..places {
            let (queue, busy) = (Arc::clone(&queue), Arc::clone(&busy));
            let thread = std::thread::Builder::new().name(format!("recorded {number}"));
            thread.spawn(move || queue.work(&busy))?;
        }
        Ok(Self { places, script: Box::new(script), preparation: Box::new(|_| Ok(None)), queue, busy })
    }

    /// Replaces how packages are made ready.
    pub fn preparing(
        self,
        preparation: impl Fn(&ProblemKey) -> Result<Option<JobTimeLimit>, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self { preparation: Box::new(preparation), ..self }
    }
}

impl Queue {
    fn work(&self, busy: &AtomicU64) {
        loop {
            let mut waiting = self.lock();
            let task = loop {
                match waiting.pop_front() {
                    Some(task) => break task,
                    None => waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(waiting);
            self.judge(&task, busy);
        }
    }

    fn judge(&self, task: &Task, busy: &AtomicU64) {
        let Task { ticket, recording, is_cancelled, sink } = task;
        if is_cancelled.load(Ordering::SeqCst) {
            return;
        }
        sink(*ticket, Progress::Begun);
        let began = Instant::now();
        let mut due = began + recording.compiling;
        self.sleep(due, is_cancelled);
        for (ordinal, (verdict, cpu_time, takes)) in (1..).zip(&recording.cases) {
            due += *takes;
            if !self.sleep(due, is_cancelled) {
                return;
            }
            busy.fetch_add(Nanos::from(*takes).0, Ordering::Relaxed);
            let at_ms = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
            let run = JobRun {
                ordinal,
                verdict: (*verdict).into(),
                cpu_time_ns: cpu_time.0,
                memory_peak_bytes: None,
                at_ms,
                for_jury: false,
            };
            sink(*ticket, Progress::Run(run));
        }
        sink(*ticket, end(recording));
    }

    /// Sleeps until a moment; returns whether it was not cancelled.
    fn sleep(&self, until: Instant, is_cancelled: &AtomicBool) -> bool {
        let mut waiting = self.lock();
        loop {
            if is_cancelled.load(Ordering::SeqCst) {
                return false;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            waiting = self.changed.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Task>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn end(recording: &Recording) -> Progress {
    let verdict = match &recording.end {
        Ok(verdict) => *verdict,
        Err(failure) => return Progress::Failed(failure.clone()),
    };
    let running: Duration = recording.cases.iter().map(|(_, _, takes)| *takes).sum();
    let micros = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    let done = JobDone {
        verdict: verdict.into(),
        score: None,
        subtasks: Vec::new(),
        max_run_time_ns: recording.cases.iter().map(|(_, cpu_time, _)| cpu_time.0).max(),
        compile_output: None,
        evidence: None,
        nondeterministic: Vec::new(),
        for_jury: Vec::new(),
        spent: JobSpent {
            compiling_us: micros(recording.compiling),
            running_us: micros(running),
            ..JobSpent::default()
        },
    };
    Progress::Done { done: Box::new(done), evidence: b"recorded\n".to_vec() }
}

impl Judges for Recorded {
    type Problem = Option<Nanos>;

    fn places(&self) -> u32 {
        self.places
    }

    fn open_max(&self) -> usize {
        self.places as usize * judge::OPEN_PER_PLACE_MAX
    }

    fn prepare(&self, _cached: &CachedPackage, key: &ProblemKey) -> Result<Prepared<Option<Nanos>>, Failure> {
        let derived = (self.preparation)(key)?;
        let problem = derived.as_ref().map(|limit| Nanos(limit.time_limit_ns));
        Ok(Prepared { problem, derived, warnings: Vec::new() })
    }

    fn with_time_limit(&self, _problem: &Option<Nanos>, limit: Nanos) -> Option<Nanos> {
        Some(limit)
    }

    fn judge(
        &self,
        _problem: &Option<Nanos>,
        task: JudgeTask,
        sink: ProgressSink,
    ) -> Result<Box<dyn CancelJudging>, Failure> {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let recording = (self.script)(&task.job);
        let one = Task { ticket: task.ticket, recording, is_cancelled: Arc::clone(&is_cancelled), sink };
        self.queue.lock().push_back(one);
        self.queue.changed.notify_all();
        Ok(Box::new(Handle { is_cancelled, queue: Arc::clone(&self.queue) }))
    }

    fn run_reference(&self) -> Option<Nanos> {
        None
    }

    fn busy(&self) -> Nanos {
        Nanos(self.busy.load(Ordering::Relaxed))
    }
}
