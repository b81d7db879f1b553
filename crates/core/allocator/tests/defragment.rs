//! Plans of moves from outside: against brute force on small machines, and their guarantees on random ones.

#![allow(clippy::unwrap_used)]

use allocator::defragment::{Limits, NoPlan, Plan, Prices, Proof, gather, make_room};
use allocator::{Class, LeaseId, Leases, Machine, Recorded, Regular, Request, Span, allocate};
use model::{Bytes, CpuId, CpuSet};
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;
use std::sync::Arc;

const SMALL: Regular = Regular { packages: 1, numa_nodes: 2, l3_domains: 1, cores: 3, threads: 1 };
const TWO_CACHES: Regular = Regular { packages: 1, numa_nodes: 1, l3_domains: 2, cores: 3, threads: 2 };
const THREE_NODES: Regular = Regular { packages: 3, numa_nodes: 1, l3_domains: 1, cores: 2, threads: 1 };

fn asks(cpus: u32, within: Span) -> Request {
    Request { within, ..Request::timed(NonZeroU32::new(cpus).unwrap()) }
}

/// Makes leases from a text with a letter for each core; `.` is free, capitals are pinned.
fn leases(shape: Regular, text: &str, memory: Bytes) -> Leases {
    let machine = Machine::new(&shape.topology(), &CpuSet::new()).unwrap();
    let mut leases = Leases::new(Arc::new(machine));
    let mut cores: BTreeMap<char, CpuSet> = BTreeMap::new();
    for (core, letter) in (0..).zip(text.chars()).filter(|(_, letter)| *letter != '.') {
        cores.entry(letter).or_default().insert(CpuId(core));
    }
    for (letter, cpus) in cores {
        let lease = Recorded {
            id: LeaseId::new(&letter.to_string()),
            cpus,
            class: Class::Compute,
            within: Span::Machine,
            memory,
            pinned: letter.is_uppercase(),
        };
        leases.record(lease).unwrap();
    }
    leases
}

fn text(leases: &Leases, cores: u32) -> String {
    (0..cores).map(|cpu| leases.holder_of(CpuId(cpu)).map_or(".", |lease| lease.id.as_str())).collect()
}

/// Checks a plan step by step, and that it ends in the state that it reports.
fn check_steps(before: &Leases, plan: &Plan) {
    let mut held: BTreeMap<&LeaseId, CpuSet> =
        before.iter().map(|lease| (&lease.id, lease.cpus.clone())).collect();
    for step in &plan.moves {
        let lease = before.get(&step.lease).unwrap();
        assert!(!lease.pinned, "{step:?} moves a pinned lease");
        assert_eq!(held[&step.lease], step.from, "{step:?}");
        assert_eq!(step.from.len(), step.to.len(), "{step:?}");
        assert_ne!(step.from, step.to, "{step:?} moves nothing");
        for (other, cpus) in held.iter().filter(|(other, _)| **other != &step.lease) {
            assert!(cpus.intersection(&step.to).is_empty(), "{step:?} onto '{other}'");
        }
        held.insert(&step.lease, step.to.clone());
    }
    plan.after.assert_consistent();
    for lease in plan.after.iter() {
        assert_eq!(held[&lease.id], lease.cpus);
    }
    assert_eq!(plan.price, plan.moves.iter().map(|step| step.price).sum::<u64>());
}

/// The fewest moves and their lowest price, found by trying every move of every lease to every set of cores.
///
/// Independent of the planner: leases are sets of cores as bits, and prices are computed from them.
struct BruteForce {
    shape: Regular,
    memory: Bytes,
}

impl BruteForce {
    fn domain(&self, core: u32, size: u32) -> u32 {
        core / size
    }

