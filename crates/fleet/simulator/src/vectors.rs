//! Decisions with all that they depend on: for other implementations to agree with, and to try a policy on.

use documents::{PlacementVector, PlacementVectors, VectorHost, VectorJob};
use placement::policy::{Candidates, Limits, Policy, Promise, Score, write};
use placement::predict::ObservedLoad;
use placement::{Amount, Expected, Host, HostId, Job, Level, Peak, Scheduler};
use stats::Dice;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Windows that the loads of the jobs on the hosts follow from.
const WINDOWS: u64 = 24;
/// Jobs that are placed before, as the policy decides.
const JOBS_BEFORE: usize = 30;

/// The hosts: CPUs, NUMA nodes, CPUs in a core, noise and price. Small and large ones, a noisy one, and one that was not
/// measured.
const HOSTS: [(u32, u32, u32, Option<u32>, u32); 8] = [
    (8, 1, 1, Some(2), 10),
    (8, 1, 1, Some(40), 6),
    (16, 1, 1, Some(5), 18),
    (16, 1, 1, None, 15),
    (32, 2, 1, Some(3), 40),
    (32, 2, 2, Some(12), 30),
    (64, 2, 2, Some(8), 64),
    (64, 2, 2, Some(8), 64),
];

/// A job that is placed: what it is, its level, CPUs, memory in GiB, service and tolerated noise.
type Trial = (&'static str, Level, u32, u32, Option<u32>, Option<u32>);

const JOBS: [Trial; 8] = [
    ("small", Level::Standard, 1, 1, Some(0), None),
    ("large", Level::Standard, 12, 24, Some(1), None),
    ("replica", Level::Standard, 2, 4, Some(2), None),
    ("timed", Level::Strict, 2, 2, None, Some(5)),
    ("own cores", Level::Strict, 6, 8, None, None),
    ("wide", Level::Strict, 14, 8, None, None),
    ("heavy", Level::Standard, 8, 30, Some(3), None),
    ("batch", Level::BestEffort, 4, 4, None, None),
];

/// Returns the decisions of all built-in policies, and of two with what these do not use.
pub fn built_in(seed: u64) -> PlacementVectors {
    let policies = Policy::BUILT_IN.iter().filter_map(|name| Policy::built_in(name));
    let policies = policies.chain(with_other_scores()).chain(with_pools());
    PlacementVectors { seed, vectors: policies.flat_map(|policy| of(&policy, seed)).collect() }
}

fn with_other_scores() -> Option<Policy> {
    let prefer = [(Score::Balance, 4), (Score::Quiet, 3), (Score::Cheap, 2), (Score::FewOfService, 1)];
    Some(Policy { name: "other-scores".to_owned(), prefer: prefer.into(), ..Policy::built_in("spread")? })
}

/// One candidate of each kind, tight limits, and pools for timed and for other work.
fn with_pools() -> Option<Policy> {
    let timed = Promise { levels: vec![Level::Strict], ..Promise::default() };
    let shared = Promise {
        levels: vec![Level::Standard, Level::BestEffort],
        cpu_permille: 2500,
        memory_permille: 1500,
    };
    let pools = BTreeMap::from([("shared".to_owned(), shared), ("timed".to_owned(), timed)]);
    let limits = Limits { peak_permille: None, mean_permille: Some(250), best_effort_permille: Some(300) };
    let fallback = Policy { pools: pools.clone(), ..Policy::built_in("spread")? };
    Some(Policy {
        name: "pools".to_owned(),
        pools,
        limits,
        candidates: Candidates::First(1),
        fallback: Some(Box::new(fallback)),
        ..Policy::built_in("load-aware")?
    })
}

/// Returns the decisions of a policy about each of the jobs, on hosts with jobs on them.
pub fn of(policy: &Policy, seed: u64) -> Vec<PlacementVector> {
    let mut scheduler = Scheduler::new(policy.clone());
    // Each pool gets some of the hosts.
    let mut pools: Vec<&str> = policy.pools.keys().map(String::as_str).collect();
    if pools.is_empty() {
        pools.push("default");
    }
    for (at, (cpus, numa_nodes, threads, noise_permille, price)) in HOSTS.into_iter().enumerate() {
        let capacity = Amount { cpu_milli: cpus * 1000, memory_mib: cpus * 2048 };
        let pool = (at % pools.len()) as u32;
        let host = Host { capacity, numa_nodes, threads, pool, cluster: 0, labels: 0, noise_permille, price };
        scheduler.add_host(host, pools[pool as usize]);
    }
    let at_ms = load(&mut scheduler, policy, seed);
    JOBS.iter().map(|job| vector(&scheduler, policy, &pools, job, at_ms)).collect()
}

/// Puts jobs on the hosts and lets the scheduler see what they use.
fn load(scheduler: &mut Scheduler, policy: &Policy, seed: u64) -> u64 {
    let mut dice = Dice::new(seed);
    let mut placed = Vec::new();
    for _ in 0..JOBS_BEFORE {
        let level = Level::ALL[[0, 1, 1, 1, 2][dice.below(5)]];
        let cpus = 1 + dice.below(6) as u32;
        let service = Some(dice.below(5) as u32);
        let job = job(level, Amount { cpu_milli: cpus * 1000, memory_mib: cpus * 1024 }, service, None);
        if let Some(found) = scheduler.place(&job, 0) {
            placed.push((found.job, cpus * 1000));
        }
    }
    let window_ms = policy.prediction.map_or(300_000, |prediction| prediction.window_ms);
    for window in 1..=WINDOWS {
        let seen: Vec<_> = placed
            .iter()
            .map(|(id, cpu_milli)| {
                let mean_milli = cpu_milli / 10 * dice.below(9) as u32;
                (*id, ObservedLoad { mean_milli, peak_milli: mean_milli + cpu_milli / 10 })
            })
            .collect();
        let ended_ms = window * window_ms;
        // Now and then a peak was not predicted, so that the factor changes.
        let peak = Peak { seen_milli: dice.below(1100) as u32, expected_milli: 1000 };
        scheduler.observe(ended_ms, ended_ms, seen.into_iter(), std::iter::once(peak));
    }
    WINDOWS * window_ms
}

fn job(level: Level, request: Amount, service: Option<u32>, noise_max_permille: Option<u32>) -> Job {
    Job {
        request,
        level,
        service,
        pool: None,
        cluster: None,
        host: None,
        needs: 0,
        apart: service == Some(2),
        idle_siblings: false,
        noise_max_permille,
    }
}

fn vector(
    scheduler: &Scheduler,
    policy: &Policy,
    pools: &[&str],
    (name, level, cpus, gib, service, noise): &Trial,
    at_ms: u64,
) -> PlacementVector {
    let request = Amount { cpu_milli: cpus * 1000, memory_mib: gib * 1024 };
    let job = job(*level, request, *service, *noise);
    let Expected { mean_milli, variance } = scheduler.expected(&job, at_ms);
    let hosts = (0..scheduler.host_count() as HostId).map(|id| host(scheduler, id, pools)).collect();
    let looks = scheduler.look_at_all(&job, at_ms);
    let passed = (0..).zip(&looks).filter_map(|(id, look)| Some((Reverse(look.ok()?), id)));
    let mut ranking: Vec<(Reverse<u32>, HostId)> = passed.collect();
    ranking.sort_unstable();
    let refused =
        (0..).zip(&looks).filter_map(|(id, look)| Some((host_name(id), look.err()?.id().to_owned())));
    // A copy places it, so that each decision is about the same fleet.
    let chosen = scheduler.clone().place(&job, at_ms);
    let chosen = chosen.filter(|found| found.moves.is_empty()).map(|found| host_name(found.host));
    PlacementVector {
        policy: write(policy),
        factor_permille: scheduler.factor_permille(),
        hosts,
        job: VectorJob {
            name: (*name).to_owned(),
            level: level.id().to_owned(),
            cpu_milli: request.cpu_milli,
            memory_mib: request.memory_mib,
            service: *service,
            apart: job.apart,
            noise_max_permille: *noise,
            mean_milli,
            variance,
        },
        ranking: ranking.into_iter().map(|(Reverse(value), id)| (host_name(id), value)).collect(),
        refused: refused.collect(),
        chosen,
    }
}

fn host_name(id: HostId) -> String {
    format!("h{id}")
}

fn host(scheduler: &Scheduler, id: HostId, pools: &[&str]) -> VectorHost {
    let (host, load) = (scheduler.host(id), scheduler.load(id));
    VectorHost {
        name: host_name(id),
        cpu_milli: host.capacity.cpu_milli,
        memory_mib: host.capacity.memory_mib,
        numa_nodes: host.numa_nodes,
        threads: host.threads,
        pool: pools[host.pool as usize].to_owned(),
        noise_permille: host.noise_permille,
        price: host.price,
        strict_milli: load.strict_milli,
        requested_milli: load.requested_milli,
        mean_milli: load.mean_milli,
        variance: load.variance,
        best_effort_milli: load.best_effort_milli,
        best_effort_requested_milli: load.best_effort_requested_milli,
        used_memory_mib: load.memory_mib,
        free_cores: scheduler.free_cores(id),
        services: scheduler.services_of(id),
    }
}
