//! What happens next, and what follows from it.

use super::explain::Explanation;
use super::state::State;
use super::task::Task;
use super::totals::Figure;
use super::{Run, RunError};
use crate::source::Source;
use crate::trace::{ChangeRecord, HostRecord, JobRecord, Record, Standing};
use documents::{SimLine, SimMove, SimSample};
use placement::Move;
use std::io::Write;

/// What is due, in the order in which it happens at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Change,
    Repair,
    Record,
    Decision,
    Failures,
    Sight,
    Window,
    Moves,
    Retry,
    Sample,
    Usable,
}

impl<S: Source, W: Write> Run<S, W> {
    /// Lets the next thing happen; returns whether there was one.
    pub(super) fn step(&mut self) -> Result<bool, RunError> {
        self.state.drop_void_events();
        let state = &self.state;
        let record = self.next.as_ref().map(Record::at_ms);
        let policy = state.scheduler.own_policy();
        let periodic = [
            (Due::Window, policy.prediction.as_ref().map(|_| state.next.window_ms)),
            (Due::Moves, policy.rescheduling.as_ref().map(|_| state.next.moves_ms)),
            (
                Due::Failures,
                (state.options.failures_per_1000_host_days > 0).then_some(state.next.failures_ms),
            ),
            (Due::Sample, Some(state.next.sample_ms)),
            (Due::Usable, Some(state.next.usable_ms)),
        ];
        let once = [
            (Due::Change, state.events.peek().map(|event| event.0.at_ms)),
            (Due::Record, record),
            (Due::Decision, state.decision_due()),
        ];
        let others = [
            (Due::Repair, state.repairs.first().map(|(at, _)| *at)),
            (Due::Retry, state.retry_due()),
            (Due::Sight, state.sights.front().map(|sight| sight.at_ms)),
        ];
        // What comes again and again is no reason to go on, unless a job waits for it.
        if state.options.until_ms.is_none()
            && once.iter().all(|(_, at)| at.is_none())
            && state.hopes_until_ms().is_none_or(|until_ms| state.now_ms > until_ms)
        {
            return Ok(false);
        }
        let all = once.into_iter().chain(others).chain(periodic);
        let due = all.filter_map(|(due, at)| Some((at?, due))).min();
        let Some((at_ms, due)) = due else { return Ok(false) };
        let at_ms = at_ms.max(self.state.now_ms);
        let end_ms = self.state.options.until_ms.unwrap_or(LENGTH_MAX_MS);
        if at_ms > end_ms {
            if self.state.options.until_ms.is_some() {
                self.state.pass(end_ms);
            }
            return Ok(false);
        }
        self.state.pass(at_ms);
        match due {
            Due::Change => self.change()?,
            Due::Repair => self.state.repair(),
            Due::Record => self.take_record()?,
            Due::Decision => self.decide()?,
            Due::Failures => self.state.fail_some(),
            Due::Window => self.state.end_window(),
            Due::Sight => self.state.see(),
            Due::Moves => self.make_moves()?,
            Due::Retry => self.state.retry(),
            Due::Sample => self.sample()?,
            Due::Usable => self.state.measure_usable(),
        }
        Ok(true)
    }

    fn change(&mut self) -> Result<(), RunError> {
        let Some(event) = self.state.events.pop() else { return Ok(()) };
        self.state.active_ms = self.state.now_ms;
        if let Some(row) = self.state.change_use(event.0.job) {
            self.write(&row)?;
        }
        Ok(())
    }

    fn take_record(&mut self) -> Result<(), RunError> {
        let line = self.trace.line();
        let Some(record) = self.next.take() else { return Ok(()) };
        self.state.records += 1;
        self.state.active_ms = self.state.now_ms;
        match record {
            Record::Host(host) => self.state.add_host(&host),
            Record::Change(change) => self.state.change_host(&change),
            Record::Job(job) => {
                let task = self.state.task_of(job).map_err(|what| RunError::Contradiction { line, what })?;
                self.state.arrive(task);
            }
        }
        self.next = self.trace.next()?;
        Ok(())
    }

