//! The state of a fleet's scheduler: hosts, jobs, predictions, and the policy that decides.

use super::host::{Expected, HostState, Load, Room, Standing};
use super::index::Index;
use super::policy::{Policy, Promise, SCORE_MAX, Score};
use super::score::{Filter, Terms, fails_kind};
use super::{Host, HostId, Job, JobId, Level, Move, NameId};
use crate::predict::{Forecast, ObservedLoad, Options, Predictor, Series};
use allocator::{LeaseId, Machine};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A fleet's scheduler. Time is given with each call and never goes back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scheduler {
    pub(crate) policy: Policy,
    pub(crate) hosts: Vec<HostState>,
    pub(crate) jobs: Vec<Option<Placed>>,
    vacant: Vec<JobId>,
    predictor: Option<Predictor>,
    /// How many thousandths of the standard deviation the peak is predicted above the mean.
    pub(super) factor_permille: u32,
    /// When the last window that was observed ended.
    observed_ms: u64,
    pub(super) is_degraded: bool,
    price_max: u32,
    /// In how many windows a host's peak was higher than predicted, and in how many one was predicted.
    pub(super) exceeded: (u64, u64),
    #[serde(skip)]
    pub(crate) index: Index,
    #[serde(skip)]
    machines: BTreeMap<[u32; 3], Option<Arc<Machine>>>,
    /// Hosts whose predicted peak is above what rescheduling calls hot.
    #[serde(skip)]
    pub(crate) hot: BTreeSet<HostId>,
}

/// A job that is on a host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Placed {
    pub job: Job,
    pub host: HostId,
    pub expected: Expected,
    series: Option<Series>,
    /// When it was placed or moved last.
    pub since_ms: u64,
    /// The CPUs of a strict job, with idle siblings.
    pub cpus: Vec<u32>,
}

/// Where a job was placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The job's number from now on, until it is released.
    pub job: JobId,
    pub host: HostId,
    /// The host's value for the job, from 0 to [`SCORE_MAX`].
    pub score: u32,
    /// Strict jobs of the host that changed their cores to make room.
    pub moves: Vec<Move>,
}

/// The peak of a host's standard jobs in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peak {
    /// What it was, in thousandths of a CPU.
    pub seen_milli: u32,
    /// What was predicted when the window began.
    pub expected_milli: u64,
}

/// The factor at first: of a normal distribution, one in twenty values lies higher.
const FACTOR_FIRST_PERMILLE: u32 = 1645;
/// No distribution has more than a hundredth of its values beyond ten standard deviations (Chebyshev).
const FACTOR_MAX_PERMILLE: u32 = 10_000;
/// How far one window's error moves the factor: a window in which all peaks are too low raises it by half a deviation.
const FACTOR_STEP_PERMILLE: i64 = 500;

impl Scheduler {
    /// Makes the scheduler of a fleet without hosts.
    pub fn new(policy: Policy) -> Self {
        let options = |prediction: &super::policy::Prediction| Options {
            window_ms: prediction.window_ms,
            horizon_ms: prediction.horizon_ms,
            quantile_permille: 1000 - prediction.risk_permille,
        };
        Self {
            predictor: policy.prediction.as_ref().map(|prediction| Predictor::new(options(prediction))),
            policy,
            hosts: Vec::new(),
            jobs: Vec::new(),
            vacant: Vec::new(),
            factor_permille: FACTOR_FIRST_PERMILLE,
            observed_ms: 0,
            is_degraded: false,
            price_max: 0,
            exceeded: (0, 0),
            index: Index::default(),
            machines: BTreeMap::new(),
            hot: BTreeSet::new(),
        }
    }

