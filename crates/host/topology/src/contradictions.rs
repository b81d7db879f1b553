//! Machines whose files contradict each other or are impossible.

use super::{Described, Source, archive, read, testing};
use model::{CpuId, CpuSet, Topology};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

const CPU: &str = "sys/devices/system/cpu";
const NODE: &str = "sys/devices/system/node";

type Files = BTreeMap<String, Vec<u8>>;

fn four(files: &[(String, &str)]) -> Described {
    let mut all = Files::from([(format!("{CPU}/online"), b"0-3\n".to_vec())]);
    all.extend(files.iter().map(|(path, text)| (path.clone(), text.as_bytes().to_vec())));
    let described = read(&Source::memory("m", all)).unwrap();
    assert_usable(&described.topology);
    described
}

/// Asserts what every user of a topology relies on.
fn assert_usable(topology: &Topology) {
    let online = topology.cpus();
    assert!(!online.is_empty());
    assert!(!topology.allowed.is_empty() && topology.allowed.is_subset(&online));
    let sets: [Vec<&CpuSet>; 6] = [
        topology.cores.iter().map(|core| &core.cpus).collect(),
        topology.packages.iter().map(|domain| &domain.cpus).collect(),
        topology.dies.iter().map(|domain| &domain.cpus).collect(),
        topology.clusters.iter().map(|domain| &domain.cpus).collect(),
        topology.l3_domains.iter().map(|domain| &domain.cpus).collect(),
        topology.numa_nodes.iter().map(|node| &node.cpus).collect(),
    ];
    for (at, sets) in sets.iter().enumerate() {
        let mut taken = CpuSet::new();
        for set in sets {
            assert!(set.iter().all(|cpu| taken.insert(cpu)), "two of list {at} share CPUs: {topology:?}");
        }
        assert!(taken.is_subset(&online), "list {at} names CPUs that are off: {topology:?}");
        // Cores, packages and dies cover all CPUs.
        assert!(at > 2 || taken == online, "list {at} lacks CPUs: {topology:?}");
    }
    assert!(topology.cores.iter().all(|core| core.kind.is_none_or(|kind| kind < topology.core_kinds.len())));
    assert!(!topology.numa_nodes.is_empty());
}

fn shown<'t>(sets: impl IntoIterator<Item = &'t CpuSet>) -> Vec<String> {
    sets.into_iter().map(ToString::to_string).collect()
}

#[test]
fn numa_nodes_that_all_name_the_same_cpus() {
    let mut files = Vec::new();
    for node in 0..3 {
        files.push((format!("{NODE}/node{node}/cpulist"), "0-3"));
        files.push((format!("{NODE}/node{node}/meminfo"), "Node 0 MemTotal: 1024 kB"));
        files.push((format!("{NODE}/node{node}/distance"), "10 20 20"));
    }
    let Described { topology, warnings, is_memory_known } = four(&files);
    assert!(!is_memory_known);
    assert_eq!(shown(topology.numa_nodes.iter().map(|node| &node.cpus)), ["0-3"]);
    assert_eq!(topology.numa_nodes[0].distances, BTreeMap::from([(0, 10)]));
    assert_eq!(
        warnings,
        [
            "m: sys/devices/system/node/node1/cpulist names CPUs 0-3, which NUMA node 0 has already; it is left out, \
          and so is 1 more such file"
        ]
    );
}

#[test]
fn numa_nodes_that_share_some_cpus() {
    let files = [("0", "0-1"), ("1", "1-2"), ("2", "2-3")]
        .map(|(node, cpus)| (format!("{NODE}/node{node}/cpulist"), cpus));
    let Described { topology, warnings, .. } = four(&files);
    assert_eq!(shown(topology.numa_nodes.iter().map(|node| &node.cpus)), ["0-1", "2-3"]);
    assert_eq!(
        warnings,
        [
            "m: sys/devices/system/node/node1/cpulist names CPU 1, which NUMA node 0 has already; it is left out"
        ]
    );
}

