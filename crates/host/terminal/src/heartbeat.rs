//! Prints the current activity now and then if no terminal shows it.

use crate::visible;
use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest time without a line: short enough for a waiting user, and a log of an hour has at most 360 lines.
const REPORT_EVERY: Duration = Duration::from_secs(10);
/// Longer lines would not be read.
const CHARACTERS_MAX: usize = 400;

/// Prints the current activity on standard error whenever nothing else was printed for a while.
#[derive(Debug)]
pub struct Heartbeat {
    state: Arc<Mutex<State>>,
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct State {
    what: String,
    last_report: Instant,
}

impl Heartbeat {
    /// Starts the thread.
    pub fn start(what: &str) -> std::io::Result<Self> {
        let state = Arc::new(Mutex::new(State { what: what.to_owned(), last_report: Instant::now() }));
        let (end, ended) = channel();
        let seen = Arc::clone(&state);
        let thread = std::thread::Builder::new().name("heartbeat".to_owned()).spawn(move || {
            let mut left = REPORT_EVERY;
            while ended.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                let mut state = seen.lock().unwrap_or_else(PoisonError::into_inner);
                left = REPORT_EVERY.saturating_sub(state.last_report.elapsed());
                if left.is_zero() {
                    let what: String = visible(&state.what).chars().take(CHARACTERS_MAX).collect();
                    // A closed standard error is no reason to stop.
                    let _ = writeln!(std::io::stderr(), "... {what}");
                    (state.last_report, left) = (Instant::now(), REPORT_EVERY);
                }
            }
        })?;
        Ok(Self { state, end: Some(end), thread: Some(thread) })
    }

    /// Sets the current activity.
    pub fn note(&self, what: impl Into<String>) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).what = what.into();
    }

    /// Records that something was just printed.
    pub fn reported(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).last_report = Instant::now();
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        drop(self.end.take());
        // It ends at once, and its result does not matter.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
