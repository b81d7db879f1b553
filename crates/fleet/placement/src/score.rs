//! Whether a job may be on a host, and how good that would be.

use super::host::{Expected, HostState, JOBS_MAX, Load, Standing, part};
use super::policy::{Policy, SCORE_MAX, Score};
use super::{Job, Level};
use allocator::allocate;
use serde::{Deserialize, Serialize};

/// A condition that a host fails for a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    Up,
    /// It is the only one that the job may run on.
    Host,
    /// The caller admits it: placement itself excludes none.
    Excluded,
    Pool,
    /// It is in the job's cluster.
    Cluster,
    Labels,
    /// Its pool takes the level.
    Level,
    /// Its noise is known, and low enough.
    Noise,
    /// It has fewer jobs than any host may have.
    Jobs,
    Memory,
    /// The CPUs are there: whole cores for strict jobs, within the pool's promise for standard ones.
    Cpu,
    /// The cores are there, but not in one NUMA node.
    NumaNode,
    /// The predicted mean stays within the limit.
    Mean,
    /// The predicted peak stays within the limit.
    Peak,
    /// The predicted mean of all jobs stays within the limit for best effort.
    BestEffort,
    /// No other job of the service is there.
    Apart,
}

/// What a decision depends on, besides job and host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    pub policy: &'a Policy,
    /// How many thousandths of the standard deviation a peak is above the mean.
    pub factor_permille: u32,
    pub price_max: u32,
}

impl Filter {
    /// All conditions, in the order in which they are checked.
    pub const ALL: [Self; 16] = [
        Self::Up,
        Self::Host,
        Self::Excluded,
        Self::Pool,
        Self::Cluster,
        Self::Labels,
        Self::Level,
        Self::Noise,
        Self::Jobs,
        Self::Memory,
        Self::Cpu,
        Self::NumaNode,
        Self::Mean,
        Self::Peak,
        Self::BestEffort,
        Self::Apart,
    ];

    pub fn id(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Host => "host",
            Self::Excluded => "excluded",
            Self::Pool => "pool",
            Self::Cluster => "cluster",
            Self::Labels => "labels",
            Self::Level => "level",
            Self::Noise => "noise",
            Self::Jobs => "jobs",
            Self::Memory => "memory",
            Self::Cpu => "cpu",
            Self::NumaNode => "numa-node",
            Self::Mean => "mean",
            Self::Peak => "peak",
            Self::BestEffort => "best-effort",
            Self::Apart => "apart",
        }
    }

    /// Returns the condition as the rest of a sentence about a host that fails it.
    pub fn failed(self) -> &'static str {
        match self {
            Self::Up => "is down or drained",
            Self::Host => "is not the only one that the job may run on",
            Self::Excluded => "is excluded by the job's selectors, or by taints",
            Self::Pool => "is in another pool",
            Self::Cluster => "is in another cluster",
            Self::Labels => "lacks a label that the job needs",
            Self::Level => "is in a pool that does not take the job's level",
            Self::Noise => "is noisier than the job tolerates, or its noise was not measured",
            Self::Jobs => "has as many jobs as a host may have",
            Self::Memory => "has too little memory left",
            Self::Cpu => "has too few CPUs left",
            Self::NumaNode => "has enough cores, but not in one NUMA node",
            Self::Mean => "would have a predicted mean above the limit",
            Self::Peak => "would have a predicted peak above the limit",
            Self::BestEffort => "would have too little left over for best effort",
            Self::Apart => "has another job of the same service",
        }
    }
}

/// Returns the first condition that a host fails for what does not change: pool, cluster, labels, level.
pub(crate) fn fails_kind(state: &HostState, job: &Job) -> Option<Filter> {
    let host = &state.host;
    let checks = [
        (Filter::Pool, job.pool.is_none_or(|pool| pool == host.pool)),
        (Filter::Cluster, job.cluster.is_none_or(|cluster| cluster == host.cluster)),
        (Filter::Labels, job.needs & !host.labels == 0),
        (Filter::Level, state.promise.levels.contains(&job.level)),
    ];
    checks.into_iter().find(|(_, holds)| !holds).map(|(filter, _)| filter)
}

