//! How a machine's processors and memory lie to each other: the document of `tauto machine topology`.

use crate::values::Unavailable;
use model::{CpuId, CpuSet, Domain, Topology};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A machine's topology. Sets of CPUs are texts such as `0-3,8`. Every list is in the order of the lowest CPU of its
/// members, NUMA nodes without CPUs last; `id` is a member's place in its list, `os_id` the kernel's number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TopologyReport {
    /// `this machine`, or what `--from` named.
    pub source: String,
    /// CPUs that are switched on; only these are in any set below.
    pub online: String,
    /// CPUs that are there and switched off.
    pub offline: String,
    /// CPUs that this process may use by its control groups and affinity.
    pub allowed: String,
    /// The most CPUs of any core.
    pub threads_per_core: usize,
    pub packages: Vec<TopologyDomain>,
    /// Dies; the packages again where no package has several.
    pub dies: Vec<TopologyDomain>,
    /// Clusters of cores.
    pub clusters: Vec<TopologyDomain>,
    pub numa_nodes: Vec<TopologyNumaNode>,
    /// CPUs that share an L3 cache.
    pub l3_domains: Vec<TopologyCache>,
    pub cores: Vec<TopologyCore>,
    /// Kinds of core, the slowest first; empty where all are alike.
    pub core_kinds: Vec<TopologyCoreKind>,
    /// Each CPU, also those that are off.
    pub cpus: Vec<TopologyCpu>,
    /// What of the machine's description was left out, since it cannot be true.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Why a list is empty, made from another, or a value in it is missing.
    pub unavailable: Unavailable,
}

/// CPUs that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TopologyDomain {
    /// Place in its list.
    pub id: usize,
    /// The kernel's number; `null` if it gives none.
    pub os_id: Option<u32>,
    pub cpus: String,
}

