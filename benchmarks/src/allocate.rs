//! How long the allocation of CPUs takes, on a made-up machine of 1024 that is nine tenths full.

use allocator::defragment::{Limits, Prices, make_room};
use allocator::{Class, LeaseId, Leases, Machine, Regular, Request, Siblings, Span, allocate};
use clap::ValueEnum;
use model::{Bytes, CpuId, CpuSet, Nanos, Topology};
use stats::Dice;
use std::hint::black_box;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Instant;

const SHAPE: Regular = Regular { packages: 2, numa_nodes: 8, l3_domains: 4, cores: 8, threads: 2 };
const SHAPE_CORES: u32 = SHAPE.packages * SHAPE.numa_nodes * SHAPE.l3_domains * SHAPE.cores;
/// The fullness at which there is something to decide.
const LEASED_PERCENT: u32 = 90;
const MOVES_MAX: u32 = 32;

/// What decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// The allocator
    Allocator,
    /// A scan of ordered sets, as one would write it first
    Scan,
    /// The planner of moves
    Defragment,
}

pub fn decisions(by: By, count: u32) -> Vec<u64> {
    let topology = SHAPE.topology();
    let mut dice = Dice::new(17);
    match by {
        By::Allocator => allocator(&topology, &mut dice, count),
        By::Scan => scan(&topology, &mut dice, count),
        By::Defragment => defragment(&topology, &mut dice, count),
    }
}

/// Sizes as of many small leases and a few large ones; every fourth lives on memory.
fn request(dice: &mut Dice) -> Request {
    let cpus = [1, 1, 1, 1, 2, 2, 2, 3, 4, 4, 8, 16, 32][dice.below(13)];
    let class = match dice.below(4) {
        0 => Class::MemoryBound { per_l3_max: whole(2) },
        _ => Class::Compute,
    };
    let siblings = if dice.below(2) == 0 { Siblings::Idle } else { Siblings::Used };
    let within = [Span::Machine, Span::Machine, Span::NumaNode, Span::L3Domain][dice.below(4)];
    let numa_node = (dice.below(8) == 0).then(|| dice.below(16) as u32);
    Request { class, siblings, within, numa_node, ..Request::timed(whole(cpus)) }
}

fn whole(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN)
}

/// Leases cores until this many of a hundred are.
fn filled(
    topology: &Topology,
    dice: &mut Dice,
    percent: u32,
    mut request: impl FnMut(&mut Dice) -> Request,
) -> Leases {
    let machine = Machine::new(topology, &CpuSet::new()).expect("a regular machine is whole");
    let mut leases = Leases::new(Arc::new(machine));
    let cores = leases.free_cores();
    let mut at = 0;
    while leases.free_cores() * 100 > cores * (100 - percent) {
        let wish = request(dice);
        let _ = leases.grant(LeaseId::new(&format!("lease {at}")), &wish);
        at += 1;
    }
    leases
}

fn elapsed(begin: Instant) -> u64 {
    Nanos::from(begin.elapsed()).0
}

/// Decides and grants or refuses; what is granted is ended later, so that the machine stays as full.
fn allocator(topology: &Topology, dice: &mut Dice, count: u32) -> Vec<u64> {
    let mut leases = filled(topology, dice, LEASED_PERCENT, request);
    let mut held: Vec<LeaseId> = leases.iter().map(|lease| lease.id.clone()).collect();
    let full = leases.free_cores();
    let mut times_ns = Vec::with_capacity(count as usize);
    for at in 0..count {
        let id = LeaseId::new(&format!("run {at}"));
        let wish = request(dice);
        let begin = Instant::now();
        let granted = black_box(leases.grant(id.clone(), black_box(&wish))).is_ok();
        times_ns.push(elapsed(begin));
        if granted {
            held.push(id);
        }
        while leases.free_cores() < full {
            let ends = held.swap_remove(dice.below(held.len()));
            leases.release(&ends);
        }
    }
    times_ns
}

/// Returns the same wishes on as full a machine, decided by scanning ordered sets: what one would write first. It only
/// decides: keeping its books is not even counted.
fn scan(topology: &Topology, dice: &mut Dice, count: u32) -> Vec<u64> {
    let leases = filled(topology, dice, LEASED_PERCENT, request);
    let free: CpuSet = topology.cpus().iter().filter(|cpu| leases.holder_of(*cpu).is_none()).collect();
    (0..count)
        .map(|_| {
            let wish = request(dice);
            let begin = Instant::now();
            black_box(scan_once(topology, &free, black_box(&wish)));
            elapsed(begin)
        })
        .collect()
}

/// Returns the smallest domain with enough whole cores free: L3 domains first, then NUMA nodes, then all.
fn scan_once(topology: &Topology, free: &CpuSet, wish: &Request) -> Option<CpuSet> {
    let needed = match wish.siblings {
        Siblings::Idle => wish.cpus.get() as usize,
        Siblings::Used => wish.cpus.get().div_ceil(SHAPE.threads) as usize,
    };
    let whole_cores = |cpus: &CpuSet| -> Vec<CpuId> {
        let inside = free.intersection(cpus);
        let whole = topology.cores.iter().filter(|core| core.cpus.is_subset(&inside));
        whole.filter_map(|core| core.cpus.first()).collect()
    };
    let all = topology.cpus();
    let domains: [Vec<&CpuSet>; 3] = [
        topology.l3_domains.iter().map(|domain| &domain.cpus).collect(),
        topology.numa_nodes.iter().map(|node| &node.cpus).collect(),
        vec![&all],
    ];
    domains.into_iter().find_map(|level| {
        let fitting = level.into_iter().map(whole_cores).filter(|cores| cores.len() >= needed);
        fitting.min_by_key(Vec::len).map(|cores| cores.into_iter().take(needed).collect())
    })
}

/// Plans room for a wish that does not fit, with about 300 leases, of which most hold memory and some are pinned.
fn defragment(topology: &Topology, dice: &mut Dice, count: u32) -> Vec<u64> {
    let small = |dice: &mut Dice| Request::timed(whole([1, 1, 1, 1, 2, 2, 3][dice.below(7)]));
    // Best fit leaves whole domains free; leases that end here and there do not.
    let mut leases = filled(topology, dice, 100, small);
    let mut ids: Vec<LeaseId> = leases.iter().map(|lease| lease.id.clone()).collect();
    while leases.free_cores() * 100 < SHAPE_CORES * (100 - LEASED_PERCENT) {
        let ends = ids.swap_remove(dice.below(ids.len()));
        leases.release(&ends);
    }
    let ids: Vec<LeaseId> = leases.iter().map(|lease| lease.id.clone()).collect();
    for id in ids {
        leases.note(&id, Bytes((dice.below(8) as u64) << 30), dice.below(10) == 0);
    }
    let limits = Limits { moves_max: MOVES_MAX, price_max: u64::MAX };
    let wishes = (2..=16).map(|size| {
        let within = if size <= 8 { Span::L3Domain } else { Span::NumaNode };
        Request { within, ..Request::timed(whole(size)) }
    });
    // A plan for what fits already is not one.
    let wishes: Vec<Request> = wishes.filter(|wish| allocate(&leases, wish).is_err()).collect();
    assert!(!wishes.is_empty(), "a machine nine tenths full has no room for the largest");
    let times = wishes.iter().cycle().take(count as usize).map(|wish| {
        let begin = Instant::now();
        let plan = make_room(&leases, black_box(wish), &Prices::default(), limits);
        let time_ns = elapsed(begin);
        assert!(plan.is_ok(), "{plan:?}");
        time_ns
    });
    times.collect()
}
