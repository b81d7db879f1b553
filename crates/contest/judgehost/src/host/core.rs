//! The thread that owns the desk: it takes events in turn, and executes the desk's actions.

use super::shared::CHECK_EVERY;
use super::workers::Threads;
use super::{Event, Ready, Shared, register_with};
use crate::client::CallError;
use crate::desk::{Action, Desk};
use crate::error::JudgehostError;
use crate::judges::{CancelJudging, JudgeTask, Judges, Progress, ProgressSink, Ticket};
use crate::operator_events::OperatorEvent;
use documents::judgehost::{CLAIM_JOBS_MAX, CLAIM_WAIT_MAX_S, ClaimRequest, Register};
use model::{Nanos, ScoreRules};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long a claim waits while something is judged.
const CLAIM_WAIT_BUSY_S: u32 = 2;

/// A judging that goes on, with the package that it needs in the cache.
struct Running<J: Judges> {
    handle: Box<dyn CancelJudging>,
    _ready: Ready<J>,
}

pub(super) struct Core<J: Judges> {
    shared: Arc<Shared<J>>,
    judges: Arc<J>,
    desk: Desk<Ready<J>>,
    register: Register,
    drain_max: Duration,
    began: Instant,
    running: HashMap<Ticket, Running<J>>,
    is_claiming: bool,
    /// When open judgings are given back.
    stop_at: Option<Instant>,
    judged: u64,
    /// Why this machine's results are not believed.
    doubt: Option<String>,
    sink: ProgressSink,
}

impl<J: Judges> Core<J> {
    pub fn new(
        shared: Arc<Shared<J>>,
        judges: Arc<J>,
        desk: Desk<Ready<J>>,
        register: Register,
        drain_max: Duration,
    ) -> Self {
        let events = shared.events.clone();
        let sink: ProgressSink = Arc::new(move |ticket, progress| {
            // At the end the receiver may be gone.
            let _ = events.send(Event::Progress(ticket, progress));
        });
        Self {
            shared,
            judges,
            desk,
            register,
            drain_max,
            began: Instant::now(),
            running: HashMap::new(),
            is_claiming: false,
            stop_at: None,
            judged: 0,
            doubt: None,
            sink,
        }
    }

