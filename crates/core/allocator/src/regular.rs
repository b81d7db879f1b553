//! Regular machines, whose parts are all equal, for simulations, benchmarks and tests.

use model::{CacheDomain, Core, CpuId, CpuSet, Domain, NumaNode, Topology};
use std::collections::BTreeMap;

/// The shape of a regular machine; each number counts the parts inside one of the level above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Regular {
    pub packages: u32,
    /// NUMA nodes in a package.
    pub numa_nodes: u32,
    /// L3 domains in a NUMA node.
    pub l3_domains: u32,
    /// Cores in an L3 domain.
    pub cores: u32,
    pub threads: u32,
}

/// ACPI's distances: local, in the same package, across packages.
const DISTANCES: [u32; 3] = [10, 12, 32];

impl Regular {
    /// Makes the topology; CPUs are numbered as on most servers: all first threads, then all second ones.
    pub fn topology(self) -> Topology {
        let nodes = self.packages * self.numa_nodes;
        let l3_domains = nodes * self.l3_domains;
        let cores = l3_domains * self.cores;
        let cpus = |from: u32, count: u32| -> CpuSet {
            let threads = 0..self.threads;
            threads
                .flat_map(|thread| (from..from + count).map(move |core| CpuId(thread * cores + core)))
                .collect()
        };
        let parts = |count: u32| {
            let each = cores / count;
            (0..count).map(move |part| (part, cpus(part * each, each)))
        };
        let package_of = |node: u32| node / self.numa_nodes;
        let distance = |a: u32, b: u32| match () {
            () if a == b => DISTANCES[0],
            () if package_of(a) == package_of(b) => DISTANCES[1],
            () => DISTANCES[2],
        };
        let domain = |(part, cpus)| Domain { os_id: Some(part), cpus };
        Topology {
            packages: parts(self.packages).map(domain).collect(),
            dies: parts(self.packages).map(domain).collect(),
            numa_nodes: parts(nodes)
                .map(|(node, cpus)| NumaNode {
                    os_id: node,
                    cpus,
                    memory: None,
                    distances: (0..nodes)
                        .map(|other| (other, distance(node, other)))
                        .collect::<BTreeMap<_, _>>(),
                })
                .collect(),
            l3_domains: parts(l3_domains)
                .map(|(part, cpus)| CacheDomain { os_id: Some(part), cpus, size: None })
                .collect(),
            cores: parts(cores).map(|(part, cpus)| Core { os_id: Some(part), cpus, kind: None }).collect(),
            allowed: cpus(0, cores),
            ..Topology::default()
        }
    }
}
