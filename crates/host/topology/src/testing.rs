//! Synthetic machines for tests, and their files.

use super::shared::dies_or_packages;
use model::{Bytes, CacheDomain, Core, CoreKind, CpuId, CpuSet, Domain, NumaNode, Topology};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub(super) struct Shape {
    packages: u32,
    dies: u32,
    nodes: u32,
    l3s: u32,
    clusters: u32,
    cores: u32,
    /// The kernel's CPU number at each place.
    numbers: Vec<u32>,
    offline: u32,
    empty_nodes: u32,
    kinds: Kinds,
    allowed: u64,
    memory: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kinds {
    Alike,
    Counters,
    Capacity,
    Frequency,
}

/// Returns random machines, with CPU numbers in any order and with gaps.
pub(super) fn topologies() -> impl Strategy<Value = Topology> {
    let counts = (1..=3_u32, 1..=2_u32, 1..=2_u32, 0..=2_u32, 0..=2_u32, 1..=2_u32, 1..=4_u32);
    let kinds =
        prop_oneof![Just(Kinds::Alike), Just(Kinds::Counters), Just(Kinds::Capacity), Just(Kinds::Frequency)];
    let rest = (0..=3_u32, 0..=2_u32, kinds, any::<u64>(), 1..=1_u64 << 30);
    (counts, rest).prop_flat_map(|(counts, (offline, empty_nodes, kinds, allowed, memory))| {
        let (packages, dies, nodes, l3s, clusters, cores, threads) = counts;
        let all = packages * dies * nodes * l3s.max(1) * clusters.max(1) * cores * threads;
        let numbers: Vec<u32> = (0..all + offline).map(|number| number * 3 / 2).collect();
        Just(numbers).prop_shuffle().prop_map(move |numbers| {
            let shape = Shape {
                packages,
                dies,
                nodes,
                l3s,
                clusters,
                cores,
                numbers,
                offline,
                empty_nodes,
                kinds,
                allowed,
                memory,
            };
            shape.topology()
        })
    })
}

/// Returns a small machine with an example of everything.
pub(super) fn sample() -> Topology {
    let numbers = vec![0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, 16];
    Shape {
        packages: 2,
        dies: 1,
        nodes: 1,
        l3s: 2,
        clusters: 1,
        cores: 2,
        numbers,
        offline: 1,
        empty_nodes: 1,
        kinds: Kinds::Counters,
        allowed: 0xfff7,
        memory: 1 << 20,
    }
    .topology()
}

impl Shape {
    fn topology(&self) -> Topology {
        let online = self.numbers.len() - self.offline as usize;
        let numbers = &self.numbers[..online];
        let divide = |parts: u32| -> Vec<CpuSet> {
            let size = online / parts as usize;
            let mut sets: Vec<CpuSet> =
                numbers.chunks(size).map(|set| set.iter().map(|n| CpuId(*n)).collect()).collect();
            sets.sort_by_key(CpuSet::first);
            sets
        };
        let domains = |parts| -> Vec<Domain> {
            let domain = |(os_id, cpus)| Domain { os_id: Some(os_id), cpus };
            (0..).step_by(2).zip(divide(parts)).map(domain).collect()
        };
        let dies = self.packages * self.dies;
        let nodes = dies * self.nodes;
        let l3s = nodes * self.l3s.max(1);
        let clusters = l3s * self.clusters.max(1);
        let l3 = |(id, cpus)| CacheDomain { os_id: Some(id), cpus, size: Some(Bytes(self.memory * 1024)) };
        let core = |(id, cpus)| Core { os_id: Some(id), cpus, kind: None };
        let mut topology = Topology {
            packages: domains(self.packages),
            dies: dies_or_packages(domains(dies), &domains(self.packages)),
            // Clusters that equal cores or packages are not reported.
            clusters: if self.clusters > 0 && self.cores > 1 && self.clusters * l3s > self.packages {
                domains(clusters)
            } else {
                Vec::new()
            },
            l3_domains: if self.l3s > 0 { (0..).zip(divide(l3s)).map(l3).collect() } else { Vec::new() },
            cores: (0..).zip(divide(clusters * self.cores)).map(core).collect(),
            offline: self.numbers[online..].iter().map(|number| CpuId(*number)).collect(),
            ..Topology::default()
        };
        self.add_nodes(&mut topology, divide(nodes));
        self.add_kinds(&mut topology);
        let allowed = |cpu: &CpuId| cpu.0 == numbers[0] || self.allowed >> (cpu.0 % 64) & 1 == 1;
        topology.allowed = topology.cpus().iter().filter(allowed).collect();
        topology
    }

    fn add_nodes(&self, topology: &mut Topology, sets: Vec<CpuSet>) {
        let all = sets.len() as u32 + self.empty_nodes;
        let cpus = sets.into_iter().chain((0..self.empty_nodes).map(|_| CpuSet::new()));
        for (number, cpus) in (0..).zip(cpus) {
            let distance = |other| (other * 4, if other == number { 10 } else { 20 + other });
            topology.numa_nodes.push(NumaNode {
                os_id: number * 4,
                cpus,
                memory: Some(Bytes((self.memory + u64::from(number)) * 1024)),
                distances: (0..all).map(distance).collect(),
            });
        }
        let nodes = topology.numa_nodes.iter().map(|node| node.os_id);
        // A process without any allowed memory could not run.
        let allowed = |node: &u32| *node == 0 || self.allowed >> node & 1 == 1;
        topology.allowed_numa_nodes = nodes.filter(allowed).collect();
    }

    fn add_kinds(&self, topology: &mut Topology) {
        let names = match self.kinds {
            Kinds::Alike => return,
            Kinds::Counters => ["atom", "core"],
            Kinds::Capacity => ["capacity 512", "capacity 1024"],
            Kinds::Frequency => ["base 1400 MHz", "base 1900 MHz"],
        };
        if topology.cores.len() < 2 {
            return;
        }
        let mut kinds = names.map(|name| CoreKind { name: name.to_owned(), cpus: CpuSet::new() });
        for (at, core) in topology.cores.iter_mut().enumerate() {
            core.kind = Some(at % 2);
            core.cpus.iter().for_each(|cpu| _ = kinds[at % 2].cpus.insert(cpu));
        }
        topology.core_kinds = kinds.into();
    }
}

pub(super) fn files(topology: &Topology) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut file = |path: String, text: String| _ = files.insert(path, format!("{text}\n"));
    let online = topology.cpus();
    let present: CpuSet = online.iter().chain(topology.offline.iter()).collect();
    let cpu_folder = "sys/devices/system/cpu";
    file(format!("{cpu_folder}/online"), online.to_string());
    file(format!("{cpu_folder}/present"), present.to_string());
    for cpu in online.iter() {
        let folder = format!("{cpu_folder}/cpu{cpu}");
        let mut domain = |name: &str, id: &str, domains: &[Domain]| {
            for domain in domains.iter().filter(|domain| domain.cpus.contains(cpu)) {
                file(format!("{folder}/topology/{name}"), domain.cpus.to_string());
                let id_text = domain.os_id.map_or("-1".to_owned(), |id| id.to_string());
                file(format!("{folder}/topology/{id}"), id_text);
            }
        };
        domain("package_cpus_list", "physical_package_id", &topology.packages);
        domain("die_cpus_list", "die_id", &topology.dies);
        domain("cluster_cpus_list", "cluster_id", &topology.clusters);
        let cores: Vec<_> =
            topology.cores.iter().map(|core| Domain { os_id: core.os_id, cpus: core.cpus.clone() }).collect();
        domain("core_cpus_list", "core_id", &cores);
        if let Some(l3) = topology.l3_domain_of(cpu) {
            let cache = format!("{folder}/cache/index3");
            file(format!("{cache}/level"), "3".to_owned());
            file(format!("{cache}/shared_cpu_list"), l3.cpus.to_string());
            file(format!("{cache}/id"), l3.os_id.unwrap_or(0).to_string());
            file(format!("{cache}/size"), format!("{}K", l3.size.unwrap_or(Bytes(0)).0 / 1024));
        }
        let kind = topology.core_of(cpu).and_then(|core| topology.core_kinds.get(core.kind?));
        if let Some((first, rest)) = kind.and_then(|kind| kind.name.split_once(' ')) {
            match first {
                "capacity" => file(format!("{folder}/cpu_capacity"), rest.to_owned()),
                _ => file(format!("{folder}/cpufreq/base_frequency"), rest.replace(" MHz", "000")),
            }
        }
    }
    for kind in topology.core_kinds.iter().filter(|kind| !kind.name.contains(' ')) {
        file(format!("sys/devices/cpu_{}/cpus", kind.name), kind.cpus.to_string());
    }
    for node in &topology.numa_nodes {
        let folder = format!("sys/devices/system/node/node{}", node.os_id);
        file(format!("{folder}/cpulist"), node.cpus.to_string());
        let distances: Vec<_> = node.distances.values().map(u32::to_string).collect();
        file(format!("{folder}/distance"), distances.join(" "));
        let memory = node.memory.unwrap_or(Bytes(0)).0 / 1024;
        file(format!("{folder}/meminfo"), format!("Node {} MemTotal: {memory} kB", node.os_id));
    }
    let nodes: CpuSet = topology.allowed_numa_nodes.iter().map(|node| CpuId(*node)).collect();
    file(
        "proc/self/status".to_owned(),
        format!("Cpus_allowed_list:\t{}\nMems_allowed_list:\t{nodes}", topology.allowed),
    );
    files
}
