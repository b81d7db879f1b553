//! The thread of a timed place: it does what the driver of its judgings says.

use crate::activity::Doing;
use crate::beside::{Answer, Job, decided};
use crate::check::{Checker, FeedbackFolder, feedback_max};
use crate::interactive::{Conversation, ConversationResult};
use crate::observer::Notice;
use crate::prepare::Prepared;
use crate::scores::{Scores, Total};
use crate::station::Place;
use crate::work::{Opening, Work};
use crate::{Helper, JudgeError, Station};
use judging::{Action, Conversed, Driver, Event, Observation, RunLimits, Side, Step};
use model::{Bytes, Nanos, Reading, RunResult};
use package::scoring::GraderCall;
use ruling::Ruling;
use sandbox::{Paused, RunIo, SandboxError};
use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use timing::note_slowdown;

/// How often a thread that waits looks whether everything is to end.
const LOOK_FOR_STOP: Duration = Duration::from_millis(100);
/// After this long without a run of the same judging, memory is warmed before the next: what others did meanwhile shows in its
/// time (ADR 6: 39.8 ms straight after the same program, 44.2 ms after 0.1 s).
const WARM_FOR: Duration = Duration::from_millis(20);

/// What a place's thread is told.
pub(crate) enum Message {
    /// There is another submission.
    Open(Box<Opening>),
    /// Nobody wants to know of this one any more.
    Cancel(u64),
    /// What came of a job.
    Answer(u64, Box<Answer>),
    /// Cancel what is open, and end.
    Close,
}

pub(crate) struct PlaceThread {
    station: Arc<Station>,
    at: usize,
    messages: Receiver<Message>,
    jobs: Sender<(u64, Job)>,
    driver: Driver<Scores>,
    works: HashMap<u64, Work>,
    open: Arc<AtomicUsize>,
    began: Instant,
    /// Whose run was the last on the place, and when it ended.
    last: Option<(u64, Instant)>,
    is_closing: bool,
}

type TimedStep = Step<GraderCall, Total>;
type StepEvent = Event<Result<package::scoring::Grade, String>>;

impl PlaceThread {
    /// Starts the thread of a place, and the one for what is done beside it.
    pub fn start(
        (station, at): (Arc<Station>, usize),
        (inbox, messages): (Sender<Message>, Receiver<Message>),
        open: Arc<AtomicUsize>,
    ) -> Result<JoinHandle<()>, JudgeError> {
        let (jobs, to_do) = channel::<(u64, Job)>();
        let of_jobs = Arc::clone(&station);
        let name = |what: &str| format!("{what} {at}");
        let failed = |source| JudgeError::Sandbox(SandboxError::System { what: "start a thread", source });
        let helper = std::thread::Builder::new().name(name("helper")).spawn(move || {
            for (judging, job) in to_do {
                let answer = do_job(job, &of_jobs);
                if inbox.send(Message::Answer(judging, Box::new(answer))).is_err() {
                    return;
                }
            }
        });
        let helper = helper.map_err(failed)?;
        let place = std::thread::Builder::new().name(name("place"));
        let place = place.spawn(move || {
            let thread = Self {
                station,
                at,
                messages,
                jobs,
                driver: Driver::default(),
                works: HashMap::new(),
                open,
                began: Instant::now(),
                last: None,
                is_closing: false,
            };
            thread.run();
            // It has nothing to do any more, since the thread above held the other end.
            let _ = helper.join();
        });
        place.map_err(failed)
    }

    fn now(&self) -> Nanos {
        Nanos::from(self.began.elapsed())
    }

    fn place(&self) -> &Place {
        &self.station.places()[self.at]
    }

