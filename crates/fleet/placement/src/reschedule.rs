//! Moves of jobs: off hosts that are about to be hot, off hosts that are drained, and together so that hosts become empty.
//!
//! A single placement need not be perfect, since a move repairs it. Three things keep moves from chasing each other: a
//! host is relieved until it is cool, not just below hot, and takes moved jobs only up to that; a job rests after a
//! move; and a round has a budget.

use super::host::{Expected, HostState, Load, Standing, part};
use super::policy::Rescheduling;
use super::scheduler::Scheduler;
use super::{HostId, Job, JobId, Level};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    pub job: JobId,
    pub from: HostId,
    pub to: HostId,
    pub reason: MoveReason,
    pub pause_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoveReason {
    Drain,
    /// Its host's predicted peak is too high.
    Hot,
    /// Its host becomes empty.
    Empty,
    /// Another strict job needs cores in one NUMA node: it changes its own on the same host.
    Cores,
}

impl MoveReason {
    pub fn id(self) -> &'static str {
        match self {
            Self::Drain => "drain",
            Self::Hot => "hot",
            Self::Empty => "empty",
            Self::Cores => "cores",
        }
    }
}

/// A round of moves, while it is planned.
struct Round {
    rules: Rescheduling,
    at_ms: u64,
    /// Each move, and since when the job had been where it was.
    moves: Vec<(Move, u64)>,
}

impl Scheduler {
    /// Plans the moves of a round and makes them: afterwards the jobs count where they are going. None without the policy's
    /// leave, or while predictions are stale.
    pub fn reschedule(&mut self, at_ms: u64) -> Vec<Move> {
        let Some(rules) = self.policy.rescheduling else { return Vec::new() };
        self.check_freshness(at_ms);
        if self.is_degraded() {
            return Vec::new();
        }
        let mut round = Round { rules, at_ms, moves: Vec::new() };
        self.drain(&mut round);
        self.cool(&mut round);
        if let Some(below) = rules.empty_below_permille {
            self.empty(&mut round, below);
        }
        round.moves.into_iter().map(|(step, _)| step).collect()
    }

    /// Moves jobs off hosts that are drained. They need not have rested: their host goes away.
    fn drain(&mut self, round: &mut Round) {
        let is_drained = |state: &HostState| state.standing == Standing::Draining && !state.jobs.is_empty();
        let drained: Vec<HostId> =
            (0..).zip(&self.hosts).filter(|(_, state)| is_drained(state)).map(|(id, _)| id).collect();
        for host in drained {
            for job in self.movable(host, round, false) {
                self.relocate(round, job, MoveReason::Drain, |_, _| true);
            }
        }
    }

    /// Relieves hot hosts, the hottest first.
    fn cool(&mut self, round: &mut Round) {
        let terms = self.terms();
        let heat = |id: &HostId| {
            let state = &self.hosts[*id as usize];
            let shared = state.shared_milli(&state.load).max(1);
            state.load.peak_milli(terms.factor_permille) * 1000 / shared
        };
        let mut hot: Vec<HostId> = self.hot.iter().copied().collect();
        hot.sort_by_cached_key(|id| (Reverse(heat(id)), *id));
        let (factor, cool) = (terms.factor_permille, round.rules.cool_permille);
        for host in hot {
            for job in self.movable(host, round, true) {
                let state = &self.hosts[host as usize];
                if state.load.peak_milli(factor) <= part(state.shared_milli(&state.load), cool) {
                    break;
                }
                self.relocate(round, job, MoveReason::Hot, |_, _| true);
            }
        }
    }

