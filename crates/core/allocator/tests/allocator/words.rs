//! The texts that users read: why a request is placed where it is, or refused.

use crate::{cpus, machine, made_of, number, timed};
use allocator::{Class, LeaseId, Leases, Machine, Recorded, Regular, Request, Siblings, Span, allocate};
use model::{Bytes, CpuSet, Topology};
use std::sync::Arc;

fn server() -> Topology {
    Regular { packages: 2, numa_nodes: 1, l3_domains: 2, cores: 4, threads: 2 }.topology()
}

fn hold(leases: &mut Leases, name: &str, list: &str, class: Class) {
    let lease = Recorded {
        id: LeaseId::new(name),
        cpus: cpus(list),
        class,
        within: Span::Machine,
        memory: Bytes(0),
        pinned: name.starts_with("run"),
    };
    leases.record(lease).unwrap();
}

/// Returns the outcome of a request as users read it.
fn stated(leases: &Leases, request: &Request) -> String {
    match allocate(leases, request) {
        Ok(placement) => format!(
            "{} idle {} memory {:?}\n{}",
            placement.cpus,
            placement.idle,
            placement.memory_nodes,
            placement.explanation.sentences().join("\n")
        ),
        Err(no_fit) => format!("{no_fit}\n{}", no_fit.remedy()),
    }
}

