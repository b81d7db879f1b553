//! Reports on their way to the server: in order, together where possible, and repeated until they are answered.

use crate::judges::Ticket;
use documents::judgehost::{
    Job, JobRun, REPORT_RUNS_MAX, REPORTS_MAX, Report, ReportAnswer, ReportKind, ReportState,
};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// The time between two requests with reports, unless one ends a job: often enough for a page that shows progress.
pub const REPORT_EVERY: Duration = Duration::from_millis(50);

/// A report, with what has to be stored before it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    pub ticket: Ticket,
    pub report: Report,
    /// The record of a judgement, to be stored as a blob.
    pub evidence: Option<Arc<Vec<u8>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    pub ticket: Ticket,
    pub answer: ReportAnswer,
    pub is_last: bool,
}

#[derive(Debug, Default)]
pub struct Outbox {
    waiting: VecDeque<Outgoing>,
    /// How many from the front were sent, and have to be repeated as they are until they are answered.
    sent: usize,
    /// The last number that a job's report got.
    numbers: BTreeMap<Ticket, u32>,
    last: Option<Duration>,
}

impl Outbox {
    /// Adds a report on a job. Runs join the job's runs that are not sent yet.
    pub fn push(&mut self, ticket: Ticket, job: &Job, what: ReportKind, evidence: Option<Arc<Vec<u8>>>) {
        if let ReportKind::Runs { runs } = &what
            && self.join(ticket, runs)
        {
            return;
        }
        let number = self.numbers.entry(ticket).or_default();
        *number += 1;
        let report = Report { job: job.job.clone(), fence: job.fence, number: *number, what };
        if report.what.is_last() {
            self.numbers.remove(&ticket);
        }
        self.waiting.push_back(Outgoing { ticket, report, evidence });
    }

    fn join(&mut self, ticket: Ticket, more: &[JobRun]) -> bool {
        let unsent = self.waiting.iter_mut().skip(self.sent);
        match unsent.filter(|waiting| waiting.ticket == ticket).last().map(|last| &mut last.report.what) {
            Some(ReportKind::Runs { runs }) if runs.len() + more.len() <= REPORT_RUNS_MAX => {
                runs.extend_from_slice(more);
                true
            }
            _ => false,
        }
    }

    /// Returns how long to wait before a request is due; `None` if there is nothing to send. What ends a job, or is waited
    /// for here, is due at once.
    pub fn due(&self, now: Duration) -> Option<Duration> {
        if self.waiting.is_empty() {
            return None;
        }
        let is_urgent = |one: &Outgoing| one.report.what.is_last() || one.report.what.is_waited_for();
        let last = self.last.filter(|_| !self.waiting.iter().any(is_urgent));
        Some(last.map_or(Duration::ZERO, |last| (last + REPORT_EVERY).saturating_sub(now)))
    }

    /// Returns the reports of the next request, at most `reports_max`. Until it is answered, the same are returned again.
    pub fn batch(&mut self, now: Duration, reports_max: usize) -> Vec<Outgoing> {
        self.last = Some(now);
        let count = if self.sent == 0 { self.waiting.len() } else { self.sent };
        self.sent = count.min(REPORTS_MAX).min(reports_max.max(1));
        self.waiting.iter().take(self.sent).cloned().collect()
    }

    /// Takes the answers to the last batch, which are in its order; without an answer a report is sent again.
    pub fn answered(&mut self, answers: &[ReportAnswer]) -> Vec<Answered> {
        let count = answers.len().min(self.sent);
        self.sent = 0;
        let done = self.waiting.drain(..count).zip(answers).map(|(outgoing, answer)| Answered {
            ticket: outgoing.ticket,
            answer: *answer,
            is_last: outgoing.report.what.is_last(),
        });
        let done: Vec<Answered> = done.collect();
        for gone in done.iter().filter(|done| done.answer.state != ReportState::Taken) {
            self.forget(gone.ticket);
        }
        done
    }

    /// Drops the first report, which the server will never take. Returns it.
    pub fn drop_first(&mut self) -> Option<Outgoing> {
        self.sent = 0;
        self.waiting.pop_front()
    }

