use crate::printed;
use api::TopologyReport;
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
    insta::assert_snapshot!(printed(&TopologyReport::new("m.tar.gz", &topology, vec!["m: x is left out".to_owned()])), @r#"
    {
      "schema": "tautochrone/topology/1",
      "source": "m.tar.gz",
      "online": "0-2",
      "offline": "3",
      "allowed": "0,2",
      "threads_per_core": 2,
      "packages": [
        {
          "id": 0,
          "os_id": 3,
          "cpus": "0-2"
        }
      ],
      "dies": [
        {
          "id": 0,
          "os_id": null,
          "cpus": "0-2"
        }
      ],
      "clusters": [],
      "numa_nodes": [
        {
          "id": 0,
          "os_id": 1,
          "cpus": "0-2",
          "memory_bytes": 536870912,
          "allowed": true,
          "distances": {
            "1": 10,
            "4": 17
          }
        },
        {
          "id": 1,
          "os_id": 4,
          "cpus": "",
          "memory_bytes": null,
          "allowed": false,
          "distances": {
            "1": 17,
            "4": 10
          }
        }
      ],
      "l3_domains": [
        {
          "id": 0,
          "os_id": 0,
          "cpus": "0-1",
          "size_bytes": 8388608
        }
      ],
      "cores": [
        {
          "id": 0,
          "os_id": 0,
          "cpus": "0-1",
          "kind": 1
        },
        {
          "id": 1,
          "os_id": 4,
          "cpus": "2",
          "kind": 0
        }
      ],
      "core_kinds": [
        {
          "id": 0,
          "name": "atom",
          "cpus": "2"
        },
        {
          "id": 1,
          "name": "core",
          "cpus": "0-1"
        }
      ],
      "cpus": [
        {
          "os_id": 0,
          "online": true,
          "allowed": true,
          "package": 0,
          "die": 0,
          "cluster": null,
          "numa_node": 0,
          "l3_domain": 0,
          "core": 0
        },
        {
          "os_id": 1,
          "online": true,
          "allowed": false,
          "package": 0,
          "die": 0,
          "cluster": null,
          "numa_node": 0,
          "l3_domain": 0,
          "core": 0
        },
        {
          "os_id": 2,
          "online": true,
          "allowed": true,
          "package": 0,
          "die": 0,
          "cluster": null,
          "numa_node": 0,
          "l3_domain": null,
          "core": 1
        },
        {
          "os_id": 3,
          "online": false,
          "allowed": false,
          "package": null,
          "die": null,
          "cluster": null,
          "numa_node": null,
          "l3_domain": null,
          "core": null
        }
      ],
      "warnings": [
        "m: x is left out"
      ],
      "unavailable": {
        "clusters": "the machine tells of no clusters of cores",
        "dies": "no package has several; each package is taken for one",
        "numa_nodes.memory_bytes": "the machine does not tell the memory of every NUMA node"
      }
    }
    "#);
}