#[test]
fn cores_with_local_memory_come_first() {
    let mut topology = Regular { packages: 2, numa_nodes: 1, l3_domains: 1, cores: 4, threads: 1 }.topology();
    topology.numa_nodes[0].memory = Some(Bytes(1 << 30));
    topology.numa_nodes[1].memory = Some(Bytes(0));
    let mut leases = Leases::new(machine(&topology));
    insta::assert_snapshot!(stated(&leases, &timed(2)), @r"
    2-3 idle  memory [0]
    All of it is in L3 domain 0.
    No other L3 domain had room.
    Cores of NUMA nodes without memory that may be used were passed over.
    ");
    insta::assert_snapshot!(stated(&leases, &timed(5)), @r"
    3-7 idle  memory [0]
    It is spread over the machine, since fewer cores than needed are free in one L3 domain (4 at most).
    NUMA node 1 has no memory that may be used, so memory is further away: fewer cores than needed are free where there is some.
    ");
    hold(&mut leases, "a", "1-3", Class::Compute);
    insta::assert_snapshot!(stated(&leases, &timed(2)), @r"
    6-7 idle  memory [0]
    All of it is in L3 domain 1.
    No other L3 domain had room.
    NUMA node 1 has no memory that may be used, so memory is further away: fewer cores than needed are free where there is some.
    ");
    // A node whose memory is not allowed is as one without.
    let mut other = topology.clone();
    other.numa_nodes[1].memory = Some(Bytes(1 << 30));
    other.allowed_numa_nodes = [0].into();
    assert_eq!(
        stated(&Leases::new(machine(&other)), &timed(2)),
        stated(&Leases::new(machine(&topology)), &timed(2))
    );
    // Where no node has memory, none is worse.
    topology.numa_nodes[0].memory = Some(Bytes(0));
    insta::assert_snapshot!(stated(&Leases::new(machine(&topology)), &timed(2)), @r"
    6-7 idle  memory [1]
    All of it is in L3 domain 1.
    1 other L3 domain had room; this one had 4 free cores, and none had fewer, so that large blocks stay whole.
    ");
}

#[test]
fn a_server() {
    let mut leases = Leases::new(machine(&server()));
    hold(&mut leases, "a", "0-2", Class::Compute);
    hold(&mut leases, "run-b", "12-13", Class::Compute);
    hold(&mut leases, "c", "5", Class::Compute);
    insta::assert_snapshot!(stated(&leases, &timed(2)), @r"
    14-15 idle 30-31 memory [1]
    All of it is in L3 domain 3.
    2 other L3 domains had room; this one had 2 free cores, and none had fewer, so that large blocks stay whole.
    ");
    insta::assert_snapshot!(stated(&leases, &timed(6)), @r"
    8-11,14-15 idle 24-27,30-31 memory [1]
    It is spread over NUMA node 1, since fewer cores than needed are free in one L3 domain (4 at most).
    No other NUMA node had room.
    Its cores are in 2 separate runs: no longer gap was free there.
    ");
    insta::assert_snapshot!(stated(&leases, &Request { siblings: Siblings::Used, ..timed(3) }), @r"
    14-15,30 idle 31 memory [1]
    All of it is in L3 domain 3.
    2 other L3 domains had room; this one had 2 free cores, and none had fewer, so that large blocks stay whole.
    ");
    insta::assert_snapshot!(stated(&leases, &Request { numa_node: Some(0), within: Span::L3Domain, ..timed(4) }), @r"
    4 CPUs need 4 whole cores with idle siblings in one L3 domain; 4 cores are free, but at most 3 CPUs can be had together
    request at most 3 CPUs, move leases together (defragment), allow a wider part of the machine or wait until 'c' (1 core) has ended
    ");
    insta::assert_snapshot!(stated(&leases, &Request { within: Span::NumaNode, ..timed(7) }), @r"
    7 CPUs need 7 whole cores with idle siblings in one NUMA node; 10 cores are free, but at most 6 CPUs can be had together
    request at most 6 CPUs, move leases together (defragment), allow a wider part of the machine or wait until 'run-b' (2 cores, pinned) has ended
    ");
    insta::assert_snapshot!(stated(&leases, &timed(12)), @r"
    12 CPUs need 12 whole cores with idle siblings; 10 of 16 usable cores are free
    request at most 10 CPUs or wait until 'a' (3 cores) has ended
    ");
    insta::assert_snapshot!(stated(&leases, &timed(17)), @r"
    17 CPUs need 17 whole cores with idle siblings; even if nothing were leased there would not be as many (16 usable cores)
    request at most 10 CPUs or use a larger machine
    ");
    insta::assert_snapshot!(stated(&leases, &Request { numa_node: Some(7), ..timed(1) }), @r"
    the machine has no NUMA node 7 with CPUs
    name one of 0 or 1
    ");
}

#[test]
fn neighbours_that_live_on_memory() {
    let memory_bound = |per_l3_max| Class::MemoryBound { per_l3_max: number(per_l3_max) };
    let mut leases = Leases::new(machine(&made_of(8, &[0..8], &[0..8], &[0..4, 4..8], &[])));
    let request = Request { class: memory_bound(1), within: Span::L3Domain, ..timed(1) };
    hold(&mut leases, "a", "7", memory_bound(2));
    insta::assert_snapshot!(stated(&leases, &request), @r"
    3 idle  memory [0]
    All of it is in L3 domain 0.
    No other L3 domain had room.
    ");
    hold(&mut leases, "b", "0", memory_bound(2));
    insta::assert_snapshot!(stated(&leases, &request), @r"
    1 CPU needs 1 whole core with idle siblings in one L3 domain; they are free, but only next to as many memory-bound leases as those or this one accept
    bear more memory-bound neighbours or wait until 'a' (1 core) has ended
    ");
    insta::assert_snapshot!(stated(&leases, &Request { class: memory_bound(2), ..request }), @r"
    6 idle  memory [0]
    All of it is in L3 domain 1.
    1 other L3 domain had room; this one had 3 free cores, and none had fewer, so that large blocks stay whole.
    ");
    insta::assert_snapshot!(stated(&leases, &Request { class: Class::Compute, ..request }), @r"
    6 idle  memory [0]
    All of it is in L3 domain 1.
    1 other L3 domain had room; this one had 3 free cores, and none had fewer, so that large blocks stay whole.
    ");
}

#[test]
fn two_kinds_and_kept_cpus() {
    let topology = made_of(8, &[0..8], &[0..8], &[0..8], &[4..8, 0..4]);
    let machine = Machine::new(&topology, &cpus("0")).unwrap();
    let mut leases = Leases::new(Arc::new(machine));
    insta::assert_snapshot!(stated(&leases, &timed(3)), @r"
    1-3 idle  memory [0]
    The cores are of the kind 'kind1'.
    All of it is in L3 domain 0.
    ");
    hold(&mut leases, "a", "2", Class::Compute);
    insta::assert_snapshot!(stated(&leases, &timed(3)), @r"
    5-7 idle  memory [0]
    The cores are of the kind 'kind0': the faster 'kind1' had no room.
    All of it is in L3 domain 0.
    ");
    insta::assert_snapshot!(stated(&leases, &timed(5)), @r"
    5 CPUs need 5 whole cores with idle siblings; even if nothing were leased there would not be as many (4 usable cores of the kind 'kind0')
    request at most 4 CPUs or use a larger machine
    ");
    insta::assert_snapshot!(stated(&leases, &Request { kind: Some(1), ..timed(2) }), @r"
    1,3 idle  memory [0]
    The cores are of the kind 'kind1'.
    All of it is in L3 domain 0.
    Its cores are in 2 separate runs: no longer gap was free there.
    ");
    insta::assert_snapshot!(stated(&leases, &Request { kind: Some(2), ..timed(2) }), @r"
    the machine has no core of the kind asked for
    leave the kind out, or name one that the machine has
    ");
}

#[test]
fn wrong_machines_and_leases_are_reported() {
    let topology = server();
    let wrong = |housekeeping: &str| Machine::new(&topology, &cpus(housekeeping)).unwrap_err().to_string();
    assert_eq!(wrong("99"), "the housekeeping CPU 99 is not online; online are 0-31");
    assert_eq!(
        Machine::new(&Topology::default(), &CpuSet::new()).unwrap_err().to_string(),
        "the topology has no core that is online"
    );
    let mut twice = topology.clone();
    twice.cores[3].cpus = cpus("2-3");
    assert_eq!(
        Machine::new(&twice, &CpuSet::new()).unwrap_err().to_string(),
        "CPU 2 is in two cores of the topology"
    );
    let mut narrow = topology.clone();
    narrow.allowed = cpus("0-14,16-31");
    let mut leases = Leases::new(Arc::new(Machine::new(&narrow, &cpus("0-1")).unwrap()));
    for (name, list, expect) in [
        ("a", "4", "ok"),
        ("a", "5", "there is a lease 'a' already"),
        ("b", "20", "the leases 'b' and 'a' both hold the core of CPU 20; a core is leased as a whole"),
        ("b", "", "the lease 'b' names no CPU"),
        ("b", "7,32", "the lease 'b' names CPU 32, which is not online on this machine"),
        ("b", "17", "the lease 'b' names CPU 17, whose core is kept for housekeeping"),
        ("b", "31", "the lease 'b' names CPU 31, whose core is not wholly allowed to this process"),
    ] {
        let lease = Recorded {
            id: LeaseId::new(name),
            cpus: cpus(list),
            class: Class::Compute,
            within: Span::Machine,
            memory: Bytes(0),
            pinned: false,
        };
        let found = leases.record(lease).map_or_else(|error| error.to_string(), |_| "ok".to_owned());
        assert_eq!(found, expect);
        leases.assert_consistent();
    }
}