    /// Empties hosts of which little is used, if all their jobs find a place on hosts that are in use.
    fn empty(&mut self, round: &mut Round, below_permille: u32) {
        let used = |state: &HostState| {
            let Load { mean_milli, best_effort_milli, .. } = state.load;
            mean_milli + best_effort_milli
        };
        let is_low = |state: &HostState| {
            let limit = part(state.host.capacity.cpu_milli.into(), below_permille);
            state.standing == Standing::Up && !state.jobs.is_empty() && used(state) < limit
        };
        let mut low: Vec<HostId> =
            (0..).zip(&self.hosts).filter(|(_, state)| is_low(state)).map(|(id, _)| id).collect();
        low.sort_by_key(|id| (used(&self.hosts[*id as usize]), *id));
        for host in low {
            let jobs = self.movable(host, round, true);
            let left = (round.rules.moves_max as usize).saturating_sub(round.moves.len());
            // A host that keeps a job was emptied for nothing, so it is all or none.
            if jobs.len() < self.hosts[host as usize].jobs.len() || jobs.len() > left {
                continue;
            }
            let begun = round.moves.len();
            let all = jobs.iter().all(|job| {
                self.relocate(round, *job, MoveReason::Empty, |id, state| {
                    id != host && !state.jobs.is_empty()
                })
            });
            if !all {
                let back = round.moves.split_off(begun);
                back.iter().rev().for_each(|(step, since_ms)| self.put_back(step, *since_ms));
            }
        }
    }

    /// Returns the jobs of a host that may move now, best effort first, then those whose move relieves it most for its pause.
    /// None moves twice in a round.
    fn movable(&self, host: HostId, round: &Round, has_rested: bool) -> Vec<JobId> {
        let value = |id: &JobId| {
            let placed = self.placed(*id);
            let Expected { mean_milli, variance } = placed.expected;
            let relief = u64::from(mean_milli) + variance.isqrt();
            let price = pause_ms(&round.rules, &placed.job) + 1;
            (placed.job.level == Level::BestEffort, relief * 1000 / price)
        };
        let may_move = |id: &JobId| {
            let placed = self.placed(*id);
            let rest_ms = if has_rested { round.rules.rest_ms } else { 0 };
            let is_rested = round.at_ms.saturating_sub(placed.since_ms) >= rest_ms.max(1);
            let is_short = pause_ms(&round.rules, &placed.job) <= round.rules.pause_max_ms;
            match placed.job.level {
                // A run that is timed cannot go on elsewhere.
                Level::Strict => false,
                Level::Standard => is_short && is_rested,
                Level::BestEffort => is_rested,
            }
        };
        let mut jobs: Vec<JobId> = self.hosts[host as usize].jobs.iter().copied().filter(may_move).collect();
        jobs.sort_by_cached_key(|id| (Reverse(value(id)), *id));
        jobs
    }

    /// Moves a job to the best other host that stays cool; returns whether there was one.
    fn relocate(
        &mut self,
        round: &mut Round,
        id: JobId,
        reason: MoveReason,
        admits: impl Fn(HostId, &HostState) -> bool,
    ) -> bool {
        if round.moves.len() as u32 >= round.rules.moves_max {
            return false;
        }
        let placed = self.placed(id);
        let (job, expected, from) = (placed.job.clone(), placed.expected, placed.host);
        let cluster = self.hosts[from as usize].host.cluster;
        let (cool, between) = (round.rules.cool_permille, round.rules.between_clusters);
        let factor = self.terms().factor_permille;
        let found = self.best(&job, expected, |other, state| {
            let load = state.load.plus(&state.host, &job, expected);
            let peak = load.peak_milli(factor) + load.best_effort_milli;
            other != from
                && (between || state.host.cluster == cluster)
                && peak <= part(state.shared_milli(&load), cool)
                && admits(other, state)
        });
        let Some((to, _)) = found else { return false };
        let mut placed = self.leave(id);
        let since_ms = std::mem::replace(&mut placed.since_ms, round.at_ms);
        placed.host = to;
        self.enter(id, placed);
        let pause_ms = pause_ms(&round.rules, &job);
        round.moves.push((Move { job: id, from, to, reason, pause_ms }, since_ms));
        true
    }

    fn put_back(&mut self, step: &Move, since_ms: u64) {
        let mut placed = self.leave(step.job);
        (placed.host, placed.since_ms) = (step.from, since_ms);
        self.enter(step.job, placed);
    }
}

/// Returns how long a job stands still when its memory moves.
pub(super) fn pause_ms(rules: &Rescheduling, job: &Job) -> u64 {
    u64::from(job.request.memory_mib) * u64::from(rules.pause_ms_per_gib) / 1024
}
