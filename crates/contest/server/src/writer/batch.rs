//! Requests that are done in one transaction.

use super::thread::not_stored;
use super::{ClaimWish, Done, LeaseReport, ReportOutcome, Request};
use crate::Problem;
use crate::hosts::{language_tag, scores_tag};
use crate::problem::with_causes;
use contest_rules::{
    Action, Caller, Command, Event, FailureScope, Instant, JobChange, JobSpec, JudgehostId, State,
};
use model::message;
use std::collections::{BTreeMap, HashSet};
use store::{Claim, ClaimedJob, JobId, Lease, NewJob, Store, StoreError, StoreTransaction};

type Answer = Box<dyn FnOnce(Result<(), Problem>)>;

pub(super) struct Batch {
    now: Instant,
    requests: Vec<Request>,
    is_tick_due: bool,
    /// What was decided, with its numbers in the log.
    pub events: Vec<(u64, Event)>,
    /// What happens to each job, by its name: the last change counts.
    jobs: BTreeMap<String, JobChange>,
    /// Leases that end with this batch by a report of their own judgehost.
    ended: HashSet<String>,
    /// Judgehosts with jobs that they need not do any more.
    pub cancelled: Vec<(String, String)>,
    pub has_new_jobs: bool,
    /// What only reads the store.
    reads: Vec<Request>,
    answers: Vec<Answer>,
}

/// What was decided up to a point.
struct Mark {
    state: State,
    events: usize,
    jobs: BTreeMap<String, JobChange>,
}

impl Batch {
    pub fn new(now: Instant, requests: Vec<Request>, is_tick_due: bool) -> Self {
        let (reads, requests) = requests.into_iter().partition(Request::only_reads);
        Self {
            now,
            requests,
            is_tick_due,
            events: Vec::new(),
            jobs: BTreeMap::new(),
            ended: HashSet::new(),
            cancelled: Vec::new(),
            has_new_jobs: false,
            reads,
            answers: Vec::new(),
        }
    }

    /// Decides everything, and puts it into the transaction.
    pub fn run(
        &mut self,
        state: &mut State,
        transaction: &mut dyn StoreTransaction,
    ) -> Result<(), StoreError> {
        if self.is_tick_due {
            // A tick cannot be refused; if it were, the next one would be due at once.
            let _ = self.act(state, &Caller::system(), vec![Command::Tick]);
        }
        let mut wishes = Vec::new();
        for request in std::mem::take(&mut self.requests) {
            match request {
                Request::Do(caller, commands, reply) => {
                    let done = self.act(state, &caller, commands);
                    self.answer_with(reply, done);
                }
                Request::Try(caller, commands, reply) => {
                    let before = self.mark(state);
                    let tried = self.act(state, &caller, commands);
                    self.take_back(state, before);
                    self.answer_with(reply, tried.map(|_| ()));
                }
                Request::Report(caller, host, reports, reply) => {
                    let outcomes = self.report(state, transaction, &caller, &host, reports)?;
                    self.answer_with(reply, Ok(outcomes));
                }
                Request::Extend(host, leases, lease_ms, reply) => {
                    let until_ms = self.now.0 + lease_ms;
                    let held = transaction.extend(host.as_str(), &leases, until_ms)?;
                    self.answer_with(reply, Ok(held));
                }
                Request::GiveBackAll(host, reply) => {
                    let jobs = transaction.give_back_all(host.as_str(), self.now.0)?;
                    self.has_new_jobs |= !jobs.is_empty();
                    self.answer_with(reply, Ok(jobs.len()));
                }
                Request::Claim(wish, reply) => wishes.push((wish, reply)),
                Request::Counts(_)
                | Request::Jobs(..)
                | Request::Check(_)
                | Request::Look(_)
                | Request::Stop => {}
            }
        }
        self.store(state, transaction)?;
        // Claims come last: what was just submitted is there.
        for (wish, reply) in wishes {
            let claimed = self.claim(state, transaction, wish)?;
            self.answer_with(reply, Ok(claimed));
        }
        Ok(())
    }

