//! The thread of a timed place: it executes the steps that the driver of its judgings chooses.

use crate::JudgeError;
use crate::backend::RunBackend;
use crate::check::feedback_max;
use crate::clock::Clock;
use crate::memory_budget::MemoryBudget;
use crate::observer::Notice;
use crate::prepare::Prepared;
use crate::scores::{Scores, Total};
use crate::untimed::{Answer, Job, decided};
use crate::work::{Opening, RunOutput, Terms, Work};
use judging_steps::{Action, Conversed, Driver, Event, Observation, Side, Step};
use model::{LimitKind, Nanos, RunEnd, RunResult};
use package::scoring::GraderCall;
use ruling::Ruling;
use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use timing::note_slowdown;

/// How often a waiting thread checks whether everything is to end.
const LOOK_FOR_STOP: Duration = Duration::from_millis(100);
/// After this long without a run of the same judging, memory is warmed before the next: what others did meanwhile shows in its
/// time (ADR 6: 39.8 ms straight after the same program, 44.2 ms after 0.1 s).
const WARM_FOR: Nanos = Nanos::from_millis(20);

pub(crate) enum Message {
    Open(Box<Opening>),
    /// The judging was cancelled.
    Cancel(u64),
    Answer(u64, Box<Answer>),
    /// Cancel what is open, and end.
    Close,
}

pub(crate) struct PlaceThread {
    place: Arc<dyn RunBackend>,
    messages: Receiver<Message>,
    jobs: Jobs,
    driver: Driver<Scores>,
    works: HashMap<u64, Work>,
    budget: MemoryBudget,
    /// Judgings for which there was no memory yet, the oldest first.
    waiting: VecDeque<Work>,
    open: Arc<AtomicUsize>,
    clock: Clock,
    /// The judging whose run was the last on the place, and when it ended.
    last: Option<(u64, Nanos)>,
    is_closing: bool,
}

/// The untimed work next to a place. A check never waits for a compiler, which may take minutes.
struct Jobs {
    compilations: JobSender,
    checks: JobSender,
}

type JobSender = Sender<(u64, Job)>;

type TimedStep = Step<GraderCall, Total>;
type StepEvent = Event<Result<package::scoring::Grade, String>>;

impl PlaceThread {
    /// Starts the thread of a place, and those for its untimed work.
    pub fn start(
        (place, at): (Arc<dyn RunBackend>, usize),
        (inbox, messages): (Sender<Message>, Receiver<Message>),
        open: Arc<AtomicUsize>,
    ) -> Result<JoinHandle<()>, JudgeError> {
        let (compilations, compiler) = start_worker(&place, &inbox, format!("compiler {at}"))?;
        let (checks, helper) = start_worker(&place, &inbox, format!("helper {at}"))?;
        let jobs = Jobs { compilations, checks };
        let thread = std::thread::Builder::new().name(format!("place {at}"));
        let thread = thread.spawn(move || {
            let thread = Self {
                clock: place.clock(),
                place,
                messages,
                jobs,
                driver: Driver::default(),
                works: HashMap::new(),
                budget: MemoryBudget::default(),
                waiting: VecDeque::new(),
                open,
                last: None,
                is_closing: false,
            };
            thread.run();
            // They have nothing to do any more, since the thread above held the other ends.
            let _ = compiler.join();
            let _ = helper.join();
        });
        thread.map_err(JudgeError::no_thread)
    }

    fn now(&self) -> Nanos {
        self.clock.now()
    }

    fn run(mut self) {
        loop {
            while let Ok(message) = self.messages.try_recv() {
                self.take(message);
            }
            if !self.works.is_empty() && self.place.is_stopped() {
                self.end_all(JudgeError::interrupted);
            }
            let action = self.driver.next(self.now());
            self.publish_phases();
            match action {
                Action::Untimed { judging, step } => self.begin_untimed(judging, step),
                Action::Timed { judging, step, is_switch } => self.do_timed(judging, step, is_switch),
                Action::Probe { judging } => self.look(judging),
                Action::Done { judging, outcome } => {
                    self.open.fetch_sub(1, Ordering::Relaxed);
                    if let Some(work) = self.works.remove(&judging) {
                        self.budget.leave(work.bytes_max);
                        work.judgement(outcome);
                    }
                    self.open_waiting();
                }
                Action::Wait(until) => {
                    if self.is_closing && self.works.is_empty() {
                        return;
                    }
                    self.wait(until);
                }
            }
        }
    }

