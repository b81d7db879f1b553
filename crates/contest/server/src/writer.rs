//! The writer: one thread that decides, stores, and only then publishes.
//!
//! It takes what waits, at most [`BATCH_MAX`] requests, and does it all in one transaction. Readers never see what is not
//! committed. When it is not known whether a transaction was committed, the log is read again.
//!
//! **Architecture Invariant:** no other code decides anything or writes to the store.

mod batch;
mod follow;
mod recover;
mod thread;

pub use thread::{Start, StartError};

use crate::Problem;
use crate::events::Hub;
use crate::hosts::Hosts;
use crate::ops::Metrics;
use contest_rules::{Caller, Command, Event, Instant, JudgehostId, State};
use model::{Message, message};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;
use store::{ClaimedJob, JobCount, Lease, ListedJob, WriterPlace};
use tokio::sync::{oneshot, watch};

/// The most requests in a transaction.
const BATCH_MAX: usize = 512;
/// The most requests that wait; then new ones are refused with status 503.
const WAITING_MAX: usize = 4096;
/// A request waits no longer. Transactions take milliseconds, but the writer waits longer for a database that may only be busy.
const ANSWERED_WITHIN: Duration = Duration::from_secs(20);

/// The answer to a request that may have been stored, or not.
pub(crate) fn unknown() -> Problem {
    Problem::unavailable(outcome_unknown())
}

/// To those whose request may have been stored, or not.
fn outcome_unknown() -> Message {
    message!(
        "not-known-whether-stored",
        "the server cannot tell whether your request was stored; reload, and send it again if it is missing"
    )
}

#[derive(Debug)]
pub struct Done {
    /// The events, in order.
    pub events: Vec<Event>,
    /// The number of the last event in the log.
    pub seq: u64,
}

/// A report of a judgehost: its lease, and what it says, as commands in order.
pub struct LeaseReport {
    pub lease: Lease,
    /// Which of the lease's reports it is.
    pub number: u32,
    pub commands: Vec<Command>,
    /// Whether it is the last one of its lease.
    pub is_last: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportOutcome {
    /// It was taken, now or before.
    Taken,
    /// The lease is no longer the judgehost's.
    Stale,
    /// The judgement is no longer wanted.
    Cancelled,
}

/// Jobs that a judgehost wants.
pub struct ClaimWish {
    pub host: JudgehostId,
    pub pool: String,
    pub max: usize,
    /// Jobs with one of these tags are for others.
    pub excluded_tags: Vec<String>,
    /// What is known about all judgehosts.
    pub hosts: Arc<Hosts>,
    /// How long the leases last.
    pub lease_ms: i64,
}

type Reply<T> = oneshot::Sender<Result<T, Problem>>;

enum Request {
    Do(Caller, Vec<Command>, Reply<Done>),
    Try(Caller, Vec<Command>, Reply<()>),
    Report(Caller, JudgehostId, Vec<LeaseReport>, Reply<Vec<ReportOutcome>>),
    Claim(ClaimWish, Reply<Vec<ClaimedJob>>),
    Extend(JudgehostId, Vec<Lease>, i64, Reply<Vec<bool>>),
    GiveBackAll(JudgehostId, Reply<usize>),
    Counts(Reply<Vec<JobCount>>),
    Jobs(usize, usize, Reply<Vec<ListedJob>>),
    Check(Reply<()>),
    /// Waits until all is read that was written before.
    Look(Reply<()>),
    Stop,
}

impl Request {
    /// Returns whether it needs no transaction.
    fn only_reads(&self) -> bool {
        matches!(self, Self::Counts(_) | Self::Jobs(..) | Self::Check(_) | Self::Look(_))
    }

    /// Returns whether its asker waits for the answer no longer: then it is not done.
    fn is_given_up(&self) -> bool {
        match self {
            Self::Do(.., reply) => reply.is_closed(),
            Self::Try(.., reply) => reply.is_closed(),
            Self::Report(.., reply) => reply.is_closed(),
            Self::Claim(_, reply) => reply.is_closed(),
            Self::Extend(.., reply) => reply.is_closed(),
            Self::GiveBackAll(_, reply) => reply.is_closed(),
            Self::Counts(reply) => reply.is_closed(),
            Self::Jobs(.., reply) => reply.is_closed(),
            Self::Check(reply) | Self::Look(reply) => reply.is_closed(),
            Self::Stop => false,
        }
    }