/// If sets overlap, the lowest CPU's counts, as in hwloc.
#[test]
fn files_of_one_level_that_contradict_each_other() {
    let check = |file: &str,
                 other: &[(&str, &str)],
                 lists: [&str; 4],
                 expected: &[&str],
                 warnings: &[&str]| {
        let path = |cpu: usize, file: &str| format!("{CPU}/cpu{cpu}/{file}");
        let mut files: Vec<_> =
            lists.iter().enumerate().map(|(cpu, list)| (path(cpu, file), *list)).collect();
        for (file, text) in other {
            files.extend((0..4).map(|cpu| (path(cpu, file), *text)));
        }
        let described = four(&files);
        let topology = &described.topology;
        let sets: Vec<&CpuSet> = match file {
            "topology/core_cpus_list" => topology.cores.iter().map(|core| &core.cpus).collect(),
            "topology/package_cpus_list" => topology.packages.iter().map(|package| &package.cpus).collect(),
            "topology/die_cpus_list" => topology.dies.iter().map(|die| &die.cpus).collect(),
            "topology/cluster_cpus_list" => topology.clusters.iter().map(|cluster| &cluster.cpus).collect(),
            _ => topology.l3_domains.iter().map(|cache| &cache.cpus).collect(),
        };
        assert_eq!(shown(sets), expected, "{file} {lists:?}");
        assert_eq!(described.warnings.len(), warnings.len(), "{file} {lists:?}: {:?}", described.warnings);
        for (warning, words) in described.warnings.iter().zip(warnings) {
            assert!(warning.contains(words), "{warning}");
        }
    };
    check(
        "topology/core_cpus_list",
        &[],
        ["0", "0-1", "2-3", "2-3"],
        &["0", "1", "2-3"],
        &["m: sys/devices/system/cpu/cpu1/topology/core_cpus_list puts CPUs 0-1 together, but by \
           m: sys/devices/system/cpu/cpu0/topology/core_cpus_list it is 0; it is left out"],
    );
    // A CPU that is not among its own siblings.
    check(
        "topology/core_cpus_list",
        &[],
        ["0-1", "0-1", "3", "3"],
        &["0-1", "2", "3"],
        &["cpu2/topology/core_cpus_list names CPU 3, and not CPU 2 itself"],
    );
    check("topology/package_cpus_list", &[], ["0-1", "0-1", "1-3", "3"], &["0-1", "2", "3"], &["1-3"]);
    let die = [("topology/die_id", "0")];
    check("topology/die_cpus_list", &die, ["0-1", "0-1", "2-3", "3"], &["0-1", "2-3"], &["cpu3/"]);
    check("topology/die_cpus_list", &die, ["0-1", "0-1", "1-3", "1-3"], &["0-3"], &["so is 1 more"]);
    let cluster = [("topology/cluster_id", "0")];
    check("topology/cluster_cpus_list", &cluster, ["0-1", "0-2", "2-3", "2-3"], &["0-1", "2-3"], &["0-2"]);
    let level = [("cache/index3/level", "3")];
    check("cache/index3/shared_cpu_list", &level, ["0-1", "0-1", "0-3", "3"], &["0-1", "3"], &["0-3"]);
    check("cache/index3/shared_cpu_list", &level, ["0-2", "", "", ""], &["0-2", "3"], &[]);
}