    fn run(mut self) {
        loop {
            while let Ok(message) = self.messages.try_recv() {
                self.take(message);
            }
            if !self.works.is_empty() && self.station.is_stopped() {
                self.end_all(|| JudgeError::Sandbox(SandboxError::Interrupted));
            }
            let action = self.driver.next(self.now());
            self.tell_phases();
            match action {
                Action::Beside { judging, step } => self.begin_beside(judging, step),
                Action::Timed { judging, step, is_switch } => self.do_timed(judging, step, is_switch),
                Action::Look { judging } => self.look(judging),
                Action::Done { judging, outcome } => {
                    self.open.fetch_sub(1, Ordering::Relaxed);
                    if let Some(work) = self.works.remove(&judging) {
                        work.judgement(outcome);
                    }
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

    /// Notes what each judging is at, for who waits while this thread is busy.
    fn tell_phases(&self) {
        for (judging, work) in &self.works {
            if let Some(phase) = self.driver.phase(self.now(), *judging) {
                let named = phase
                    .map(|item| work.name(item).to_owned(), |at| self.began + Duration::from_nanos(at.0));
                work.status.set(named);
            }
        }
    }

    fn wait(&mut self, until: Option<Nanos>) {
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
                let (number, order) = (opening.number, opening.order.clone());
                let work = Work::new(*opening, self.place().helper());
                self.driver.open(number, order, work.judging());
                self.works.insert(number, work);
            }
            Message::Cancel(judging) => self.cancel(judging, JudgeError::Cancelled),
            Message::Answer(judging, answer) => self.answered(judging, *answer),
            Message::Close => {
                self.is_closing = true;
                self.end_all(|| JudgeError::Cancelled);
            }
        }
    }

    fn end_all(&mut self, why: fn() -> JudgeError) {
        let all: Vec<u64> = self.works.keys().copied().collect();
        for judging in all {
            self.cancel(judging, why());
        }
    }

    fn cancel(&mut self, judging: u64, why: JudgeError) {
        if let Some(work) = self.works.get_mut(&judging) {
            work.cancel.set();
            work.error.get_or_insert(why);
            self.on(judging, Event::Cancel);
        }
    }

    /// Takes what came of a step, and tells what that means.
    fn on(&mut self, judging: u64, event: StepEvent) {
        let seen = self.driver.on(self.now(), judging, event);
        self.tell(judging, seen);
    }

    fn tell(&mut self, judging: u64, seen: Vec<Observation>) {
        let Some(work) = self.works.get_mut(&judging) else { return };
        for observation in seen {
            match observation {
                Observation::Ruled { item, ruling: Ruling::RunAgain { reason }, .. } => {
                    work.tell(Notice::Rests { case: work.name(item).to_owned(), reason });
                }
                Observation::Ruled { .. } => {}
                Observation::ThrownAway { item } => drop(work.cases.remove(&item)),
                Observation::CaseDone(end) => work.case_done(*end),
            }
        }
    }

    /// Takes that we failed at a step.
    fn failed(&mut self, judging: u64, side: Side, error: JudgeError) {
        let Some(work) = self.works.get_mut(&judging) else { return };
        if error.is_interruption() {
            return self.cancel(judging, error);
        }
        let why = error.to_string();
        work.error = Some(error);
        self.on(judging, Event::Failed(side, why));
    }

    fn begin_beside(&mut self, judging: u64, step: TimedStep) {
        let Some(work) = self.works.get_mut(&judging) else { return };
        if matches!(step, Step::Compile | Step::TakeAnswers) {
            work.tell(Notice::Preparing);
        }
        let side = match &step {
            Step::Compile | Step::TakeAnswers => Side::Preparation,
            _ => Side::Check,
        };
        let job = match Job::of(work, step) {
            Ok(job) => job,
            Err(error) => return self.failed(judging, side, error),
        };
        // Others who time may have come since, and the helpers have made room for them.
        if self.place().can_overlap() {
            // Its end hangs on ours.
            let _ = self.jobs.send((judging, job));
        } else {
            let answer = do_job(job, &self.station);
            self.answered(judging, answer);
        }
    }

    fn answered(&mut self, judging: u64, answer: Answer) {
        let Some(work) = self.works.get_mut(&judging) else { return };
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

    /// Looks at the core for a judging that waits until it is calm.
    fn look(&mut self, judging: u64) {
        let begin = Instant::now();
        let mut timed = self.place().timed();
        let slot = timed.slot();
        let looked = slot.core_slowdown().map(|slowdown| {
            let is_calm = !timing::is_slow(&slowdown);
            if !is_calm {
                slot.post_guard();
            }
            (slowdown, is_calm)
        });
        drop(timed);
        let (slowdown, is_calm) = match looked {
            Ok(looked) => looked,
            Err(error) => return self.failed(judging, Side::Timed, error.into()),
        };
        self.driver.use_by(judging, Nanos::from(begin.elapsed()));
        let Some(work) = self.works.get_mut(&judging) else { return };
        work.core = slowdown;
        if !is_calm {
            work.tell(Notice::Waits { patience: work.problem.rule().patience });
        }
        let seen = self.driver.looked(Nanos::from(self.began.elapsed()), judging, is_calm);
        self.tell(judging, seen);
    }

    fn do_timed(&mut self, judging: u64, step: TimedStep, is_switch: bool) {
        let begin = Instant::now();
        let done = catch_unwind(AssertUnwindSafe(|| self.timed(judging, step, is_switch)));
        let done = done.unwrap_or_else(|panic| Err(defect(&*panic)));
        self.last = Some((judging, Instant::now()));
        self.driver.use_by(judging, Nanos::from(begin.elapsed()));
        match done {
            // What a cancelled run did means nothing.
            _ if self.works.get(&judging).is_some_and(|work| work.cancel.is_set()) => {
                self.cancel(judging, JudgeError::Cancelled);
            }
            Ok(event) => self.on(judging, event),
            Err(error) => self.failed(judging, Side::Timed, error),
        }
    }

    fn timed(&mut self, judging: u64, step: TimedStep, is_switch: bool) -> Result<StepEvent, JudgeError> {
        let station = Arc::clone(&self.station);
        let place = &station.places()[self.at];
        let is_cold =
            is_switch || self.last.is_none_or(|(last, at)| last != judging || at.elapsed() > WARM_FOR);
        let driver = &self.driver;
        let work =
            self.works.get_mut(&judging).ok_or_else(|| JudgeError::Defect("it is not open".to_owned()))?;
        if is_cold {
            warm_memory(place, &work.memory)?;
        }
        // A first run within its limit is final, whatever ran beside it; repeats are to tell the time.
        let is_repeat = matches!(
            step,
            Step::Run { attempt, .. } | Step::Converse { attempt, .. } if attempt > 1
        );
        let stopped: Vec<Paused> =
            station.helpers_near(place).filter(|_| is_repeat).map(Helper::stop).collect();
        let are_stopped = is_repeat && stopped.iter().all(|stopped| stopped.is_still);
        let own = station.activity().begin(Doing::Timed(place.cpus().clone()));
        let watch = station.activity().watch(&own);
        match step {
            Step::WarmUp { item, limits } => {
                let io = RunIo::captured(work.case(item)?.input()?);
                let ran = work.run(place, (item, limits), io, Nanos::ZERO)?;
                work.memory = ran.result.usage.memory_peak;
                Ok(Event::WarmedUp)
            }
            Step::Run { item, pass, attempt, limits, hold } => {
                let input_max = feedback_max(&work.problem.package().limits);
                work.case(item)?.begin_pass(pass, input_max)?;
                let stdin = work.case(item)?.input()?;
                let io = work.problem.settings.over_output.io(stdin);
                let mut ran = work.run(place, (item, limits), io, hold)?;
                ran.result.evidence.neighbours = Reading::Known(watch.neighbours(are_stopped));
                note_core(place, work, &mut ran.result)?;
                work.memory = ran.result.usage.memory_peak.clone();
                let keeps_all = work.problem.options.keep_outputs;
                work.case(item)?.keep(ran.result.end, ran.stdout, ran.stderr, keeps_all);
                work.ran(item, attempt, &ran.result);
                Ok(Event::Ran(Box::new(ran.result)))
            }
            Step::Converse { item, pass, attempt, limits } => {
                let decides = |run: &RunResult| driver.would_decide_by_output(judging, run);
                let mut talked = converse(place, work, (item, pass), limits, &decides)?;
                talked.run.evidence.neighbours = Reading::Known(watch.neighbours(are_stopped));
                note_core(place, work, &mut talked.run)?;
                work.memory = talked.run.usage.memory_peak.clone();
                work.ran(item, attempt, &talked.run);
                let said = match &talked.said {
                    Ok(checked) => Ok(decided(checked)),
                    Err(error) if error.is_interruption() => return Err(JudgeError::Cancelled),
                    Err(error) => Err(error.to_string()),
                };
                let case = work.case(item)?;
                case.keep(talked.run.end, Vec::new(), talked.stderr, false);
                case.interactor = Some(talked.interactor);
                case.transcript.extend(talked.transcript);
                if let Ok(checked) = talked.said {
                    work.keep_check(item, checked, None);
                }
                Ok(Event::Conversed(Box::new(Conversed {
                    run: talked.run,
                    said,
                    interactor_first: talked.interactor_first,
                })))
            }
            _ => Err(JudgeError::Defect("a step that is not timed was to be done on the place".to_owned())),
        }
    }
}

/// Does a job. That we panic at one is no reason to judge no other.
fn do_job(job: Job, station: &Station) -> Answer {
    catch_unwind(AssertUnwindSafe(|| job.run(station)))
        .unwrap_or_else(|panic| Answer::Graded(Err(defect(&*panic))))
}

fn defect(panic: &(dyn Any + Send)) -> JudgeError {
    let words = panic.downcast_ref::<&str>().map(ToString::to_string);
    let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
    JudgeError::Defect(words.unwrap_or_else(|| "it panicked".to_owned()))
}

fn warm_memory(place: &Place, used: &Reading<Bytes>) -> Result<(), JudgeError> {
    Ok(place.timed().slot().warm_memory(used)?)
}

/// Notes in the evidence of a run over its limit what the core was like before and is now; one within its limit is final,
/// whatever its core was like.
fn note_core(place: &Place, work: &mut Work, run: &mut RunResult) -> Result<(), JudgeError> {
    let before = std::mem::take(&mut work.core);
    if run.usage.cpu_time > work.problem.rule().limit {
        note_slowdown(run, before, place.timed().slot().core_slowdown()?);
    }
    Ok(())
}

fn converse(
    place: &Place,
    work: &mut Work,
    (item, pass): (usize, u32),
    limits: RunLimits,
    decides: &dyn Fn(&RunResult) -> bool,
) -> Result<ConversationResult, JudgeError> {
    let problem = Arc::clone(&work.problem);
    let helper = place.interactor()?.until(work.cancel.event());
    let Some(ready) = work.ready.clone() else {
        return Err(JudgeError::Defect("nothing was prepared".to_owned()));
    };
    let (Some(built), Checker::Custom { name, built: interactor, protocol }) =
        (&ready.built, &problem.programs.checker)
    else {
        return Err(JudgeError::Defect("there is nobody to talk to".to_owned()));
    };
    let cancel = work.cancel.clone();
    let case = work.case(item)?;
    if pass == 1 {
        case.begin_anew()?;
    }
    case.begin_pass(pass, feedback_max(&problem.package().limits))?;
    let feedback = match &case.feedback {
        Some(feedback) => Arc::clone(feedback),
        None => Arc::new(FeedbackFolder::new(&helper, &problem.package().limits)?),
    };
    case.feedback = Some(Arc::clone(&feedback));
    feedback.begin_pass()?;
    let conversation = Conversation {
        problem: &problem,
        built,
        subject: ready.subject.as_ref(),
        case: &case.case,
        pass,
        limits,
        interactor: (name, interactor, *protocol),
        feedback: &feedback,
        cancel: &cancel,
    };
    conversation.hold(place, &helper, decides)
}

impl Work {
    /// Runs the submission on a case.
    fn run(
        &mut self,
        place: &Place,
        (item, limits): (usize, RunLimits),
        io: RunIo,
        hold: Nanos,
    ) -> Result<sandbox::Ran, JudgeError> {
        let ready = self.ready.clone().filter(|ready| ready.built.is_some());
        let Some(built) = ready.as_ref().and_then(|ready| ready.built.as_ref()) else {
            return Err(JudgeError::Defect("nothing was built".to_owned()));
        };
        let settings = self.problem.settings.clone();
        let io = RunIo { end_when: Some(self.cancel.event()), ..io };
        let plan = settings.plan(built, &self.case(item)?.case, limits);
        Ok(place.run_program(&plan, io, hold)?)
    }

    fn ran(&self, item: usize, attempt: u32, run: &RunResult) {
        let (case, run) = (self.name(item).to_owned(), Box::new(run.clone()));
        self.tell(Notice::Ran { case, attempt, run });
    }
}
