//! What can be seen of a scheduler without changing it.

use super::host::{Expected, HostState, Load, Standing};
use super::policy::{Policy, Score};
use super::scheduler::{Scheduler, same_service, services, with_job};
use super::score::Filter;
use super::{Host, HostId, Job, JobId, Level, NameId};
use std::collections::BTreeMap;

impl Scheduler {
    /// Returns the policy that decides now.
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

    /// Returns how many requests for so many CPUs in one NUMA node all hosts that are up could take together, and the CPUs
    /// that are free on them, in thousandths.
    pub fn room_for(&self, cpus: u32) -> (u64, u64) {
        let up = self.hosts.iter().filter(|state| state.standing == Standing::Up);
        up.map(|state| state.room_for(cpus))
            .fold((0, 0), |(fit, free), (more, milli)| (fit + more, free + milli))
    }

    /// Returns whether the fallback decides.
    pub fn is_degraded(&self) -> bool {
        self.is_degraded
    }

    /// Returns how many hosts there are, in any standing.
    pub fn host_count(&self) -> usize {
        self.hosts.len()
    }

    /// Returns a host.
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