/// The more trustworthy source wins: cores come first, caches last.
#[test]
fn files_of_two_levels_that_contradict_each_other() {
    let path = |cpu: usize, file: &str| format!("{CPU}/cpu{cpu}/{file}");
    let all = |file: &str, lists: [&'static str; 4]| {
        lists.into_iter().enumerate().map(|(cpu, text)| (path(cpu, file), text)).collect::<Vec<_>>()
    };
    let l3 = || {
        let mut files = all("cache/index3/shared_cpu_list", ["0", "1-2", "1-2", "3"]);
        files.extend(all("cache/index3/level", ["3"; 4]));
        files
    };
    let mut files = all("topology/package_cpus_list", ["0-1", "0-1", "2-3", "2-3"]);
    files.extend(l3());
    let Described { topology, warnings, .. } = four(&files);
    assert_eq!(shown(topology.l3_domains.iter().map(|cache| &cache.cpus)), ["0", "3"]);
    assert_eq!(
        warnings,
        ["m: sys/devices/system/cpu/cpu1/cache/index3/shared_cpu_list puts CPUs 1-2 together, but by m: \
          sys/devices/system/cpu/cpu0/topology/package_cpus_list it is 0-1; it is left out"]
    );

    let mut files = l3();
    files.extend(
        ["0-1", "2-3"].iter().enumerate().map(|(n, cpus)| (format!("{NODE}/node{n}/cpulist"), *cpus)),
    );
    let Described { topology, warnings, .. } = four(&files);
    assert_eq!(topology.l3_domains.len(), 2);
    assert!(warnings[0].contains("node/node0/cpulist it is 0-1"), "{warnings:?}");

    let mut files = all("topology/package_cpus_list", ["0-1", "0-1", "2-3", "2-3"]);
    files.extend(all("topology/core_cpus_list", ["0", "1-2", "1-2", "3"]));
    let Described { topology, warnings, .. } = four(&files);
    assert_eq!(shown(topology.cores.iter().map(|core| &core.cpus)), ["0", "1-2", "3"]);
    assert_eq!(shown(topology.packages.iter().map(|package| &package.cpus)), ["0-3"]);
    assert!(warnings[0].contains("so is 1 more such file"), "{warnings:?}");
}

#[test]
fn kinds_of_core_that_overlap() {
    let file = |name: &str| format!("sys/devices/cpu_{name}/cpus");
    let Described { topology, warnings, .. } = four(&[(file("atom"), "0-2"), (file("core"), "2-3")]);
    assert_eq!(topology.core_kinds, []);
    assert_eq!(
        warnings,
        ["m: sys/devices/cpu_core/cpus names CPU 2, of kind 'atom' already; it is left out"]
    );
}

#[test]
fn a_group_or_an_affinity_that_allows_nothing() {
    let Described { topology, warnings, .. } =
        four(&[("proc/self/status".to_owned(), "Cpus_allowed_list:\t7\nMems_allowed_list:\t5\n")]);
    assert_eq!(topology.allowed.to_string(), "0-3");
    assert_eq!(topology.allowed_numa_nodes, [0].into());
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("allows only the CPUs '7', of which none is online"), "{warnings:?}");
}

#[test]
fn file_with_impossible_content() {
    let check = |path: String, text: &str, message: &str| {
        let described = four(&[(path.clone(), text)]);
        assert_eq!(described.warnings, [format!("m: {path} {message}; it is left out")]);
        assert_eq!(described.topology.cores.len(), 4);
    };
    let cpu = |file: &str| format!("{CPU}/{file}");
    check(cpu("present"), "0-x", "holds '0-x', expected a list of CPUs such as 0-3,8");
    check(cpu("cpu0/topology/core_id"), "zero", "holds 'zero', expected a whole number");
    check(cpu("cpu1/topology/core_cpus"), "0-3", "holds '0-3', expected a mask such as 0000000f");
    check(cpu("cpu1/topology/core_cpus_list"), "-", "holds '-', expected a list of CPUs such as 0-3,8");
    check(
        format!("{NODE}/node0/meminfo"),
        "Node 0 MemTotal: much",
        "holds 'Node 0 MemTotal: much', expected 'MemTotal: NUMBER kB'",
    );
    check(
        format!("{NODE}/node0/distance"),
        "near",
        "holds 'near', expected a number for each NUMA node, such as '10 21'",
    );
    check(
        "proc/cpuinfo".to_owned(),
        "processor : x\ncore id : 7\n",
        "holds 'processor : x', expected a line such as 'processor : 3'",
    );
}

