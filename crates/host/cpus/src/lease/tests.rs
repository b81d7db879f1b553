//! Leases by several registries, and of synthetic machines.

use super::*;
use allocator::Regular;
use std::num::NonZeroU32;

fn topology(cores: u32, threads: u32) -> Topology {
    let shape = Regular { packages: 1, numa_nodes: 1, l3_domains: 1, cores, threads };
    shape.topology()
}

fn timed(cpus: u32) -> Request {
    Request::timed(NonZeroU32::new(cpus).unwrap())
}

#[test]
fn leases_never_overlap_and_end_with_their_owner() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::new(folder.path(), topology(4, 1));
    let first = registry.take(&timed(2)).unwrap();
    assert_eq!(first.cpus().to_string(), "2-3");
    let second = registry.take(&timed(1)).unwrap();
    assert_eq!(second.cpus().to_string(), "1");
    assert!(second.warnings().is_empty());
    let refused = registry.take(&timed(2)).unwrap_err();
    let pid = std::process::id();
    assert!(matches!(&refused, LeaseError::NoFit(..)));
    assert!(refused.to_string().contains(&format!("process {pid} ")), "{refused}");
    let holders = registry.holders().unwrap();
    assert_eq!(holders.len(), 1, "one process, however many leases: {holders:?}");
    assert_eq!(holders[0].cpus.to_string(), "1-3");
    drop(first);
    assert_eq!(registry.take(&timed(2)).unwrap().cpus().to_string(), "2-3");
    assert!(matches!(registry.take(&timed(5)).unwrap_err(), LeaseError::TooMany { wanted: 5, allowed: 4 }));
}

#[test]
fn siblings_stay_idle_and_belong_to_the_lease() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::new(folder.path(), topology(3, 2));
    let lease = registry.take(&timed(1)).unwrap();
    assert_eq!((lease.cpus().to_string(), lease.whole_cores().to_string()), ("2".into(), "2,5".into()));
    assert!(matches!(
        registry.take_these(&"5".parse().unwrap()).unwrap_err(),
        LeaseError::Taken { cpus, .. } if cpus.to_string() == "2,5"
    ));
    assert_eq!(registry.take_these(&"1".parse().unwrap()).unwrap().whole_cores().to_string(), "1,4");
}

#[test]
fn the_last_core_is_given_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::new(folder.path(), topology(2, 1));
    let one = registry.take(&timed(1)).unwrap();
    assert_eq!((one.cpus().to_string(), one.warnings().len()), ("1".into(), 0));
    let other = registry.take(&timed(1)).unwrap();
    assert_eq!((other.cpus().to_string(), other.warnings().len()), ("0".into(), 1));
    let alone = Registry::new(folder.path().join("other"), topology(1, 1));
    assert!(alone.take(&timed(1)).unwrap().warnings().is_empty());
}

#[test]
fn waiter_continues_when_the_lease_ends() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::new(folder.path(), topology(2, 1));
    let all = registry.topology().cpus();
    registry.wait_for(&all).unwrap();
    let lease = registry.take(&timed(1)).unwrap();
    registry.wait_for(&registry.housekeeping().clone()).unwrap();
    let has_ended = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            registry.wait_for(&all).unwrap();
            assert!(has_ended.load(std::sync::atomic::Ordering::SeqCst), "it did not wait");
        });
        has_ended.store(true, std::sync::atomic::Ordering::SeqCst);
        drop(lease);
        waiter.join().unwrap();
    });
}

/// An unlocked file means nothing, and a locked one may contain anything.
#[test]
fn only_locks_count() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::new(folder.path(), topology(2, 1));
    drop(registry.take(&timed(1)).unwrap());
    assert_eq!(registry.holders().unwrap(), []);
    let file = own_file::make(&folder.path().join("cpu-1.lock")).unwrap();
    file.set_len(3).unwrap();
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
    let holders = registry.holders().unwrap();
    assert_eq!(holders[0].to_string(), "a tauto process has CPU 1");
    assert_eq!(registry.take(&timed(1)).unwrap().cpus().to_string(), "0");
}

#[test]
fn a_machine_whose_numa_nodes_contradict_each_other_leases_cpus() {
    let file = |path: &str, text: &str| (format!("sys/devices/system/{path}"), text.as_bytes().to_vec());
    let files = [
        file("cpu/online", "0-3"),
        file("node/node0/cpulist", "0-3"),
        file("node/node1/cpulist", "0-3"),
        file("cpu/cpu0/topology/core_cpus_list", "0-1"),
        file("cpu/cpu1/topology/core_cpus_list", "1-2"),
    ];
    let source = topology::Source::memory("m", files.into());
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::of_described(folder.path(), topology::read(&source).unwrap());
    assert_eq!(registry.warnings().len(), 2, "{:?}", registry.warnings());
    let lease = registry.take(&timed(1)).unwrap();
    assert_eq!((lease.cpus().to_string(), lease.memory_nodes().len()), ("3".into(), 0));
    assert!(registry.take_these(&"0".parse().unwrap()).unwrap().memory_nodes().is_empty());
}

