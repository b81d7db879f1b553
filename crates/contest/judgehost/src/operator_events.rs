//! Events for the operator of a judgehost.

use crate::client::CallError;
pub use documents::judgehost::JudgehostEventKind as OperatorEvent;
use documents::judgehost::{Job, JobDone};
use std::sync::{Mutex, PoisonError};

/// Receives events; may be called from any thread.
pub type EventSink = dyn Fn(OperatorEvent) + Send + Sync;

/// Whether the server answers, over all threads: each change is one event.
#[derive(Debug, Default)]
pub struct Connection {
    lost: Mutex<bool>,
}

impl Connection {
    /// Notes the result of a request, and emits an event if the connection was lost or is back.
    pub fn note<T>(&self, what: &str, result: &Result<T, CallError>, on_event: &EventSink) {
        let is_lost = matches!(result, Err(error) if error.may_pass());
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        match (*lost, result) {
            (false, Err(error)) if is_lost => {
                on_event(OperatorEvent::Lost { reason: format!("{what}: {error}") })
            }
            (true, _) if !is_lost => on_event(OperatorEvent::Found),
            _ => {}
        }
        *lost = is_lost;
    }
}

pub fn done(job: &Job, done: &JobDone) -> OperatorEvent {
    OperatorEvent::Judged {
        job: job.job.clone(),
        verdict: done.verdict,
        max_run_time_ns: done.max_run_time_ns,
        spent: done.spent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_lost_connection_is_one_event() {
        let events = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&events);
        let on_event = move |one| received.lock().unwrap().push(one);
        let connection = Connection::default();
        let lost = || Err::<(), _>(CallError::Unreachable("refused".to_owned()));
        let refused = Err::<(), _>(CallError::Refused { status: 404, detail: String::new() });
        for result in [Ok(()), lost(), lost(), refused, lost(), Ok(())] {
            connection.note("claim", &result, &on_event);
        }
        let lost = || OperatorEvent::Lost { reason: "claim: refused".to_owned() };
        assert_eq!(*events.lock().unwrap(), [lost(), OperatorEvent::Found, lost(), OperatorEvent::Found]);
    }
}