/// If the first file of a kind is impossible, the next one is used.
#[test]
fn invalid_list_falls_back_to_the_mask() {
    let folder = format!("{CPU}/cpu0/topology");
    let files = [(format!("{folder}/core_cpus_list"), "0~1"), (format!("{folder}/core_cpus"), "3")];
    let Described { topology, warnings, .. } = four(&files);
    assert_eq!(topology.cores[0].cpus.to_string(), "0-1");
    assert_eq!(warnings.len(), 1);
}

#[derive(Clone, Debug)]
enum FileChange {
    Gone,
    Empty,
    Garbage(Vec<u8>),
    List(Vec<(u32, u32)>),
    Mask(u64),
    Number(i64),
    Another(usize),
}

impl FileChange {
    fn any() -> impl Strategy<Value = Self> {
        let list = prop::collection::vec((0..100_u32, 0..5_u32), 1..4);
        prop_oneof![
            Just(Self::Gone),
            Just(Self::Empty),
            prop::collection::vec(any::<u8>(), 0..40).prop_map(Self::Garbage),
            list.prop_map(Self::List),
            any::<u64>().prop_map(Self::Mask),
            any::<i64>().prop_map(Self::Number),
            any::<usize>().prop_map(Self::Another),
        ]
    }

    fn apply(&self, files: &mut Files, at: usize) {
        let path = files.keys().nth(at % files.len()).cloned().unwrap();
        let bytes = match self {
            Self::Gone => {
                files.remove(&path);
                return;
            }
            Self::Empty => Vec::new(),
            Self::Garbage(bytes) => bytes.clone(),
            Self::List(ranges) => {
                let cpus: CpuSet =
                    ranges.iter().flat_map(|(first, more)| (*first..=first + more).map(CpuId)).collect();
                cpus.to_string().into_bytes()
            }
            Self::Mask(mask) => format!("{:08x},{:08x}", mask >> 32, mask & u64::from(u32::MAX)).into_bytes(),
            Self::Number(number) => number.to_string().into_bytes(),
            Self::Another(other) => files.values().nth(other % files.len()).cloned().unwrap(),
        };
        files.insert(path, bytes);
    }
}

/// Reads arbitrary files; fails only if none of them lists a CPU.
fn read_anything(files: Files) -> Option<Described> {
    let has_cpus = files.keys().any(|path| {
        let rest = path.strip_prefix(CPU).and_then(|rest| rest.strip_prefix("/cpu"));
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    match read(&Source::memory("m", files)) {
        Ok(described) => {
            assert_usable(&described.topology);
            Some(described)
        }
        Err(error) => {
            assert!(!has_cpus, "{error}");
            assert!(error.to_string().starts_with("m lists no CPU"), "{error}");
            None
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn arbitrary_files_give_a_usable_topology(
        topology in testing::topologies(),
        changes in prop::collection::vec((any::<usize>(), FileChange::any()), 1..8),
    ) {
        let files = testing::files(&topology).into_iter().map(|(path, text)| (path, text.into_bytes()));
        let mut files: Files = files.collect();
        for (at, change) in &changes {
            change.apply(&mut files, *at);
        }
        read_anything(files);
    }
}

/// Changes each file of each recorded machine, one at a time.
#[test]
fn any_changed_file_of_a_recorded_machine_gives_a_usable_topology() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/topology");
    for name in ["firecracker-2c", "qemu-2p2n2c2t", "qemu-2p2n2c2t-cpuset-offline"] {
        let files = archive::read(&folder.join(format!("{name}.tar.gz"))).unwrap();
        assert_eq!(read_anything(files.clone()).unwrap().warnings, [""; 0], "{name}");
        let changes = [
            FileChange::Gone,
            FileChange::Empty,
            FileChange::Garbage(b"\xff\0 what?\n".to_vec()),
            FileChange::List(vec![(0, 1)]),
            FileChange::List(vec![(1, 3), (90, 2)]),
            FileChange::Mask(6),
            FileChange::Number(-7),
        ];
        for at in 0..files.len() {
            for change in &changes {
                let mut files = files.clone();
                change.apply(&mut files, at);
                assert!(read_anything(files).is_some());
            }
        }
    }
}
