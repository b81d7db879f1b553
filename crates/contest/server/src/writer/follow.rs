//! Following the log that another server writes, until its place is free.

use super::recover::read_log;
use super::thread::{FailureNote, Start, StartError, WriterThread};
use super::{Published, Reply, Request, Role, WAITING_MAX, Writer};
use crate::clock::{Clock, go_by, steady, system_now};
use crate::problem::with_causes;
use contest_rules::{CHECKPOINT_VERSION, Event, State};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use store::{Follow, Store, StoreError};

/// How often the log is looked at: so much later than the writer a follower answers.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often the writer's place is tried: so long there is none after it has ended.
const TRY_EVERY: Duration = Duration::from_millis(200);
/// After the database did not answer.
const AGAIN: Duration = Duration::from_millis(250);
/// Some megabytes at once.
const PAGE: usize = 10_000;

impl Start {
    /// Reads the log, follows it, and becomes the writer when there is none.
    pub fn following(mut log: Box<dyn Follow>) -> Result<Self, StartError> {
        let (state, kept) = begin(log.as_mut())?;
        tracing::info!(events = state.seq(), from_checkpoint = kept, "the log is followed");
        let published = Arc::new(Published::new(state, Role::Follower(None)));
        let (requests, waiting) = sync_channel(WAITING_MAX);
        let follower = Follower { log, kept, published: published.clone(), waiting };
        let thread = std::thread::Builder::new().name("writer".to_owned()).spawn(move || {
            let failed = FailureNote(follower.published.clone());
            if let Some(mut thread) = follower.run() {
                thread.run();
            }
            drop(failed);
        })?;
        let writer = Writer { requests, published: published.clone() };
        Ok(Self { writer, published, thread })
    }
}

/// Reads what is there, and returns the state with the number of the checkpoint that it began with.
fn begin(log: &mut dyn Follow) -> Result<(State, u64), StartError> {
    let mut state = State::default();
    let mut kept = 0;
    if let Some(checkpoint) = log.checkpoint(CHECKPOINT_VERSION)?
        && let Some(restored) = State::restore(&checkpoint.bytes)
    {
        state = restored;
        kept = checkpoint.seq;
    }
    loop {
        let followed = log.look(state.seq(), PAGE)?;
        followed.now_ms.into_iter().for_each(go_by);
        let page = followed.events;
        if page.is_empty() {
            return Ok((state, kept));
        }
        for stored in page {
            let event = read(stored.seq, &stored.body)?;
            state.apply(stored.seq, &event);
        }
    }
}

fn read(seq: u64, body: &str) -> Result<Event, StartError> {
    serde_json::from_str(body).map_err(|source| StartError::Event { seq, source })
}

/// A thread that follows.
struct Follower {
    log: Box<dyn Follow>,
    kept: u64,
    published: Arc<Published>,
    waiting: Receiver<(Instant, Request)>,
}

impl Follower {
    /// Follows until the place is free, and returns the writer; `None` if the server is to end before.
    fn run(mut self) -> Option<WriterThread> {
        let mut next_try = Instant::now();
        // Those who wait for the next look.
        let mut asked: Vec<Reply<()>> = Vec::new();
        loop {
            let looked = self.look();
            for reply in asked.drain(..) {
                // Who has asked may have gone. Without a database, what is known is better than nothing.
                let _ = reply.send(Ok(()));
            }
            let wait = match looked {
                Ok(()) => LOOK_EVERY,
                Err(error) if is_final(&error) => {
                    tracing::error!(
                        error = with_causes(&error),
                        "the log cannot be followed: the server ends"
                    );
                    return None;
                }
                Err(error) => {
                    tracing::warn!(error = with_causes(&error), "the log cannot be read; trying again");
                    AGAIN
                }
            };
            if Instant::now() >= next_try {
                next_try = Instant::now() + TRY_EVERY;
                match self.log.take_over() {
                    Ok(Some(store)) => return self.take_over(store),
                    Ok(None) => {}
                    Err(error) => {
                        tracing::debug!(error = with_causes(&error), "the writer's place cannot be tried")
                    }
                }
            }
            if self.wait(wait, &mut asked) {
                return None;
            }
        }
    }

    /// Applies what the log has now.
    fn look(&mut self) -> Result<(), StartError> {
        loop {
            let after = self.published.state().seq();
            let followed = self.log.look(after, PAGE)?;
            self.published.note_writer(followed.writer);
            if followed.events.is_empty() {
                self.published.committed.store(system_now().0, Ordering::Release);
                self.published.confirm();
                return Ok(());
            }
            let mut events = Vec::with_capacity(followed.events.len());
            for stored in &followed.events {
                events.push((stored.seq, read(stored.seq, &stored.body)?));
            }
            self.published.publish(&events);
        }
    }

    fn take_over(self, mut store: Box<dyn Store>) -> Option<WriterThread> {
        let mut state = self.published.state().clone();
        let mut notices = Vec::new();
        // What was written since the last look: no other server writes any more.
        if let Err(error) = read_log(store.as_mut(), &mut state, &mut |more| notices.extend(more)) {
            tracing::error!(error = with_causes(&error), "the log cannot be read: the server ends");
            return None;
        }
        let seq = state.seq();
        *self.published.state.write().unwrap_or_else(PoisonError::into_inner) = state.clone();
        self.published.hub.take(&notices);
        self.published.version.send_replace(seq);
        self.published.queued.send_modify(|count| *count += 1);
        self.published.confirm();
        self.published.become_writer();
        tracing::info!(events = seq, "this server writes from now on");
        let shared_ms = store.now_ms().unwrap_or_else(|error| {
            tracing::warn!(error = with_causes(&error), "the database's time cannot be read");
            None
        });
        let clock = Clock::after(state.time(), steady(shared_ms));
        let (published, waiting) = (self.published, self.waiting);
        Some(WriterThread { store, state, kept: self.kept, clock, published, no_tick_before: None, waiting })
    }

    /// Waits until it is time to look again, or somebody asks for it; returns whether the server is to end. What else the writer
    /// is asked is passed on to it before it comes here: what was on its way is refused.
    fn wait(&mut self, wait: Duration, asked: &mut Vec<Reply<()>>) -> bool {
        let until = Instant::now() + wait;
        loop {
            // All that ask together wait for one look.
            let patience = match asked.is_empty() {
                true => until.saturating_duration_since(Instant::now()),
                false => Duration::ZERO,
            };
            match self.waiting.recv_timeout(patience) {
                Ok((_, Request::Stop)) | Err(RecvTimeoutError::Disconnected) => return true,
                Ok((_, request)) => {
                    self.published.metrics.writer_waiting.dec();
                    match request {
                        Request::Look(reply) => asked.push(reply),
                        other => other.refuse(super::no_writer()),
                    }
                }
                Err(RecvTimeoutError::Timeout) => return false,
            }
        }
    }
}

/// Returns whether trying again cannot help.
fn is_final(error: &StartError) -> bool {
    match error {
        StartError::Store(error) => matches!(error, StoreError::Damaged(_) | StoreError::TooNew { .. }),
        StartError::Event { .. } | StartError::Thread(_) => true,
    }
}
