//! Jobs without a host, and when they are decided about.

use super::state::State;
use super::task::Task;
use super::totals::Figure;
use sched::fleet::Job;
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
    pub refused: BTreeSet<Job>,
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