    /// Publishes the phase of each judging, for callers that wait while this thread is busy.
    fn publish_phases(&self) {
        for (judging, work) in &self.works {
            if let Some(phase) = self.driver.phase(self.now(), *judging) {
                let named = phase.map(|item| work.name(item).to_owned(), |at| self.clock.instant(at));
                work.status.set(named);
            }
        }
    }

    fn wait(&mut self, until: Option<Nanos>) {
        if let Some(until) = until
            && self.clock.skip_to(until)
        {
            return;
        }
        let left = until.map(|until| Duration::from_nanos(until.saturating_sub(self.now()).0));
        let message = match (left, self.works.is_empty()) {
            (None, true) => self.messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            (left, _) => self.messages.recv_timeout(left.unwrap_or(LOOK_FOR_STOP).min(LOOK_FOR_STOP)),
        };
        match message {
            Ok(message) => self.take(message),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.is_closing = true,
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Open(opening) => {
                self.waiting.push_back(Work::new(*opening));
                self.open_waiting();
            }
            Message::Cancel(judging) => self.cancel(judging, JudgeError::Cancelled),
            Message::Answer(judging, answer) => self.answered(judging, *answer),
            Message::Close => {
                self.is_closing = true;
                self.end_all(|| JudgeError::Cancelled);
            }
        }
    }

    /// Opens waiting judgings in turn, as far as memory allows.
    fn open_waiting(&mut self) {
        while let Some(work) = self.waiting.pop_front_if(|work| self.budget.admits(work.bytes_max)) {
            self.budget.enter(work.bytes_max);
            self.driver.open(work.number, work.order.clone(), work.judging());
            self.works.insert(work.number, work);
        }
    }

    fn end_all(&mut self, why: fn() -> JudgeError) {
        let waiting = self.waiting.iter().map(|work| work.number);
        let all: Vec<u64> = waiting.chain(self.works.keys().copied()).collect();
        for judging in all {
            self.cancel(judging, why());
        }
    }

    fn cancel(&mut self, judging: u64, why: JudgeError) {
        if let Some(at) = self.waiting.iter().position(|work| work.number == judging)
            && let Some(mut work) = self.waiting.remove(at)
        {
            self.open.fetch_sub(1, Ordering::Relaxed);
            work.error = Some(why);
            work.judgement(judging_steps::Outcome::Cancelled);
            return;
        }
        if let Some(work) = self.works.get_mut(&judging) {
            work.cancel.set();
            work.error.get_or_insert(why);
            self.on(judging, Event::Cancel);
        }
    }

    /// Applies a step's outcome and reports what follows.
    fn on(&mut self, judging: u64, event: StepEvent) {
        let seen = self.driver.on(self.now(), judging, event);
        self.report(judging, seen);
    }

    fn report(&mut self, judging: u64, seen: Vec<Observation>) {
        let Some(work) = self.works.get_mut(&judging) else { return };
        for observation in seen {
            match observation {
                Observation::Ruled { item, ruling: Ruling::RunAgain { reason }, .. } => {
                    work.notify(Notice::Rests { case: work.name(item).to_owned(), reason });
                }
                Observation::Ruled { .. } => {}
                Observation::ThrownAway { item } => drop(work.cases.remove(&item)),
                Observation::CaseDone(end) => work.case_done(*end),
            }
        }
    }

    /// Handles an internal failure at a step.
    fn failed(&mut self, judging: u64, side: Side, error: JudgeError) {
        let Some(work) = self.works.get_mut(&judging) else { return };
        if error.is_interruption() {
            return self.cancel(judging, error);
        }
        let why = error.to_string();
        work.error = Some(error);
        self.on(judging, Event::Failed(side, why));
    }