    fn price(&self, from: u32, to: u32) -> u64 {
        let prices = Prices::default();
        let Regular { cores, l3_domains, numa_nodes: _, .. } = self.shape;
        let of = |set: u32| (0..32).filter(move |core| set & 1 << core != 0);
        let near =
            |core: u32, size: u32| of(from).any(|old| self.domain(old, size) == self.domain(core, size));
        let moved = of(to & !from).map(|core| match () {
            () if near(core, cores) => prices.same_l3_domain,
            () if near(core, cores * l3_domains) => prices.same_numa_node,
            () => prices.other_numa_node,
        });
        let nodes = |set: u32| {
            let mut nodes: Vec<u32> = of(set).map(|core| self.domain(core, cores * l3_domains)).collect();
            nodes.dedup();
            nodes
        };
        let (had, has) = (nodes(from), nodes(to));
        let left = had.iter().filter(|node| !has.contains(node)).count() as u64;
        let bytes = self.memory.0 * left / had.len() as u64;
        moved.sum::<u64>() + (bytes * prices.gib_left).div_ceil(1 << 30)
    }

    /// Returns how wide a set is spread: within a cache, a node, a package, or wider.
    fn width(&self, set: u32) -> usize {
        let Regular { cores, l3_domains, numa_nodes, .. } = self.shape;
        let sizes = [cores, cores * l3_domains, cores * l3_domains * numa_nodes, u32::MAX];
        let spans = |size: u32| {
            let inside: Vec<u32> =
                (0..32).filter(|core| set & 1 << core != 0).map(|core| core / size).collect();
            inside.windows(2).all(|pair| pair[0] == pair[1])
        };
        sizes.iter().position(|size| spans(*size)).unwrap()
    }

    fn fits(&self, used: u32, total: u32, request: &Request) -> bool {
        let most = match request.within {
            Span::L3Domain => 0,
            Span::NumaNode => 1,
            Span::Die | Span::Package => 2,
            Span::Machine => 3,
        };
        let sets = 1..1u32 << total;
        let fits =
            |set: &u32| set.count_ones() == request.cpus.get() && set & used == 0 && self.width(*set) <= most;
        sets.into_iter().any(|set| fits(&set))
    }

    fn best(&self, start: &[(bool, u32)], total: u32, request: &Request) -> Option<(u32, u64)> {
        let mut best: BTreeMap<Vec<u32>, (u32, u64)> = BTreeMap::new();
        let sets: Vec<u32> = start.iter().map(|(_, set)| *set).collect();
        best.insert(sets.clone(), (0, 0));
        let mut open = VecDeque::from([sets]);
        while let Some(state) = open.pop_front() {
            let cost = best[&state];
            let used: u32 = state.iter().fold(0, |used, set| used | set);
            for (at, set) in state.iter().enumerate().filter(|(at, _)| !start[*at].0) {
                let others = used & !set;
                for to in (1..1u32 << total).filter(|to| {
                    to.count_ones() == set.count_ones()
                        && to & others == 0
                        && to != set
                        && self.width(*to) <= self.width(start[at].1)
                }) {
                    let mut next = state.clone();
                    next[at] = to;
                    let next_cost = (cost.0 + 1, cost.1 + self.price(*set, to));
                    if best.get(&next).is_none_or(|known| next_cost < *known) {
                        best.insert(next.clone(), next_cost);
                        open.push_back(next);
                    }
                }
            }
        }
        best.into_iter()
            .filter(|(state, _)| self.fits(state.iter().fold(0, |used, set| used | set), total, request))
            .map(|(_, cost)| cost)
            .min()
    }
}