    /// Adds a host that is up, in a pool of this name. Hosts are numbered from 0.
    pub fn add_host(&mut self, host: Host, pool: &str) -> HostId {
        let id = self.hosts.len() as HostId;
        let promise = self.policy.pools.get(pool).cloned().unwrap_or_default();
        if host.price > self.price_max {
            self.price_max = host.price;
            self.reorder();
        }
        let kind = self.kind_of(&host, &promise);
        self.hosts.push(HostState::new(id, host, promise, kind));
        self.refresh(id);
        id
    }

    fn kind_of(&mut self, host: &Host, promise: &Promise) -> u32 {
        let shape = [host.capacity.cpu_milli, host.numa_nodes, host.threads];
        self.machines.entry(shape).or_insert_with(|| host.machine().map(Arc::new));
        self.index.kind_of(host, format!("{promise:?}"))
    }

    /// Changes whether a host takes jobs. Of a host that goes down, release the jobs.
    pub fn set_standing(&mut self, id: HostId, standing: Standing) {
        self.hosts[id as usize].standing = standing;
        self.refresh(id);
        let price = self.hosts[id as usize].host.price;
        if standing == Standing::Down {
            self.lower_price_max(price);
        } else if price > self.price_max {
            self.price_max = price;
            self.reorder();
        }
    }

    /// After a host with this price went: the highest price of those that are not down counts.
    fn lower_price_max(&mut self, gone: u32) {
        if gone < self.price_max || gone == 0 {
            return;
        }
        let there = self.hosts.iter().filter(|state| state.standing != Standing::Down);
        let price_max = there.map(|state| state.host.price).max().unwrap_or(0);
        if price_max != self.price_max {
            self.price_max = price_max;
            self.reorder();
        }
    }

    /// Places a job on the best host and assumes it there: the next decision sees its predicted load. Returns `None` if no
    /// host takes it now; [`Self::explain`] has the reasons.
    pub fn place(&mut self, job: &Job, at_ms: u64) -> Option<Decision> {
        self.check_freshness(at_ms);
        let (series, expected) = self.begin(job, at_ms);
        let (host, score, moves) = match self.best(job, expected, |_, _| true) {
            Some((host, score)) => (host, score, Vec::new()),
            None => self.make_room(job, expected, at_ms)?,
        };
        let placed = Placed { job: job.clone(), host, expected, series, since_ms: at_ms, cpus: Vec::new() };
        Some(Decision { job: self.enter_new(placed), host, score, moves })
    }

    fn enter_new(&mut self, placed: Placed) -> JobId {
        let id = self.vacant.pop().unwrap_or_else(|| {
            self.jobs.push(None);
            self.jobs.len() as JobId - 1
        });
        self.enter(id, placed);
        id
    }

    /// Returns the best hosts for a job, at most `most`, the best first, each with its value: [`Self::place`] chooses the first
    /// if every host is admitted. Jobs that stand in the way are not moved.
    pub fn candidates(
        &mut self,
        job: &Job,
        at_ms: u64,
        most: usize,
        admits: impl Fn(HostId) -> bool,
    ) -> Vec<(HostId, u32)> {
        self.check_freshness(at_ms);
        let (_, expected) = self.begin(job, at_ms);
        let mut found = Vec::new();
        let number = self.policy().candidates.number();
        self.consider(job, expected, number, |terms, jobs, host, state| {
            if !admits(host) || terms.fails(state, job, expected, services(jobs, state)).is_some() {
                return false;
            }
            found.push((host, with_job(terms, jobs, state, job, expected)));
            true
        });
        found.sort_by_key(|(host, score)| (Reverse(*score), *host));
        found.truncate(most);
        found
    }

    /// Counts a job that others placed: it is on this host, whether it fits or not. Cores that it finds taken are not its own.
    pub fn assume(&mut self, job: &Job, host: HostId, at_ms: u64) -> JobId {
        let (series, expected) = self.begin(job, at_ms);
        self.enter_new(Placed { job: job.clone(), host, expected, series, since_ms: at_ms, cpus: Vec::new() })
    }

