//! Judges many submissions on the places of a station.
//!
//! Each timed place has a thread that drives all its judgings, and others for their untimed work.

use crate::backend::RunBackend;
use crate::cancel::Cancel;
use crate::memory_budget::OPEN_PER_PLACE_MAX;
use crate::observer::{Notice, Observer};
use crate::place_thread::{Message, PlaceThread};
use crate::problem::{Problem, SubmissionSource};
use crate::status::{NamedPhase, OpenJudging, Status};
use crate::work::{JudgingNotice, Opening};
use crate::{JudgeError, Judgement, Station};
use judging_steps::Order;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use timing::TimedCpus;

/// How often a caller that waits for judgings is notified that they continue.
const ALIVE_EVERY: Duration = Duration::from_secs(1);

/// Judges submissions on the places of a station; in tests, on simulated places.
#[derive(Debug)]
pub struct Engine<S = Station> {
    station: S,
    seats: Vec<Seat>,
    next_number: AtomicU64,
}

/// One timed place and its threads.
#[derive(Debug)]
struct Seat {
    inbox: Mutex<Sender<Message>>,
    open: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone, Debug)]
pub struct JudgingHandle {
    /// Its number, which all its notices contain.
    pub number: u64,
    /// Its place, as its index in the station.
    pub place: usize,
    cancel: Cancel,
    status: Status,
    inbox: Sender<Message>,
}

impl JudgingHandle {
    /// Cancels this judging only, in any phase. Its last notice is [`JudgeError::Cancelled`].
    pub fn cancel(&self) {
        self.cancel.set();
        // If the thread is gone, so is the judging.
        let _ = self.inbox.send(Message::Cancel(self.number));
    }

    pub fn phase(&self) -> (NamedPhase, Instant) {
        self.status.get()
    }
}

impl Engine {
    /// Starts the threads; they stay on this process's CPUs.
    pub fn start(station: Station) -> Result<Self, JudgeError> {
        let places: Vec<_> = station.places().iter().map(|place| Arc::clone(place) as _).collect();
        Self::on(station, places)
    }

    /// Ends all open judgings and the threads, and returns the CPUs of the places, still taken.
    pub fn into_cpus(self) -> Result<Vec<TimedCpus>, JudgeError> {
        let Self { station, seats, .. } = self;
        drop(seats);
        station.into_cpus().ok_or_else(|| JudgeError::Bug("a place is still in use".to_owned()))
    }

    pub fn station(&self) -> &Station {
        &self.station
    }
}

impl<S> Engine<S> {
    pub(crate) fn on(station: S, places: Vec<Arc<dyn RunBackend>>) -> Result<Self, JudgeError> {
        let mut seats = Vec::new();
        for (at, place) in places.into_iter().enumerate() {
            let (inbox, messages) = channel();
            let open = Arc::new(AtomicUsize::new(0));
            let thread = PlaceThread::start((place, at), (inbox.clone(), messages), Arc::clone(&open));
            seats.push(Seat { inbox: Mutex::new(inbox), open, thread: Some(thread?) });
        }
        Ok(Self { station, seats, next_number: AtomicU64::new(0) })
    }

    /// Returns how many judgings it makes sense to have open at once.
    pub fn open_max(&self) -> usize {
        self.seats.len() * OPEN_PER_PLACE_MAX
    }

    /// Begins to judge a submission on the place with the fewest open judgings. Notices are sent until it is done.
    pub fn judge(
        &self,
        problem: &Arc<Problem>,
        source: SubmissionSource,
        order: Order,
        notices: Sender<JudgingNotice>,
    ) -> Result<JudgingHandle, JudgeError> {
        let seats = self.seats.iter().enumerate();
        let seat = seats.min_by_key(|(_, seat)| seat.open.load(Ordering::Relaxed));
        self.judge_at(seat.map_or(0, |(place, _)| place), problem, source, order, notices)
    }

    pub fn judge_at(
        &self,
        place: usize,
        problem: &Arc<Problem>,
        source: SubmissionSource,
        order: Order,
        notices: Sender<JudgingNotice>,
    ) -> Result<JudgingHandle, JudgeError> {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let cancel = Cancel::new()?;
        let seat = self.seats.get(place).ok_or_else(|| JudgeError::Bug("there is no place".to_owned()))?;
        seat.open.fetch_add(1, Ordering::Relaxed);
        let inbox = seat.inbox.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let status = Status::new();
        let handle = JudgingHandle { number, place, cancel: cancel.clone(), status: status.clone(), inbox };
        let problem = Arc::clone(problem);
        let opening = Opening { number, problem, source, order, cancel, status, notices };
        let message = Message::Open(Box::new(opening));
        handle.inbox.send(message).map_err(|_| JudgeError::Bug("the place's thread has ended".to_owned()))?;
        Ok(handle)
    }