    /// Drops the reports of a job that was withdrawn, except those that are being sent.
    pub fn forget(&mut self, ticket: Ticket) {
        let mut at = 0;
        self.waiting.retain(|one| {
            at += 1;
            at <= self.sent || one.ticket != ticket
        });
        self.numbers.remove(&ticket);
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::job;
    use documents::judgehost::JobFailed;
    use model::Verdict;

    fn run(ordinal: u32) -> ReportKind {
        let verdict = Verdict::Accepted.into();
        let run = JobRun {
            ordinal,
            verdict,
            cpu_time_ns: 1,
            memory_peak_bytes: None,
            at_ms: ordinal,
            for_jury: false,
        };
        ReportKind::Runs { runs: vec![run] }
    }

    fn failed() -> ReportKind {
        ReportKind::Failed(JobFailed {
            scope: documents::judgehost::FailureScopeId::Judgement,
            reason: String::new(),
        })
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Lists ticket, number and how many runs there are.
    fn shown(batch: &[Outgoing]) -> Vec<(u64, u32, usize)> {
        let runs = |one: &Outgoing| match &one.report.what {
            ReportKind::Runs { runs } => runs.len(),
            _ => 0,
        };
        batch.iter().map(|one| (one.ticket.0, one.report.number, runs(one))).collect()
    }

    fn taken(count: usize) -> Vec<ReportAnswer> {
        vec![ReportAnswer { state: ReportState::Taken, time_limit_ns: None }; count]
    }

    #[test]
    fn runs_of_a_job_are_sent_together_and_at_most_every_50_ms() {
        let (mut outbox, job) = (Outbox::default(), job("a", 1));
        let [one, two] = [Ticket(1), Ticket(2)];
        assert_eq!(outbox.due(ms(0)), None);
        outbox.push(one, &job, ReportKind::Begun, None);
        assert_eq!(outbox.due(ms(0)), Some(ms(0)), "nothing was sent yet");
        assert_eq!(shown(&outbox.batch(ms(0), 9)), [(1, 1, 0)]);
        assert_eq!(outbox.answered(&taken(1)).len(), 1);
        for ordinal in 1..=3 {
            outbox.push(one, &job, run(ordinal), None);
            outbox.push(two, &job, run(ordinal), None);
        }
        assert_eq!(outbox.due(ms(20)), Some(ms(30)));
        assert_eq!(outbox.due(ms(70)), Some(ms(0)));
        assert_eq!(shown(&outbox.batch(ms(70), 9)), [(1, 2, 3), (2, 1, 3)]);
        // What comes after a request has begun is not part of it, even if that is repeated.
        outbox.push(one, &job, run(4), None);
        outbox.push(one, &job, failed(), None);
        assert_eq!(outbox.due(ms(71)), Some(ms(0)), "what ends a job does not wait");
        assert_eq!(shown(&outbox.batch(ms(80), 9)), [(1, 2, 3), (2, 1, 3)], "repeated as it was");
        outbox.answered(&taken(2));
        assert_eq!(shown(&outbox.batch(ms(90), 9)), [(1, 3, 1), (1, 4, 0)]);
        let answered = outbox.answered(&taken(2));
        assert_eq!(answered.iter().map(|one| one.is_last).collect::<Vec<_>>(), [false, true]);
        assert_eq!(outbox.len(), 0);
    }

    #[test]
    fn after_a_stale_answer_nothing_of_the_job_is_sent() {
        let (mut outbox, job) = (Outbox::default(), job("a", 1));
        outbox.push(Ticket(1), &job, ReportKind::Begun, None);
        outbox.push(Ticket(2), &job, ReportKind::Begun, None);
        outbox.batch(ms(0), 9);
        outbox.push(Ticket(1), &job, run(1), None);
        let stale = ReportAnswer { state: ReportState::Stale, time_limit_ns: None };
        let answered = outbox.answered(&[stale, taken(1)[0]]);
        assert_eq!(answered[0].answer.state, ReportState::Stale);
        assert_eq!(outbox.len(), 0);
    }

    #[test]
    fn an_answer_that_is_too_short_leaves_the_rest_to_be_sent_again() {
        let (mut outbox, job) = (Outbox::default(), job("a", 1));
        for ticket in 1..=3 {
            outbox.push(Ticket(ticket), &job, ReportKind::Begun, None);
        }
        outbox.batch(ms(0), 9);
        assert_eq!(outbox.answered(&taken(2)).len(), 2);
        assert_eq!(shown(&outbox.batch(ms(0), 9)), [(3, 1, 0)]);
    }

    #[test]
    fn a_refused_report_is_found_by_sending_one_alone() {
        let (mut outbox, job) = (Outbox::default(), job("a", 1));
        for ticket in 1..=3 {
            outbox.push(Ticket(ticket), &job, ReportKind::Begun, None);
        }
        assert_eq!(outbox.batch(ms(0), 9).len(), 3);
        assert_eq!(shown(&outbox.batch(ms(0), 1)), [(1, 1, 0)]);
        assert_eq!(outbox.drop_first().unwrap().ticket, Ticket(1));
        assert_eq!(shown(&outbox.batch(ms(0), 9)), [(2, 1, 0), (3, 1, 0)]);
    }

    #[test]
    fn reports_that_are_being_sent_keep_their_place() {
        let (mut outbox, job) = (Outbox::default(), job("a", 1));
        outbox.push(Ticket(1), &job, ReportKind::Begun, None);
        outbox.push(Ticket(2), &job, ReportKind::Begun, None);
        outbox.batch(ms(0), 9);
        outbox.push(Ticket(1), &job, run(1), None);
        outbox.forget(Ticket(1));
        let answered = outbox.answered(&taken(2));
        assert_eq!(answered.iter().map(|one| one.ticket.0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(outbox.len(), 0);
    }

    #[test]
    fn many_runs_are_split() {
        let (mut outbox, job) = (Outbox::default(), job("a", 1));
        for ordinal in 0..REPORT_RUNS_MAX as u32 + 1 {
            outbox.push(Ticket(1), &job, run(ordinal), None);
        }
        assert_eq!(shown(&outbox.batch(ms(0), 9)), [(1, 1, REPORT_RUNS_MAX), (1, 2, 1)]);
    }
}