    fn answer_with<T: 'static>(&mut self, reply: super::Reply<T>, answer: Result<T, Problem>) {
        // Fails only when the request was given up.
        self.answers.push(Box::new(move |stored| drop(reply.send(stored.and(answer)))));
    }

    /// Does what only reads the store, after the transaction: also if there was no space for that.
    pub fn read(&mut self, store: &mut dyn Store) {
        fn send<T>(reply: super::Reply<T>, read: Result<T, StoreError>) {
            let failed = |error: StoreError| {
                tracing::warn!(error = with_causes(&error), "the jobs cannot be read");
                Problem::unavailable(message!("jobs-unreadable", "the jobs cannot be read now"))
            };
            // Fails only when the request was given up.
            drop(reply.send(read.map_err(failed)));
        }
        for request in std::mem::take(&mut self.reads) {
            match request {
                Request::Counts(reply) => send(reply, store.job_counts(self.now.0)),
                Request::Jobs(skip, max, reply) => send(reply, store.jobs(skip, max)),
                Request::Check(reply) => drop(reply.send(store.check().map_err(|error| match error {
                    StoreError::Full { .. } => not_stored(&error),
                    _ => Problem::unavailable(with_causes(&error)),
                }))),
                // A writer knows what is written.
                Request::Look(reply) => drop(reply.send(Ok(()))),
                _ => {}
            }
        }
    }

    /// Answers everybody, once the transaction has ended.
    pub fn answer(self, stored: Result<(), Problem>) {
        for answer in self.answers {
            answer(stored.clone());
        }
        // Of requests that the transaction did not reach, the answers are dropped, which becomes status 503.
        if let Err(problem) = stored {
            let rest = self.requests.into_iter().chain(self.reads);
            rest.for_each(|request| request.refuse(problem.clone()));
        }
    }

    /// Decides commands in order, all of them or none.
    fn act(&mut self, state: &mut State, caller: &Caller, commands: Vec<Command>) -> Result<Done, Problem> {
        // To take back what came before a refusal. Several commands at once are rare: imports.
        let before = (commands.len() > 1).then(|| self.mark(state));
        let first = self.events.len();
        for command in commands {
            match contest_rules::decide(state, caller, self.now, command) {
                Ok(events) => self.apply(state, events),
                Err(refusal) => {
                    if let Some(before) = before {
                        self.take_back(state, before);
                    }
                    return Err(refusal.into());
                }
            }
        }
        let events = self.events[first..].iter().map(|(_, event)| event.clone()).collect();
        Ok(Done { events, seq: state.seq() })
    }

    fn mark(&self, state: &State) -> Mark {
        Mark { state: state.clone(), events: self.events.len(), jobs: self.jobs.clone() }
    }

    fn take_back(&mut self, state: &mut State, before: Mark) {
        *state = before.state;
        self.events.truncate(before.events);
        self.jobs = before.jobs;
    }

    fn apply(&mut self, state: &mut State, events: Vec<Event>) {
        for event in events {
            let seq = state.seq() + 1;
            for change in state.apply(seq, &event).jobs {
                let id = match &change {
                    JobChange::Add(spec) => &spec.id,
                    JobChange::Remove(id) | JobChange::GiveBack { id, .. } => id,
                };
                let id = id.clone();
                self.jobs.insert(id, change);
            }
            self.events.push((seq, event));
        }
    }

    fn report(
        &mut self,
        state: &mut State,
        transaction: &mut dyn StoreTransaction,
        caller: &Caller,
        host: &JudgehostId,
        reports: Vec<LeaseReport>,
    ) -> Result<Vec<ReportOutcome>, StoreError> {
        let leases: Vec<Lease> = reports.iter().map(|report| report.lease.clone()).collect();
        let held = transaction.holds(host.as_str(), &leases)?;
        let mut outcomes = Vec::with_capacity(reports.len());
        for (report, is_held) in reports.into_iter().zip(held) {
            outcomes.push(self.report_one(state, caller, report, is_held));
        }
        Ok(outcomes)
    }

    fn report_one(
        &mut self,
        state: &mut State,
        caller: &Caller,
        report: LeaseReport,
        is_held: bool,
    ) -> ReportOutcome {
        let job = &report.lease.job.0;
        if !is_held || self.ended.contains(job) {
            return ReportOutcome::Stale;
        }
        if matches!(self.jobs.get(job), Some(JobChange::Remove(_))) {
            return ReportOutcome::Cancelled;
        }
        let judgement = match &report.commands[..] {
            [Command::In(contest, Action::Runs(key, _))] => Some((contest.clone(), *key)),
            [Command::In(contest, Action::Judged(judged))] => Some((contest.clone(), judged.judgement)),
            _ => None,
        };
        match self.act(state, caller, report.commands) {
            Ok(_) => {
                if report.is_last {
                    self.ended.insert(job.clone());
                }
                ReportOutcome::Taken
            }
            // Sent again, since the answer was lost.
            Err(problem) if problem.kind() == "reported" => ReportOutcome::Taken,
            Err(problem) => {
                tracing::warn!(job, reason = problem.detail(), "a report was refused");
                // Judged again it would be refused again, for ever: it is a failure of ours.
                if let Some((contest, judgement)) = judgement.filter(|_| problem.kind() == "invalid") {
                    let reason = format!("its result was refused: {}", problem.detail());
                    let failed = Action::Failed { judgement, scope: FailureScope::Judgement, reason };
                    if self.act(state, caller, vec![Command::In(contest, failed)]).is_ok() {
                        self.ended.insert(job.clone());
                    }
                }
                ReportOutcome::Cancelled
            }
        }
    }

    /// Puts events and jobs into the transaction.
    fn store(&mut self, state: &State, transaction: &mut dyn StoreTransaction) -> Result<(), StoreError> {
        if !self.events.is_empty() {
            let text =
                |event| serde_json::to_string(event).map_err(|error| StoreError::Damaged(error.to_string()));
            let bodies = self.events.iter().map(|(_, event)| text(event)).collect::<Result<Vec<_>, _>>()?;
            let first = transaction.append(&bodies)?;
            assert_eq!(first, self.events[0].0, "the writer's state is the log's");
        }
        let (mut added, mut removed) = (Vec::new(), Vec::new());
        for change in std::mem::take(&mut self.jobs).into_values() {
            match change {
                JobChange::Add(spec) => added.push(new_job(state, spec, 0)),
                JobChange::Remove(id) => removed.push(JobId(id)),
                // Queued anew: its lease ends.
                JobChange::GiveBack { id, not_before } => {
                    added.extend(state.queued(&id).map(|spec| new_job(state, spec, not_before.0)));
                }
            }
        }
        if !removed.is_empty() {
            for cancelled in transaction.cancel_jobs(&removed)? {
                let host = cancelled.host.filter(|_| !self.ended.contains(&cancelled.id.0));
                self.cancelled.extend(host.map(|host| (host, cancelled.id.0)));
            }
        }
        if !added.is_empty() {
            transaction.add_jobs(&added)?;
            self.has_new_jobs = true;
        }
        Ok(())
    }

    fn claim(
        &mut self,
        state: &State,
        transaction: &mut dyn StoreTransaction,
        wish: ClaimWish,
    ) -> Result<Vec<ClaimedJob>, StoreError> {
        let mut claim = Claim {
            host: wish.host.to_string(),
            pool: wish.pool,
            max: wish.max,
            now_ms: self.now.0,
            lease_until_ms: self.now.0 + wish.lease_ms,
            excluded_tags: wish.excluded_tags,
        };
        let excluded = claim.excluded_tags.clone();
        let heard_now = crate::clock::system_now();
        let may_take = |job: &ClaimedJob| {
            let tags = tags(state, &job.id.0);
            // What is in the queue has the tags of its time: since then the problem may have got other rules for points.
            !tags.iter().any(|tag| excluded.contains(tag))
                && state.may_take(&wish.host, &job.id.0, &|other| wish.hosts.takes(other, &tags, heard_now))
        };
        let (mut mine, mut others) = (Vec::new(), Vec::new());
        // What it may not take does not keep it from what comes behind.
        while mine.len() < wish.max {
            claim.max = (wish.max - mine.len()).max(others.len());
            let claimed = transaction.claim(&claim)?;
            if claimed.is_empty() {
                break;
            }
            for job in claimed {
                let is_mine = mine.len() < wish.max && may_take(&job);
                if is_mine { mine.push(job) } else { others.push(Lease { job: job.id, fence: job.fence }) }
            }
        }
        if !others.is_empty() {
            transaction.give_back(&others, self.now.0)?;
        }
        Ok(mine)
    }
}

/// Returns what a claim can exclude a job by.
fn tags(state: &State, job: &str) -> Vec<String> {
    state.work(job).map_or_else(Vec::new, |work| {
        let scores = work.scores.and_then(scores_tag);
        let tags = [format!("package:{}", work.problem.package.0), language_tag(work.language.as_str())];
        tags.into_iter().chain(scores).collect()
    })
}

fn new_job(state: &State, spec: JobSpec, not_before_ms: i64) -> NewJob {
    let tags = tags(state, &spec.id);
    NewJob {
        id: JobId(spec.id),
        pool: spec.pool.into(),
        class: spec.class,
        turn: spec.turn,
        owner: spec.owner,
        tags,
        not_before_ms,
        // What a judgehost needs is read from the state when it claims: limits may have changed since.
        body: String::new(),
    }
}
