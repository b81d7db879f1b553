//! The writer's thread: its start, its loop and its end.

mod refused;
use super::batch::Batch;
use super::recover::{read_log, recover};
use super::{BATCH_MAX, Published, Request, Role, WAITING_MAX, Writer};
use crate::Problem;
use crate::clock::{self, Clock, TimeSource};
use crate::problem::{away, with_causes};
use contest_rules::{CHECKPOINT_VERSION, State};
pub(crate) use refused::not_stored;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use store::{Checkpoint, Store, StoreError};

/// Reading this many events takes about 0.1 s at a start.
const CHECKPOINT_EVENTS: u64 = 20_000;
/// The longest wait, so that a clock that was set is noticed.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// A tick that could not be stored, as on a full disk, is tried again after this time.
const TICK_AGAIN: Duration = Duration::from_secs(1);

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the log of events cannot be read")]
    Store(#[from] StoreError),
    #[error("event {seq} of the log cannot be read: use the release that wrote it, or a newer one")]
    Event { seq: u64, source: serde_json::Error },
    #[error("the writer's thread cannot be started")]
    Thread(#[from] std::io::Error),
}

/// Returns the answer to requests while the log cannot be read.
pub(super) fn why_not(error: &StartError) -> Problem {
    match error {
        StartError::Store(error @ (StoreError::Full { .. } | StoreError::Unavailable { .. })) => {
            not_stored(error)
        }
        _ => Problem::unavailable(away()),
    }
}

pub struct Start {
    pub writer: Writer,
    pub published: Arc<Published>,
    pub thread: JoinHandle<()>,
}

impl Start {
    /// Reads the log, and starts the writer.
    pub fn new(mut store: Box<dyn Store>) -> Result<Self, StartError> {
        let shared_ms = store.now_ms()?;
        Self::with_clock(store, clock::steady(shared_ms))
    }

    /// As [`Self::new`], by another clock than the system's.
    pub fn with_clock(mut store: Box<dyn Store>, source: TimeSource) -> Result<Self, StartError> {
        let mut state = State::default();
        let mut kept = 0;
        if let Some(checkpoint) = store.checkpoint(CHECKPOINT_VERSION)?
            && let Some(restored) = State::restore(&checkpoint.bytes)
        {
            state = restored;
            kept = checkpoint.seq;
        }
        // At the start there are no streams to notify, and a million of them.
        read_log(store.as_mut(), &mut state, &mut |_| {})?;
        tracing::info!(events = state.seq(), from_checkpoint = kept, "the log was read");
        let published = Arc::new(Published::new(state.clone(), Role::Writer));
        let (requests, waiting) = sync_channel(WAITING_MAX);
        let clock = Clock::after(state.time(), source);
        let mut thread = WriterThread {
            store,
            state,
            kept,
            clock,
            published: published.clone(),
            no_tick_before: None,
            waiting,
        };
        let thread = std::thread::Builder::new().name("writer".to_owned()).spawn(move || {
            let failed = FailureNote(thread.published.clone());
            thread.run();
            drop(failed);
        })?;
        let writer = Writer { requests, published: published.clone() };
        Ok(Self { writer, published, thread })
    }
}

/// Notes that the writer has ended, even by a panic: without it nothing works.
pub(super) struct FailureNote(pub Arc<Published>);

impl Drop for FailureNote {
    fn drop(&mut self) {
        self.0.has_failed.store(true, Ordering::Release);
        self.0.version.send_modify(|_| {});
    }
}

pub(super) struct WriterThread {
    pub store: Box<dyn Store>,
    /// With what is decided and not committed yet.
    pub state: State,
    /// The last event in a checkpoint.
    pub(super) kept: u64,
    pub clock: Clock,
    pub published: Arc<Published>,
    pub(super) no_tick_before: Option<std::time::Instant>,
    pub(super) waiting: Receiver<(std::time::Instant, Request)>,
}

impl WriterThread {
    pub(super) fn run(&mut self) {
        loop {
            let (requests, is_last) = self.next_requests();
            if !self.process(requests) {
                return;
            }
            if is_last {
                self.keep_checkpoint();
                return;
            }
            if self.state.seq() >= self.kept + CHECKPOINT_EVENTS {
                self.keep_checkpoint();
            }
        }
    }

    /// Waits for requests or the next tick, and returns what is to do, and whether the writer ends then.
    fn next_requests(&mut self) -> (Vec<Request>, bool) {
        let now = self.clock.now();
        let wait = self.state.next_tick().map_or(WAIT_MAX, |tick| {
            let until_tick = Duration::from_millis(u64::try_from(tick.0 - now.0).unwrap_or(0));
            until_tick.max(self.pause()).min(WAIT_MAX)
        });
        let mut requests = Vec::new();
        let mut next = match self.waiting.recv_timeout(wait) {
            Ok(next) => Some(next),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return (requests, true),
        };
        while let Some((sent, request)) = next {
            if matches!(request, Request::Stop) {
                return (requests, true);
            }
            let metrics = &self.published.metrics;
            metrics.writer_waiting.dec();
            metrics.writer_wait_seconds.observe(sent.elapsed().as_secs_f64());
            if !request.is_given_up() {
                requests.push(request);
            }
            next = if requests.len() < BATCH_MAX { self.waiting.try_recv().ok() } else { None };
        }
        (requests, false)
    }

    /// Returns how long to wait until a tick that has failed is tried again.
    fn pause(&self) -> Duration {
        let now = std::time::Instant::now();
        self.no_tick_before.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    /// Refuses what is asked for until an instant, and returns whether the writer is to end.
    pub(super) fn refuse_until(&mut self, until: std::time::Instant, problem: &Problem) -> bool {
        loop {
            let left = until.saturating_duration_since(std::time::Instant::now());
            match self.waiting.recv_timeout(left) {
                Ok((_, Request::Stop)) | Err(RecvTimeoutError::Disconnected) => return true,
                Ok((_, request)) => {
                    self.published.metrics.writer_waiting.dec();
                    request.refuse(problem.clone());
                }
                Err(RecvTimeoutError::Timeout) => return false,
            }
        }
    }

    /// Does requests in one transaction, and returns whether the writer can go on.
    fn process(&mut self, requests: Vec<Request>) -> bool {
        let now = self.clock.now();
        let is_tick_due = self.state.next_tick().is_some_and(|tick| tick <= now) && self.pause().is_zero();
        if requests.is_empty() && !is_tick_due {
            return true;
        }
        let mut batch = Batch::new(now, requests, is_tick_due);
        let state = &mut self.state;
        let begun = std::time::Instant::now();
        let result = self.store.transact(&mut |transaction| batch.run(state, transaction));
        match result {
            Ok(()) => {
                self.published.metrics.commit_seconds.observe(begun.elapsed().as_secs_f64());
                if !batch.events.is_empty() {
                    self.published.committed.store(clock::system_now().0, Ordering::Release);
                    self.published.confirm();
                }
                self.publish(&mut batch);
                // What is read is no older than what others see by then.
                batch.read(self.store.as_mut());
                batch.answer(Ok(()));
                self.no_tick_before = None;
                true
            }
            Err(error) => {
                self.published.metrics.commits_failed.inc();
                tracing::error!(error = with_causes(&error), "a transaction failed");
                // Answered before the log is read again: that may take long.
                if matches!(error, StoreError::Full { .. }) {
                    batch.read(self.store.as_mut());
                }
                batch.answer(Err(not_stored(&error)));
                self.no_tick_before = Some(std::time::Instant::now() + TICK_AGAIN);
                self.published.is_recovering.store(true, Ordering::Release);
                let goes_on = recover(self, error);
                self.published.is_recovering.store(!goes_on, Ordering::Release);
                goes_on
            }
        }
    }

    fn publish(&self, batch: &mut Batch) {
        let published = &self.published;
        published.publish(&batch.events);
        for (host, job) in batch.cancelled.drain(..) {
            published.add_cancelled(host, job);
        }
        if batch.has_new_jobs {
            published.queued.send_modify(|count| *count += 1);
        }
    }

    fn keep_checkpoint(&mut self) {
        let seq = self.state.seq();
        if seq == self.kept {
            return;
        }
        let checkpoint = Checkpoint { seq, version: CHECKPOINT_VERSION, bytes: self.state.checkpoint() };
        // The log has everything; a start is only slower without it.
        match self.store.keep_checkpoint(&checkpoint) {
            Ok(()) => tracing::debug!(seq, bytes = checkpoint.bytes.len(), "a checkpoint was kept"),
            Err(error) => tracing::warn!(error = with_causes(&error), "no checkpoint could be kept"),
        }
        self.kept = seq;
    }
}