/// Memory and the CPUs that are nearest to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TopologyNumaNode {
    /// Place in its list.
    pub id: usize,
    pub os_id: u32,
    /// The CPUs; empty where it is memory alone.
    pub cpus: String,
    /// How much memory it has; `null` if that is not reported.
    pub memory_bytes: Option<u64>,
    /// Whether this process may use the memory.
    pub allowed: bool,
    /// Distance to each NUMA node by its `os_id`; 10 is local.
    pub distances: BTreeMap<String, u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TopologyCache {
    /// Place in its list.
    pub id: usize,
    /// The kernel's number; `null` if it gives none.
    pub os_id: Option<u32>,
    pub cpus: String,
    /// Its size; `null` if that is not reported.
    pub size_bytes: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TopologyCore {
    /// Place in its list.
    pub id: usize,
    /// The kernel's number, unique in its package only; `null` if it gives none.
    pub os_id: Option<u32>,
    /// Its CPUs; several are SMT siblings.
    pub cpus: String,
    /// `id` of its kind; `null` where all are alike.
    pub kind: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TopologyCoreKind {
    /// Place in its list.
    pub id: usize,
    /// How the kernel distinguishes it.
    pub name: String,
    /// All CPUs of this kind.
    pub cpus: String,
}

/// A CPU and the `id` of what it is in; `null` where it is in none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TopologyCpu {
    pub os_id: u32,
    pub online: bool,
    /// Whether this process may use it.
    pub allowed: bool,
    pub package: Option<usize>,
    pub die: Option<usize>,
    pub cluster: Option<usize>,
    pub numa_node: Option<usize>,
    pub l3_domain: Option<usize>,
    pub core: Option<usize>,
}

impl TopologyReport {
    /// Makes the document of a topology that was read from `source`, of which `warnings` say what was left out.
    pub fn new(source: impl Into<String>, topology: &Topology, warnings: Vec<String>) -> Self {
        Self {
            source: source.into(),
            online: topology.cpus().to_string(),
            offline: topology.offline.to_string(),
            allowed: topology.allowed.to_string(),
            threads_per_core: topology.cores.iter().map(|core| core.cpus.len()).max().unwrap_or(0),
            packages: domains(&topology.packages),
            dies: domains(&topology.dies),
            clusters: domains(&topology.clusters),
            numa_nodes: numa_nodes(topology),
            l3_domains: listed(&topology.l3_domains, |id, domain| TopologyCache {
                id,
                os_id: domain.os_id,
                cpus: domain.cpus.to_string(),
                size_bytes: domain.size.map(|size| size.0),
            }),
            cores: listed(&topology.cores, |id, core| TopologyCore {
                id,
                os_id: core.os_id,
                cpus: core.cpus.to_string(),
                kind: core.kind,
            }),
            core_kinds: listed(&topology.core_kinds, |id, kind| TopologyCoreKind {
                id,
                name: kind.name.clone(),
                cpus: kind.cpus.to_string(),
            }),
            cpus: cpus(topology),
            warnings,
            unavailable: unavailable(topology),
        }
    }
}

fn listed<T, U>(items: &[T], make: impl Fn(usize, &T) -> U) -> Vec<U> {
    items.iter().enumerate().map(|(id, item)| make(id, item)).collect()
}

fn domains(domains: &[Domain]) -> Vec<TopologyDomain> {
    listed(domains, |id, domain| TopologyDomain { id, os_id: domain.os_id, cpus: domain.cpus.to_string() })
}

fn numa_nodes(topology: &Topology) -> Vec<TopologyNumaNode> {
    listed(&topology.numa_nodes, |id, node| TopologyNumaNode {
        id,
        os_id: node.os_id,
        cpus: node.cpus.to_string(),
        memory_bytes: node.memory.map(|memory| memory.0),
        allowed: topology.allowed_numa_nodes.contains(&node.os_id),
        distances: node.distances.iter().map(|(to, distance)| (to.to_string(), *distance)).collect(),
    })
}

fn cpus(topology: &Topology) -> Vec<TopologyCpu> {
    let package = places(topology.packages.iter().map(|domain| &domain.cpus));
    let die = places(topology.dies.iter().map(|domain| &domain.cpus));
    let cluster = places(topology.clusters.iter().map(|domain| &domain.cpus));
    let numa_node = places(topology.numa_nodes.iter().map(|node| &node.cpus));
    let l3_domain = places(topology.l3_domains.iter().map(|domain| &domain.cpus));
    let core = places(topology.cores.iter().map(|core| &core.cpus));
    let online = topology.cpus();
    let all: CpuSet = online.iter().chain(topology.offline.iter()).collect();
    all.iter()
        .map(|cpu| TopologyCpu {
            os_id: cpu.0,
            online: online.contains(cpu),
            allowed: topology.allowed.contains(cpu),
            package: package.get(&cpu).copied(),
            die: die.get(&cpu).copied(),
            cluster: cluster.get(&cpu).copied(),
            numa_node: numa_node.get(&cpu).copied(),
            l3_domain: l3_domain.get(&cpu).copied(),
            core: core.get(&cpu).copied(),
        })
        .collect()
}

/// Returns for each CPU the place of the set that holds it.
fn places<'t>(sets: impl Iterator<Item = &'t CpuSet>) -> BTreeMap<CpuId, usize> {
    sets.enumerate().flat_map(|(id, set)| set.iter().map(move |cpu| (cpu, id))).collect()
}

fn unavailable(topology: &Topology) -> Unavailable {
    let mut reasons = Unavailable::new();
    let mut missing = |is_missing: bool, field: &str, why: &str| {
        if is_missing {
            reasons.insert(field.to_owned(), why.to_owned());
        }
    };
    missing(
        topology.dies.len() == topology.packages.len(),
        "dies",
        "no package has several; each package is taken for one",
    );
    missing(topology.clusters.is_empty(), "clusters", "the machine reports no clusters of cores");
    missing(topology.l3_domains.is_empty(), "l3_domains", "the machine reports no L3 cache");
    missing(topology.core_kinds.is_empty(), "core_kinds", "the machine does not distinguish kinds of cores");
    let no_memory = topology.numa_nodes.iter().any(|node| node.memory.is_none());
    missing(
        no_memory,
        "numa_nodes.memory_bytes",
        "the machine does not report the memory of every NUMA node",
    );
    let no_distance = topology.numa_nodes.iter().any(|node| node.distances.is_empty());
    missing(
        no_distance,
        "numa_nodes.distances",
        "the machine does not report how far its NUMA nodes are apart",
    );
    let no_size = topology.l3_domains.iter().any(|domain| domain.size.is_none());
    missing(no_size, "l3_domains.size_bytes", "the machine does not report the size of every L3 cache");
    reasons
}
