//! What the threads of a host share, and the events that they send to its core.

use crate::backoff::{Backoff, chance};
use crate::cache::Cache;
use crate::client::{CallError, Client};
use crate::error::JudgehostError;
use crate::host::{Condvar, Duration, PoisonError};
use crate::judges::{Judges, LanguageTested, ProblemKey, Progress, Ticket};
use crate::operator_events::{Connection, EventSink, OperatorEvent};
use crate::outbox::Answered;
use crate::sender::Post;
use documents::judgehost::{ClaimResponse, HeldJob, MachineReport, Register, Registered};
use judge::Cancel;
use languages::SourceFile;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, Weak};

/// How often a thread that waits checks whether to end.
pub(super) const CHECK_EVERY: Duration = Duration::from_millis(100);

/// Everything that reaches the core: from its threads and from what judges.
pub(crate) enum Event<P> {
    /// The answer to a claim, and the number of registrations when it asked.
    Claimed(Result<ClaimResponse, CallError>, u64),
    Fetched(Ticket, Result<Vec<SourceFile>, crate::error::Failure>),
    Loaded(ProblemKey, Box<Result<crate::judges::Prepared<P>, crate::error::Failure>>),
    Answered(Vec<Answered>),
    /// The heartbeat's answer: cancelled jobs, jobs of others, and whether to end.
    Beat(Vec<String>, Vec<HeldJob>, Option<Option<String>>),
    /// The server does not know this judgehost; with its number of registrations when it asked.
    Unknown(u64),
    Tested(String, LanguageTested),
    /// The cache is full of packages that are ready.
    NeedRoom,
    /// From what judges.
    Progress(Ticket, Progress),
}

pub(crate) struct Shared<J: Judges> {
    /// Weak: threads that still wait for the server at the end must not keep the sandboxes open.
    pub judges: Weak<J>,
    pub client: Client,
    pub cache: Arc<Cache>,
    pub on_event: Arc<EventSink>,
    pub connection: Connection,
    pub post: Post,
    pub ending: Ending,
    pub held: Mutex<Vec<HeldJob>>,
    pub untested: Mutex<Vec<String>>,
    /// What the machine is, for a server that asks again.
    pub machine: Option<Box<MachineReport>>,
    pub judging: AtomicUsize,
    /// Stops the statement that is made now.
    pub making: Mutex<Option<Cancel>>,
    pub is_draining: AtomicBool,
    pub is_over: AtomicBool,
    /// Number of registrations: an answer to a request from before the last one is ignored.
    pub registrations: AtomicU64,
    pub events: Sender<Event<Ready<J>>>,
}

/// A package that is ready, and its place in the cache.
pub(crate) struct Ready<J: Judges> {
    pub problem: J::Problem,
    pub _cached: Arc<crate::cache::CachedPackage>,
}

impl<J: Judges> Clone for Ready<J> {
    fn clone(&self) -> Self {
        Self { problem: self.problem.clone(), _cached: Arc::clone(&self._cached) }
    }
}

impl<J: Judges> Shared<J> {
    pub fn send(&self, event: Event<Ready<J>>) {
        // At the end the receiver may be gone.
        let _ = self.events.send(event);
    }

    /// Stops the statement that is made now, if there is one.
    pub fn stop_making(&self) {
        if let Some(stop) = &*self.making.lock().unwrap_or_else(PoisonError::into_inner) {
            stop.set();
        }
    }

    pub fn registrations(&self) -> u64 {
        self.registrations.load(Ordering::SeqCst)
    }

    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    pub fn emit(&self, what: OperatorEvent) {
        (self.on_event)(what);
    }
}

/// Registers, and tries until the server answers; `None` if it was asked to end meanwhile.
pub(crate) fn register_with<J: Judges>(
    shared: &Shared<J>,
    register: &Register,
) -> Result<Option<Registered>, JudgehostError> {
    let mut backoff = Backoff::default();
    let asked = shared.ending.asked();
    if asked > 0 {
        return Ok(None);
    }
    loop {
        let (result, refused) = match shared.client.register(register) {
            Ok(registered) => (Ok(registered), None),
            Err((error, refused)) => (Err(error), Some(refused)),
        };
        shared.connection.note("registering", &result, &*shared.on_event);
        match result {
            Ok(registered) => {
                shared.registrations.fetch_add(1, Ordering::SeqCst);
                let server = shared.client.server().to_owned();
                shared.emit(OperatorEvent::Registered { pool: registered.pool.clone(), server });
                return Ok(Some(registered));
            }
            Err(CallError::Refused { status, detail }) => {
                let differences = refused.map(|refused| refused.differences).unwrap_or_default();
                let detail = if status == 409 { detail } else { format!("{status}: {detail}") };
                return Err(JudgehostError::Refused { detail, differences });
            }
            Err(CallError::Unreachable(_)) => {
                if shared.ending.wait(asked, backoff.next(chance())) > asked {
                    return Ok(None);
                }
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Ending {
    pub(super) asked: Arc<(Mutex<u8>, Condvar)>,
}

impl Ending {
    /// Asks it to take no more jobs and to end what it has; when asked again, to end at once.
    pub fn ask(&self) {
        let (asked, changed) = &*self.asked;
        let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
        *asked = asked.saturating_add(1);
        changed.notify_all();
    }

    pub fn asked(&self) -> u8 {
        *self.asked.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it was asked more often than `seen`, at most for `duration`.
    pub(crate) fn wait(&self, seen: u8, duration: Duration) -> u8 {
        let (asked, changed) = &*self.asked;
        let asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(asked, duration, |asked| *asked <= seen);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