    /// Lets another policy decide. Hosts, jobs and what was observed of them stay; predictions of a policy that looks otherwise
    /// at time or risk begin anew. `pool_name` has the names of pools.
    pub fn set_policy<'n>(&mut self, policy: Policy, at_ms: u64, pool_name: impl Fn(NameId) -> &'n str) {
        let is_same = policy.prediction == self.policy.prediction;
        if !is_same {
            (self.predictor, self.factor_permille) =
                (Self::new(policy.clone()).predictor, FACTOR_FIRST_PERMILLE);
        }
        self.policy = policy;
        for id in 0..self.jobs.len() {
            let Some(job) = self.jobs[id].as_ref().filter(|_| !is_same).map(|placed| placed.job.clone())
            else {
                continue;
            };
            let (series, expected) = self.begin(&job, at_ms);
            if let Some(placed) = &mut self.jobs[id] {
                (placed.series, placed.expected) = (series, expected);
            }
        }
        for state in &mut self.hosts {
            state.promise = self.policy.pools.get(pool_name(state.host.pool)).cloned().unwrap_or_default();
        }
        self.is_degraded = false;
        self.hot.clear();
        self.index = Index::default();
        self.complete();
        self.check_freshness(at_ms);
    }

    /// Changes what a host has. Its jobs stay, whether they fit or not.
    pub fn change_host(&mut self, id: HostId, host: Host, pool: &str) {
        let jobs = self.hosts[id as usize].jobs.clone();
        let left: Vec<Placed> = jobs.iter().map(|job| self.leave(*job)).collect();
        let standing = std::mem::replace(&mut self.hosts[id as usize].standing, Standing::Down);
        self.refresh(id);
        if host.price > self.price_max {
            self.price_max = host.price;
            self.reorder();
        }
        let promise = self.policy.pools.get(pool).cloned().unwrap_or_default();
        let kind = self.kind_of(&host, &promise);
        let before = self.hosts[id as usize].host.price;
        self.hosts[id as usize] = HostState { standing, ..HostState::new(id, host, promise, kind) };
        self.refresh(id);
        self.lower_price_max(before);
        jobs.into_iter().zip(left).for_each(|(job, placed)| self.enter(job, placed));
    }

    /// Ends a job.
    ///
    /// # Panics
    /// When there is no such job.
    pub fn release(&mut self, id: JobId) {
        let _ = self.leave(id);
        self.vacant.push(id);
    }

    /// Predicts the load of a new job.
    pub(super) fn begin(&self, job: &Job, at_ms: u64) -> (Option<Series>, Expected) {
        let Some(predictor) = &self.predictor else { return (None, Expected::default()) };
        let series = predictor.begin(job.service, job.request.cpu_milli, at_ms);
        let expected = rounded(predictor.forecast(&series, at_ms));
        (Some(series), expected)
    }

    /// Finds the best host of those that `admits`, and its value.
    pub(crate) fn best(
        &mut self,
        job: &Job,
        expected: Expected,
        admits: impl Fn(HostId, &HostState) -> bool,
    ) -> Option<(HostId, u32)> {
        let mut best: Option<(u32, HostId)> = None;
        let number = self.policy().candidates.number();
        self.consider(job, expected, number, |terms, jobs, host, state| {
            if !admits(host, state) || terms.fails(state, job, expected, services(jobs, state)).is_some() {
                return false;
            }
            let score = with_job(terms, jobs, state, job, expected);
            if best.is_none_or(|(other, at)| score > other || (score == other && host < at)) {
                best = Some((score, host));
            }
            true
        });
        best.map(|(score, host)| (host, score))
    }

    /// Calls `look` with hosts that may have room, in the order of their score without the job, until `number` of each kind
    /// are what it looks for.
    pub(super) fn consider(
        &mut self,
        job: &Job,
        expected: Expected,
        number: u32,
        mut look: impl FnMut(&Terms<'_>, &[Option<Placed>], HostId, &HostState) -> bool,
    ) {
        let demand = Room::demand(job, expected);
        let policy = match &self.policy.fallback {
            Some(fallback) if self.is_degraded => fallback,
            _ => &self.policy,
        };
        let terms = Terms { policy, factor_permille: self.factor_permille, price_max: self.price_max };
        let (hosts, jobs) = (&self.hosts, &self.jobs);
        if let Some(only) = job.host {
            look(&terms, jobs, only, &hosts[only as usize]);
            return;
        }
        for kind in 0..self.index.kinds() {
            let Some(any) = self.index.any(kind) else { continue };
            if fails_kind(&hosts[any as usize], job).is_some() {
                continue;
            }
            let mut left = number;
            self.index.search(
                kind,
                &demand,
                |host| hosts[host as usize].room,
                |host| {
                    left -= u32::from(look(&terms, jobs, host, &hosts[host as usize]));
                    left > 0
                },
            );
        }
    }

    pub(crate) fn enter(&mut self, id: JobId, mut placed: Placed) {
        let host = placed.host;
        if placed.job.level == Level::Strict {
            placed.cpus = self.lease(host, id, &placed.job);
        }
        self.hosts[host as usize].add(id, &placed.job, placed.expected);
        self.jobs[id as usize] = Some(placed);
        self.refresh(host);
    }

    pub(crate) fn leave(&mut self, id: JobId) -> Placed {
        let placed = self.jobs[id as usize].take().expect("the job is placed");
        let state = &mut self.hosts[placed.host as usize];
        state.remove(id, &placed.job, placed.expected);
        if placed.job.level == Level::Strict
            && let Some(leases) = &mut state.leases
        {
            leases.release(&lease_id(id));
            // Machines without strict jobs are most of a fleet, and a record of cores is large.
            if leases.iter().next().is_none() {
                state.leases = None;
            }
        }
        self.refresh(placed.host);
        placed
    }

    /// Leases the cores of a strict job.
    fn lease(&mut self, host: HostId, id: JobId, job: &Job) -> Vec<u32> {
        let machine = self.machine_of(host);
        let state = &mut self.hosts[host as usize];
        let (Some(machine), Some(request)) = (machine, state.host.strict_request(job)) else {
            return Vec::new();
        };
        let leases = state.leases_on(&machine);
        // A host that passes has the cores; one where others placed the job may not.
        let Ok(lease) = leases.grant(lease_id(id), &request) else { return Vec::new() };
        lease.cpus.iter().chain(lease.idle.iter()).map(|cpu| cpu.0).collect()
    }

    /// Returns what the hosts of this shape share; `None` for one without a whole core.
    pub(super) fn machine_of(&self, host: HostId) -> Option<Arc<Machine>> {
        let Host { capacity, numa_nodes, threads, .. } = self.hosts[host as usize].host;
        self.machines.get(&[capacity.cpu_milli, numa_nodes, threads]).cloned().flatten()
    }

    /// Returns a job that is placed.
    ///
    /// # Panics
    /// When there is no such job.
    pub(crate) fn placed(&self, id: JobId) -> &Placed {
        self.jobs[id as usize].as_ref().expect("the job is placed")
    }

    /// Takes what a window that has ended showed: of each job that ran in it, and the peaks of [`Self::end_window`]. Jobs that
    /// came in between are left out by the caller. Returns whether another policy decides from now on.
    pub fn observe(
        &mut self,
        ended_ms: u64,
        now_ms: u64,
        jobs: impl Iterator<Item = (JobId, ObservedLoad)>,
        peaks: impl Iterator<Item = Peak>,
    ) -> bool {
        let Some(mut predictor) = self.predictor.take() else { return false };
        self.observed_ms = ended_ms;
        self.correct_factor(peaks);
        for (id, seen) in jobs {
            let Some(placed) = self.jobs.get_mut(id as usize).and_then(Option::as_mut) else { continue };
            let Some(series) = &mut placed.series else { continue };
            predictor.observe(series, seen, ended_ms);
            let new = rounded(predictor.forecast(series, now_ms));
            let old = std::mem::replace(&mut placed.expected, new);
            if old != new {
                self.hosts[placed.host as usize].expect(&placed.job, old, new);
            }
        }
        self.predictor = Some(predictor);
        for id in 0..self.hosts.len() as HostId {
            // Nothing is predicted of a host without jobs.
            if !self.hosts[id as usize].jobs.is_empty() {
                self.refresh(id);
            }
        }
        self.check_freshness(now_ms)
    }

    /// Begins a window: what is predicted now is compared with what it shows.
    pub fn begin_window(&mut self) {
        for state in &mut self.hosts {
            if !state.jobs.is_empty() || state.is_changed {
                state.peak_expected_milli = state.load.peak_milli(self.factor_permille);
                state.is_changed = false;
            }
        }
    }

    /// Ends a window in which hosts had these peaks; returns those that were predicted when it began. A host where jobs came
    /// or went since has none.
    pub fn end_window(&self, peaks_milli: impl Iterator<Item = (HostId, u32)>) -> Vec<Peak> {
        let predicted = peaks_milli.filter_map(|(host, seen_milli)| {
            let state = &self.hosts[host as usize];
            let expected_milli = state.peak_expected_milli;
            (!state.is_changed && expected_milli > 0).then_some(Peak { seen_milli, expected_milli })
        });
        predicted.collect()
    }

    /// Moves the factor so that in the long run as many peaks are higher than predicted as the policy's risk says (adaptive
    /// conformal inference, Gibbs and Candès 2021).
    fn correct_factor(&mut self, peaks: impl Iterator<Item = Peak>) {
        let Some(prediction) = &self.policy.prediction else { return };
        let (mut higher, mut all) = (0_i64, 0_i64);
        for Peak { seen_milli, expected_milli } in peaks {
            all += 1;
            higher += i64::from(u64::from(seen_milli) > expected_milli);
        }
        if all == 0 {
            return;
        }
        self.exceeded.0 += higher as u64;
        self.exceeded.1 += all as u64;
        let risk = i64::from(prediction.risk_permille);
        let change = FACTOR_STEP_PERMILLE * (higher * 1000 / all - risk) / 1000;
        let factor = (i64::from(self.factor_permille) + change).clamp(0, FACTOR_MAX_PERMILLE.into());
        self.factor_permille = factor as u32;
    }

    /// Falls back if nothing was observed for too long, and returns to the policy itself when something was. Returns whether
    /// that changed which of them decides.
    pub fn check_freshness(&mut self, now_ms: u64) -> bool {
        let (Some(prediction), true) = (&self.policy.prediction, self.policy.fallback.is_some()) else {
            return false;
        };
        let is_degraded = now_ms.saturating_sub(self.observed_ms) > prediction.stale_after_ms;
        let has_changed = is_degraded != self.is_degraded;
        if has_changed {
            self.is_degraded = is_degraded;
            self.reorder();
        }
        has_changed
    }

    /// Puts a host where it belongs in the index.
    pub(crate) fn refresh(&mut self, id: HostId) {
        let terms = self.terms();
        let state = &self.hosts[id as usize];
        let room = state.measure_room(&terms.policy.limits, terms.factor_permille);
        let key = (state.standing == Standing::Up)
            .then(|| (terms.total(state, &state.load, None) / (SCORE_MAX / 1000)) as u16);
        let hot = self.policy.rescheduling.as_ref().map(|rescheduling| rescheduling.hot_permille);
        let peak = state.load.peak_milli(self.factor_permille);
        let is_hot = hot.is_some_and(|hot| peak > super::host::part(state.shared_milli(&state.load), hot));
        let state = &mut self.hosts[id as usize];
        self.index.set(state.kind, id, state.key, key, &room);
        (state.key, state.room) = (key, room);
        if is_hot {
            self.hot.insert(id);
        } else if !self.hot.is_empty() {
            self.hot.remove(&id);
        }
    }

    pub(crate) fn terms(&self) -> Terms<'_> {
        Terms { policy: self.policy(), factor_permille: self.factor_permille, price_max: self.price_max }
    }

    /// Makes the index anew, after a change of what orders it.
    fn reorder(&mut self) {
        self.index.clear();
        for id in 0..self.hosts.len() as HostId {
            self.hosts[id as usize].key = None;
            self.refresh(id);
        }
    }

    /// Completes a scheduler that was read from a checkpoint, in which what follows from the rest is left out.
    ///
    /// # Panics
    /// When the checkpoint contradicts itself; only what [`Serialize`] wrote is read.
    pub fn complete(&mut self) {
        for id in 0..self.hosts.len() {
            let (host, promise) = (self.hosts[id].host.clone(), self.hosts[id].promise.clone());
            let kind = self.kind_of(&host, &promise);
            let state = &mut self.hosts[id];
            (state.id, state.kind) = (id as HostId, kind);
            state.load = Load::default();
            for job in &state.jobs {
                let placed = self.jobs[*job as usize].as_ref().expect("a host's job is placed");
                state.load = state.load.plus(&host, &placed.job, placed.expected);
            }
        }
        for id in 0..self.hosts.len() as HostId {
            self.hosts[id as usize].leases = self.leases_anew(id, |_| true).map(Box::new);
        }
        self.reorder();
    }

    pub fn policy(&self) -> &Policy {
        match &self.policy.fallback {
            Some(fallback) if self.is_degraded => fallback,
            _ => &self.policy,
        }
    }

    /// Returns the policy that decides while predictions are fresh.
    pub fn own_policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the CPUs that strict jobs take on a host, with idle siblings, in thousandths.
    pub fn strict_milli(&self, host: HostId) -> u64 {
        self.hosts[host as usize].load.strict_milli
    }

    /// Returns what strict jobs take and standard jobs request on a host, in thousandths of a CPU.
    pub fn requested_milli(&self, host: HostId) -> u64 {
        let load = &self.hosts[host as usize].load;
        load.strict_milli + load.requested_milli
    }

    /// Returns a job's part of [`Self::requested_milli`].
    ///
    /// # Panics
    /// When there is no such job.
    pub fn requested_by(&self, job: JobId) -> u64 {
        let placed = self.placed(job);
        match placed.job.level {
            Level::Strict => self.host(placed.host).strict_milli(&placed.job).into(),
            Level::Standard => placed.job.request.cpu_milli.into(),
            Level::BestEffort => 0,
        }
    }

    /// Returns what the jobs of a host add up to.
    pub fn load(&self, host: HostId) -> Load {
        self.hosts[host as usize].load
    }

    /// Returns how many cores of each NUMA node of a host no strict job has.
    pub fn free_cores(&self, host: HostId) -> Vec<u32> {
        self.hosts[host as usize].free_cores()
    }

    /// Returns the services of a host's jobs, in no particular order.
    pub fn services_of(&self, host: HostId) -> Vec<Option<NameId>> {
        services(&self.jobs, &self.hosts[host as usize]).collect()
    }

    /// Returns what is expected of a job that comes now.
    pub fn expected(&self, job: &Job, at_ms: u64) -> Expected {
        self.begin(job, at_ms).1
    }

    /// Returns how many thousandths of the standard deviation peaks are predicted above the mean.
    pub fn factor_permille(&self) -> u32 {
        self.factor_permille
    }

    /// Returns in which share of the windows a host's peak was higher than predicted; `None` if none was predicted.
    pub fn peaks_exceeded(&self) -> Option<f64> {
        let (higher, all) = self.exceeded;
        (all > 0).then(|| higher as f64 / all as f64)
    }

    /// Returns how many requests for `cpus` CPUs in one NUMA node all hosts that are up could take together, and the CPUs
    /// that are free on them, in thousandths.
    pub fn room_for(&self, cpus: u32) -> (u64, u64) {
        let up = self.hosts.iter().filter(|state| state.standing == Standing::Up);
        up.map(|state| state.room_for(cpus))
            .fold((0, 0), |(fit, free), (more, milli)| (fit + more, free + milli))
    }

    pub fn is_degraded(&self) -> bool {
        self.is_degraded
    }

    /// Returns how many hosts there are, in any standing.
    pub fn host_count(&self) -> usize {
        self.hosts.len()
    }

    pub fn host(&self, id: HostId) -> &Host {
        &self.hosts[id as usize].host
    }

    /// Returns the jobs on a host, in no particular order.
    pub fn jobs_of(&self, id: HostId) -> &[JobId] {
        &self.hosts[id as usize].jobs
    }

    /// Returns where a job is.
    ///
    /// # Panics
    /// When there is no such job.
    pub fn place_of(&self, job: JobId) -> HostId {
        self.placed(job).host
    }

    /// Returns which condition each host fails for a job, or its value, by looking at every host: the reference for
    /// [`Self::place`], and what explains it.
    pub fn look_at_all(&self, job: &Job, at_ms: u64) -> Vec<Result<u32, Filter>> {
        let (_, expected) = self.begin(job, at_ms);
        let terms = self.terms();
        let look = |state: &HostState| match terms.fails(state, job, expected, services(&self.jobs, state)) {
            Some(filter) => Err(filter),
            None => Ok(with_job(&terms, &self.jobs, state, job, expected)),
        };
        self.hosts.iter().map(look).collect()
    }

    /// Returns each score of a host for a job, with its weight.
    pub fn scores(&self, job: &Job, host: HostId, at_ms: u64) -> BTreeMap<Score, (u32, u32)> {
        let (_, expected) = self.begin(job, at_ms);
        let (terms, state) = (self.terms(), &self.hosts[host as usize]);
        let same = same_service(&self.jobs, state, job);
        let load = state.load.plus(&state.host, job, expected);
        let value = |score| terms.value(score, state, &load, Some((job, same)));
        let prefer = terms.policy.prefer.iter();
        prefer.map(|(score, weight)| (*score, (value(*score), *weight))).collect()
    }
}

