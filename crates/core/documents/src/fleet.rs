//! A fleet of judgehosts on Kubernetes, as `tauto fleet` shows it.

use crate::SimDecision;
use crate::contest::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `tauto fleet status --json` and its kin: what was asked for is not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetReport {
    /// The namespace of Kubernetes that it is in.
    pub namespace: String,
    pub pools: Vec<FleetPool>,
    pub nodes: Vec<FleetNode>,
    /// What happened, the oldest first.
    pub events: Vec<FleetEvent>,
}

/// A pool of judgehosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetPool {
    pub name: String,
    /// The class of hardware of its machines.
    pub hardware: String,
    /// `strict` or `fast`.
    pub service: String,
    /// Judgehosts that judge.
    pub ready: u32,
    /// Judgehosts that are wanted, by load and limits.
    pub wanted: u32,
    pub min: u32,
    pub max: u32,
    /// Machines whose calibration passed.
    pub calibrated: u32,
    /// Machines that were taken out.
    pub out: u32,
    /// Submissions that wait; `null` while the contest server does not answer.
    pub waiting: Option<u64>,
    /// Submissions that are being judged.
    pub judging: Option<u64>,
    /// The time within which 99 of 100 of the last 256 submissions had their verdict, such as `4.2 s`.
    pub verdict_p99: Option<String>,
    /// Why it is not as wanted, or why it has this size.
    pub reason: String,
}

/// A machine of a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetNode {
    /// The name of the Kubernetes node.
    pub name: String,
    pub pool: String,
    /// `Pending`, `Starting`, `Calibrating`, `Ready`, `Away`, `Draining`, `Drained`, `Out` or `Lost`.
    pub state: String,
    /// Submissions that it judges.
    pub jobs: u32,
    /// CPU time of the reference program when it was calibrated, such as `11.40 ms`.
    pub reference: Option<String>,
    /// What other work took from its worst timed CPU then, such as `0.31 %`.
    pub lost: Option<String>,
    pub reason: String,
}

/// What happened to a pool or a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetEvent {
    pub time: Time,
    /// Whether somebody should look.
    pub is_warning: bool,
    /// The pool or machine.
    pub about: String,
    /// What, as a word such as `TakenOut`.
    pub reason: String,
    pub note: String,
}

/// `tauto fleet explain POD --json`: why a pod is where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetExplanation {
    pub namespace: String,
    pub pod: String,
    /// The Kubernetes node that it is on; `null` if none took it yet.
    pub node: Option<String>,
    /// The scheduler that the pod asks for.
    pub scheduler: String,
    /// The decision, as it was recorded when it was made; `null` if another scheduler placed the pod, or it has no node.
    pub decision: Option<SimDecision>,
    /// What the cluster says about a pod without a node.
    pub waits_for: Option<String>,
    /// The CPUs of its containers, as the node's agent saw them last; empty if the node has none.
    pub containers: Vec<FleetContainer>,
}

/// What the agent of a node saw, as `tauto-node report --json` writes it; it has more than is read here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetNodeReport {
    pub containers: Vec<FleetContainer>,
}

/// A container's CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetContainer {
    pub namespace: String,
    pub pod: String,
    pub container: String,
    /// CPUs that it may run on, as in `2-3`.
    pub cpus: String,
    /// What gave it these: `nri`, `kubelet-static`, `dra`, or `shared` if it has none of its own.
    pub way: String,
    /// What is not as it should be, a sentence each.
    pub problems: Vec<String>,
    /// CPUs that would have been a better choice; `null` if the allocator has none.
    pub better: Option<FleetBetter>,
}

/// CPUs that would have been a better choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetBetter {
    pub cpus: String,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
}