#[test]
fn concurrent_leases_never_overlap() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::new(folder.path(), topology(8, 1));
    let leases: Vec<CpuLease> = std::thread::scope(|scope| {
        let take = || {
            scope.spawn(|| {
                loop {
                    match registry.take(&timed(1)) {
                        // All eight choose at once, and the kernel may let one of them wait for long.
                        Err(LeaseError::Busy(_)) => {}
                        taken => break taken.unwrap(),
                    }
                }
            })
        };
        let threads: Vec<_> = (0..8).map(|_| take()).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let all: CpuSet = leases.iter().flat_map(|lease| lease.cpus().iter()).collect();
    assert_eq!(all.len(), 8);
}

/// Makes another process the first in the queue, through the file that it would have.
fn another_waits(folder: &Path, cpus: Option<&str>) -> File {
    let mut file = own_file::make(&folder.join("wait-1.lock")).unwrap();
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
    let owner = Owner { pid: 1, start_ticks: 0, command: "tauto judge p".to_owned() };
    let waiter = Waiter { owner, cpus: cpus.map(str::to_owned) };
    file.write_all(serde_json::to_string(&waiter).unwrap().as_bytes()).unwrap();
    file
}

#[test]
fn queue_is_served_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::new(folder.path(), topology(3, 1));
    let _lease = registry.take(&timed(1)).unwrap();
    let first = another_waits(folder.path(), None);
    let refused = registry.take(&timed(1)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "others wait for CPUs already: process 1 (tauto judge p) waits for a CPU"
    );
    assert!(refused.is_taken());
    assert!(matches!(registry.take_these(&"1".parse().unwrap()), Err(LeaseError::Queued(_))));
    assert!(registry.take_free(&"1".parse().unwrap()).unwrap().is_empty());
    let ours = registry.queue(None).unwrap();
    assert!(matches!(registry.take(&timed(1)), Err(LeaseError::Queued(_))), "it came later");
    drop(first);
    registry.take(&timed(1)).unwrap();
    assert!(!folder.path().join("wait-1.lock").exists(), "of one that was killed nothing is left");
    // Later processes are no reason to wait.
    drop(ours);
    let _first = another_waits(folder.path(), Some("2"));
    registry.take_these(&"1".parse().unwrap()).unwrap();
    assert!(matches!(registry.take_these(&"2".parse().unwrap()), Err(LeaseError::Queued(_))));
}

/// Two registries with different folders, as in two containers, and one tree of control groups.
fn two(topology: &Topology) -> (tempfile::TempDir, [Registry; 2]) {
    let top = tempfile::tempdir().unwrap();
    fs::write(top.path().join("cgroup.procs"), "").unwrap();
    let place = cgroup::ClaimPlace::at(top.path()).unwrap();
    let registries = ["one", "other"]
        .map(|name| Registry::new(top.path().join(name), topology.clone()).with_claims(place.clone()));
    (top, registries)
}

#[test]
fn leases_of_registries_with_different_folders_never_overlap() {
    let (_top, [one, other]) = two(&topology(3, 1));
    let first = one.take(&timed(1)).unwrap();
    let second = other.take(&timed(1)).unwrap();
    assert_eq!((first.cpus().to_string(), second.cpus().to_string()), ("2".into(), "1".into()));
    assert!(first.warnings().is_empty() && second.warnings().is_empty());
    let refused = other.take_these(first.cpus()).unwrap_err();
    assert_eq!(refused.to_string(), "others have CPU 2; a tauto process has CPU 2");
    assert!(refused.is_taken());
    assert!(other.take(&timed(2)).unwrap_err().is_taken());
    let held: Vec<String> = other.holders().unwrap().iter().map(|holder| holder.cpus.to_string()).collect();
    assert_eq!(held, ["1", "2"], "ours has an entry");
    drop(first);
    other.wait_for(&"2".parse().unwrap()).unwrap();
    assert_eq!(other.take_these(&"2".parse().unwrap()).unwrap().cpus().to_string(), "2");
}

#[test]
fn concurrent_choosers_get_different_cpus() {
    let (_top, registries) = two(&topology(17, 1));
    let leases: Vec<CpuLease> = std::thread::scope(|scope| {
        let take = |at: usize| registries[at % 2].take(&timed(1)).unwrap();
        let threads: Vec<_> = (0..16).map(|at| scope.spawn(move || take(at))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let cpus: CpuSet = leases.iter().flat_map(|lease| lease.cpus().iter()).collect();
    assert_eq!(cpus.to_string(), "1-16");
}

/// In a container that may not write the tree of control groups, a lease is as good as its folder, with a warning.
#[test]
fn a_lease_without_a_claim_has_a_warning() {
    let top = tempfile::tempdir().unwrap();
    let place = cgroup::ClaimPlace::at(top.path()).unwrap();
    let registry = Registry::new(top.path().join("run"), topology(2, 1)).with_claims(place);
    fs::write(top.path().join("cgroup.procs"), "").unwrap();
    assert!(registry.take(&timed(1)).unwrap().warnings().is_empty());
    fs::remove_file(top.path().join("cgroup.procs")).unwrap();
    fs::create_dir(top.path().join("cgroup.procs")).unwrap();
    let lease = registry.take(&timed(1)).unwrap();
    let [warning] = lease.warnings() else { panic!("{:?}", lease.warnings()) };
    assert!(
        warning.contains("processes with another folder at") && warning.contains("cgroup.procs"),
        "{warning}"
    );
}
