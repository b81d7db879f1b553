//! Leases of CPUs: the document of `tauto machine allocate`, and the one it reads leases from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Leases of a machine, as a person or a program writes them down.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeasesFile {
    /// CPUs kept for everything that is not timed, as in `0-1`.
    #[serde(default)]
    pub housekeeping: String,
    /// The present leases.
    pub leases: Vec<LeaseEntry>,
    /// Earlier leases, for drawing.
    #[serde(default)]
    pub history: Vec<HistoryEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeaseEntry {
    pub id: String,
    /// Its CPUs, as in `4-7`; it holds the whole of their cores.
    pub cpus: String,
    /// `compute` or `memory-bound`.
    #[serde(default = "compute")]
    pub class: String,
    /// How many memory-bound leases, itself included, it accepts in one L3 domain.
    #[serde(default = "crate::values::one")]
    pub neighbours_max: u32,
    /// The widest part of the machine that it may be spread over when it is moved: `l3_domain`, `numa_node`, `die`,
    /// `package` or `machine`.
    #[serde(default = "machine")]
    pub within: String,
    #[serde(default)]
    pub memory_bytes: u64,
    #[serde(default)]
    pub pinned: bool,
    /// How several holders share it; `null` if one has it for itself.
    pub shared: Option<SharedEntry>,
}

/// How several holders share a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedEntry {
    /// How much may be promised, in hundredths of its CPUs.
    pub promise_percent: u32,
    #[serde(default)]
    pub holders: Vec<HolderEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HolderEntry {
    pub id: String,
    pub cpus: u32,
    pub weight: u32,
}

/// The CPUs of a lease from some moment on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryEntry {
    pub at_ns: u64,
    pub lease: String,
    /// All of its CPUs from then on; empty when it ended.
    pub cpus: String,
}

/// What would be granted, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AllocationReport {
    /// Where the topology is from.
    pub machine: String,
    pub usable_cores: u32,
    /// Those of them that are free.
    pub free_cores: u32,
    /// What would be granted, after the moves of `plan` if there is one; `null` if nothing is, or nothing was asked
    /// for.
    pub granted: Option<Granted>,
    /// Why it does not fit as things are; `null` if it does, or nothing was asked for.
    pub refused: Option<Refused>,
    /// Moves of leases; `null` if none were asked for or needed, or there is no plan.
    pub plan: Option<MovePlan>,
    /// Why there is no plan; `null` if there is one, or none was asked for.
    pub plan_refused: Option<String>,
    pub leases: Vec<LeaseReport>,
    /// What of the machine's description was left out, since it cannot be true.
    #[serde(default)]
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Granted {
    /// CPUs to run on, as in `0-3,8`.
    pub cpus: String,
    /// Their siblings, which are kept idle.
    pub idle_cpus: String,
    /// NUMA nodes for its memory.
    pub numa_nodes: Vec<u32>,
    /// The narrowest part of the machine that holds it; `null` for a place in a shared set.
    pub part: Option<String>,
    /// What that part is: `l3_domain`, `numa_node`, `die`, `package` or `machine`; `null` likewise.
    pub span: Option<String>,
    /// The shared set that is joined; `null` for exclusive CPUs.
    pub shared_set: Option<String>,
    /// Why there, a sentence each.
    pub reasons: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refused {
    /// `too_large`, `taken`, `scattered`, `too_many_neighbours` or `shared_set_full`.
    pub reason: String,
    /// The reason in a sentence.
    pub message: String,
    pub remedy: String,
    /// Whole cores needed; 0 where a shared set was to be joined.
    pub cores_needed: u32,
    /// Free cores of the right kind and place, whether together or not.
    pub cores_free: u32,
    /// How many CPUs the same request would get.
    pub cpus_that_fit: u32,
    /// Leases whose end would make room.
    pub blockers: Vec<BlockerReport>,
}

/// A lease that stands in the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockerReport {
    pub id: String,
    /// Cores that it has where the request would go.
    pub cores: u32,
    pub pinned: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MovePlan {
    /// The moves in the order in which they are to be made.
    pub moves: Vec<MoveStep>,
    /// Price of all moves together, in points.
    pub price: u64,
    /// Whether no plan has fewer moves, nor one with as many a lower price.
    pub best: bool,
    pub moves_min: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MoveStep {
    pub lease: String,
    pub from_cpus: String,
    pub to_cpus: String,
    /// Siblings that it keeps idle after.
    pub to_idle_cpus: String,
    /// How far it goes: `same_l3_domain`, `same_numa_node` or `other_numa_node`.
    pub distance: String,
    /// Memory that stays on NUMA nodes that it leaves.
    pub memory_left_bytes: u64,
    /// Its price, in points.
    pub price: u64,
}

/// A lease as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeaseReport {
    pub id: String,
    pub cpus: String,
    /// Siblings that it keeps idle.
    pub idle_cpus: String,
    /// NUMA nodes that its memory is on.
    pub numa_nodes: Vec<u32>,
    pub pinned: bool,
}

fn compute() -> String {
    "compute".to_owned()
}

fn machine() -> String {
    "machine".to_owned()
}
