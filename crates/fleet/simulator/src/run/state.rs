//! The state of a run, and what changes it.

use super::places::{HostLoad, Places};
use super::summary::{Counts, means};
use super::task::{NOWHERE, Rate, Task};
use super::totals::{Figure, Sums, Totals};
use crate::run::samples::Shares;
use crate::vocabulary::Vocabulary;
use documents::{SimJob, SimLine, SimMeans, SimOptions, SimSummary};
use placement::policy::Policy;
use placement::predict::ObservedLoad;
use placement::{Decision, Expected, HostId, Job, JobId, Level, Move, MoveReason, Peak, Scheduler};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

/// All that a run goes on from.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct State {
    pub options: SimOptions,
    pub now_ms: u64,
    /// When a job or the trace changed something last.
    pub active_ms: u64,
    pub scheduler: Scheduler,
    pub names: Vocabulary,
    pub(super) places: Places,
    /// Jobs on hosts, by the scheduler's number.
    pub(super) tasks: Vec<Option<Task>>,
    /// How often each number was given, so that what was seen of an earlier job is not taken for a later one's.
    pub(super) epochs: Vec<u32>,
    pub waiting: Waiting,
    pub events: BinaryHeap<Reverse<Event>>,
    pub repairs: BTreeSet<(u64, HostId)>,
    pub next: Next,
    pub sights: VecDeque<Sight>,
    pub(super) totals: Totals,
    pub(super) samples: Samples,
    day: Sums,
    days: Vec<SimMeans>,
    counts: [Counts; 3],
    moves: BTreeMap<MoveReason, u64>,
    pauses_ms: u64,
    pub(super) failures: u64,
    degraded_ms: u64,
    pub(super) usable: Usable,
    /// Records taken of the trace, and, in a checkpoint, the hash of these and the next.
    pub records: u64,
    pub hash: [u8; 32],
    pub written: Written,
}

/// A job's use changes, or it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Event {
    pub at_ms: u64,
    pub job: JobId,
    pub generation: u32,
}

/// When each thing happens again.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Next {
    pub window_ms: u64,
    pub moves_ms: u64,
    pub sample_ms: u64,
    pub failures_ms: u64,
    pub usable_ms: u64,
    pub retry_ms: u64,
    day_ms: u64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Waiting {
    /// Those that came or lost their host, in the order in which they are decided about.
    pub(super) fresh: VecDeque<Task>,
    /// Those that found no host, by what they ask for: only the first of those that ask for the same asks again.
    pub(super) parked: BTreeMap<Job, VecDeque<Task>>,
    /// Whose turn it is to ask again, and since when.
    pub(super) again: BTreeSet<Turn>,
    pub(super) again_ms: u64,
    /// What was refused since room was made last, with the smallest load that was expected.
    pub(super) refused: BTreeMap<Job, Expected>,
    /// Whether room was made since they were tried.
    pub(super) has_changed: bool,
    /// When the scheduler is free for the next decision, in microseconds.
    pub(super) free_us: u64,
    pub decisions: u64,
}

/// The first of those that ask for the same asks again: the strongest level first, then the first arrival.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Turn {
    pub(super) level: Level,
    pub(super) arrived_ms: u64,
    pub(super) group: Job,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Samples {
    /// The sums at the last one, and when that was.
    pub(super) sums: Sums,
    pub(super) at_ms: u64,
    pub(super) every_ms: u64,
    pub(super) count: u32,
}

/// How much of what is free could be used, each hour.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Usable {
    pub all: Shares,
    /// In the hours in which the fleet was full.
    pub full: Shares,
}

pub(super) const HOUR_MS: u64 = 3_600_000;

/// What a window showed, and when the scheduler sees it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Sight {
    pub at_ms: u64,
    pub(super) ended_ms: u64,
    pub(super) jobs: Vec<(JobId, u32, ObservedLoad)>,
    pub(super) peaks: Vec<Peak>,
}

