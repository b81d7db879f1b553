//! Room for a strict job on a host whose free cores are in different NUMA nodes: other strict jobs there change their cores.

use super::host::Expected;
use super::policy::Rescheduling;
use super::reschedule::pause_ms;
use super::scheduler::{Placed, Scheduler, lease_id, services, with_job};
use super::score::Filter;
use super::{HostId, Job, JobId, Level, Move, MoveReason};
use allocator::defragment::{Distance, Limits, Prices, make_room};
use allocator::{Class, Leases, Recorded, Span};
use model::{Bytes, CpuId};

/// This many hosts with jobs that may change their cores are tried for one job, of each kind. The plan of the first that has one
/// is carried out.
const HOSTS_MAX: u32 = 16;

impl Scheduler {
    /// Makes room for a strict job that found no host; returns the host, its value and the moves, or `None` if none helps.
    pub(super) fn make_room(
        &mut self,
        job: &Job,
        expected: Expected,
        now_ms: u64,
    ) -> Option<(HostId, u32, Vec<Move>)> {
        if job.level != Level::Strict {
            return None;
        }
        let rules = self.policy().rescheduling?;
        let mut near: Vec<HostId> = Vec::new();
        self.consider(job, expected, HOSTS_MAX, |terms, jobs, host, state| {
            let is_near = terms.fails(state, job, expected, services(jobs, state)) == Some(Filter::NumaNode)
                && state.jobs.iter().any(|id| may_move(&rules, jobs[*id as usize].as_ref(), now_ms));
            if is_near {
                near.push(host);
            }
            is_near
        });
        near.into_iter().find_map(|host| self.make_room_on(host, job, expected, now_ms))
    }

    fn make_room_on(
        &mut self,
        host: HostId,
        job: &Job,
        expected: Expected,
        now_ms: u64,
    ) -> Option<(HostId, u32, Vec<Move>)> {
        let rules = self.policy().rescheduling?;
        let request = self.hosts[host as usize].host.strict_request(job)?;
        let leases = self.leases_anew(host, |other| may_move(&rules, Some(self.placed(other)), now_ms))?;
        let limits = Limits { moves_max: rules.moves_max, price_max: u64::MAX };
        let plan = make_room(&leases, &request, &Prices::default(), limits).ok()?;
        let kept = self.hosts[host as usize].leases.replace(Box::new(plan.after));
        // What is checked after the cores was not checked yet.
        let terms = self.terms();
        let state = &self.hosts[host as usize];
        if terms.fails(state, job, expected, services(&self.jobs, state)).is_some() {
            self.hosts[host as usize].leases = kept;
            return None;
        }
        let score = with_job(&terms, &self.jobs, state, job, expected);
        let moves = plan.moves.iter().map(|step| {
            let is_of = |id: &&JobId| lease_id(**id) == step.lease;
            let id = *self.hosts[host as usize].jobs.iter().find(is_of).expect("a lease is of a job");
            let placed = self.jobs[id as usize].as_mut().expect("a host's job is placed");
            placed.cpus = step.to.iter().chain(step.to_idle.iter()).map(|cpu| cpu.0).collect();
            placed.since_ms = now_ms;
            // Within a node nothing but caches is left behind.
            let is_far = step.distance == Distance::OtherNumaNode;
            let pause_ms = if is_far { pause_ms(&rules, &placed.job) } else { 0 };
            Move { job: id, from: host, to: host, reason: MoveReason::Cores, pause_ms }
        });
        let moves = moves.collect();
        Some((host, score, moves))
    }

    /// Makes a host's leases anew in the order of its jobs: a plan depends on the order, and a checkpoint keeps nothing but
    /// the jobs' CPUs. Returns `None` without strict jobs.
    pub(super) fn leases_anew(&self, host: HostId, may_move: impl Fn(JobId) -> bool) -> Option<Leases> {
        let state = &self.hosts[host as usize];
        let has_cores = |id: &JobId| !self.placed(*id).cpus.is_empty();
        let jobs: Vec<JobId> = state.jobs.iter().copied().filter(has_cores).collect();
        let mut leases = Leases::new(self.machine_of(host).filter(|_| !jobs.is_empty())?);
        for id in jobs {
            let placed = self.placed(id);
            let request = state.host.strict_request(&placed.job);
            let lease = Recorded {
                id: lease_id(id),
                cpus: placed.cpus.iter().copied().map(CpuId).collect(),
                class: Class::Compute,
                within: request.map_or(Span::Machine, |request| request.within),
                memory: Bytes(u64::from(placed.job.request.memory_mib) << 20),
                pinned: !may_move(id),
            };
            leases.record(lease).expect("leases are disjoint");
        }
        Some(leases)
    }
}

/// Returns whether a strict job may change its cores: a run that is timed keeps them, and any other rests after it came or moved.
fn may_move(rules: &Rescheduling, placed: Option<&Placed>, now_ms: u64) -> bool {
    placed.is_some_and(|Placed { job, since_ms, .. }| {
        job.level == Level::Strict
            && job.noise_max_permille.is_none()
            && now_ms.saturating_sub(*since_ms) >= rules.rest_ms
            && pause_ms(rules, job) <= rules.pause_max_ms
    })
}