    /// Answers that nothing was done.
    fn refuse(self, problem: Problem) {
        fn send<T>(reply: Reply<T>, problem: Problem) {
            // Fails only when the asker has gone.
            drop(reply.send(Err(problem)));
        }
        match self {
            Self::Do(.., reply) => send(reply, problem),
            Self::Try(.., reply) => send(reply, problem),
            Self::Report(.., reply) => send(reply, problem),
            Self::Claim(_, reply) => send(reply, problem),
            Self::Extend(.., reply) => send(reply, problem),
            Self::GiveBackAll(_, reply) => send(reply, problem),
            Self::Counts(reply) => send(reply, problem),
            Self::Jobs(.., reply) => send(reply, problem),
            Self::Check(reply) | Self::Look(reply) => send(reply, problem),
            Self::Stop => {}
        }
    }
}

/// To those whose request has to wait until there is a writer again.
pub(crate) fn no_writer() -> Problem {
    Problem::unavailable(message!("no-writer", "another server is about to take over; try again in a moment"))
}

pub(crate) fn too_many_wait() -> Problem {
    Problem::unavailable(message!("too-many-requests-wait", "too many requests wait; try again in a moment"))
}

/// Whether this server writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    Writer,
    /// Another one does, and is reached there, if it has said where.
    Follower(Option<WriterPlace>),
}

/// What the writer and everybody else share.
pub struct Published {
    state: RwLock<State>,
    role: watch::Sender<Role>,
    /// The number of the last event.
    version: watch::Sender<u64>,
    /// Grows when there may be new jobs.
    queued: watch::Sender<u64>,
    hub: Hub,
    /// Jobs that their judgehosts need not do any more.
    cancelled: Mutex<BTreeMap<String, Vec<String>>>,
    has_failed: AtomicBool,
    /// Whether the log is read again after a failure.
    is_recovering: AtomicBool,
    /// When a transaction was last committed, or the log of another server last read.
    committed: AtomicI64,
    /// When the database was last asked and answered.
    confirmed: Mutex<std::time::Instant>,
    pub metrics: Metrics,
}

/// The most cancelled jobs that are kept for a judgehost that does not ask.
const CANCELLED_MAX: usize = 4096;

impl Published {
    fn new(state: State, role: Role) -> Self {
        let version = watch::Sender::new(state.seq());
        let (queued, hub) = (watch::Sender::new(0), Hub::default());
        let (cancelled, has_failed) = (Mutex::default(), AtomicBool::new(false));
        let (is_recovering, committed, metrics) =
            (AtomicBool::new(false), AtomicI64::new(0), Metrics::default());
        let (state, role) = (RwLock::new(state), watch::Sender::new(role));
        let confirmed = Mutex::new(std::time::Instant::now());
        Self {
            state,
            role,
            version,
            queued,
            hub,
            cancelled,
            has_failed,
            is_recovering,
            committed,
            confirmed,
            metrics,
        }
    }

    /// Returns the state, for a short look: the writer waits meanwhile.
    pub fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether this server writes, as it changes.
    pub fn role(&self) -> watch::Receiver<Role> {
        self.role.subscribe()
    }

    pub fn is_writer(&self) -> bool {
        *self.role.borrow() == Role::Writer
    }

    fn note_writer(&self, place: Option<WriterPlace>) {
        self.role.send_if_modified(|role| {
            let new = Role::Follower(place);
            let is_other = *role != new;
            *role = new;
            is_other
        });
    }

    fn become_writer(&self) {
        self.role.send_replace(Role::Writer);
    }

    /// Shows events to those who read.
    fn publish(&self, events: &[(u64, Event)]) {
        let Some((last, _)) = events.last() else { return };
        let mut notices = Vec::new();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        for (seq, event) in events {
            self.metrics.count(&state, event);
            notices.extend(state.apply(*seq, event).notices);
        }
        self.hub.take(&notices);
        drop(state);
        self.version.send_replace(*last);
    }

