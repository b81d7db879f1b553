//! Every pattern of free cores on small machines, every size and every span: the allocator chooses the best by the
//! criteria that it documents, and refuses only what is impossible.
//!
//! The criteria are implemented a second time here, on sets of cores as bits.

use crate::{machine, made_of, number, timed};
use allocator::{Class, LeaseId, Leases, Recorded, Request, Span, allocate};
use model::{CpuId, CpuSet, Topology};
use std::cmp::Reverse;

/// A domain: how wide domains of its span are on this machine, its span, its cores.
type Part = (usize, Span, u32);

struct Reference<'t> {
    topology: &'t Topology,
    parts: Vec<Part>,
}

/// Lower is better: kind, width, free cores in the part and around it, the part's position; then the number of smaller
/// domains used, and of runs of neighbouring cores where there is no smaller domain.
type Cost = (Reverse<Option<usize>>, usize, u32, Vec<u32>, Reverse<u32>, u32, u32);

fn bits(cpus: &CpuSet) -> u32 {
    cpus.iter().fold(0, |bits, cpu| bits | 1 << cpu.0)
}

impl<'t> Reference<'t> {
    fn new(topology: &'t Topology) -> Self {
        let all = bits(&topology.cpus());
        let mut parts: Vec<(Span, u32)> = vec![(Span::Machine, all)];
        parts.extend(topology.packages.iter().map(|part| (Span::Package, bits(&part.cpus))));
        parts.extend(topology.numa_nodes.iter().map(|part| (Span::NumaNode, bits(&part.cpus))));
        parts.extend(topology.l3_domains.iter().map(|part| (Span::L3Domain, bits(&part.cpus))));
        let mean = |span: Span| {
            let sizes: Vec<u32> =
                parts.iter().filter(|part| part.0 == span).map(|part| part.1.count_ones()).collect();
            sizes.iter().sum::<u32>() * 1000 / (sizes.len() as u32).max(1)
        };
        let mut spans = Span::ALL.to_vec();
        spans.sort_by_key(|span| (mean(*span), *span));
        let width = |span: Span| spans.iter().position(|known| *known == span).unwrap();
        Self { topology, parts: parts.iter().map(|(span, cores)| (width(*span), *span, *cores)).collect() }
    }

