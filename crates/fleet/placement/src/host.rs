//! A host with what is on it.

use super::{Host, HostId, Job, JobId, Level};
use crate::policy::{Limits, Promise};
use allocator::{Leases, Machine, Regular, Request, Siblings, Span};
use model::CpuSet;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    #[default]
    Up,
    /// It gets no new jobs, and those that can move do.
    Draining,
    /// It is gone, with its jobs.
    Down,
}

/// The load of a job, as it is predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The mean, in thousandths of a CPU.
    pub mean_milli: u32,
    /// The variance around it, in (thousandths of a CPU)².
    pub variance: u64,
}

/// What the jobs of a host add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// CPUs of strict jobs with their idle siblings, in thousandths.
    pub strict_milli: u64,
    /// What standard jobs request, in thousandths of a CPU.
    pub requested_milli: u64,
    pub memory_mib: u64,
    /// The predicted mean of standard jobs, in thousandths of a CPU.
    pub mean_milli: u64,
    /// The variance around it, in (thousandths of a CPU)².
    pub variance: u64,
    /// The predicted mean of jobs of best effort, in thousandths of a CPU.
    pub best_effort_milli: u64,
    /// What jobs of best effort request, in thousandths of a CPU. No promise covers it, but it spreads them.
    pub best_effort_requested_milli: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HostState {
    pub host: Host,
    pub promise: Promise,
    pub standing: Standing,
    pub jobs: Vec<JobId>,
    #[serde(skip)]
    pub id: HostId,
    #[serde(skip)]
    pub kind: u32,
    #[serde(skip)]
    pub load: Load,
    /// The cores of strict jobs; made with the first.
    #[serde(skip)]
    pub leases: Option<Box<Leases>>,
    /// The part of the index that it is in; `None` if it takes no jobs.
    #[serde(skip)]
    pub key: Option<u16>,
    #[serde(skip)]
    pub room: Room,
    /// The highest predicted peak since the window began, and whether jobs came or left since.
    pub peak_expected_milli: u64,
    pub is_changed: bool,
}

/// How much more fits on a host, in each respect that can be compared without looking at it closely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room([i32; RESPECTS]);

/// Memory, requests of standard jobs, cores of strict jobs, the limits of mean, peak and best effort, quietness.
const RESPECTS: usize = 7;
/// Far more than any kernel runs well, and few enough that sums of 64 bits hold their loads.
pub(crate) const JOBS_MAX: usize = 100_000;
/// Unmeasured noise is worse than any.
const NOISE_UNKNOWN: i32 = -1;

impl Room {
    /// Less room than any host has.
    pub(crate) const NONE: Self = Self([i32::MIN; RESPECTS]);

    /// Returns whether a job with these demands may fit.
    pub(crate) fn covers(&self, demand: &Self) -> bool {
        self.0.iter().zip(&demand.0).all(|(room, demand)| room >= demand)
    }

    /// Raises each respect to that of another room.
    pub(crate) fn raise(&mut self, other: &Self) {
        for (room, other) in self.0.iter_mut().zip(&other.0) {
            *room = (*room).max(*other);
        }
    }

    /// Returns the room for strict jobs, in thousandths of a CPU.
    pub(crate) fn strict_milli(&self) -> i32 {
        self.0[2]
    }

    /// Returns what a job needs at least.
    pub(crate) fn demand(job: &Job, expected: Expected) -> Self {
        const ANY: i32 = i32::MIN;
        let (cpu, mean) = (clamp(job.request.cpu_milli.into()), clamp(expected.mean_milli.into()));
        let [standard, strict, mean, best_effort] = match job.level {
            Level::Strict => [ANY, cpu, ANY, ANY],
            Level::Standard => [cpu, ANY, mean, ANY],
            Level::BestEffort => [ANY, ANY, ANY, mean],
        };
        let quiet = job.noise_max_permille.map_or(ANY, |max| i32::MAX - clamp(max.into()));
        Self([clamp(job.request.memory_mib.into()), standard, strict, mean, mean, best_effort, quiet])
    }
}

