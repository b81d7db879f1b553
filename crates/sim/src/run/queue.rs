//! Jobs without a host, and when they are decided about.

use super::state::State;
use super::task::Task;
use super::totals::Figure;
use sched::fleet::{Job, Level};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};

/// Jobs without a host.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Waiting {
    /// Those that wait for a decision, in the order in which they are decided about.
    pub fresh: VecDeque<Task>,
    /// Those that found no host.
    pub parked: Vec<Task>,
    /// What was refused since room was made last: the next job that asks for the same need not be tried.
    refused: BTreeSet<Job>,
    /// Whether room was made since they were tried.
    has_changed: bool,
    /// When the scheduler is free for the next decision, in microseconds.
    free_us: u64,
    /// How many were made.
    pub decisions: u64,
}

impl Waiting {
    /// Keeps a job that found no host. What changed before it came is no reason to try it again.
    pub(super) fn park(&mut self, task: Task) {
        self.has_changed &= !self.parked.is_empty();
        self.parked.push(task);
    }
}

impl State {
    /// Notes that a job which was refused may find a host now.
    pub(super) fn room_changed(&mut self) {
        self.waiting.has_changed = true;
        self.waiting.refused.clear();
    }

    /// Lets the scheduler see how old its predictions are.
    pub(super) fn check_freshness(&mut self) {
        if self.scheduler.check_freshness(self.now_ms) {
            self.room_changed();
        }
    }

    pub(super) fn wait(&mut self, mut task: Task) {
        self.totals.change(Figure::Waiting, 0, 1);
        task.asked_ms = self.now_ms;
        self.waiting.fresh.push_back(task);
    }

    /// Returns when the next decision is made, if one is wanted.
    pub(super) fn decision_due(&self) -> Option<u64> {
        let task = self.waiting.fresh.front()?;
        Some(self.decided_us(task).div_ceil(1000))
    }

    /// Returns when the decision about a job is made: it takes its time after the job asks and the one before is made.
    fn decided_us(&self, task: &Task) -> u64 {
        self.waiting.free_us.max(task.asked_ms * 1000) + self.options.decision_us
    }

    pub(super) fn spend_decision(&mut self, task: &Task) {
        self.waiting.decisions += 1;
        self.waiting.free_us = self.decided_us(task);
    }

    /// Returns whether a job like this was refused since room was made last.
    pub(super) fn is_refused(&self, job: &Job) -> bool {
        !self.waiting.refused.is_empty() && self.waiting.refused.contains(&self.as_refused(job))
    }

    pub(super) fn refuse(&mut self, task: Task) {
        let job = self.as_refused(&task.job);
        self.waiting.refused.insert(job);
        self.waiting.park(task);
    }

    /// Returns what a refusal depends on. Without predictions the service matters only to a job that wants to be apart.
    fn as_refused(&self, job: &Job) -> Job {
        let mut job = job.clone();
        if self.scheduler.policy().prediction.is_none() && !job.apart {
            job.service = None;
        }
        job
    }

    /// Returns until when jobs that wait may still find a host though nothing else happens any more: as long as what the policy
    /// sees, a rest or a repair may make room.
    pub(super) fn hopes_until_ms(&self) -> Option<u64> {
        let is_strict = |task: &Task| task.job.level == Level::Strict;
        if self.waiting.parked.is_empty() {
            return None;
        }
        let options = &self.options;
        let policy = self.scheduler.own_policy();
        let mut hope_ms = options.retry_ms + options.decision_us / 1000;
        if let Some(prediction) = policy.prediction {
            hope_ms += prediction.horizon_ms + prediction.window_ms + options.stale_ms;
            if !options.outages_ms.is_empty() || options.stale_ms > 0 {
                hope_ms += prediction.stale_after_ms;
            }
        }
        if let Some(rules) = policy.rescheduling {
            let has_strict = self.waiting.parked.iter().any(is_strict);
            hope_ms += rules.every_ms + if has_strict { rules.rest_ms } else { 0 };
        }
        if !self.repairs.is_empty() {
            hope_ms += options.repair_ms;
        }
        Some(self.active_ms + hope_ms)
    }

    /// Returns when jobs that found no host are tried again, if anything has changed for them.
    pub(super) fn retry_due(&self) -> Option<u64> {
        (self.waiting.has_changed && !self.waiting.parked.is_empty()).then_some(self.next.retry_ms)
    }

    /// Asks again for the jobs that found no host: the strongest level first, then in the order of arrival.
    pub(super) fn retry(&mut self) {
        let mut parked = std::mem::take(&mut self.waiting.parked);
        self.waiting.has_changed = false;
        self.next.retry_ms = self.now_ms + self.options.retry_ms;
        parked.sort_by_key(|task| (task.job.level, task.arrived_ms));
        for mut task in parked {
            task.asked_ms = self.now_ms;
            self.waiting.fresh.push_back(task);
        }
    }
}
