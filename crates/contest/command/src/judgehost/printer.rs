//! What a judgehost prints.

use documents::judgehost::{FailureScopeId, JudgehostEvent};
use judgehost::OperatorEvent;
use model::Nanos;
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use terminal::progress::is_quiet;
use terminal::{Progress, Standard, print, visible};

/// Prints events as lines: of JSON on standard output, or of text on standard error.
pub struct EventPrinter {
    json: bool,
    is_terminal: bool,
    progress: Mutex<Option<Progress>>,
}

impl EventPrinter {
    pub fn new(json: bool) -> Self {
        let progress = Mutex::new(Some(Progress::on_stderr(!json)));
        Self { json, is_terminal: std::io::stderr().is_terminal(), progress }
    }

    /// Shows what is done before the first job.
    pub fn doing(&self, what: &str) {
        if let Some(progress) = &*self.progress.lock().unwrap_or_else(PoisonError::into_inner) {
            progress.say(what);
        }
    }

    pub fn end(&self) {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Prints an event. Judging goes on if it cannot be printed.
    pub fn say(&self, what: OperatorEvent) {
        if self.json {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let at_unix_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
            let mut line = documents::to_json_line(&JudgehostEvent { at_unix_ms, what });
            line.push('\n');
            let _ = print(&line);
            return;
        }
        if is_quiet() || !self.is_terminal && is_routine(&what) {
            return;
        }
        let line = format!("{}\n", visible(&words(&what)));
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let print = || Standard::error().write(&line);
        let _ = match &*progress {
            Some(progress) => progress.around(print),
            None => print(),
        };
        drop(progress);
        if matches!(what, OperatorEvent::Registered { .. }) {
            self.end();
        }
    }
}

/// Returns whether an event is of interest only on a terminal.
fn is_routine(what: &OperatorEvent) -> bool {
    matches!(
        what,
        OperatorEvent::Received { .. }
            | OperatorEvent::Ready { .. }
            | OperatorEvent::Judged { .. }
            | OperatorEvent::Delivered { .. }
            | OperatorEvent::Reference { .. }
    )
}

fn words(what: &OperatorEvent) -> String {
    match what {
        OperatorEvent::SelfTested { languages } => {
            format!(
                "the self-test passed; {} languages are installed: {}",
                languages.len(),
                languages.join(" ")
            )
        }
        OperatorEvent::Registered { pool, server } => format!("judging for {server} in the pool {pool}"),
        OperatorEvent::Received { job, problem } => format!("{job}: received, problem {problem}"),
        OperatorEvent::Ready { package } => format!("package {} is ready", &package[..package.len().min(12)]),
        OperatorEvent::Judged { job, verdict, max_run_time_ns, spent } => {
            let slowest = max_run_time_ns.map(|time| format!(", slowest case {}", Nanos(time)));
            let total = Nanos(spent.total_us.saturating_mul(1000));
            format!("{job}: {}{}, {total} in all", verdict.0.clics_id(), slowest.unwrap_or_default())
        }
        OperatorEvent::Delivered { job } => format!("{job}: the server has the result"),
        OperatorEvent::Failed { job, scope, reason } => {
            let why = match scope {
                FailureScopeId::Judgement => "an error of this judging",
                FailureScopeId::Package => "an error of the package",
                FailureScopeId::Language => "an error of the language",
                FailureScopeId::Machine => "an error of the machine",
                FailureScopeId::Undecided => "its times are on neither side of the limit",
            };
            format!("{job}: not judged, {why}: {reason}")
        }
        OperatorEvent::Returned { job, reason } => format!("{job}: given back: {reason}"),
        OperatorEvent::Dropped { job, reason } => format!("{job}: dropped: {reason}"),
        OperatorEvent::Lost { reason } => format!("the server does not answer: {reason}; trying again"),
        OperatorEvent::Found => "the server answers again".to_owned(),
        OperatorEvent::Draining { judging } => {
            format!("ending; {judging} judgings are open (again to end at once)")
        }
        OperatorEvent::Reference { cpu_time_ns } => format!("reference program: {}", Nanos(*cpu_time_ns)),
        OperatorEvent::Warning { message } => format!("warning: {message}"),
        OperatorEvent::Ended { judged, undelivered } => {
            let lost = match undelivered {
                0 => String::new(),
                count => format!("; {count} reports were not delivered, their jobs will be judged elsewhere"),
            };
            format!("ended after {judged} judgings{lost}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use documents::judgehost::JobSpent;
    use model::Verdict;

    #[test]
    fn events_are_lines() {
        let judged = OperatorEvent::Judged {
            job: "demo/1-1".to_owned(),
            verdict: Verdict::Accepted.into(),
            max_run_time_ns: Some(1_500_000),
            spent: JobSpent { total_us: 250_000, ..JobSpent::default() },
        };
        assert_eq!(words(&judged), "demo/1-1: AC, slowest case 1.5 ms, 250.0 ms in all");
        let failed = OperatorEvent::Failed {
            job: "demo/1-1".to_owned(),
            scope: FailureScopeId::Package,
            reason: "no data".to_owned(),
        };
        assert_eq!(words(&failed), "demo/1-1: not judged, an error of the package: no data");
        assert!(is_routine(&judged) && !is_routine(&failed));
    }
}
