use crate::printed;
use documents::TopologyReport;
use model::{Bytes, CacheDomain, Core, CoreKind, CpuSet, Domain, NumaNode, Topology};
use std::collections::{BTreeMap, BTreeSet};

fn set(list: &str) -> CpuSet {
    list.parse().expect("a list of CPUs")
}

#[test]
fn topology() {
    let core = |os_id, cpus, kind| Core { os_id: Some(os_id), cpus: set(cpus), kind: Some(kind) };
    let topology = Topology {
        packages: vec![Domain { os_id: Some(3), cpus: set("0-2") }],
        dies: vec![Domain { os_id: None, cpus: set("0-2") }],
        clusters: Vec::new(),
        numa_nodes: vec![
            NumaNode {
                os_id: 1,
                cpus: set("0-2"),
                memory: Some(Bytes::from_mib(512)),
                distances: BTreeMap::from([(1, 10), (4, 17)]),
            },
            NumaNode { os_id: 4, cpus: set(""), memory: None, distances: BTreeMap::from([(1, 17), (4, 10)]) },
        ],
        l3_domains: vec![CacheDomain { os_id: Some(0), cpus: set("0-1"), size: Some(Bytes::from_mib(8)) }],
        cores: vec![core(0, "0-1", 1), core(4, "2", 0)],
        core_kinds: vec![
            CoreKind { name: "atom".to_owned(), cpus: set("2") },
            CoreKind { name: "core".to_owned(), cpus: set("0-1") },
        ],
        offline: set("3"),
        allowed: set("0,2"),
        allowed_numa_nodes: BTreeSet::from([1]),
    };
    insta::assert_snapshot!(printed(&TopologyReport::new(
        "m.tar.gz",
        &topology,
        vec!["m: x is left out".to_owned()]
    )));
}