    /// Works until nothing is left after it was asked to end; returns how many jobs it judged, and why this machine has taken
    /// itself out, if it has.
    pub fn run(
        mut self,
        happens: &Receiver<Event<Ready<J>>>,
        threads: &Threads,
    ) -> Result<(u64, Option<String>), JudgehostError> {
        loop {
            self.check_for_end(threads);
            if self.is_done() {
                return Ok((self.judged, self.doubt));
            }
            self.claim(threads);
            let event = match happens.recv_timeout(CHECK_EVERY) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => {
                    let test = self.desk.idle();
                    self.execute(test.into_iter().collect(), threads);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok((self.judged, self.doubt)),
            };
            let actions = self.take(event, threads)?;
            self.execute(actions, threads);
            *self.shared.held.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = self.desk.held();
            *self.shared.untested.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
                self.desk.untested();
            self.shared.judging.store(self.desk.judging(), Ordering::SeqCst);
        }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn check_for_end(&mut self, threads: &Threads) {
        let asked = self.shared.ending.asked();
        if asked > 0 && !self.desk.is_draining() {
            let actions = self.desk.drain();
            self.execute(actions, threads);
        }
        if self.desk.is_draining() {
            self.shared.is_draining.store(true, Ordering::SeqCst);
            self.shared.stop_making();
            let stop_at = *self.stop_at.get_or_insert_with(|| Instant::now() + self.drain_max);
            if asked > 1 || stop_at <= Instant::now() {
                let actions = self.desk.stop();
                self.execute(actions, threads);
            }
        }
    }

    /// Returns whether nothing is left to do: what is still to be delivered after the limit has a short farewell.
    fn is_done(&self) -> bool {
        let is_late = self.shared.ending.asked() > 1 || self.stop_at.is_some_and(|at| at <= Instant::now());
        self.desk.is_draining() && (self.desk.is_empty() || is_late && self.desk.is_reported())
    }

    /// Asks for jobs if there is room, and no other claim is under way.
    fn claim(&mut self, threads: &Threads) {
        let room = u32::try_from(self.desk.room()).unwrap_or(u32::MAX).min(CLAIM_JOBS_MAX);
        if self.is_claiming || room == 0 {
            return;
        }
        let (except_languages, except_packages) = self.desk.exceptions(self.now());
        let scores = ScoreRules::ALL.map(|rules| rules.name().to_owned()).to_vec();
        let statements = if self.desk.is_empty() { self.judges.lacking() } else { None };
        let request = ClaimRequest {
            max: room,
            // While it judges, its claim soon ends, so that the next one can say that it is idle.
            wait_s: if self.desk.is_empty() { CLAIM_WAIT_MAX_S } else { CLAIM_WAIT_BUSY_S },
            except_languages,
            except_packages,
            scores,
            statements,
        };
        self.is_claiming = threads.claim(request);
    }

    fn take(
        &mut self,
        event: Event<Ready<J>>,
        threads: &Threads,
    ) -> Result<Vec<Action<Ready<J>>>, JudgehostError> {
        let now = self.now();
        Ok(match event {
            Event::Progress(ticket, progress) => {
                if !matches!(progress, Progress::Begun | Progress::Run(_)) {
                    self.judged += u64::from(matches!(progress, Progress::Done { .. }));
                    self.running.remove(&ticket);
                }
                if let Progress::Doubted(why) = &progress {
                    self.doubt.get_or_insert_with(|| why.clone());
                }
                self.desk.progressed(now, ticket, progress)
            }
            Event::Claimed(result, registrations) => {
                self.is_claiming = false;
                match result {
                    Ok(mut claimed) => {
                        if let Some(task) = claimed.statement.take() {
                            threads.make(task);
                        }
                        if !claimed.jobs.is_empty() {
                            self.shared.stop_making();
                        }
                        self.desk.claimed(now, claimed)
                    }
                    Err(error) if error.is_unknown() => return self.register_again(registrations),
                    Err(error @ CallError::Refused { .. }) => {
                        self.shared.emit(OperatorEvent::Warning { message: format!("no jobs: {error}") });
                        Vec::new()
                    }
                    Err(CallError::Unreachable(_)) => Vec::new(),
                }
            }
            Event::Fetched(ticket, files) => self.desk.fetched(now, ticket, files),
            Event::Loaded(key, result) => self.desk.loaded(now, &key, *result),
            Event::Answered(answers) => self.desk.answered(now, &answers),
            Event::Beat(cancelled, stale, drain) => {
                let mut actions = self.desk.withdraw(&cancelled, "cancelled");
                actions.extend(self.desk.stale(&stale));
                if let Some(reason) = drain {
                    actions.extend(self.desk.taken_out(reason.as_deref()));
                }
                actions
            }
            Event::Unknown(registrations) => return self.register_again(registrations),
            Event::Tested(language, result) => self.desk.tested(now, &language, result),
            Event::NeedRoom => {
                self.desk.shed();
                Vec::new()
            }
        })
    }

    /// Registers with a server that does not know this judgehost. Its leases are gone.
    fn register_again(&mut self, seen: u64) -> Result<Vec<Action<Ready<J>>>, JudgehostError> {
        if seen != self.shared.registrations() {
            return Ok(Vec::new());
        }
        let actions = self.desk.abandon("the server does not know this judgehost any more");
        if register_with(&self.shared, &self.register)?.is_none() {
            return Ok(actions.into_iter().chain(self.desk.drain()).collect());
        }
        Ok(actions)
    }

    fn execute(&mut self, actions: Vec<Action<Ready<J>>>, threads: &Threads) {
        for action in actions {
            match action {
                Action::Fetch(ticket, job) => threads.fetch(ticket, job),
                Action::Load(key, job) => threads.load(key, job),
                Action::Test(language) => threads.test(language),
                Action::DropTest => self.judges.drop_test(),
                Action::Judge { ticket, job, problem, limit_ns, files } => {
                    let asked =
                        limit_ns.map(|limit| self.judges.with_time_limit(&problem.problem, Nanos(limit)));
                    let task = JudgeTask { ticket, job, files };
                    let used = asked.as_ref().unwrap_or(&problem.problem);
                    match self.judges.judge(used, task, Arc::clone(&self.sink)) {
                        Ok(handle) => {
                            self.running.insert(ticket, Running { handle, _ready: problem });
                        }
                        Err(failure) => (self.sink)(ticket, Progress::Failed(failure)),
                    }
                }
                Action::Cancel(ticket) => {
                    threads.cancel(ticket);
                    if let Some(running) = self.running.remove(&ticket) {
                        running.handle.cancel();
                    }
                }
                Action::Report(ticket, job, what, evidence) => {
                    self.shared.post.change(|outbox| outbox.push(ticket, &job, what, evidence));
                }
                Action::Forget(ticket) => self.shared.post.change(|outbox| outbox.forget(ticket)),
                Action::Emit(what) => self.shared.emit(what),
            }
        }
    }
}