/// What has been written of a run's file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    pub bytes: u64,
    pub(super) crc: u32,
}

/// Fewer void events are not worth a look at all.
const VOID_EVENTS_MIN: u64 = 1000;
const DAY_MS: u64 = 86_400_000;
const MINUTE_MS: u64 = 60_000;

impl State {
    pub(super) fn new(policy: Policy, options: SimOptions) -> Self {
        let next = Next {
            window_ms: policy.prediction.as_ref().map_or(u64::MAX, |prediction| prediction.window_ms),
            moves_ms: policy.rescheduling.as_ref().map_or(u64::MAX, |rules| rules.every_ms),
            sample_ms: options.sample_ms,
            failures_ms: MINUTE_MS,
            usable_ms: HOUR_MS,
            retry_ms: 0,
            day_ms: DAY_MS,
        };
        Self {
            now_ms: 0,
            active_ms: 0,
            scheduler: Scheduler::new(policy),
            names: Vocabulary::default(),
            places: Vec::new(),
            tasks: Vec::new(),
            epochs: Vec::new(),
            waiting: Waiting::default(),
            events: BinaryHeap::new(),
            repairs: BTreeSet::new(),
            next,
            sights: VecDeque::new(),
            totals: Totals::default(),
            samples: Samples::every(options.sample_ms),
            day: Sums::default(),
            days: Vec::new(),
            counts: Default::default(),
            moves: BTreeMap::new(),
            pauses_ms: 0,
            failures: 0,
            degraded_ms: 0,
            usable: Usable::default(),
            records: 0,
            hash: [0; 32],
            written: Written::default(),
            options,
        }
    }

    pub(super) fn pass(&mut self, at_ms: u64) {
        if self.scheduler.is_degraded() {
            self.degraded_ms += at_ms - self.now_ms;
        }
        while self.next.day_ms <= at_ms {
            self.totals.advance(self.next.day_ms);
            self.end_day(DAY_MS);
            self.next.day_ms += DAY_MS;
        }
        self.totals.advance(at_ms);
        self.now_ms = at_ms;
    }

    fn end_day(&mut self, length_ms: u64) {
        let sums = self.totals.sums();
        self.days.push(means(&sums.since(&self.day), length_ms));
        self.day = sums;
    }

    /// Drops events that are void: first in line they would keep the run going, and far behind they would fill the memory.
    pub(super) fn drop_void_events(&mut self) {
        let is_valid = |tasks: &[Option<Task>], Reverse(event): &Reverse<Event>| {
            tasks[event.job as usize].as_ref().is_some_and(|task| task.generation == event.generation)
        };
        while self.events.peek().is_some_and(|event| !is_valid(&self.tasks, event)) {
            self.events.pop();
        }
        if self.events.len() as u64 > 2 * self.totals.now(Figure::Running) + VOID_EVENTS_MIN {
            self.events.retain(|event| is_valid(&self.tasks, event));
        }
    }

    pub(super) fn task(&self, job: JobId) -> Option<&Task> {
        self.tasks.get(job as usize).and_then(Option::as_ref)
    }

    fn task_mut(&mut self, job: JobId) -> &mut Task {
        self.tasks[job as usize].as_mut().expect("the job is on a host")
    }

    pub(super) fn enter_place(&mut self, capacity_milli: u32) {
        let place = HostLoad::new(capacity_milli);
        self.totals.replace(super::places::Share::default(), place.share());
        self.places.push(place);
        self.room_changed();
    }

