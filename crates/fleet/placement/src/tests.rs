//! Decisions by the index compared with looking at every host.

mod moves;

use super::host::{Expected, Room};
use super::policy::{Candidates, Limits, Policy, Prediction, Promise, Rescheduling, SCORE_MAX, Score};
use super::score::Filter;
use super::{Amount, Host, HostId, Job, JobId, Level, Scheduler, Standing};
use crate::predict::ObservedLoad;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const WINDOW_MS: u64 = 300_000;

#[derive(Clone, Debug)]
enum Step {
    Place(Job),
    Release(usize),
    Standing(usize, Standing),
    Observe(u32),
    Reschedule,
}

fn hosts() -> impl Strategy<Value = Vec<Host>> {
    prop::collection::vec(host_of_any(), 1..12)
}

/// A host of one of several shapes.
fn host_of_any() -> impl Strategy<Value = Host> {
    let shape = prop_oneof![
        Just((8_000, 1, 1)),
        Just((16_000, 2, 1)),
        Just((32_000, 2, 2)),
        // Cores that do not divide into nodes, a part of a CPU, and less than a core.
        Just((7_000, 3, 2)),
        Just((3_500, 1, 1)),
        Just((1_000, 1, 4)),
    ];
    (shape, 0..2_u32, 0..2_u32, 0..4_u64, prop::option::of(0..40_u32), 1..3_u32).prop_map(
        |((cpu_milli, numa_nodes, threads), pool, cluster, labels, noise_permille, price)| Host {
            capacity: Amount { cpu_milli, memory_mib: cpu_milli * 2 },
            numa_nodes,
            threads,
            pool,
            cluster,
            labels,
            noise_permille,
            price,
        },
    )
}

fn job() -> impl Strategy<Value = Job> {
    let level = prop_oneof![Just(Level::Strict), Just(Level::Standard), Just(Level::BestEffort)];
    let whom = (prop::option::of(0..3_u32), prop::option::of(0..2_u32), prop::option::of(0..2_u32));
    (1..9_u32, 1..10_u32, level, whom, 0..4_u64, any::<bool>(), prop::option::of(0..40_u32)).prop_map(
        |(cpus, memory, level, (service, pool, cluster), needs, apart, noise_max_permille)| Job {
            request: Amount { cpu_milli: cpus * 500, memory_mib: memory * 1000 },
            level,
            service,
            // Most jobs may run anywhere, or nothing would.
            pool: pool.filter(|_| needs == 0),
            cluster: cluster.filter(|_| needs == 1),
            host: None,
            needs: needs & 1,
            apart,
            idle_siblings: needs == 3,
            noise_max_permille: noise_max_permille.filter(|_| needs == 2),
        },
    )
}

