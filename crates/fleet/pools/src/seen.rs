//! What is: as far as decisions depend on it.

use crate::{JudgeNode, JudgePool};
use model::Reading;
use std::collections::BTreeMap;

/// What is, at one moment.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Milliseconds by a clock that only goes on, of the operator itself.
    pub at_ms: u64,
    pub pools: Vec<JudgePool>,
    pub nodes: Vec<JudgeNode>,
    /// The Kubernetes nodes, by name.
    pub machines: BTreeMap<String, Machine>,
    /// The judgehosts' pods.
    pub pods: Vec<PodSeen>,
    /// What the contest server knows; `None` while it does not answer.
    pub server: Option<ServerSeen>,
}

/// A Kubernetes node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    pub labels: BTreeMap<String, String>,
    /// Keys of its taints that keep new pods off.
    pub taints: Vec<String>,
    pub is_ready: bool,
    /// Whether an operator keeps new pods off it (`kubectl cordon`).
    pub is_cordoned: bool,
    /// CPUs that pods may have, in thousandths.
    pub cpu_milli: u64,
    pub memory_bytes: u64,
}

/// A judgehost's pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodSeen {
    pub name: String,
    /// The JudgeNode that it is of, by its label.
    pub judge_node: String,
    /// The hash of what it was made from.
    pub hash: String,
    /// Whether its container runs.
    pub is_running: bool,
    pub has_ended: bool,
    /// Whether it was deleted, and ends.
    pub is_ending: bool,
    pub restarts: u32,
    /// Why it does not run, or what its last container said when it failed.
    pub problem: Option<String>,
}

/// What the contest server knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerSeen {
    pub hosts: BTreeMap<String, HostSeen>,
    pub queues: BTreeMap<String, QueueSeen>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostState {
    /// It waits to be let in.
    #[default]
    Waiting,
    Enabled,
    Draining,
    Disabled,
    /// The server has heard nothing of it for a while.
    Away,
}

/// A judgehost, as the contest server knows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostSeen {
    pub pool: String,
    pub state: HostState,
    pub reason: String,
    pub jobs: u32,
    /// CPU time of its reference program: at first, or of one that waits to be let in the lowest.
    pub reference_ns: Option<u64>,
    pub identity: Vec<String>,
    /// What it measured before it registered; asked for while it waits to be let in.
    pub measured: Option<Measured>,
}

/// What a judgehost measured of its machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    pub places: Vec<String>,
    /// What other work takes from each timed CPU, in millionths; or why that is not known.
    pub lost_ppm: Reading<Vec<(u32, u32)>>,
    /// Settings that do not pass, by id, with what was found.
    pub settings: BTreeMap<String, String>,
}

/// A pool's queue on the contest server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueSeen {
    pub waiting: u64,
    pub judging: u64,
    pub oldest_wait_ms: Option<u64>,
    pub verdict_p99_ms: Option<u64>,
    /// How long a submission is judged, on average.
    pub judging_mean_ms: Option<u64>,
}