    /// Changes what a host carries, and accounts for all whose rate changes with it.
    pub(super) fn change_place(&mut self, host: HostId, change: impl FnOnce(&mut HostLoad)) {
        let place = &mut self.places[host as usize];
        let (share, rates) = (place.share(), place.rates());
        change(place);
        self.totals.replace(share, place.share());
        let new = place.rates();
        if rates == new {
            return;
        }
        for at in 0..self.scheduler.jobs_of(host).len() {
            let job = self.scheduler.jobs_of(host)[at];
            let Some(task) = self.tasks.get_mut(job as usize).and_then(Option::as_mut) else { continue };
            let level = match task.job.level {
                Level::Strict => continue,
                Level::Standard => 0,
                Level::BestEffort => 1,
            };
            task.settle(self.now_ms, rates[level]);
            if task.is_elastic && rates[level] != new[level] {
                schedule(&mut self.events, job, task, new[level]);
            }
        }
    }

    fn rate_of(&self, job: JobId) -> Rate {
        let task = self.task(job);
        task.map_or(Rate::FULL, |task| task.rate_on(&self.places[task.host as usize]))
    }

    /// Accounts for a job until now.
    pub(super) fn settle(&mut self, job: JobId) {
        let (rate, now_ms) = (self.rate_of(job), self.now_ms);
        self.task_mut(job).settle(now_ms, rate);
    }

    /// Changes the use of a job, or ends it; returns its row then.
    pub(super) fn change_use(&mut self, job: JobId) -> Option<SimLine> {
        self.settle(job);
        let task = self.task_mut(job);
        let host = task.host;
        let (level, old) = (task.job.level, task.demand_milli());
        if task.change_use() {
            let task = self.leave(job);
            let row = self.count(&task, Some(self.now_ms));
            return Some(row);
        }
        let new = task.demand_milli();
        if new != old {
            self.change_place(host, |place| place.change(level, old, new));
        }
        self.schedule(job);
        None
    }

    fn schedule(&mut self, job: JobId) {
        let rate = self.rate_of(job);
        if let Some(task) = self.tasks[job as usize].as_mut() {
            schedule(&mut self.events, job, task, rate);
        }
    }

    /// Takes a job off its host; it was accounted for until now.
    pub(super) fn leave(&mut self, job: JobId) -> Task {
        let task = self.tasks[job as usize].take().expect("the job is on a host");
        let host = task.host;
        let requested = self.scheduler.requested_milli(host);
        self.scheduler.release(job);
        self.epochs[job as usize] += 1;
        self.totals.change(Figure::RequestedMilli, requested, self.scheduler.requested_milli(host));
        self.totals.change(Figure::Running, 1, 0);
        let (level, strict) = (task.job.level, self.scheduler.strict_milli(host));
        self.change_place(host, |place| {
            place.change(level, task.demand_milli(), 0);
            place.set_strict(strict);
            place.jobs -= 1;
        });
        self.room_changed();
        task
    }

    /// Counts a job that has ended, or has not when the run does.
    pub(super) fn count(&mut self, task: &Task, end_ms: Option<u64>) -> SimLine {
        let counts = &mut self.counts[task.job.level as usize];
        counts.unplaced += u64::from(task.start.is_none());
        let goes_on = task.start.is_some() && end_ms.is_none();
        counts.running += u64::from(goes_on && task.host != NOWHERE);
        counts.waiting += u64::from(goes_on && task.host == NOWHERE);
        counts.short += u64::from(task.short_ms > 0);
        counts.short_ms += task.short_ms;
        counts.wanted += u128::from(task.wanted);
        counts.missed += u128::from(task.missed);
        self.pauses_ms += task.paused_ms;
        if let Some((start_ms, _)) = task.start {
            counts.ran_ms += end_ms.unwrap_or(self.now_ms) - start_ms;
        }
        SimLine::Job(SimJob {
            name: task.name.to_string(),
            level: task.job.level.id().to_owned(),
            at_ms: task.arrived_ms,
            start_ms: task.start.map(|(at_ms, _)| at_ms),
            host: task.start.map(|(_, host)| self.names.hosts.name(host).to_owned()),
            end_ms,
            for_ms: task.for_ms,
            wanted_s: task.wanted as f64 / 1e6,
            missed_s: task.missed as f64 / 1e6,
            short_ms: task.short_ms,
            moves: task.moves,
            restarts: task.restarts,
        })
    }