fn policy() -> impl Strategy<Value = Policy> {
    let prefer = prop::collection::btree_map(prop::sample::select(&Score::ALL[..]), 1..5_u32, 0..4);
    let candidates = prop_oneof![(1..4_u32).prop_map(Candidates::First), Just(Candidates::All)];
    let limit = || prop::option::of(300..1000_u32);
    let limits =
        (limit(), limit(), limit()).prop_map(|(peak_permille, mean_permille, best_effort_permille)| Limits {
            peak_permille,
            mean_permille,
            best_effort_permille,
        });
    (prefer, candidates, limits, 500..2500_u32).prop_map(|(prefer, candidates, limits, cpu_permille)| {
        let promise = Promise { cpu_permille, ..Promise::default() };
        Policy {
            pools: BTreeMap::from([("shared".to_owned(), promise)]),
            prefer,
            candidates,
            limits,
            prediction: Some(Prediction::default()),
            // Nothing rests, so that much moves.
            rescheduling: Some(Rescheduling {
                rest_ms: 0,
                empty_below_permille: Some(600),
                ..Rescheduling::default()
            }),
            ..Policy::built_in("load-aware").expect("it is built in")
        }
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let standing = prop_oneof![Just(Standing::Up), Just(Standing::Draining), Just(Standing::Down)];
    let step = prop_oneof![
        8 => job().prop_map(Step::Place),
        2 => any::<usize>().prop_map(Step::Release),
        1 => (any::<usize>(), standing).prop_map(|(host, standing)| Step::Standing(host, standing)),
        1 => any::<u32>().prop_map(Step::Observe),
        1 => Just(Step::Reschedule),
    ];
    prop::collection::vec(step, 1..60)
}

impl Scheduler {
    /// The definition of a decision: of each kind of host the first candidates in the order of their score without the
    /// job, and of all these the best with it.
    fn place_slowly(&self, job: &Job, at_ms: u64) -> Option<(HostId, u32)> {
        let looks = self.look_at_all(job, at_ms);
        let mut kinds: BTreeMap<u32, Vec<(std::cmp::Reverse<u32>, HostId)>> = BTreeMap::new();
        let terms = self.terms();
        for (id, state) in (0..).zip(&self.hosts) {
            let step = terms.total(state, &state.load, None) / (SCORE_MAX / 1000);
            kinds.entry(state.kind).or_default().push((std::cmp::Reverse(step), id));
        }
        let mut best: Option<(u32, HostId)> = None;
        for hosts in kinds.values_mut() {
            hosts.sort_unstable();
            let passed = hosts.iter().filter_map(|(_, id)| Some((looks[*id as usize].ok()?, *id)));
            for (score, id) in passed.take(self.policy().candidates.number() as usize) {
                if best.is_none_or(|(other, at)| score > other || (score == other && id < at)) {
                    best = Some((score, id));
                }
            }
        }
        best.map(|(score, id)| (id, score))
    }

    fn assert_consistent(&self) {
        for (id, state) in (0..).zip(&self.hosts) {
            let (mut strict, mut requested, mut memory) = (0_u64, 0_u64, 0_u64);
            for job in &state.jobs {
                let placed = self.placed(*job);
                assert_eq!(placed.host, id);
                memory += u64::from(placed.job.request.memory_mib);
                match placed.job.level {
                    Level::Strict => strict += u64::from(state.host.strict_milli(&placed.job)),
                    Level::Standard => requested += u64::from(placed.job.request.cpu_milli),
                    Level::BestEffort => {}
                }
            }
            assert_eq!((strict, memory), (state.load.strict_milli, state.load.memory_mib));
            assert_eq!(requested, state.load.requested_milli);
            assert!(strict <= state.host.capacity.cpu_milli.into(), "strict jobs are never overcommitted");
            assert!(memory <= state.host.capacity.memory_mib.into());
            assert!(requested <= state.standard_milli(&state.load), "the pool's promise holds");
            let leased = state.leases.as_ref().map_or(0, |leases| {
                leases.assert_consistent();
                leases.iter().map(|lease| lease.cpus.len() + lease.idle.len()).sum()
            });
            assert_eq!(leased as u64 * 1000, strict, "each strict job has its cores");
            for lease in state.leases.iter().flat_map(|leases| leases.iter()) {
                let is_of = |id: &&JobId| super::scheduler::lease_id(**id) == lease.id;
                let id = state.jobs.iter().find(is_of).expect("a lease is of a job of the host");
                let own = self.placed(*id).cpus.iter().copied().collect::<BTreeSet<_>>();
                let leased = lease.cpus.iter().chain(lease.idle.iter()).map(|cpu| cpu.0);
                assert_eq!(own, leased.collect(), "a checkpoint has the cores of the lease");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Also after a checkpoint, from which the index is made anew.
    #[test]
    fn the_index_decides_as_looking_at_every_host_does(
        hosts in hosts(), policy in policy(), steps in steps(), saved in any::<prop::sample::Index>()
    ) {
        let mut scheduler = Scheduler::new(policy);
        for host in &hosts {
            let pool = if host.pool == 0 { "shared" } else { "other" };
            scheduler.add_host(host.clone(), pool);
        }
        let mut placed: BTreeSet<JobId> = BTreeSet::new();
        let mut at_ms = 0;
        let saved = saved.index(steps.len());
        for (at, step) in steps.into_iter().enumerate() {
            if at == saved {
                let bytes = postcard::to_allocvec(&scheduler).expect("it is written");
                scheduler = postcard::from_bytes(&bytes).expect("it is read");
                scheduler.complete();
            }
            match step {
                Step::Place(job) => {
                    let expected = scheduler.place_slowly(&job, at_ms);
                    let looks = scheduler.look_at_all(&job, at_ms);
                    let decision = scheduler.place(&job, at_ms);
                    placed.extend(decision.as_ref().map(|decision| decision.job));
                    let (made_room, found): (Vec<_>, Vec<_>) =
                        decision.into_iter().partition(|decision| !decision.moves.is_empty());
                    prop_assert_eq!(found.first().map(|found| (found.host, found.score)), expected);
                    for found in made_room {
                        prop_assert_eq!(looks[found.host as usize], Err(Filter::NumaNode));
                    }
                }
                Step::Release(at) => {
                    if let Some(job) = placed.iter().nth(at % placed.len().max(1)).copied() {
                        placed.remove(&job);
                        scheduler.release(job);
                    }
                }
                Step::Standing(host, standing) => {
                    let host = (host % hosts.len()) as HostId;
                    if standing == Standing::Down {
                        for job in scheduler.jobs_of(host).to_vec() {
                            placed.remove(&job);
                            scheduler.release(job);
                        }
                    }
                    scheduler.set_standing(host, standing);
                }
                Step::Observe(load) => {
                    at_ms += WINDOW_MS;
                    let seen = |job: &JobId| {
                        let mean_milli = load.wrapping_mul(job + 7) % 3000;
                        (*job, ObservedLoad { mean_milli, peak_milli: mean_milli + 100 })
                    };
                    let peaks = scheduler.end_window((0..).zip(hosts.iter().map(|_| load % 20_000)));
                    scheduler.observe(at_ms, at_ms, placed.iter().map(seen), peaks.into_iter());
                    scheduler.begin_window();
                }
                Step::Reschedule => {
                    at_ms += 1;
                    let moves = scheduler.reschedule(at_ms);
                    let moved: BTreeSet<JobId> = moves.iter().map(|step| step.job).collect();
                    prop_assert_eq!(moved.len(), moves.len(), "no job moves twice");
                    for step in &moves {
                        prop_assert!(step.from != step.to && placed.contains(&step.job));
                    }
                }
            }
            scheduler.assert_consistent();
        }
    }

    /// Others place jobs wherever they like, hosts and the policy change; still the index decides as looking at every host does.
    #[test]
    fn what_others_change_is_decided_about_likewise(
        hosts in hosts(), policies in (policy(), policy()), changes in prop::collection::vec((job(), any::<usize>(), host_of_any(), 0..8_u32), 1..40)
    ) {
        let mut scheduler = Scheduler::new(policies.0);
        let pool = |host: &Host| if host.pool == 0 { "shared" } else { "other" };
        hosts.iter().for_each(|host| { scheduler.add_host(host.clone(), pool(host)); });
        let mut placed = Vec::new();
        let half = changes.len() / 2;
        for (at, (job, number, other, what)) in changes.into_iter().enumerate() {
            let at_ms = at as u64;
            if at == half {
                scheduler.set_policy(policies.1.clone(), at_ms, |pool| if pool == 0 { "shared" } else { "other" });
            }
            let host = (number % hosts.len()) as HostId;
            match what {
                0 => scheduler.change_host(host, other.clone(), pool(&other)),
                1 => scheduler.set_standing(host, if number & 1 == 0 { Standing::Draining } else { Standing::Up }),
                2 if !placed.is_empty() => scheduler.release(placed.swap_remove(number % placed.len())),
                _ => placed.push(scheduler.assume(&job, host, at_ms)),
            }
            let expected = scheduler.place_slowly(&job, at_ms);
            let found = scheduler.candidates(&job, at_ms, 3, |_| true);
            prop_assert_eq!(found.first().copied(), expected);
            let pinned = Job { host: Some(host), ..job.clone() };
            let found = scheduler.candidates(&pinned, at_ms, 3, |_| true);
            prop_assert!(found.iter().all(|(at, _)| *at == host));
            prop_assert_eq!(found.len(), usize::from(scheduler.look_at_all(&pinned, at_ms)[host as usize].is_ok()));
        }
    }

    /// What a bound refuses, no host takes.
    #[test]
    fn room_never_refuses_what_passes(hosts in hosts(), policy in policy(), jobs in prop::collection::vec(job(), 1..30)) {
        let mut scheduler = Scheduler::new(policy);
        hosts.iter().for_each(|host| { scheduler.add_host(host.clone(), "shared"); });
        for job in jobs {
            let looks = scheduler.look_at_all(&job, 0);
            let demand = Room::demand(&job, Expected::default());
            for (state, look) in scheduler.hosts.iter().zip(looks) {
                prop_assert!(look.is_err() || state.room.covers(&demand));
            }
            scheduler.place(&job, 0);
        }
    }
}

fn host(cpus: u32) -> Host {
    Host {
        capacity: Amount { cpu_milli: cpus * 1000, memory_mib: cpus * 4096 },
        numa_nodes: 1,
        threads: 1,
        pool: 0,
        cluster: 0,
        labels: 0,
        noise_permille: None,
        price: 1,
    }
}

fn standard(cpus: u32) -> Job {
    Job {
        request: Amount { cpu_milli: cpus * 1000, memory_mib: 1024 },
        level: Level::Standard,
        service: None,
        pool: None,
        cluster: None,
        host: None,
        needs: 0,
        apart: false,
        idle_siblings: false,
        noise_max_permille: None,
    }
}

fn fleet(policy: &str, hosts: &[u32]) -> Scheduler {
    let mut scheduler = Scheduler::new(Policy::built_in(policy).expect("it is built in"));
    hosts.iter().for_each(|cpus| {
        scheduler.add_host(host(*cpus), "default");
    });
    scheduler
}

#[test]
fn decisions_in_one_window_do_not_herd() {
    let mut scheduler = fleet("load-aware", &[16; 8]);
    let hosts: BTreeSet<HostId> =
        (0..8).filter_map(|_| Some(scheduler.place(&standard(2), 0)?.host)).collect();
    assert_eq!(hosts.len(), 8, "each of eight jobs goes to a host of its own");
}

#[test]
fn built_in_policies_differ_as_their_names_say() {
    let place = |policy: &str, jobs: &[u32]| {
        let mut scheduler = fleet(policy, &[8, 8, 8]);
        jobs.iter()
            .map(|cpus| scheduler.place(&standard(*cpus), 0).map(|found| found.host))
            .collect::<Vec<_>>()
    };
    assert_eq!(place("first-fit", &[6, 4, 2]), [Some(0), Some(1), Some(0)]);
    assert_eq!(place("spread", &[6, 4, 2]), [Some(0), Some(1), Some(2)]);
    assert_eq!(place("pack", &[6, 4, 4]), [Some(0), Some(1), Some(1)]);
    assert_eq!(place("best-fit", &[6, 4, 2]), [Some(0), Some(1), Some(0)]);
    assert_eq!(place("spread", &[9]), [None]);
}

#[test]
fn without_observations_the_fallback_decides_until_they_come_again() {
    let mut scheduler = fleet("load-aware", &[8, 8]);
    scheduler.observe(WINDOW_MS, WINDOW_MS, std::iter::empty(), std::iter::empty());
    scheduler.place(&standard(1), WINDOW_MS);
    assert_eq!(scheduler.policy().name, "load-aware");
    let later_ms = WINDOW_MS + Prediction::default().stale_after_ms + 1;
    scheduler.place(&standard(1), later_ms);
    assert_eq!(scheduler.policy().name, "spread");
    assert!(scheduler.reschedule(later_ms).is_empty(), "nothing moves on stale predictions");
    let observe = |scheduler: &mut Scheduler, ended_ms| {
        scheduler.observe(ended_ms, later_ms, std::iter::empty(), std::iter::empty())
    };
    assert!(!observe(&mut scheduler, WINDOW_MS), "what was seen long ago helps nobody");
    assert_eq!(scheduler.policy().name, "spread");
    assert!(observe(&mut scheduler, later_ms - WINDOW_MS));
    assert_eq!(scheduler.policy().name, "load-aware");
}

#[test]
fn strict_jobs_need_their_cores_in_one_numa_node() {
    let mut scheduler = fleet("first-fit", &[]);
    scheduler.add_host(Host { numa_nodes: 2, ..host(8) }, "default");
    let strict = |cpus| Job { level: Level::Strict, ..standard(cpus) };
    for _ in 0..2 {
        assert!(scheduler.place(&strict(3), 0).is_some());
    }
    // Two cores are free, one in each node.
    assert_eq!(scheduler.look_at_all(&strict(2), 0), [Err(Filter::NumaNode)]);
    assert_eq!(scheduler.place(&strict(2), 0), None);
    assert!(scheduler.place(&strict(1), 0).is_some());
}

#[test]
fn peaks_are_compared_with_their_windows_prediction() {
    let mut scheduler = fleet("load-aware", &[8]);
    let job = scheduler.place(&standard(4), 0).expect("it fits").job;
    let peaks = |scheduler: &Scheduler, milli| scheduler.end_window(std::iter::once((0, milli)));
    assert_eq!(peaks(&scheduler, 4000), [], "the job came while the window ran");
    scheduler.begin_window();
    let predicted = peaks(&scheduler, 1)[0].expected_milli;
    // The next window begins before this one is seen, and after it nothing is left to be used.
    let late = peaks(&scheduler, 8000);
    scheduler.begin_window();
    let seen = ObservedLoad { mean_milli: 10, peak_milli: 20 };
    (1..20_u64).for_each(|at| {
        scheduler.observe(at * WINDOW_MS, at * WINDOW_MS, std::iter::once((job, seen)), std::iter::empty());
    });
    assert_eq!(late[0].expected_milli, predicted);
    scheduler.observe(20 * WINDOW_MS, 22 * WINDOW_MS, std::iter::empty(), late.into_iter());
    assert_eq!(scheduler.peaks_exceeded(), Some(1.0));
    scheduler.release(job);
    scheduler.begin_window();
    assert_eq!(peaks(&scheduler, 5), [], "nothing is predicted of an empty host");
}

#[test]
fn each_score_is_what_its_definition_says() {
    let mut scheduler = Scheduler::new(Policy {
        pools: BTreeMap::from([("default".to_owned(), Promise { cpu_permille: 2000, ..Promise::default() })]),
        prefer: Score::ALL.iter().map(|score| (*score, 1)).collect(),
        ..Policy::built_in("load-aware").expect("it is built in")
    });
    // 10 CPUs and 40,960 MiB, of which a strict job has 2 and 8,192.
    scheduler.add_host(Host { noise_permille: Some(40), price: 3, ..host(10) }, "default");
    scheduler.add_host(Host { price: 4, labels: 1, ..host(1) }, "default");
    let request = |cpus: u32, mib| Amount { cpu_milli: cpus * 1000, memory_mib: mib };
    let strict = Job { level: Level::Strict, request: request(2, 8192), ..standard(2) };
    scheduler.place(&strict, 0).expect("it fits");
    let job = Job { service: Some(7), request: request(4, 4096), ..standard(4) };
    let first = scheduler.place(&job, 0).expect("it fits");
    scheduler.observe(
        WINDOW_MS,
        WINDOW_MS,
        std::iter::once((first.job, ObservedLoad { mean_milli: 1000, peak_milli: 1000 })),
        std::iter::empty(),
    );
    let own = scheduler.expected(&job, WINDOW_MS);
    let load = scheduler.load(0);
    let mean = load.mean_milli + u64::from(own.mean_milli);
    let peak = mean + (load.variance + own.variance).isqrt() * u64::from(scheduler.factor_permille()) / 1000;
    let shared = 8_000;
    // 2 + 4 + 4 of 2 + 2 x 8 CPUs; 16,384 MiB of 40,960.
    let (cpu, memory) = (10_000_000 / 18, 400_000);
    let free = [(4_000_000 / 10, (10 - 6) * 100_000), (100_000, 1_000_000 - 300_000)];
    let expected = [
        (Score::Free, 1_000_000 - cpu),
        (Score::Packed, cpu),
        (Score::BestFit, (cpu + memory) / 2),
        (Score::Balance, 1_000_000 - (cpu - memory)),
        (Score::DotProduct, free.map(|(wanted, free)| wanted / 1000 * (free / 1000)).iter().sum::<u32>() / 2),
        (Score::LowMean, 1_000_000 - (mean * 1_000_000 / shared) as u32),
        (Score::LowPeak, 1_000_000 - (peak * 1_000_000 / shared) as u32),
        (Score::Quiet, 960_000),
        (Score::Cheap, 250_000),
        (Score::FewOfService, 500_000),
    ];
    let found = scheduler.scores(&job, 0, WINDOW_MS);
    for (score, value) in expected {
        assert_eq!(found[&score], (value, 1), "{score:?}");
    }
    assert_eq!(scheduler.scores(&job, 1, WINDOW_MS)[&Score::Quiet], (0, 1), "nobody measured it");
    let sum: u32 = expected.iter().map(|(_, value)| value).sum();
    assert_eq!(scheduler.look_at_all(&job, WINDOW_MS)[0], Ok(sum / 10));
}