    /// Judges submissions by a problem until all are done, or the observer breaks off. Enough of them are open at once
    /// that places have work while one rests; the next is read when there is room for it.
    pub fn judge_all(
        &self,
        problem: &Arc<Problem>,
        sources: impl IntoIterator<Item = Result<SubmissionSource, JudgeError>>,
        observer: &mut dyn Observer,
    ) -> Result<(), JudgeError> {
        let (notices, received) = channel();
        let mut sources = sources.into_iter().enumerate().fuse();
        let mut open: BTreeMap<u64, (usize, String, JudgingHandle)> = BTreeMap::new();
        let mut is_over = false;
        let mut alive_at = Instant::now() + ALIVE_EVERY;
        loop {
            while !is_over && open.len() < self.open_max() {
                let Some((at, source)) = sources.next() else { break };
                match source {
                    Ok(source) => {
                        let name = source.name.clone();
                        let handle = self.judge(problem, source, Order::default(), notices.clone())?;
                        open.insert(handle.number, (at, name, handle));
                    }
                    Err(error) => {
                        is_over = observer.receive(at, Notice::Done(Box::new(Err(error)))).is_break();
                    }
                }
            }
            if open.is_empty() {
                return Ok(());
            }
            if alive_at <= Instant::now() {
                observer.is_alive(&open_judgings(&open));
                alive_at = Instant::now() + ALIVE_EVERY;
                if self.seats.iter().any(|seat| seat.thread.as_ref().is_none_or(JoinHandle::is_finished)) {
                    return Err(JudgeError::Bug("the thread of a place has ended".to_owned()));
                }
            }
            let left = alive_at.saturating_duration_since(Instant::now());
            let JudgingNotice { judging, notice } = match received.recv_timeout(left) {
                Ok(notice) => notice,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => unreachable!("we hold a sender ourselves"),
            };
            let is_done = matches!(notice, Notice::Done(_));
            let Some((at, ..)) = open.get(&judging) else { continue };
            let at = *at;
            if is_done {
                open.remove(&judging);
            }
            if !is_over && observer.receive(at, notice) == ControlFlow::Break(()) {
                is_over = true;
                open.values().for_each(|(.., handle)| handle.cancel());
            }
        }
    }

    /// Judges submissions by a problem, and returns their judgements in order. `is_alive` is called each second.
    pub fn judgements(
        &self,
        problem: &Arc<Problem>,
        sources: impl IntoIterator<Item = Result<SubmissionSource, JudgeError>>,
        is_alive: &mut dyn FnMut(&[OpenJudging]),
    ) -> Result<Vec<Result<Judgement, JudgeError>>, JudgeError> {
        let mut collected = Collected { judgements: BTreeMap::new(), is_alive };
        self.judge_all(problem, sources, &mut collected)?;
        Ok(collected.judgements.into_values().collect())
    }
}

fn open_judgings(open: &BTreeMap<u64, (usize, String, JudgingHandle)>) -> Vec<OpenJudging> {
    let open = open.values().map(|(number, submission, handle)| {
        let (phase, since) = handle.phase();
        OpenJudging { number: *number, submission: submission.clone(), phase, since }
    });
    open.collect()
}

impl Drop for Seat {
    fn drop(&mut self) {
        let _ = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).send(Message::Close);
        if let Some(thread) = self.thread.take() {
            // Callers were already notified of any failure there.
            let _ = thread.join();
        }
    }
}

struct Collected<'a> {
    judgements: BTreeMap<usize, Result<Judgement, JudgeError>>,
    is_alive: &'a mut dyn FnMut(&[OpenJudging]),
}

impl Observer for Collected<'_> {
    fn receive(&mut self, number: usize, notice: Notice) -> ControlFlow<()> {
        if let Notice::Done(result) = notice {
            self.judgements.insert(number, *result);
        }
        ControlFlow::Continue(())
    }

    fn is_alive(&mut self, open: &[OpenJudging]) {
        (self.is_alive)(open);
    }
}