    fn kinds(&self) -> Vec<(Option<usize>, u32)> {
        let mut kinds: Vec<Option<usize>> = self.topology.cores.iter().map(|core| core.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let of = |kind| {
            let cores = self.topology.cores.iter().filter(|core| core.kind == kind);
            cores.fold(0, |all, core| all | bits(&core.cpus))
        };
        kinds.into_iter().map(|kind| (kind, of(kind))).collect()
    }

    /// Returns the cost of a choice; `None` where it is not allowed.
    fn cost(&self, chosen: u32, free: u32, within: Span) -> Option<Cost> {
        let (kind, of_kind) = self.kinds().into_iter().find(|(_, cores)| chosen & !cores == 0)?;
        self.parts.iter().find(|(_, span, cores)| *span == within && chosen & !cores == 0)?;
        let had = |cores: u32| (cores & free & of_kind).count_ones();
        let (width, _, part) = self.parts.iter().filter(|part| chosen & !part.2 == 0).min_by_key(|part| {
            // A part that is two domains at once counts as the narrower one.
            (part.0, part.2.count_ones())
        })?;
        let mut around: Vec<u32> = self
            .parts
            .iter()
            .map(|part| part.2)
            .filter(|other| other & part == *part && other != part)
            .collect();
        around.sort_by_key(|cores| cores.count_ones());
        around.dedup();
        let mut inside: Vec<u32> = self
            .parts
            .iter()
            .map(|part| part.2)
            .filter(|other| other & part == *other && other != part)
            .collect();
        inside.sort_by_key(|cores| Reverse(cores.count_ones()));
        let mut children: Vec<u32> = Vec::new();
        for cores in inside {
            if children.iter().all(|child| child & cores == 0) {
                children.push(cores);
            }
        }
        let touched = children.iter().filter(|child| *child & chosen != 0).count() as u32;
        let runs = (chosen & !(chosen << 1)).count_ones();
        let runs = if children.is_empty() { runs } else { 0 };
        let around = around.into_iter().map(had).collect();
        let place = Reverse(part.trailing_zeros());
        Some((Reverse(kind), *width, had(*part), around, place, touched, runs))
    }
}

fn leased(topology: &Topology, free: u32) -> Leases {
    let mut leases = Leases::new(machine(topology));
    for core in (0..topology.cores.len() as u32).filter(|core| free & 1 << core == 0) {
        let lease = Recorded {
            id: LeaseId::new(&format!("core {core}")),
            cpus: [CpuId(core)].into_iter().collect(),
            class: Class::Compute,
            within: Span::Machine,
            memory: model::Bytes(0),
            pinned: false,
        };
        leases.record(lease).unwrap();
    }
    leases
}

fn check(topology: &Topology) {
    let reference = Reference::new(topology);
    let cores = topology.cores.len() as u32;
    let (mut granted, mut refused) = (0, 0);
    for free in 0..1u32 << cores {
        let leases = leased(topology, free);
        for (count, within) in (1..=cores).flat_map(|count| Span::ALL.map(|within| (count, within))) {
            let choices =
                (1..1u32 << cores).filter(|choice| choice.count_ones() == count && choice & !free == 0);
            let best = choices.filter_map(|choice| reference.cost(choice, free, within)).min();
            let request = Request { within, ..timed(count) };
            match (allocate(&leases, &request), best) {
                (Ok(placement), Some(best)) => {
                    let chosen = bits(&placement.cpus);
                    assert_eq!(chosen & !free, 0, "a leased core is granted");
                    assert_eq!(chosen.count_ones(), count);
                    let cost = reference.cost(chosen, free, within);
                    assert_eq!(cost, Some(best), "free {free:b}, {request:?}, chosen {chosen:b}");
                    granted += 1;
                }
                (Err(no_fit), None) => {
                    let fits = no_fit.cpus_that_fit;
                    assert!(fits < count, "free {free:b}, {request:?}: {no_fit:?}");
                    if fits > 0 {
                        let less = Request { cpus: number(fits), ..request };
                        assert!(allocate(&leases, &less).is_ok(), "free {free:b}, {less:?}: {no_fit:?}");
                    }
                    refused += 1;
                }
                (found, best) => panic!("free {free:b}, {request:?}: {found:?} against {best:?}"),
            }
        }
    }
    assert!(granted > 0 && refused > 0);
}

#[test]
fn nested_from_package_to_l3() {
    check(&made_of(8, &[0..4, 4..8], &[0..4, 4..8], &[0..2, 2..4, 4..6, 6..8], &[]));
}

#[test]
fn several_nodes_in_a_package() {
    check(&made_of(8, &[0..8], &[0..3, 3..6, 6..8], &[0..3, 3..6, 6..8], &[]));
}

#[test]
fn l3_domains_of_different_sizes() {
    check(&made_of(7, &[0..7], &[0..5, 5..7], &[0..1, 1..3, 3..5, 5..7], &[]));
}

#[test]
fn an_l3_domain_that_holds_numa_nodes() {
    check(&made_of(8, &[0..4, 4..8], &[0..2, 2..4, 4..6, 6..8], &[0..4, 4..8], &[]));
}

#[test]
fn one_numa_node_over_packages() {
    check(&made_of(7, &[0..4, 4..7], &[0..7], &[0..2, 2..4, 4..7], &[]));
}

#[test]
fn no_l3_domain_is_known() {
    check(&made_of(6, &[0..6], &[0..3, 3..6], &[], &[]));
}

#[test]
fn two_kinds_of_core_under_one_cache() {
    check(&made_of(7, &[0..7], &[0..7], &[0..7], &[3..7, 0..3]));
}

#[test]
fn nothing_is_known_but_cores() {
    check(&made_of(5, &[], &[], &[], &[]));
}
