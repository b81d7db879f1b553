//! Properties that hold on any machine after any history of grants and releases.

use crate::number;
use allocator::{Class, LeaseId, Leases, Machine, Regular, Request, Siblings, Span, Why, allocate};
use model::{CacheDomain, Core, CoreKind, CpuId, CpuSet, Domain, NumaNode, Topology};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Debug)]
struct World {
    topology: Topology,
    housekeeping: CpuSet,
}

#[derive(Clone, Debug)]
enum Step {
    Grant(Request),
    /// Ends one of the existing leases.
    Release(prop::sample::Index),
}

/// Returns a regular machine on which some CPUs are offline, not allowed or kept, with one or two kinds of core.
fn world() -> impl Strategy<Value = World> {
    let shape = (1u32..=2, 1u32..=3, 1u32..=3, 1u32..=4, 1u32..=2);
    (shape, any::<u64>(), any::<u64>(), any::<u64>(), any::<bool>(), any::<bool>()).prop_map(
        |((packages, numa_nodes, l3_domains, cores, threads), off, barred, kept, hybrid, caches_known)| {
            let whole = Regular { packages, numa_nodes, l3_domains, cores, threads }.topology();
            // Three bits of a word decide for each CPU, so few CPUs are hit.
            let hit = |word: u64, cpu: CpuId| word.rotate_left(cpu.0) & 7 == 0;
            let offline: CpuSet = whole.cpus().iter().filter(|cpu| hit(off, *cpu)).collect();
            let first = CpuId(0);
            let online = |cpus: &CpuSet| -> CpuSet {
                cpus.iter().filter(|cpu| *cpu == first || !offline.contains(*cpu)).collect()
            };
            let kind_of = |at: usize| hybrid.then_some(usize::from(at % 4 < 2));
            let cores: Vec<Core> = (0..)
                .zip(&whole.cores)
                .map(|(at, core)| Core { os_id: None, cpus: online(&core.cpus), kind: kind_of(at) })
                .filter(|core| !core.cpus.is_empty())
                .collect();
            let of_kind = |kind: usize| {
                cores
                    .iter()
                    .filter(|core| core.kind == Some(kind))
                    .flat_map(|core| core.cpus.iter())
                    .collect()
            };
            let kinds = if hybrid { vec!["slow", "fast"] } else { Vec::new() };
            let topology = Topology {
                packages: whole
                    .packages
                    .iter()
                    .map(|part| Domain { os_id: part.os_id, cpus: online(&part.cpus) })
                    .collect(),
                numa_nodes: whole
                    .numa_nodes
                    .iter()
                    .map(|node| NumaNode { cpus: online(&node.cpus), ..node.clone() })
                    .collect(),
                l3_domains: whole
                    .l3_domains
                    .iter()
                    .filter(|_| caches_known)
                    .map(|part| CacheDomain { cpus: online(&part.cpus), ..part.clone() })
                    .collect(),
                core_kinds: (0..)
                    .zip(kinds)
                    .map(|(kind, name)| CoreKind { name: name.to_owned(), cpus: of_kind(kind) })
                    .collect(),
                allowed: whole.cpus().iter().filter(|cpu| !hit(barred, *cpu)).collect(),
                offline: offline.iter().filter(|cpu| *cpu != first).collect(),
                cores,
                ..Topology::default()
            };
            let housekeeping = topology.cpus().iter().filter(|cpu| hit(kept, *cpu)).collect();
            World { topology, housekeeping }
        },
    )
}

fn request() -> impl Strategy<Value = Request> {
    let siblings = prop_oneof![Just(Siblings::Idle), Just(Siblings::Used)];
    let class = prop_oneof![
        3 => Just(Class::Compute),
        2 => (1u32..=3).prop_map(|most| Class::MemoryBound { per_l3_max: number(most) }),
    ];
    let kind = prop_oneof![4 => Just(None), 1 => (0usize..3).prop_map(Some)];
    let numa_node = prop_oneof![4 => Just(None), 1 => (0u32..4).prop_map(Some)];
    let within = prop_oneof![3 => Just(Span::Machine), 2 => prop::sample::select(Span::ALL.to_vec())];
    (1u32..=9, siblings, class, kind, numa_node, within).prop_map(
        |(cpus, siblings, class, kind, numa_node, within)| Request {
            cpus: number(cpus),
            siblings,
            class,
            kind,
            numa_node,
            within,
        },
    )
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => request().prop_map(Step::Grant),
        1 => any::<prop::sample::Index>().prop_map(Step::Release),
    ];
    prop::collection::vec(step, 1..40)
}

