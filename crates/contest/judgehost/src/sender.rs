//! The thread that delivers reports.

use crate::backoff::{Backoff, chance};
use crate::cache::hash_of;
use crate::client::{CallError, Client};
use crate::operator_events::{Connection, EventSink, OperatorEvent};
use crate::outbox::{Answered, Outbox, Outgoing};
use documents::judgehost::{BlobRef, REPORTS_MAX, ReportKind, ReportsRequest};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The reports that wait; [`Post::deliver`] is the thread that sends them.
#[derive(Debug)]
pub struct Post {
    outbox: Mutex<Inner>,
    changed: Condvar,
    began: Instant,
}

#[derive(Debug, Default)]
struct Inner {
    outbox: Outbox,
    /// When to end even with reports that were not delivered.
    end_at: Option<Instant>,
}

pub trait ReportListener: Send {
    fn answered(&self, answers: Vec<Answered>);
    /// The server does not know this judgehost; with its number of registrations when it asked.
    fn unknown(&self, registrations: u64);
    fn registrations(&self) -> u64;
}

impl Default for Post {
    fn default() -> Self {
        Self { outbox: Mutex::default(), changed: Condvar::new(), began: Instant::now() }
    }
}

impl Post {
    /// Changes the outbox, and wakes the thread.
    pub fn change<T>(&self, change: impl FnOnce(&mut Outbox) -> T) -> T {
        let result = change(&mut self.lock().outbox);
        self.changed.notify_all();
        result
    }

    /// Lets the thread end when nothing waits, or at this moment.
    pub fn end_by(&self, end_at: Instant) {
        self.lock().end_at = Some(end_at);
        self.changed.notify_all();
    }

    /// Delivers reports until the end was asked for; returns how many were not delivered.
    pub fn deliver(
        &self,
        client: &Client,
        connection: &Connection,
        on_event: &EventSink,
        listener: &dyn ReportListener,
    ) -> usize {
        let (mut backoff, mut reports_max) = (Backoff::default(), REPORTS_MAX);
        while let Some(batch) = self.next(reports_max) {
            let registrations = listener.registrations();
            let result = self.store(client, &batch, on_event).and_then(|reports| client.report(&reports));
            connection.note("reports", &result, on_event);
            match result {
                Ok(answer) => {
                    backoff.reset();
                    reports_max = REPORTS_MAX;
                    let answered = self.change(|outbox| outbox.answered(&answer.answers));
                    if answered.is_empty() {
                        // It answered none; sending at once would never end.
                        self.wait(backoff.next(chance()));
                    }
                    listener.answered(answered);
                }
                Err(error) if error.may_pass() || error.is_unknown() => {
                    if error.is_unknown() {
                        listener.unknown(registrations);
                    }
                    self.wait(backoff.next(chance()));
                }
                // The server refuses one of them: each is sent alone.
                Err(_) if batch.len() > 1 => reports_max = 1,
                Err(error) => {
                    reports_max = REPORTS_MAX;
                    self.give_up(&error, on_event);
                }
            }
        }
        self.lock().outbox.len()
    }

    /// Stores the records of judgements, and returns the reports that name them.
    fn store(
        &self,
        client: &Client,
        batch: &[Outgoing],
        on_event: &EventSink,
    ) -> Result<ReportsRequest, CallError> {
        let mut reports = Vec::with_capacity(batch.len());
        for one in batch {
            let mut report = one.report.clone();
            if let (ReportKind::Done(done), Some(bytes)) = (&mut report.what, &one.evidence) {
                let blob = BlobRef { hash: hash_of(bytes), size_bytes: bytes.len() as u64 };
                match client.put_blob(&blob.hash, bytes) {
                    Ok(()) => done.evidence = Some(blob),
                    Err(error @ CallError::Unreachable(_)) => return Err(error),
                    Err(error) => {
                        // The verdict counts without it.
                        let message = format!("the record of {} is not stored: {error}", report.job);
                        on_event(OperatorEvent::Warning { message });
                    }
                }
            }
            reports.push(report);
        }
        Ok(ReportsRequest { reports })
    }

    /// Drops the report that the server will never take; the job's lease ends, and it is judged again.
    fn give_up(&self, error: &CallError, on_event: &EventSink) {
        let Some(dropped) = self.change(Outbox::drop_first) else { return };
        let job = dropped.report.job;
        on_event(OperatorEvent::Dropped { job, reason: format!("its report was refused: {error}") });
    }

    /// Waits until a request is due, and returns its reports; `None` at the end.
    fn next(&self, reports_max: usize) -> Option<Vec<Outgoing>> {
        let mut inner = self.lock();
        loop {
            let is_over = inner.end_at.is_some_and(|end| end <= Instant::now());
            let now = self.began.elapsed();
            match inner.outbox.due(now) {
                None if inner.end_at.is_some() => return None,
                _ if is_over => return None,
                Some(Duration::ZERO) => return Some(inner.outbox.batch(now, reports_max)),
                wait => {
                    let end = inner.end_at.map(|end| end.saturating_duration_since(Instant::now()));
                    let wait = wait.into_iter().chain(end).min().unwrap_or(Duration::from_secs(60));
                    let waited = self.changed.wait_timeout(inner, wait);
                    inner = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    /// Waits before the next attempt, or until the end.
    fn wait(&self, duration: Duration) {
        let until = Instant::now() + duration;
        let mut inner = self.lock();
        loop {
            let until = inner.end_at.map_or(until, |end| end.min(until));
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            inner = self.changed.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