/// Returns the services of a host's jobs.
pub(super) fn services<'a>(
    jobs: &'a [Option<Placed>],
    state: &'a HostState,
) -> impl Iterator<Item = Option<u32>> + use<'a> {
    state.jobs.iter().map(|id| jobs[*id as usize].as_ref().and_then(|placed| placed.job.service))
}

/// Returns the value of a host with a job on it.
pub(super) fn with_job(
    terms: &Terms<'_>,
    jobs: &[Option<Placed>],
    state: &HostState,
    job: &Job,
    expected: Expected,
) -> u32 {
    let same = same_service(jobs, state, job);
    terms.total(state, &state.load.plus(&state.host, job, expected), Some((job, same)))
}

/// Returns how many jobs of a job's service are on a host.
pub(super) fn same_service(jobs: &[Option<Placed>], state: &HostState, job: &Job) -> u32 {
    match job.service {
        Some(_) => services(jobs, state).filter(|service| *service == job.service).count() as u32,
        None => 0,
    }
}

pub(super) fn lease_id(id: JobId) -> LeaseId {
    LeaseId::new(&id.to_string())
}

fn rounded(forecast: Forecast) -> Expected {
    Expected {
        mean_milli: forecast.mean_milli.clamp(0.0, f64::from(u32::MAX)) as u32,
        variance: forecast.variance.clamp(0.0, VARIANCE_MAX) as u64,
    }
}

/// Sums of a million jobs with this variance do not overflow.
const VARIANCE_MAX: f64 = 1.6e13;