    /// Takes a job that has arrived.
    pub(super) fn arrive(&mut self, task: Task) {
        self.counts[task.job.level as usize].jobs += 1;
        self.wait(task);
    }

    /// Places a job, or returns it.
    #[expect(
        clippy::result_large_err,
        reason = "the job goes on waiting; a box for each decision costs more"
    )]
    pub(super) fn place(&mut self, mut task: Task) -> Result<Decision, Task> {
        self.check_freshness();
        let Some(decision) = self.scheduler.place(&task.job, self.now_ms) else { return Err(task) };
        let (job, host) = (decision.job, decision.host);
        self.counts[task.job.level as usize].add_wait(self.now_ms - task.alone_ms);
        self.active_ms = self.now_ms;
        task.begin(self.now_ms, host);
        let (level, demand) = (task.job.level, task.demand_milli());
        if self.tasks.len() <= job as usize {
            self.tasks.resize_with(job as usize + 1, || None);
            self.epochs.resize(job as usize + 1, 0);
        }
        self.tasks[job as usize] = Some(task);
        let requested = self.scheduler.requested_milli(host);
        let before = requested - self.scheduler.requested_by(job);
        self.totals.change(Figure::RequestedMilli, before, requested);
        self.totals.change(Figure::Running, 0, 1);
        self.totals.change(Figure::Waiting, 1, 0);
        let strict = self.scheduler.strict_milli(host);
        self.change_place(host, |place| {
            place.jobs += 1;
            place.set_strict(strict);
            place.change(level, 0, demand);
        });
        self.schedule(job);
        self.account_for_moves(&decision.moves);
        Ok(decision)
    }

    pub(super) fn reschedule(&mut self) -> Vec<Move> {
        let every_ms = self.scheduler.own_policy().rescheduling.map_or(u64::MAX, |rules| rules.every_ms);
        self.next.moves_ms = self.now_ms.saturating_add(every_ms);
        self.check_freshness();
        // That jobs have rested long enough to change their cores is no event of its own.
        if self.waiting.has_strict() {
            self.room_changed();
        }
        let moves = self.scheduler.reschedule(self.now_ms);
        self.account_for_moves(&moves);
        moves
    }

    /// Moves jobs as the scheduler has done already.
    fn account_for_moves(&mut self, moves: &[Move]) {
        // Each is accounted for where it was before any host changes.
        for step in moves {
            let task = self.tasks[step.job as usize].as_mut().expect("a job that moves is on a host");
            let rate = task.rate_on(&self.places[step.from as usize]);
            task.settle(self.now_ms, rate);
        }
        for step in moves {
            let task = self.task_mut(step.job);
            task.moves += 1;
            task.host = step.to;
            task.pause(step.pause_ms);
            let (level, demand) = (task.job.level, task.demand_milli());
            *self.moves.entry(step.reason).or_default() += 1;
            self.change_place(step.from, |place| {
                place.change(level, demand, 0);
                place.jobs -= 1;
            });
            self.change_place(step.to, |place| {
                place.change(level, 0, demand);
                place.jobs += 1;
            });
            self.schedule(step.job);
        }
        if !moves.is_empty() {
            self.room_changed();
        }
    }

    /// Ends a window: what it showed is seen later, or never if the observation is out.
    pub(super) fn end_window(&mut self) {
        let window_ms = self.scheduler.own_policy().prediction.map_or(u64::MAX, |rules| rules.window_ms);
        self.next.window_ms = self.now_ms.saturating_add(window_ms);
        let mut jobs = Vec::with_capacity(self.tasks.len());
        for (id, task) in (0..).zip(&mut self.tasks) {
            let Some(task) = task else { continue };
            let place = &self.places[task.host as usize];
            task.settle(self.now_ms, task.rate_on(place));
            if let Some(seen) = task.take_window() {
                jobs.push((id, self.epochs[id as usize], seen));
            }
        }
        let seen = (0..).zip(self.places.iter_mut().map(HostLoad::take_peak));
        let peaks = self.scheduler.end_window(seen);
        let is_out = |(from, until): &(u64, u64)| (*from..*until).contains(&self.now_ms);
        if !self.options.outages_ms.iter().any(is_out) {
            let at_ms = self.now_ms + self.options.stale_ms;
            self.sights.push_back(Sight { at_ms, ended_ms: self.now_ms, jobs, peaks });
        }
        // The next window's prediction uses what this one showed, if that is seen at once.
        if self.options.stale_ms == 0 {
            self.see();
        }
        self.scheduler.begin_window();
        self.check_freshness();
    }

    /// Shows the scheduler a window.
    pub(super) fn see(&mut self) {
        let Some(sight) = self.sights.pop_front() else { return };
        let epochs = &self.epochs;
        let jobs = sight.jobs.into_iter().filter(|(id, epoch, _)| epochs[*id as usize] == *epoch);
        let jobs = jobs.map(|(id, _, seen)| (id, seen));
        self.scheduler.observe(sight.ended_ms, self.now_ms, jobs, sight.peaks.into_iter());
        // Other predictions are other limits.
        self.room_changed();
    }

    /// Ends a service whose time was over while it waited for another host; returns its row.
    pub(super) fn end_waiting(&mut self, task: &Task) -> SimLine {
        self.totals.change(Figure::Waiting, 1, 0);
        self.count(task, Some(task.accounted_ms()))
    }

    /// Returns the rows of jobs that have not ended.
    pub(super) fn unfinished_rows(&mut self) -> Vec<SimLine> {
        let on_hosts: Vec<JobId> =
            (0..).zip(&self.tasks).filter(|(_, task)| task.is_some()).map(|(id, _)| id).collect();
        for job in &on_hosts {
            self.settle(*job);
        }
        let mut left: Vec<Task> =
            on_hosts.iter().filter_map(|job| self.tasks[*job as usize].take()).collect();
        left.extend(self.waiting.take_all());
        let row = |mut task: Task| {
            let is_over = task.host == NOWHERE && task.miss(self.now_ms);
            self.count(&task, is_over.then(|| task.accounted_ms()))
        };
        left.into_iter().map(row).collect()
    }

    pub(super) fn summary(&mut self) -> SimSummary {
        let rest_ms = self.now_ms - (self.next.day_ms - DAY_MS);
        if rest_ms > 0 {
            self.end_day(rest_ms);
        }
        let came = |level: &Level| self.counts[*level as usize].jobs > 0;
        SimSummary {
            length_ms: self.now_ms,
            all: means(&self.totals.sums(), self.now_ms),
            days: self.days.clone(),
            levels: Level::ALL
                .into_iter()
                .filter(came)
                .map(|level| (level.id().to_owned(), self.counts[level as usize].fared()))
                .collect(),
            moves: self.moves.iter().map(|(reason, count)| (reason.id().to_owned(), *count)).collect(),
            pauses_s: self.pauses_ms as f64 / 1000.0,
            failures: self.failures,
            usable: self.usable.all.mean(),
            usable_when_full: self.usable.full.mean(),
            peaks_exceeded: self.scheduler.peaks_exceeded(),
            degraded_ms: self.degraded_ms,
            decisions: self.waiting.decisions,
        }
    }
}

/// Puts a job's next change among the events; an earlier one becomes void.
fn schedule(events: &mut BinaryHeap<Reverse<Event>>, job: JobId, task: &mut Task, rate: Rate) {
    task.generation += 1;
    if let Some(at_ms) = task.next_ms(rate) {
        events.push(Reverse(Event { at_ms, job, generation: task.generation }));
    }
}