/// Compares the planner with brute force for one arrangement.
fn compare(shape: Regular, arrangement: &str, memory: Bytes, request: &Request) -> bool {
    let before = leases(shape, arrangement, memory);
    let mut sets: BTreeMap<char, u32> = BTreeMap::new();
    for (core, letter) in (0u32..).zip(arrangement.chars()).filter(|(_, letter)| *letter != '.') {
        *sets.entry(letter).or_default() |= 1 << core;
    }
    let start: Vec<(bool, u32)> = sets.iter().map(|(letter, set)| (letter.is_uppercase(), *set)).collect();
    let best = BruteForce { shape, memory }.best(&start, arrangement.len() as u32, request);
    match (make_room(&before, request, &Prices::default(), Limits::WIDE), best) {
        (Ok(plan), Some(best)) => {
            check_steps(&before, &plan);
            assert_eq!(
                (plan.moves.len() as u32, plan.price),
                best,
                "{arrangement} {request:?}: {:?}",
                plan.moves
            );
            assert_eq!(plan.proof, Proof::Best);
            assert!(plan.placement(request).is_ok(), "{arrangement} {request:?}");
            true
        }
        (Err(_), None) => false,
        (found, best) => panic!("{arrangement} {request:?}: {found:?} against {best:?}"),
    }
}