fn replay(world: &World, steps: &[Step], mut look: impl FnMut(&Leases, &Step)) -> Option<Leases> {
    let machine = Machine::new(&world.topology, &world.housekeeping).ok()?;
    let mut leases = Leases::new(Arc::new(machine));
    for (at, step) in steps.iter().enumerate() {
        look(&leases, step);
        match step {
            Step::Grant(request) => {
                let _ = leases.grant(LeaseId::new(&format!("lease {at}")), request);
            }
            Step::Release(which) => {
                let ids: Vec<LeaseId> = leases.iter().map(|lease| lease.id.clone()).collect();
                if !ids.is_empty() {
                    assert!(leases.release(which.get(&ids)).is_some());
                }
            }
        }
        leases.assert_consistent();
    }
    Some(leases)
}

/// Checks the properties of every lease, using the topology only.
fn check_leases(world: &World, leases: &Leases) {
    let World { topology, housekeeping } = world;
    let mut held = BTreeMap::new();
    for lease in leases.iter() {
        let all: CpuSet = lease.cpus.iter().chain(lease.idle.iter()).collect();
        assert_eq!(all, topology.whole_cores(&all), "whole cores");
        assert_eq!(lease.cpus.len() as u32, lease.request.cpus.get());
        assert!(all.is_subset(&topology.allowed) && all.intersection(&topology.offline).is_empty());
        assert!(all.intersection(&topology.whole_cores(housekeeping)).is_empty());
        for cpu in all.iter() {
            assert_eq!(held.insert(cpu, &lease.id), None, "CPU {cpu} is leased twice");
        }
        let kinds: Vec<Option<usize>> =
            all.iter().map(|cpu| topology.core_of(cpu).and_then(|core| core.kind)).collect();
        assert!(kinds.windows(2).all(|pair| pair[0] == pair[1]), "one kind");
        assert_eq!(lease.memory_nodes, topology.numa_nodes_of(&all));
        if let Some(node) = lease.request.numa_node {
            assert_eq!(lease.memory_nodes, [node]);
        }
        let holds = |sets: Vec<&CpuSet>| sets.iter().any(|set| all.is_subset(set));
        match lease.request.within {
            Span::L3Domain => assert!(holds(topology.l3_domains.iter().map(|part| &part.cpus).collect())),
            Span::NumaNode => assert_eq!(lease.memory_nodes.len(), 1),
            Span::Package => assert!(holds(topology.packages.iter().map(|part| &part.cpus).collect())),
            Span::Die | Span::Machine => {}
        }
        if lease.request.siblings == Siblings::Idle {
            let cores = lease.cpus.iter().map(|cpu| topology.core_of(cpu).unwrap().cpus.first());
            assert_eq!(cores.collect::<std::collections::BTreeSet<_>>().len(), lease.cpus.len());
        }
    }
    // No lease has more memory-bound neighbours than it tolerates.
    for domain in &topology.l3_domains {
        let bears: Vec<u32> = leases
            .iter()
            .filter(|lease| !lease.cpus.intersection(&domain.cpus).is_empty())
            .filter_map(|lease| match lease.request.class {
                Class::MemoryBound { per_l3_max } => Some(per_l3_max.get()),
                Class::Compute => None,
            })
            .collect();
        assert!(bears.iter().all(|most| bears.len() as u32 <= *most), "{bears:?}");
    }
}