impl Terms<'_> {
    /// Returns the first condition that a host fails for a job. `services` has the services of its jobs.
    pub(crate) fn fails(
        &self,
        state: &HostState,
        job: &Job,
        expected: Expected,
        services: impl Iterator<Item = Option<u32>>,
    ) -> Option<Filter> {
        let (host, limits) = (&state.host, &self.policy.limits);
        if state.standing != Standing::Up {
            return Some(Filter::Up);
        }
        if job.host.is_some_and(|only| only != state.id) {
            return Some(Filter::Host);
        }
        if let Some(filter) = fails_kind(state, job) {
            return Some(filter);
        }
        if let Some(max) = job.noise_max_permille
            && host.noise_permille.is_none_or(|noise| noise > max)
        {
            return Some(Filter::Noise);
        }
        if state.jobs.len() >= JOBS_MAX {
            return Some(Filter::Jobs);
        }
        if state.load.memory_mib + u64::from(job.request.memory_mib) > state.memory_mib() {
            return Some(Filter::Memory);
        }
        if let Some(filter) = lacks_cpus(state, job) {
            return Some(filter);
        }
        let load = state.load.plus(host, job, expected);
        let shared = state.shared_milli(&load);
        let exceeds = |limit: Option<u32>, used: u64| limit.is_some_and(|limit| used > part(shared, limit));
        let all = load.mean_milli + load.best_effort_milli;
        let is_best_effort = job.level == Level::BestEffort;
        if !is_best_effort && exceeds(limits.mean_permille, load.mean_milli) {
            return Some(Filter::Mean);
        }
        if !is_best_effort && exceeds(limits.peak_permille, load.peak_milli(self.factor_permille)) {
            return Some(Filter::Peak);
        }
        if is_best_effort && exceeds(limits.best_effort_permille, all) {
            return Some(Filter::BestEffort);
        }
        let is_same = |service: Option<u32>| service.is_some() && service == job.service;
        (job.apart && services.into_iter().any(is_same)).then_some(Filter::Apart)
    }

    /// Returns the value of a host with this load, from 0 to [`SCORE_MAX`]. A job that is about to be placed counts in
    /// what depends on it; without one this is the host's place in the order of candidates.
    pub(crate) fn total(&self, state: &HostState, load: &Load, job: Option<(&Job, u32)>) -> u32 {
        let weights: u32 = self.policy.prefer.values().sum();
        let total: u64 = self
            .policy
            .prefer
            .iter()
            .map(|(score, weight)| u64::from(*weight) * u64::from(self.value(*score, state, load, job)))
            .sum();
        u32::try_from(total / u64::from(weights.max(1))).unwrap_or(SCORE_MAX)
    }

    /// Returns one score. The job comes with how many jobs of its service are on the host.
    pub(crate) fn value(
        &self,
        score: Score,
        state: &HostState,
        load: &Load,
        job: Option<(&Job, u32)>,
    ) -> u32 {
        let shared = state.shared_milli(load);
        let cpu = || {
            let requested = load.requested_milli + load.best_effort_requested_milli;
            share(load.strict_milli + requested, load.strict_milli + state.standard_milli(load))
        };
        let memory = || share(load.memory_mib, state.memory_mib());
        let all = |standard: u64| standard + load.best_effort_milli;
        match score {
            Score::Free => SCORE_MAX - cpu(),
            Score::Packed => cpu(),
            Score::BestFit => u32::midpoint(cpu(), memory()),
            Score::Balance => SCORE_MAX - cpu().abs_diff(memory()),
            Score::DotProduct => job.map_or(0, |(job, _)| dot_product(state, job)),
            // Best effort counts here, or all of it would go to the host with the least of the others.
            Score::LowMean => SCORE_MAX - share(all(load.mean_milli), shared),
            Score::LowPeak => SCORE_MAX - share(all(load.peak_milli(self.factor_permille)), shared),
            Score::Quiet => state
                .host
                .noise_permille
                .map_or(0, |noise| SCORE_MAX.saturating_sub(noise.saturating_mul(SCORE_MAX / 1000))),
            Score::Cheap => SCORE_MAX - share(state.host.price.into(), self.price_max.max(1).into()),
            Score::FewOfService => job.map_or(0, |(_, same)| SCORE_MAX / (same + 1)),
        }
    }
}

fn share(part: u64, all: u64) -> u32 {
    if part >= all { SCORE_MAX } else { (part * u64::from(SCORE_MAX) / all) as u32 }
}

/// Returns the dot product of what the job requests and what is free, as shares of the host (Grandl et al., "Multi-resource
/// Packing for Cluster Schedulers", 2014).
fn dot_product(state: &HostState, job: &Job) -> u32 {
    let load = &state.load;
    let requested = load.strict_milli + load.requested_milli;
    let capacity = state.host.capacity;
    let pairs = [
        (job.request.cpu_milli, requested, capacity.cpu_milli),
        (job.request.memory_mib, load.memory_mib, capacity.memory_mib),
    ];
    let product = |(request, used, capacity): (u32, u64, u32)| {
        let capacity = u64::from(capacity);
        let free = u64::from(SCORE_MAX - share(used, capacity));
        free * u64::from(share(request.into(), capacity)) / u64::from(SCORE_MAX)
    };
    (pairs.into_iter().map(product).sum::<u64>() / 2) as u32
}

/// Returns what a host lacks for a job's CPUs.
fn lacks_cpus(state: &HostState, job: &Job) -> Option<Filter> {
    let load = &state.load;
    match job.level {
        Level::BestEffort => None,
        Level::Standard => {
            let all = load.requested_milli + u64::from(job.request.cpu_milli);
            (all > state.standard_milli(load)).then_some(Filter::Cpu)
        }
        Level::Strict => {
            let strict_milli = load.strict_milli + u64::from(state.host.strict_milli(job));
            let after = Load { strict_milli, ..*load };
            if strict_milli > state.host.whole_milli() || load.requested_milli > state.standard_milli(&after)
            {
                return Some(Filter::Cpu);
            }
            // Without leases every core is free, and what fits by number fits.
            let (Some(leases), Some(request)) = (&state.leases, state.host.strict_request(job)) else {
                return None;
            };
            allocate(leases, &request).is_err().then_some(Filter::NumaNode)
        }
    }
}
