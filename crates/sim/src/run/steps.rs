//! What happens next, and what follows from it.

use super::explain::Explanation;
use super::state::{Event, State};
use super::task::Task;
use super::totals::Figure;
use super::{Run, RunError};
use crate::source::Source;
use crate::trace::{ChangeRecord, HostRecord, JobRecord, Record, Standing};
use api::{SimLine, SimMove, SimSample};
use sched::fleet::{Host, Job, NameId};
use std::io::Write;

/// What is due, in the order in which it happens at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Change,
    Repair,
    Record,
    Decision,
    Failures,
    Window,
    Sight,
    Moves,
    Retry,
    Sample,
}

impl<S: Source, W: Write> Run<S, W> {
    /// Lets the next thing happen; returns whether there was one.
    pub(super) fn step(&mut self) -> Result<bool, RunError> {
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
        ];
        let once = [
            (Due::Change, state.events.peek().map(|event| event.0.at_ms)),
            (Due::Repair, state.repairs.first().map(|(at, _)| *at)),
            (Due::Record, record),
            (Due::Decision, state.decision_due()),
            (Due::Retry, state.retry_due()),
        ];
        let sight = (Due::Sight, state.sights.front().map(|sight| sight.at_ms));
        // What comes again and again is no reason to go on.
        if once.iter().all(|(_, at)| at.is_none()) {
            return self.end();
        }
        let all = once.into_iter().chain(periodic).chain([sight]);
        let due = all.filter_map(|(due, at)| Some((at?, due))).min();
        let Some((at_ms, due)) = due else { return self.end() };
        let at_ms = at_ms.max(self.state.now_ms);
        if self.state.options.until_ms.is_some_and(|until| at_ms > until) || at_ms > LENGTH_MAX_MS {
            return self.end();
        }
        self.state.pass(at_ms);
        match due {
            Due::Change => self.change()?,
            Due::Repair => self.state.repair(),
            Due::Record => self.take_record()?,
            Due::Decision => self.decide(),
            Due::Failures => self.state.fail_some(),
            Due::Window => self.state.end_window(),
            Due::Sight => self.state.see(),
            Due::Moves => self.make_moves()?,
            Due::Retry => self.retry(),
            Due::Sample => self.sample()?,
        }
        Ok(true)
    }

    fn end(&mut self) -> Result<bool, RunError> {
        if let Some(until_ms) = self.state.options.until_ms
            && self.state.now_ms < until_ms
            && self.next.is_some()
        {
            self.state.pass(until_ms);
        }
        Ok(false)
    }

    fn change(&mut self) -> Result<(), RunError> {
        let Some(event) = self.state.events.pop() else { return Ok(()) };
        let Event { job, generation, .. } = event.0;
        if self.state.task(job).is_none_or(|task| task.generation != generation) {
            return Ok(());
        }
        if let Some(row) = self.state.change_use(job) {
            self.write(&row)?;
        }
        Ok(())
    }

    fn take_record(&mut self) -> Result<(), RunError> {
        let line = self.trace.line();
        let Some(record) = self.next.take() else { return Ok(()) };
        self.state.records += 1;
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

    /// Decides about the job that has waited longest for its first decision.
    fn decide(&mut self) {
        let Some(task) = self.state.waiting.fresh.pop_front() else { return };
        if let Err(task) = self.try_place(task) {
            self.state.waiting.park(task);
        }
    }

    #[expect(
        clippy::result_large_err,
        reason = "the job goes on waiting; a box for each decision costs more"
    )]
    fn try_place(&mut self, task: Task) -> Result<(), Task> {
        let state = &mut self.state;
        state.spend_decision();
        let is_watched = self.watched.as_deref() == Some(&*task.name);
        if is_watched {
            let explanation = Explanation::of(state, &task);
            self.explanations.push(explanation);
        }
        let host = state.place(task)?;
        if is_watched && let Some(explanation) = self.explanations.last_mut() {
            explanation.host = Some(state.hosts.name(host).to_owned());
        }
        Ok(())
    }

    /// Tries the jobs that found no host: the strongest level first, then in the order of arrival. A job that asks for what
    /// another one was just refused is not tried.
    fn retry(&mut self) {
        let mut parked = std::mem::take(&mut self.state.waiting.parked);
        self.state.begin_retry();
        parked.sort_by_key(|task| (task.job.level, task.arrived_ms));
        let mut refused: Vec<Job> = Vec::new();
        for task in parked {
            if refused.len() >= REFUSALS_MAX || refused.contains(&task.job) {
                self.state.waiting.parked.push(task);
            } else if let Err(task) = self.try_place(task) {
                refused.push(task.job.clone());
                self.state.waiting.parked.push(task);
            }
        }
    }

    fn make_moves(&mut self) -> Result<(), RunError> {
        for step in self.state.reschedule() {
            let state = &self.state;
            let row = SimMove {
                at_ms: state.now_ms,
                job: state.task(step.job).map_or_else(String::new, |task| task.name.to_string()),
                from: state.hosts.name(step.from).to_owned(),
                to: state.hosts.name(step.to).to_owned(),
                reason: step.reason.id().to_owned(),
                pause_ms: step.pause_ms,
            };
            self.write(&SimLine::Move(row))?;
        }
        Ok(())
    }

    fn sample(&mut self) -> Result<(), RunError> {
        let sums = self.state.take_sample();
        let length_ms = self.state.options.sample_ms;
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
const LENGTH_MAX_MS: u64 = 11 * 366 * 86_400_000;
/// After so many different refusals the fleet is full, and the rest waits for the next try.
const REFUSALS_MAX: usize = 64;

impl State {
    fn add_host(&mut self, record: &HostRecord) {
        let id = self.hosts.number(&record.name);
        let labels = record.labels.iter().map(|label| self.labels.number(label)).fold(0, with_bit);
        let host = Host {
            capacity: sched::fleet::Amount { cpu_milli: record.cpu_milli, memory_mib: record.memory_mib },
            numa_nodes: record.numa_nodes,
            threads: record.threads,
            pool: self.pools.number(&record.pool),
            cluster: self.clusters.number(&record.cluster),
            labels,
            noise_permille: record.noise_permille,
            price: record.price,
        };
        let added = self.scheduler.add_host(host, &record.pool);
        assert_eq!(id, added, "hosts have the same number everywhere");
        self.enter_place(record.cpu_milli);
    }

    fn change_host(&mut self, record: &ChangeRecord) {
        let Some(host) = self.hosts.find(&record.host) else { return };
        match record.to {
            Standing::Up => self.bring_up(host),
            Standing::Drain => self.scheduler.set_standing(host, sched::fleet::Standing::Draining),
            Standing::Down => self.take_down(host),
        }
    }

    /// Makes a job of a record.
    fn task_of(&mut self, record: JobRecord) -> Result<Task, String> {
        let find = |names: &super::names::Names, what: &str, name: &Option<String>| match name {
            None => Ok(None),
            Some(name) => {
                let known =
                    || format!("no host of the {what} '{name}' comes before the job '{}'", record.name);
                names.find(name).map(Some).ok_or_else(known)
            }
        };
        let (pool, cluster) =
            (find(&self.pools, "pool", &record.pool)?, find(&self.clusters, "cluster", &record.cluster)?);
        let needs = record.needs.iter().map(|label| self.labels.number(label)).fold(0, with_bit);
        let job = Job {
            request: record.request,
            level: record.level,
            service: record.service.as_deref().map(|service| self.services.number(service)),
            pool,
            cluster,
            needs,
            apart: record.apart,
            noise_max_permille: record.noise_max_permille,
        };
        Ok(Task::new(record, job))
    }
}

/// The reader allows as many labels as there are bits.
fn with_bit(bits: u64, label: NameId) -> u64 {
    bits | 1_u64.checked_shl(label).unwrap_or(0)
}