/// Lists for each kind the cores that are free and may be leased.
fn free_cores(world: &World, leases: &Leases) -> BTreeMap<Option<usize>, Vec<CpuSet>> {
    let kept = world.topology.whole_cores(&world.housekeeping);
    let mut free: BTreeMap<_, Vec<CpuSet>> = BTreeMap::new();
    for core in &world.topology.cores {
        let usable = core.cpus.is_subset(&world.topology.allowed) && core.cpus.intersection(&kept).is_empty();
        if usable && core.cpus.iter().all(|cpu| leases.holder_of(cpu).is_none()) {
            free.entry(core.kind).or_default().push(core.cpus.clone());
        }
    }
    free
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn leases_are_whole_disjoint_and_as_asked(world in world(), steps in steps()) {
        if let Some(leases) = replay(&world, &steps, |_, _| {}) {
            check_leases(&world, &leases);
        }
    }

    #[test]
    fn the_same_history_gives_the_same_leases(world in world(), steps in steps()) {
        let all = |leases: Leases| leases.iter().cloned().collect::<Vec<_>>();
        prop_assert_eq!(replay(&world, &steps, |_, _| {}).map(all), replay(&world, &steps, |_, _| {}).map(all));
    }

    #[test]
    fn nothing_leaks(world in world(), steps in steps()) {
        let Some(mut leases) = replay(&world, &steps, |_, _| {}) else { return Ok(()) };
        let ids: Vec<LeaseId> = leases.iter().map(|lease| lease.id.clone()).collect();
        for id in ids {
            leases.release(&id);
        }
        leases.assert_consistent();
        let fresh = Leases::new(Arc::new(Machine::new(&world.topology, &world.housekeeping).unwrap()));
        prop_assert_eq!(leases.free_cores(), fresh.free_cores());
    }

    #[test]
    fn timed_requests_fit_when_enough_cores_of_a_kind_are_free(world in world(), steps in steps()) {
        replay(&world, &steps, |leases, step| {
            let Step::Grant(asked) = step else { return };
            let request = Request::timed(asked.cpus);
            let free = free_cores(&world, leases);
            let fits = free.values().any(|cores| cores.len() as u32 >= request.cpus.get());
            assert_eq!(allocate(leases, &request).is_ok(), fits, "{request:?} of {free:?}");
        });
    }

    #[test]
    fn one_node_is_enough_when_it_has_room(world in world(), steps in steps()) {
        replay(&world, &steps, |leases, step| {
            let Step::Grant(asked) = step else { return };
            let Ok(placement) = allocate(leases, &Request::timed(asked.cpus)) else { return };
            let kind = world.topology.core_of(placement.cpus.first().unwrap()).unwrap().kind;
            let free = free_cores(&world, leases).remove(&kind).unwrap_or_default();
            let holds = |cpus: &CpuSet| {
                free.iter().filter(|core| core.is_subset(cpus)).count() as u32 >= asked.cpus.get()
            };
            if world.topology.numa_nodes.iter().any(|node| holds(&node.cpus)) {
                assert_eq!(placement.memory_nodes.len(), 1, "{placement:?}");
            }
            if world.topology.l3_domains.iter().any(|domain| holds(&domain.cpus)) {
                let inside = |domain: &CacheDomain| placement.cpus.is_subset(&domain.cpus);
                assert!(world.topology.l3_domains.iter().any(inside), "{placement:?}");
            }
        });
    }

    #[test]
    fn a_refusal_is_true(world in world(), steps in steps()) {
        replay(&world, &steps, |leases, step| {
            let Step::Grant(request) = step else { return };
            let Err(no_fit) = allocate(leases, request) else { return };
            let stated = format!("{no_fit}; {}", no_fit.remedy());
            if let Some(fits) = std::num::NonZeroU32::new(no_fit.cpus_that_fit) {
                assert!(allocate(leases, &Request { cpus: fits, ..*request }).is_ok(), "{stated}");
            }
            let mut without = leases.clone();
            for blocker in &no_fit.blockers {
                without.release(&blocker.id);
            }
            let hopeless = matches!(
                no_fit.why,
                Why::TooLarge | Why::NoSuchKind | Why::NoSuchSpan | Why::NoSuchNumaNode(_)
            );
            assert_eq!(allocate(&without, request).is_err(), hopeless, "{stated}");
            assert_eq!(no_fit.blockers.is_empty(), hopeless, "{stated}");
        });
    }
}
