//! Pauses a slot's programs while something else is measured, and shows whether they wait for input.

use crate::waiting::{self, PipeId};
use model::Nanos;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Pauses the present run of a slot, and runs that begin meanwhile. The time does not count for the run.
///
/// This needs a group of version 2, in which a kill also ends frozen processes (kernel document `cgroup-v2.rst`,
/// "cgroup.freeze").
#[derive(Clone, Debug, Default)]
pub struct Pause(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    holders: u32,
    since: Option<Instant>,
    total: Duration,
    /// The group of the present run, if it can be paused.
    group: Option<PathBuf>,
    /// The group that lists the processes of the present run.
    members: Option<PathBuf>,
    is_running: bool,
}

#[derive(Debug)]
pub struct Paused {
    pause: Pause,
    /// Whether nothing runs now: the run could be paused, or there was none.
    pub is_still: bool,
}

impl Pause {
    /// Pauses the run until the returned value is dropped.
    pub fn hold(&self) -> Paused {
        let mut state = self.lock();
        state.holders += 1;
        if state.holders == 1 {
            state.since = Some(Instant::now());
            state.freeze(true);
        }
        let is_still = !state.is_running || state.group.is_some();
        drop(state);
        Paused { pause: self.clone(), is_still }
    }

    /// Returns whether the run does nothing until this empty pipe, from which it reads, has content or ends. A paused run
    /// is not known to.
    pub fn waits_for(&self, pipe: PipeId) -> io::Result<bool> {
        let state = self.lock();
        match &state.members {
            Some(group) if state.holders == 0 => waiting::wait_for_pipe(Path::new("/proc"), group, pipe),
            _ => Ok(false),
        }
    }

    /// Records that a run begins in this group, if it has one, and which group lists its processes. Returns the total time
    /// paused so far.
    pub(crate) fn enter(&self, group: Option<&Path>, members: Option<&Path>) -> Duration {
        let mut state = self.lock();
        state.is_running = true;
        state.group = group.map(Path::to_owned);
        state.members = members.map(Path::to_owned);
        if state.holders > 0 {
            state.freeze(true);
        }
        state.total()
    }

    /// Resumes the run in any case, since it is to end.
    pub(crate) fn give_up(&self) {
        let mut state = self.lock();
        state.freeze(false);
        state.group = None;
    }

    pub(crate) fn leave(&self) {
        let mut state = self.lock();
        // The group may be reused.
        state.freeze(false);
        (state.group, state.members, state.is_running) = (None, None, false);
    }

    /// Returns for how long it was paused since `before`.
    pub(crate) fn since(&self, before: Duration) -> Nanos {
        Nanos::from(self.lock().total().saturating_sub(before))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn freeze(&self, wanted: bool) {
        if let Some(group) = &self.group {
            // If this fails, the run is over and its group gone.
            let _ = fs::write(group.join("cgroup.freeze"), if wanted { "1" } else { "0" });
        }
    }

    fn total(&self) -> Duration {
        self.total + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        let mut state = self.pause.lock();
        state.holders -= 1;
        if state.holders == 0 {
            state.freeze(false);
            state.total = state.total();
            state.since = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_is_paused_until_the_last_holder_lets_go_or_the_run_ends() {
        let group = tempfile::tempdir().unwrap();
        let frozen = || fs::read_to_string(group.path().join("cgroup.freeze")).unwrap_or_default();
        let pause = Pause::default();
        let nothing = pause.hold();
        assert!(nothing.is_still, "nothing runs");
        pause.enter(Some(group.path()), None);
        assert_eq!(frozen(), "1", "what begins meanwhile is stopped");
        let other = pause.hold();
        drop(nothing);
        assert_eq!(frozen(), "1");
        drop(other);
        assert_eq!(frozen(), "0");
        let held = pause.hold();
        assert!(held.is_still && frozen() == "1");
        pause.give_up();
        assert_eq!(frozen(), "0", "what is to end goes on");
        pause.leave();
        drop(held);
        pause.enter(Some(group.path()), None);
        let held = pause.hold();
        pause.leave();
        assert_eq!(frozen(), "0", "the next process in the group runs");
        drop(held);
        pause.enter(None, None);
        assert!(!pause.hold().is_still, "a run without a group cannot be stopped");
    }

    #[test]
    fn only_stopped_time_is_taken_off() {
        let pause = Pause::default();
        let before = pause.enter(None, None);
        assert_eq!(pause.since(before), Nanos::ZERO);
        drop(pause.hold());
        let once = pause.since(before);
        assert_eq!(pause.since(before), once, "it does not grow without a holder");
    }
}