    /// Decides about the job whose turn it is.
    fn decide(&mut self) -> Result<(), RunError> {
        let state = &mut self.state;
        let Some((mut task, asks_again)) = state.next_to_decide() else { return Ok(()) };
        let job = asks_again.then(|| task.job.clone());
        if task.miss(state.now_ms) {
            let row = state.end_waiting(&task);
            job.iter().for_each(|job| state.let_next_ask(job));
            return self.write(&row);
        }
        let is_watched = self.watched.as_deref() == Some(&*task.name);
        let mut explanation = is_watched
            .then(|| Explanation::of(&state.scheduler, &state.names, &task.job, state.now_ms, |_| true));
        // What was just refused to another is refused to this one without another look.
        let decision = if state.is_refused(&task.job) {
            state.park(task);
            None
        } else {
            state.spend_decision(&task);
            state.place(task).map_err(|task| state.refuse(task)).ok()
        };
        if let (Some(job), Some(_)) = (&job, &decision) {
            state.let_next_ask(job);
        }
        if let (Some(explanation), Some(decision)) = (&mut explanation, &decision) {
            explanation.host = Some(state.names.hosts.name(decision.host).to_owned());
            explanation.rearranged = decision.moves.len() as u64;
        }
        if let Some(explanation) = explanation {
            explanation.add_to(&mut self.explanations);
        }
        decision.map_or(Ok(()), |decision| self.write_moves(&decision.moves))
    }

    fn make_moves(&mut self) -> Result<(), RunError> {
        let moves = self.state.reschedule();
        self.write_moves(&moves)
    }

    fn write_moves(&mut self, moves: &[Move]) -> Result<(), RunError> {
        for step in moves {
            let state = &self.state;
            let row = SimMove {
                at_ms: state.now_ms,
                job: state.task(step.job).map_or_else(String::new, |task| task.name.to_string()),
                from: state.names.hosts.name(step.from).to_owned(),
                to: state.names.hosts.name(step.to).to_owned(),
                reason: step.reason.id().to_owned(),
                pause_ms: step.pause_ms,
            };
            self.write(&SimLine::Move(row))?;
        }
        Ok(())
    }

    fn sample(&mut self) -> Result<(), RunError> {
        let (sums, length_ms) = self.state.take_sample();
        let mean = |figure| sums.mean(figure, length_ms).unwrap_or_default();
        let row = SimSample {
            at_ms: self.state.now_ms,
            used_cpus: mean(Figure::UsedMilli) / 1000.0,
            cpus: mean(Figure::UpMilli) / 1000.0,
            in_use_cpus: mean(Figure::InUseMilli) / 1000.0,
            requested_cpus: mean(Figure::RequestedMilli) / 1000.0,
            hosts: mean(Figure::Up),
            in_use_hosts: mean(Figure::InUse),
            hot_hosts: mean(Figure::Hot),
            running: mean(Figure::Running),
            waiting: mean(Figure::Waiting),
        };
        self.write(&SimLine::Sample(row))
    }
}

/// No trace is longer. Batch work that begins anew with each failure may never end.
pub const LENGTH_MAX_MS: u64 = 11 * 366 * 86_400_000;
impl State {
    fn add_host(&mut self, record: &HostRecord) {
        let (id, host) = self.names.host(record);
        let added = self.scheduler.add_host(host, &record.pool);
        assert_eq!(id, added, "hosts have the same number everywhere");
        self.enter_place(record.cpu_milli);
    }

    fn change_host(&mut self, record: &ChangeRecord) {
        let Some(host) = self.names.hosts.find(&record.host) else { return };
        let declared = match record.to {
            Standing::Up => placement::Standing::Up,
            Standing::Drain => placement::Standing::Draining,
            Standing::Down => placement::Standing::Down,
        };
        self.change_standing(host, |place| place.declared = declared);
    }

    fn task_of(&mut self, record: JobRecord) -> Result<Task, String> {
        let job = self.names.job(&record)?;
        Ok(Task::new(record, job))
    }
}