    /// Returns the number of the last event, as it changes.
    pub fn version(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// Returns a count that grows when there may be new jobs.
    pub fn queued(&self) -> watch::Receiver<u64> {
        self.queued.subscribe()
    }

    /// Lets claims that wait look again.
    pub fn wake_claims(&self) {
        self.queued.send_modify(|count| *count += 1);
    }

    /// Returns the latest notices. The state results from exactly these.
    pub(crate) fn hub(&self) -> &Hub {
        &self.hub
    }

    /// Returns the jobs that a judgehost need not do any more, once.
    pub fn take_cancelled(&self, host: &JudgehostId) -> Vec<String> {
        self.cancelled_jobs().remove(host.as_str()).unwrap_or_default()
    }

    fn add_cancelled(&self, host: String, job: String) {
        let mut cancelled = self.cancelled_jobs();
        let jobs = cancelled.entry(host).or_default();
        if jobs.len() < CANCELLED_MAX {
            jobs.push(job);
        }
    }

    fn cancelled_jobs(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Vec<String>>> {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the log is read again after a failure.
    pub fn is_recovering(&self) -> bool {
        self.is_recovering.load(Ordering::Acquire)
    }

    /// Returns when a transaction was last committed, by the system's clock.
    pub fn committed(&self) -> Instant {
        Instant(self.committed.load(Ordering::Acquire))
    }

    /// Notes that this server has its place, or follows: the database has just said so.
    pub(crate) fn confirm(&self) {
        *self.confirmed.lock().unwrap_or_else(PoisonError::into_inner) = std::time::Instant::now();
    }

    pub(crate) fn confirmed_ago(&self) -> std::time::Duration {
        self.confirmed.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// Returns whether the writer has ended because of an error, so that the server must end.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }
}

#[derive(Clone)]
pub struct Writer {
    requests: SyncSender<(std::time::Instant, Request)>,
    published: Arc<Published>,
}

impl Writer {
    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, Problem> {
        let (reply, answer) = oneshot::channel();
        let sent = self.requests.try_send((std::time::Instant::now(), request(reply)));
        sent.map_err(|error| match error {
            TrySendError::Full(_) => too_many_wait(),
            TrySendError::Disconnected(_) => {
                Problem::unavailable(message!("server-stopping", "the server is stopping"))
            }
        })?;
        self.published.metrics.writer_waiting.inc();
        match tokio::time::timeout(ANSWERED_WITHIN, answer).await {
            Ok(answer) => answer.unwrap_or_else(|_| Err(Problem::unavailable(outcome_unknown()))),
            Err(_) => Err(Problem::unavailable(outcome_unknown())),
        }
    }

    pub async fn act(&self, caller: Caller, command: Command) -> Result<Done, Problem> {
        self.act_all(caller, vec![command]).await
    }

    /// Does commands in order: all of them, or nothing.
    pub async fn act_all(&self, caller: Caller, commands: Vec<Command>) -> Result<Done, Problem> {
        self.ask(|reply| Request::Do(caller, commands, reply)).await
    }

    /// Decides commands in order, and does nothing.
    pub async fn try_all(&self, caller: Caller, commands: Vec<Command>) -> Result<(), Problem> {
        self.ask(|reply| Request::Try(caller, commands, reply)).await
    }

    /// Takes a judgehost's reports, each as a whole.
    pub async fn report(
        &self,
        caller: Caller,
        host: JudgehostId,
        reports: Vec<LeaseReport>,
    ) -> Result<Vec<ReportOutcome>, Problem> {
        self.ask(|reply| Request::Report(caller, host, reports, reply)).await
    }

    pub async fn claim(&self, wish: ClaimWish) -> Result<Vec<ClaimedJob>, Problem> {
        self.ask(|reply| Request::Claim(wish, reply)).await
    }

    /// Extends leases, and returns for each whether it is the judgehost's.
    pub async fn extend(
        &self,
        host: JudgehostId,
        leases: Vec<Lease>,
        lease_ms: i64,
    ) -> Result<Vec<bool>, Problem> {
        self.ask(|reply| Request::Extend(host, leases, lease_ms, reply)).await
    }

    /// Ends all leases of a judgehost, and returns how many there were.
    pub async fn give_back_all(&self, host: JudgehostId) -> Result<usize, Problem> {
        self.ask(|reply| Request::GiveBackAll(host, reply)).await
    }

    pub async fn counts(&self) -> Result<Vec<JobCount>, Problem> {
        self.ask(Request::Counts).await
    }

    /// Returns jobs in the order of their turns.
    pub async fn jobs(&self, skip: usize, max: usize) -> Result<Vec<ListedJob>, Problem> {
        self.ask(|reply| Request::Jobs(skip, max, reply)).await
    }

    /// Writes something that changes nothing, to see whether the store can be written.
    pub async fn check(&self) -> Result<(), Problem> {
        self.ask(Request::Check).await
    }

    /// Waits until this server knows all that any server of the database has acknowledged by now.
    pub async fn look(&self) -> Result<(), Problem> {
        self.ask(Request::Look).await
    }

    /// Lets the writer end, after what waits and a checkpoint.
    pub fn stop(&self) {
        // Fails only when it has ended already.
        let _ = self.requests.send((std::time::Instant::now(), Request::Stop));
    }
}
