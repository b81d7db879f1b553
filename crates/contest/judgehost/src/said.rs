//! What a judgehost tells people.

use crate::client::CallError;
pub use documents::judgehost::JudgehostEventKind as Said;
use documents::judgehost::{Job, JobDone};
use std::sync::{Mutex, PoisonError};

/// Receives what happens; may be called from any thread.
pub type Tell = dyn Fn(Said) + Send + Sync;

/// Whether the server answers, as all threads together see it: each change is told once.
#[derive(Debug, Default)]
pub struct Connection {
    lost: Mutex<bool>,
}

impl Connection {
    /// Notes how a request ended, and tells if that is news.
    pub fn note<T>(&self, what: &str, result: &Result<T, CallError>, tell: &Tell) {
        let is_lost = matches!(result, Err(error) if error.may_pass());
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        match (*lost, result) {
            (false, Err(error)) if is_lost => tell(Said::Lost { reason: format!("{what}: {error}") }),
            (true, _) if !is_lost => tell(Said::Found),
            _ => {}
        }
        *lost = is_lost;
    }
}

/// Returns what is told about a judging that is done.
pub fn done(job: &Job, done: &JobDone) -> Said {
    Said::Judged {
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
    fn a_lost_server_is_told_once() {
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let tell = move |one| heard.lock().unwrap().push(one);
        let connection = Connection::default();
        let lost = || Err::<(), _>(CallError::Unreachable("refused".to_owned()));
        let refused = Err::<(), _>(CallError::Refused { status: 404, detail: String::new() });
        for result in [Ok(()), lost(), lost(), refused, lost(), Ok(())] {
            connection.note("claim", &result, &tell);
        }
        let lost = || Said::Lost { reason: "claim: refused".to_owned() };
        assert_eq!(*said.lock().unwrap(), [lost(), Said::Found, lost(), Said::Found]);
    }
}