    fn begin_untimed(&mut self, judging: u64, step: TimedStep) {
        let Some(work) = self.works.get_mut(&judging) else { return };
        if matches!(step, Step::Compile | Step::TakeAnswers) {
            work.notify(Notice::Preparing);
        }
        let side = match &step {
            Step::Compile | Step::TakeAnswers => Side::Preparation,
            _ => Side::Check,
        };
        let job = match Job::of(work, step) {
            Ok(job) => job,
            Err(error) => return self.failed(judging, side, error),
        };
        // Another process that times runs may have come since, and the helpers have left those CPUs.
        if self.place.can_overlap() {
            // Its end hangs on ours.
            let to = if job.is_compilation() { &self.jobs.compilations } else { &self.jobs.checks };
            let _ = to.send((judging, job));
        } else {
            let answer = help(&*self.place, job);
            self.answered(judging, answer);
        }
    }

    fn answered(&mut self, judging: u64, answer: Answer) {
        let Some(work) = self.works.get_mut(&judging) else { return };
        // The handle ends the compiler at once, and the request to cancel may come after the answer: a killed compiler is no
        // compile error.
        if work.cancel.is_set() {
            return self.cancel(judging, JudgeError::Cancelled);
        }
        let event = match answer {
            Answer::Prepared(Ok(Prepared::Ready(ready))) => {
                work.ready = Some(Arc::new(*ready));
                Event::Prepared
            }
            Answer::Prepared(Ok(Prepared::Refused { language, compilation })) => {
                work.refused = Some((language, *compilation));
                Event::NotPrepared
            }
            Answer::Prepared(Err(error)) => return self.failed(judging, Side::Preparation, error),
            Answer::Checked(item, Ok((checked, feedback))) => {
                let small = decided(&checked);
                work.keep_check(item, checked, feedback);
                Event::Checked(small)
            }
            Answer::Checked(_, Err(error)) => return self.failed(judging, Side::Check, error),
            Answer::Graded(Ok(grade)) => Event::Graded(grade),
            Answer::Graded(Err(error)) => return self.cancel(judging, error),
        };
        self.on(judging, event);
    }

    /// Probes the core for a judging that waits until it is calm.
    fn look(&mut self, judging: u64) {
        let begin = self.now();
        let looked = catch_unwind(AssertUnwindSafe(|| self.place.slowdown()));
        let slowdown = match looked.unwrap_or_else(|panic| Err(bug(&*panic))) {
            Ok(slowdown) => slowdown,
            Err(error) => return self.failed(judging, Side::Timed, error),
        };
        let is_calm = !timing::is_slow(&slowdown);
        if !is_calm {
            self.place.post_guard();
        }
        self.driver.use_by(judging, self.now().saturating_sub(begin));
        let Some(work) = self.works.get_mut(&judging) else { return };
        work.core = slowdown;
        if !is_calm {
            work.notify(Notice::Waits { patience: work.problem.rule().patience });
        }
        let seen = self.driver.probed(self.now(), judging, is_calm);
        self.report(judging, seen);
    }

    fn do_timed(&mut self, judging: u64, step: TimedStep, is_switch: bool) {
        let begin = self.now();
        let done = catch_unwind(AssertUnwindSafe(|| self.timed(judging, step, is_switch)));
        let done = done.unwrap_or_else(|panic| Err(bug(&*panic)));
        self.last = Some((judging, self.now()));
        self.driver.use_by(judging, self.now().saturating_sub(begin));
        match done {
            _ if self.works.get(&judging).is_some_and(|work| work.cancel.is_set()) => {
                self.cancel(judging, JudgeError::Cancelled);
            }
            Ok(event) => self.on(judging, event),
            Err(error) => self.failed(judging, Side::Timed, error),
        }
    }