fn clamp(value: i64) -> i32 {
    value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// Returns a share of an amount, rounded down.
pub(crate) fn part(amount: u64, permille: u32) -> u64 {
    amount * u64::from(permille) / 1000
}

impl Load {
    /// Returns the predicted peak of standard jobs: the mean and this many thousandths of the standard deviation.
    pub(crate) fn peak_milli(&self, factor_permille: u32) -> u64 {
        self.mean_milli + self.variance.isqrt() * u64::from(factor_permille) / 1000
    }

    /// Returns the load with one more job. With at most [`JOBS_MAX`] jobs no sum overflows.
    pub(crate) fn plus(mut self, host: &Host, job: &Job, expected: Expected) -> Self {
        self.memory_mib += u64::from(job.request.memory_mib);
        match job.level {
            Level::Strict => self.strict_milli += u64::from(host.strict_milli(job)),
            Level::Standard => {
                self.requested_milli += u64::from(job.request.cpu_milli);
                self.mean_milli += u64::from(expected.mean_milli);
                self.variance += expected.variance;
            }
            Level::BestEffort => {
                self.best_effort_requested_milli += u64::from(job.request.cpu_milli);
                self.best_effort_milli += u64::from(expected.mean_milli);
            }
        }
        self
    }

    /// Returns the load without one of its jobs.
    fn minus(mut self, host: &Host, job: &Job, expected: Expected) -> Self {
        self.memory_mib -= u64::from(job.request.memory_mib);
        match job.level {
            Level::Strict => self.strict_milli -= u64::from(host.strict_milli(job)),
            Level::Standard => {
                self.requested_milli -= u64::from(job.request.cpu_milli);
                self.mean_milli -= u64::from(expected.mean_milli);
                self.variance -= expected.variance;
            }
            Level::BestEffort => {
                self.best_effort_requested_milli -= u64::from(job.request.cpu_milli);
                self.best_effort_milli -= u64::from(expected.mean_milli);
            }
        }
        self
    }
}

impl Host {
    /// Returns how many cores a strict job takes: one for each CPU if siblings stay idle.
    fn strict_cores(&self, job: &Job) -> u32 {
        let cpus = job.request.cpu_milli.div_ceil(1000);
        if job.has_idle_siblings() { cpus } else { cpus.div_ceil(self.threads) }
    }

    /// Returns the CPUs that a strict job takes, with idle siblings, in thousandths.
    pub(crate) fn strict_milli(&self, job: &Job) -> u32 {
        self.strict_cores(job).saturating_mul(self.threads).saturating_mul(1000)
    }

    /// Returns the cores in a NUMA node.
    pub(crate) fn node_cores(&self) -> u32 {
        self.capacity.cpu_milli / 1000 / self.threads / self.numa_nodes
    }

    /// Returns the CPUs that strict jobs can have: those of whole cores, as many in each NUMA node.
    pub(crate) fn whole_milli(&self) -> u64 {
        u64::from(self.node_cores()) * u64::from(self.numa_nodes) * u64::from(self.threads) * 1000
    }

    /// Returns its machine, if it has whole cores.
    pub(crate) fn machine(&self) -> Option<Machine> {
        let cores = self.node_cores();
        if cores == 0 {
            return None;
        }
        let shape =
            Regular { packages: 1, numa_nodes: self.numa_nodes, l3_domains: 1, cores, threads: self.threads };
        Machine::new(&shape.topology(), &CpuSet::default()).ok()
    }

    /// Returns a strict job's request: in one NUMA node if that is large enough.
    pub(crate) fn strict_request(&self, job: &Job) -> Option<Request> {
        let cpus = NonZeroU32::new(job.request.cpu_milli.div_ceil(1000))?;
        let siblings = if job.has_idle_siblings() { Siblings::Idle } else { Siblings::Used };
        let within = if self.strict_cores(job) <= self.node_cores() { Span::NumaNode } else { Span::Machine };
        Some(Request { siblings, within, ..Request::timed(cpus) })
    }
}

impl HostState {
    pub(crate) fn new(id: HostId, host: Host, promise: Promise, kind: u32) -> Self {
        Self {
            id,
            host,
            promise,
            standing: Standing::Up,
            jobs: Vec::new(),
            kind,
            load: Load::default(),
            leases: None,
            key: None,
            room: Room::NONE,
            peak_expected_milli: 0,
            is_changed: false,
        }
    }

    /// Returns the CPUs that strict jobs leave, in thousandths.
    pub(crate) fn shared_milli(&self, load: &Load) -> u64 {
        u64::from(self.host.capacity.cpu_milli).saturating_sub(load.strict_milli)
    }

    /// Returns what standard jobs may request, in thousandths of a CPU.
    pub(crate) fn standard_milli(&self, load: &Load) -> u64 {
        part(self.shared_milli(load), self.promise.cpu_permille)
    }

    /// Returns the memory that all jobs may request.
    pub(crate) fn memory_mib(&self) -> u64 {
        part(self.host.capacity.memory_mib.into(), self.promise.memory_permille)
    }

    pub(crate) fn add(&mut self, id: JobId, job: &Job, expected: Expected) {
        self.load = self.load.plus(&self.host, job, expected);
        self.jobs.push(id);
        self.is_changed = true;
    }

    /// # Panics
    /// When the job is not there.
    pub(crate) fn remove(&mut self, id: JobId, job: &Job, expected: Expected) {
        let at = self.jobs.iter().position(|other| *other == id).expect("the job is on its host");
        self.jobs.swap_remove(at);
        self.load = self.load.minus(&self.host, job, expected);
        self.is_changed = true;
    }

    /// Changes what is expected of one of its jobs.
    pub(crate) fn expect(&mut self, job: &Job, old: Expected, new: Expected) {
        let load = self.load.minus(&self.host, job, old);
        self.load = load.plus(&self.host, job, new);
    }

    /// Returns how much more fits.
    pub(crate) fn measure_room(&self, limits: &Limits, factor_permille: u32) -> Room {
        let (load, shared) = (&self.load, self.shared_milli(&self.load));
        let left = |limit: u64, used: u64| clamp(limit as i64 - used as i64);
        let below = |limit: Option<u32>, used: u64| {
            limit.map_or(i32::MAX, |permille| left(part(shared, permille), used))
        };
        // A promise of nothing to standard jobs leaves strict ones everything, as there can be none of the former.
        let kept = (load.requested_milli * 1000).div_ceil(u64::from(self.promise.cpu_permille.max(1)));
        let all = load.mean_milli + load.best_effort_milli;
        Room([
            left(self.memory_mib(), load.memory_mib),
            left(self.standard_milli(load), load.requested_milli),
            left(shared, kept),
            below(limits.mean_permille, load.mean_milli),
            below(limits.peak_permille, load.peak_milli(factor_permille)),
            below(limits.best_effort_permille, all),
            self.host.noise_permille.map_or(NOISE_UNKNOWN, |noise| i32::MAX - clamp(noise.into())),
        ])
    }

    /// Returns how many strict requests for `cpus` CPUs in one NUMA node fit, and the CPUs that are free, in thousandths.
    pub(crate) fn room_for(&self, cpus: u32) -> (u64, u64) {
        let free_milli = u64::try_from(self.room.strict_milli()).unwrap_or(0);
        let by_number = free_milli / (u64::from(cpus) * 1000);
        let cores = cpus.div_ceil(self.host.threads);
        let by_node: u64 = self.free_cores().iter().map(|free| u64::from(free / cores)).sum();
        (by_number.min(by_node), free_milli)
    }

    /// Returns how many cores of each NUMA node no strict job has.
    pub(crate) fn free_cores(&self) -> Vec<u32> {
        match &self.leases {
            Some(leases) => leases.free_cores_of_nodes().collect(),
            None => vec![self.host.node_cores(); self.host.numa_nodes as usize],
        }
    }

    /// Returns its leases, made of its kind's machine when needed.
    pub(crate) fn leases_on(&mut self, machine: &Arc<Machine>) -> &mut Leases {
        self.leases.get_or_insert_with(|| Box::new(Leases::new(Arc::clone(machine))))
    }
}
