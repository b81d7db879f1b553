//! The phase of an open judging, readable while its place's thread is busy.

use judging_steps::Phase;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A judging's phase for display: cases by name, instants on the machine's clock.
pub type NamedPhase = Phase<String, Instant>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenJudging {
    /// The submission's number, as in [`crate::Observer::receive`].
    pub number: usize,
    pub submission: String,
    pub phase: NamedPhase,
    pub since: Instant,
}

/// The phase of one judging, written by its place's thread and its helper.
#[derive(Clone, Debug)]
pub(crate) struct Status(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    phase: NamedPhase,
    since: Instant,
    /// Whether the untimed work still waits for the helper.
    waits_for_helper: bool,
}

impl Status {
    pub fn new() -> Self {
        let state = State { phase: Phase::Queued, since: Instant::now(), waits_for_helper: false };
        Self(Arc::new(Mutex::new(state)))
    }

    pub fn set(&self, phase: NamedPhase) {
        let mut state = self.lock();
        if state.phase != phase {
            (state.phase, state.since) = (phase, Instant::now());
        }
    }

    /// Records that work for the helper is pending.
    pub fn wait_for_helper(&self) {
        self.lock().waits_for_helper = true;
    }

    /// Records that the helper has begun that work.
    pub fn helper_begins(&self) {
        let mut state = self.lock();
        state.waits_for_helper = false;
        if state.phase.is_untimed() {
            state.since = Instant::now();
        }
    }

    pub fn get(&self) -> (NamedPhase, Instant) {
        let state = self.lock();
        let is_queued = state.waits_for_helper && state.phase.is_untimed();
        (if is_queued { Phase::Queued } else { state.phase.clone() }, state.since)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_waiting_for_a_helper_is_queued_and_phases_begin_once() {
        let status = Status::new();
        assert_eq!(status.get().0, Phase::Queued);
        status.set(Phase::Compiling);
        status.wait_for_helper();
        assert_eq!(status.get().0, Phase::Queued);
        status.helper_begins();
        let (phase, since) = status.get();
        assert_eq!(phase, Phase::Compiling);
        status.set(Phase::Compiling);
        assert_eq!(status.get().1, since);
        // A check that waits for the helper while the next case runs does not count as waiting.
        status.wait_for_helper();
        status.set(Phase::Running { case: "secret/1".to_owned(), pass: 1, attempt: 1 });
        let running = status.get();
        status.helper_begins();
        assert_eq!(status.get(), running);
    }
}
