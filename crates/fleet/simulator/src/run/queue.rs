//! Jobs without a host, and when they are decided about.

use super::state::{State, Turn, Waiting};
use super::task::Task;
use super::totals::Figure;
use placement::{Job, Level};
use std::collections::VecDeque;

impl Waiting {
    /// Returns whether a strict job found no host.
    pub(super) fn has_strict(&self) -> bool {
        self.parked.keys().any(|job| job.level == Level::Strict)
    }

    /// Gives the first job of a group its turn.
    fn let_ask(&mut self, group: &Job) {
        if let Some(task) = self.parked.get(group).and_then(VecDeque::front) {
            let turn = Turn { level: group.level, arrived_ms: task.arrived_ms, group: group.clone() };
            self.again.insert(turn);
        }
    }

    pub(super) fn take_all(&mut self) -> impl Iterator<Item = Task> + use<> {
        let parked = std::mem::take(&mut self.parked).into_values().flatten();
        std::mem::take(&mut self.fresh).into_iter().chain(parked)
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
        let Waiting { fresh, again, again_ms, .. } = &self.waiting;
        let again_ms = (!again.is_empty()).then_some(*again_ms);
        let asked_ms = fresh.front().map(|task| task.asked_ms).into_iter().chain(again_ms).min()?;
        Some(self.decided_us(asked_ms).div_ceil(1000))
    }

    /// Returns when a decision is made: it takes its time after the job asks and the one before is made.
    fn decided_us(&self, asked_ms: u64) -> u64 {
        self.waiting.free_us.max(asked_ms * 1000) + self.options.decision_us
    }

    /// Takes the job whose turn it is; also returns whether it asks again.
    pub(super) fn next_to_decide(&mut self) -> Option<(Task, bool)> {
        let Waiting { fresh, parked, again, again_ms, .. } = &mut self.waiting;
        let asked_ms = fresh.front().map(|task| task.asked_ms);
        if again.is_empty() || asked_ms.is_some_and(|asked_ms| asked_ms < *again_ms) {
            return fresh.pop_front().map(|task| (task, false));
        }
        let Turn { group, .. } = again.pop_first()?;
        let tasks = parked.get_mut(&group)?;
        let mut task = tasks.pop_front()?;
        if tasks.is_empty() {
            parked.remove(&group);
        }
        task.asked_ms = *again_ms;
        Some((task, true))
    }

    /// Lets the next one ask again of those that ask for the same as a job which waits no longer.
    pub(super) fn let_next_ask(&mut self, job: &Job) {
        let group = self.group_of(job);
        self.waiting.let_ask(&group);
    }

    pub(super) fn spend_decision(&mut self, task: &Task) {
        self.waiting.decisions += 1;
        self.waiting.free_us = self.decided_us(task.asked_ms);
    }

    /// Returns whether a job like this, of which no more was expected, was refused since room was made last.
    pub(super) fn is_refused(&self, job: &Job) -> bool {
        let Some(refused) = self.waiting.refused.get(&without_service(job)) else { return false };
        let expected = self.scheduler.expected(job, self.now_ms);
        refused.mean_milli <= expected.mean_milli && refused.variance <= expected.variance
    }

    /// Notes that a job was refused, and keeps it.
    pub(super) fn refuse(&mut self, task: Task) {
        let expected = self.scheduler.expected(&task.job, self.now_ms);
        let smallest = self.waiting.refused.entry(without_service(&task.job)).or_insert(expected);
        if expected.mean_milli <= smallest.mean_milli && expected.variance <= smallest.variance {
            *smallest = expected;
        }
        self.park(task);
    }

    /// Keeps a job that found no host. What changed before it came is no reason to try it again.
    pub(super) fn park(&mut self, task: Task) {
        let group = self.group_of(&task.job);
        self.waiting.has_changed &= !self.waiting.parked.is_empty();
        let tasks = self.waiting.parked.entry(group).or_default();
        let at = tasks.partition_point(|other| other.arrived_ms <= task.arrived_ms);
        tasks.insert(at, task);
    }

    /// Returns what jobs ask for that are refused alike: with predictions that depends on the service, as on its load.
    fn group_of(&self, job: &Job) -> Job {
        if self.scheduler.own_policy().prediction.is_some() { job.clone() } else { without_service(job) }
    }

    /// Returns until when jobs that wait may still find a host though nothing else happens any more: as long as what the policy
    /// sees, a rest or a repair may make room.
    pub(super) fn hopes_until_ms(&self) -> Option<u64> {
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
            hope_ms += rules.every_ms + if self.waiting.has_strict() { rules.rest_ms } else { 0 };
        }
        if !self.repairs.is_empty() {
            hope_ms += options.repair_ms;
        }
        Some(self.active_ms + hope_ms)
    }

    /// Returns when jobs that found no host are tried again, if anything has changed for them and all have had their turn.
    pub(super) fn retry_due(&self) -> Option<u64> {
        let Waiting { has_changed, parked, again, .. } = &self.waiting;
        (*has_changed && !parked.is_empty() && again.is_empty()).then_some(self.next.retry_ms)
    }

    /// Lets the first of each group ask again.
    pub(super) fn retry(&mut self) {
        self.next.retry_ms = self.now_ms + self.options.retry_ms;
        (self.waiting.has_changed, self.waiting.again_ms) = (false, self.now_ms);
        let groups: Vec<Job> = self.waiting.parked.keys().cloned().collect();
        groups.iter().for_each(|group| self.waiting.let_ask(group));
    }
}

/// Returns what a refusal depends on besides the expected load: only a job that wants to be apart is refused for its service.
fn without_service(job: &Job) -> Job {
    Job { service: job.service.filter(|_| job.apart), ..job.clone() }
}