    fn timed(&mut self, judging: u64, step: TimedStep, is_switch: bool) -> Result<StepEvent, JudgeError> {
        let place = &*self.place;
        let is_cold =
            is_switch || self.last.is_none_or(|(last, at)| last != judging || self.now() > at + WARM_FOR);
        let driver = &self.driver;
        let work =
            self.works.get_mut(&judging).ok_or_else(|| JudgeError::Bug("it is not open".to_owned()))?;
        if is_cold {
            place.warm_memory(&work.memory)?;
        }
        match step {
            Step::WarmUp { item, limits } => {
                let ran = work.run(place, item, Terms::untimed(limits))?;
                work.memory = ran.run.usage.memory_peak;
                Ok(Event::WarmedUp)
            }
            Step::Run { item, pass, attempt, limits, hold } => {
                let input_max = feedback_max(&work.problem.package().limits);
                work.case(item)?.begin_pass(pass, input_max)?;
                let over_output = work.problem.settings.over_output;
                let mut ran = work.run(place, item, Terms { limits, hold, attempt, over_output })?;
                note_core(place, work, &mut ran.run)?;
                work.memory = ran.run.usage.memory_peak.clone();
                let keeps_all = work.problem.options.keep_outputs;
                let is_over = is_over(work, &ran.run);
                let output = RunOutput::new((ran.run.clone(), is_over), ran.stdout, ran.stderr);
                work.case(item)?.keep(output, keeps_all);
                work.ran(item, attempt, &ran.run);
                Ok(Event::Ran(Box::new(ran.run)))
            }
            Step::Converse { item, pass, attempt, limits } => {
                let decides = |run: &RunResult| driver.would_decide_by_output(judging, run);
                let mut talked = work.converse(place, (item, pass), (limits, attempt), &decides)?;
                note_core(place, work, &mut talked.run)?;
                work.memory = talked.run.usage.memory_peak.clone();
                work.ran(item, attempt, &talked.run);
                let checked = match &talked.checked {
                    Ok(checked) => Ok(decided(checked)),
                    Err(error) if error.is_interruption() => return Err(JudgeError::Cancelled),
                    Err(error) => Err(error.to_string()),
                };
                let is_over = is_over(work, &talked.run);
                let case = work.case(item)?;
                let output = RunOutput::new((talked.run.clone(), is_over), Vec::new(), talked.stderr);
                case.keep(output.sending(talked.sent), false);
                case.interactor = Some(talked.interactor);
                case.transcript.extend(talked.transcript);
                if let Ok(found) = talked.checked {
                    work.keep_check(item, found, None);
                }
                Ok(Event::Conversed(Box::new(Conversed {
                    run: talked.run,
                    checked,
                    before_end: talked.before_end,
                })))
            }
            _ => Err(JudgeError::Bug("a step that is not timed was to be done on the place".to_owned())),
        }
    }
}

/// Starts a thread that does untimed jobs, one after the other.
fn start_worker(
    place: &Arc<dyn RunBackend>,
    inbox: &Sender<Message>,
    name: String,
) -> Result<(JobSender, JoinHandle<()>), JudgeError> {
    let (jobs, to_do) = channel::<(u64, Job)>();
    let (place, inbox) = (Arc::clone(place), inbox.clone());
    let thread = std::thread::Builder::new().name(name).spawn(move || {
        for (judging, job) in to_do {
            let answer = help(&*place, job);
            if inbox.send(Message::Answer(judging, Box::new(answer))).is_err() {
                return;
            }
        }
    });
    Ok((jobs, thread.map_err(JudgeError::no_thread)?))
}

/// Does a job. A panic in one must not keep others from being judged.
fn help(place: &dyn RunBackend, job: Job) -> Answer {
    job.begin();
    catch_unwind(AssertUnwindSafe(|| place.help(job)))
        .unwrap_or_else(|panic| Answer::Graded(Err(bug(&*panic))))
}

fn bug(panic: &(dyn Any + Send)) -> JudgeError {
    let words = panic.downcast_ref::<&str>().map(ToString::to_string);
    let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
    JudgeError::Bug(words.unwrap_or_else(|| "it panicked".to_owned()))
}

/// Returns whether a run exceeded the limit, or was killed at the wall-time limit.
fn is_over(work: &Work, run: &RunResult) -> bool {
    work.problem.rule().exceeds(run)
        || matches!(run.end, RunEnd::Limit(LimitKind::CpuTime | LimitKind::WallTime))
}

/// Notes in the evidence of a run over its limit what the core was like before and is now; one within its limit is final,
/// whatever its core was like.
fn note_core(place: &dyn RunBackend, work: &mut Work, run: &mut RunResult) -> Result<(), JudgeError> {
    let before = std::mem::take(&mut work.core);
    // Instructions do not depend on the core.
    if !work.problem.rule().clock.is_instructions() && work.problem.rule().exceeds(run) {
        note_slowdown(run, before, place.slowdown()?);
    }
    Ok(())
}