/// Lists the arrangements of cores in which new leases get the next letter, up to three leases, the last one pinned.
fn arrangements(cores: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    for _ in 0..cores {
        all = all
            .into_iter()
            .flat_map(|text| {
                let next = ['.', 'a', 'b', 'C'].into_iter();
                let known = text.chars().filter(|letter| *letter != '.').max_by_key(char::to_ascii_lowercase);
                let known = known.map_or(0, |letter| letter.to_ascii_lowercase() as usize - 'a' as usize + 1);
                next.take(known + 2).map(move |letter| format!("{text}{letter}")).collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

#[test]
fn no_plan_of_a_small_machine_is_better() {
    let mut made = 0;
    for (shape, cores) in [(SMALL, 6), (TWO_CACHES, 6), (THREE_NODES, 6)] {
        for (at, arrangement) in arrangements(cores).into_iter().step_by(2).enumerate() {
            let request =
                asks(2 + at as u32 % 3 / 2, if at % 2 == 0 { Span::L3Domain } else { Span::NumaNode });
            let memory = if at % 3 == 0 { Bytes::from_mib(1536) } else { Bytes(0) };
            made += usize::from(compare(shape, &arrangement, memory, &request));
        }
    }
    assert!(made > 300, "{made} plans");
}

#[test]
fn the_nearest_move_is_chosen_and_memory_left_behind_has_a_price() {
    for (shape, arrangement, memory_gib, request, expect) in [
        // One core moves to the neighbouring cache.
        (TWO_CACHES, "a..b..", 0, asks(3, Span::L3Domain), "a: 0 -> 5 for 4"),
        // Across NUMA nodes; with memory it costs more.
        (SMALL, "a..b..", 0, asks(3, Span::L3Domain), "a: 0 -> 5 for 16"),
        (SMALL, "a..b..", 2, asks(3, Span::L3Domain), "a: 0 -> 5 for 80"),
        // A pinned lease stays, so the other moves.
        (SMALL, "A..b..", 0, asks(3, Span::L3Domain), "b: 3 -> 2 for 16"),
        (
            SMALL,
            "A..B..",
            0,
            asks(3, Span::L3Domain),
            "no moves make room: 3 CPUs need 3 whole cores with idle siblings in one L3 domain; 4 cores are free, but at most 2 CPUs can be had together",
        ),
        (SMALL, "a.....", 0, asks(3, Span::L3Domain), ""),
        (SMALL, "a.b.b.", 0, asks(3, Span::L3Domain), "b: 2,4 -> 1-2 for 1"),
        // A lease does not become wider than it is.
        (
            SMALL,
            "aa.BB.",
            0,
            asks(2, Span::L3Domain),
            "no plan of at most 1000 moves was found; there is none",
        ),
    ] {
        let before = leases(shape, arrangement, Bytes::from_mib(memory_gib << 10));
        let stated = match make_room(&before, &request, &Prices::default(), Limits::WIDE) {
            Ok(plan) => {
                check_steps(&before, &plan);
                let step = |step: &allocator::defragment::Move| {
                    format!("{}: {} -> {} for {}", step.lease, step.from, step.to, step.price)
                };
                plan.moves.iter().map(step).collect::<Vec<_>>().join(", ")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(stated, expect, "{arrangement}");
    }
}

#[test]
fn a_plan_keeps_its_limits() {
    let before = leases(SMALL, "a..b..", Bytes(0));
    let request = asks(3, Span::L3Domain);
    for (moves_max, price_max) in [(0, 100), (1, 15)] {
        let limits = Limits { moves_max, price_max };
        let refused = make_room(&before, &request, &Prices::default(), limits).unwrap_err();
        assert_eq!(refused, NoPlan::NotFound { limits, all_seen: true });
    }
    assert!(make_room(&before, &request, &Prices::default(), Limits { moves_max: 1, price_max: 16 }).is_ok());
}

#[test]
fn leases_are_gathered() {
    let pieces = Regular { packages: 1, numa_nodes: 2, l3_domains: 1, cores: 6, threads: 1 };
    for (arrangement, expect) in [
        ("a.a...bb....", "....aabb...."),
        ("ab..........", "ab.........."),
        ("abab........", "..aabb......"),
        ("a.....a.....", "..........aa"),
        ("AbAbA.b.b...", "A.A.A...bbbb"),
    ] {
        let before = leases(pieces, arrangement, Bytes(0));
        let plan = gather(&before, &Prices::default(), Limits::WIDE);
        check_steps(&before, &plan);
        assert_eq!(text(&plan.after, 12), expect, "from {arrangement}: {:?}", plan.moves);
    }
}

/// Returns a machine too large for exhaustive search, filled to about nine tenths and then thinned out.
fn large() -> impl Strategy<Value = Leases> {
    let shape = Regular { packages: 2, numa_nodes: 2, l3_domains: 4, cores: 8, threads: 2 };
    let machine = Arc::new(Machine::new(&shape.topology(), &CpuSet::new()).unwrap());
    let lease = (1u32..=6, any::<bool>(), 0u64..4, 0u32..10, 0u32..10);
    prop::collection::vec(lease, 20..60).prop_map(move |wanted| {
        let mut leases = Leases::new(machine.clone());
        let mut ended = Vec::new();
        for (at, (cpus, within_cache, memory_gib, pinned, ends)) in wanted.into_iter().enumerate() {
            let id = LeaseId::new(&format!("lease {at}"));
            let within = if within_cache { Span::L3Domain } else { Span::Machine };
            if leases.grant(id.clone(), &asks(cpus, within)).is_ok() {
                leases.note(&id, Bytes(memory_gib << 30), pinned == 0);
                if ends < 3 {
                    ended.push(id);
                }
            }
        }
        for id in ended {
            leases.release(&id);
        }
        leases
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn plans_of_a_large_machine_can_be_carried_out(before in large(), cpus in 2u32..=16) {
        let request = asks(cpus, if cpus <= 8 { Span::L3Domain } else { Span::NumaNode });
        match make_room(&before, &request, &Prices::default(), Limits { moves_max: 20, price_max: 10_000 }) {
            Ok(plan) => {
                check_steps(&before, &plan);
                prop_assert!(allocate(&plan.after, &request).is_ok());
                prop_assert!(plan.moves.len() <= 20 && plan.price <= 10_000);
                if let Proof::AtLeast(fewest) = plan.proof {
                    prop_assert!(fewest as usize <= plan.moves.len());
                }
            }
            Err(NoPlan::Impossible(_)) => prop_assert!(allocate(&before, &request).is_err()),
            Err(NoPlan::NotFound { .. }) => {}
        }
    }

    #[test]
    fn gathering_makes_nothing_worse(before in large()) {
        let plan = gather(&before, &Prices::default(), Limits { moves_max: 50, price_max: 5_000 });
        check_steps(&before, &plan);
        prop_assert!(plan.moves.len() <= 50 && plan.price <= 5_000);
        for lease in before.iter() {
            let after = plan.after.get(&lease.id).unwrap();
            prop_assert!(after.memory_nodes.len() <= lease.memory_nodes.len());
        }
        prop_assert_eq!(before.free_cores(), plan.after.free_cores());
    }
}
