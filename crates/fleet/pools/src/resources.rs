//! The custom resources: `kubectl explain judgepool.spec` shows these texts.

#![allow(clippy::duplicated_attributes, reason = "each column of a table has a type")]

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The API group of the resources, and the prefix of labels and taints.
pub const GROUP: &str = "fleet.tautochrone.dev";
/// A node's label with its class of hardware: pools name it.
pub const HARDWARE_LABEL: &str = "fleet.tautochrone.dev/hardware";
/// A taint that keeps other pods off nodes that judge; judgehosts tolerate it.
pub const TIMING_TAINT: &str = "fleet.tautochrone.dev/timing";
/// A label, and a taint, of nodes that build images: they never judge, since a build executes what others wrote.
pub const BUILD_LABEL: &str = "fleet.tautochrone.dev/build";
/// A pod's label with its pool.
pub const POOL_LABEL: &str = "fleet.tautochrone.dev/pool";
/// A pod's label with its JudgeNode.
pub const NODE_LABEL: &str = "fleet.tautochrone.dev/judge-node";
/// A pod's label with the hash of what it was made from.
pub const HASH_LABEL: &str = "fleet.tautochrone.dev/hash";
/// Keeps a JudgeNode until its judgehost has ended its work.
pub const FINALIZER: &str = "fleet.tautochrone.dev/drain";

/// A pool of judgehosts whose machines are alike.
#[derive(CustomResource, KubeSchema, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "fleet.tautochrone.dev",
    version = "v1alpha1",
    kind = "JudgePool",
    namespaced,
    status = "JudgePoolStatus",
    derive = "PartialEq",
    shortname = "jp",
    category = "tautochrone",
    doc = "A pool of judgehosts whose machines are alike: programs take the same time on each.",
    scale(
        spec_replicas_path = ".spec.size.min",
        status_replicas_path = ".status.size"
    ),
    printcolumn(name = "Ready", type_ = "string", json_path = ".status.summary", description = "Judgehosts that judge, of those wanted"),
    printcolumn(name = "Calibrated", type_ = "integer", json_path = ".status.calibrated", description = "Machines whose calibration passed"),
    printcolumn(name = "Out", type_ = "integer", json_path = ".status.out", description = "Machines that were taken out"),
    printcolumn(name = "Queue", type_ = "integer", json_path = ".status.waiting", description = "Submissions that wait"),
    printcolumn(name = "Verdict P99", type_ = "string", json_path = ".status.verdictP99", description = "Time to verdict of the last 256 submissions"),
    printcolumn(name = "Hardware", type_ = "string", json_path = ".spec.hardware", priority = 1),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.reason", description = "Why it is not as wanted, or why it has this size"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.metadata.name.size() <= 36").message("the name of a pool has at most 36 letters, as on the contest server")
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(
    validation = Rule::new("self.service != 'fast' || self.clock == 'cpu-time'").message("service 'fast' shares its cores, so it goes with clock 'cpu-time' alone"),
    validation = Rule::new("self.isolation != 'microvm' || has(self.toolchains)").message("isolation 'microvm' needs toolchains: an image for the virtual machines"),
    validation = Rule::new("self.service == oldSelf.service && self.hardware == oldSelf.hardware && self.clock == oldSelf.clock").message("hardware, service and clock decide what a time means: make another pool")
)]
pub struct JudgePoolSpec {
    /// The class of hardware: the value of the label `fleet.tautochrone.dev/hardware` that its nodes have. All nodes of a
    /// class have the same processor, memory and settings.
    #[x_kube(validation = Rule::new("self.matches('^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$')").message("use the value of a label, such as epyc-7543"))]
    pub hardware: String,
    /// The service level. `strict`: timed runs have whole cores of their own, whose word is final. `fast`: cores are shared,
    /// and what is too near the limit is judged again by a strict pool.
    #[serde(default)]
    pub service: Service,
    /// By which clock programs are judged.
    #[serde(default)]
    pub clock: PoolClock,
    /// How many programs a judgehost times at once, each on a core of its own.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1024))]
    pub places: u32,
    /// How many more cores a judgehost has, for compilers and checkers.
    #[serde(default = "one")]
    #[schemars(range(max = 1024))]
    pub helpers: u32,
    /// Logical CPUs of a core: 2 where the nodes have SMT.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 8))]
    pub threads: u32,
    /// The memory of a judgehost with all that it runs, such as `8Gi`.
    #[serde(default = "memory")]
    #[x_kube(validation = Rule::new("isQuantity(self) && quantity(self).isGreaterThan(quantity('511Mi'))").message("use a quantity of at least 512Mi, such as 8Gi"))]
    pub memory: String,
    /// How many judgehosts.
    pub size: PoolSize,
    /// The image of the judgehost, by digest: `REGISTRY/NAME@sha256:...`.
    #[x_kube(validation = Rule::new("self.matches('^[^@ ]+@sha256:[0-9a-f]{64}$')").message("name the image by its digest, REGISTRY/NAME@sha256:..., so that all machines run the same"))]
    pub image: String,
    /// The image of compilers and interpreters, by digest; by default those of `image`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = Rule::new("self.matches('^[^@ ]+@sha256:[0-9a-f]{64}$')").message("name the image by its digest, REGISTRY/NAME@sha256:..., so that all machines run the same"))]
    pub toolchains: Option<String>,
    /// What each run is isolated by.
    #[serde(default)]
    pub isolation: PoolIsolation,
    /// What gives a judgehost whole cores on its node.
    #[serde(default)]
    pub cores: PoolCores,
    /// What a machine has to show before it judges.
    #[serde(default)]
    pub calibration: CalibrationBudget,
    /// How the pool grows, shrinks and changes.
    #[serde(default)]
    pub policy: PoolPolicy,
}

/// How many judgehosts a pool has.
#[derive(KubeSchema, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new("self.min <= self.max").message("min is above max"))]
pub struct PoolSize {
    /// At least so many, whatever waits.
    #[schemars(range(max = 5000))]
    pub min: u32,
    /// At most so many.
    #[schemars(range(min = 1, max = 5000))]
    pub max: u32,
}

#[derive(JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    #[default]
    Strict,
    Fast,
}

#[derive(JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PoolClock {
    #[default]
    CpuTime,
    Instructions,
}

#[derive(JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PoolIsolation {
    #[default]
    Container,
    Microvm,
}

/// What gives a pod whole cores on its node. Nodes of a class of hardware have the same.
#[derive(JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PoolCores {
    /// The kubelet's CPU manager with the policy `static`.
    #[default]
    KubeletStatic,
    /// `tauto-node`, a plugin of containerd: the allocator's choice. The kubelet's CPU manager is `none` there.
    Nri,
}

/// What a machine has to show before it judges.
#[derive(JsonSchema, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CalibrationBudget {
    /// How long a judgehost may take from its pod's start until it is calibrated, in seconds; then its machine is taken out.
    #[schemars(range(min = 10, max = 86400))]
    pub timeout_seconds: u32,
    /// How much of a second other work may take from a timed CPU, in millionths.
    #[schemars(range(max = 1_000_000))]
    pub lost_ppm_max: u32,
    /// How far the reference program's time may be from the pool's median, in thousandths.
    #[schemars(range(max = 1000))]
    pub reference_permille_max: u32,
    /// Settings of the machine, by the ids that `tauto doctor --json` shows, that must pass.
    pub settings: Vec<String>,
}

impl Default for CalibrationBudget {
    fn default() -> Self {
        Self { timeout_seconds: 300, lost_ppm_max: 20_000, reference_permille_max: 50, settings: Vec::new() }
    }
}

/// How a pool grows, shrinks and changes.
#[derive(JsonSchema, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PoolPolicy {
    /// The time to verdict that the pool grows for, in seconds.
    #[schemars(range(min = 1, max = 86400))]
    pub verdict_seconds: u32,
    /// How long fewer judgehosts must have been enough before one is removed, in seconds.
    #[schemars(range(max = 604_800))]
    pub shrink_after_seconds: u32,
    /// How long a judgehost that is drained may go on, in seconds; then its work is given to others.
    #[schemars(range(max = 86400))]
    pub drain_seconds: u32,
}

impl Default for PoolPolicy {
    fn default() -> Self {
        Self { verdict_seconds: 30, shrink_after_seconds: 600, drain_seconds: 120 }
    }
}

fn one() -> u32 {
    1
}

fn memory() -> String {
    "4Gi".to_owned()
}

impl JudgePoolSpec {
    /// Returns how many logical CPUs a judgehost has.
    pub fn cpus(&self) -> u32 {
        self.places.saturating_add(self.helpers).saturating_mul(self.threads)
    }
}

/// What a pool is now.
#[derive(JsonSchema, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JudgePoolStatus {
    /// The generation of the spec that this is about.
    pub observed_generation: Option<i64>,
    /// Judgehosts that are wanted.
    pub wanted: u32,
    /// JudgeNodes that count: not those that are drained or out.
    pub size: u32,
    /// Those that judge.
    pub ready: u32,
    /// `ready/wanted`, for tables.
    pub summary: String,
    /// Machines whose calibration passed.
    pub calibrated: u32,
    /// Machines that were taken out.
    pub out: u32,
    /// Submissions that wait, as the contest server counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u64>,
    /// Submissions that are being judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judging: Option<u64>,
    /// The time within which 99 of 100 of the last 256 submissions had their verdict, such as `4.2 s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict_p99: Option<String>,
    /// Why it is not as wanted, or why it has this size.
    pub reason: String,
    pub conditions: Vec<Condition>,
}

/// A machine that judges, or is to judge, for a pool. The operator makes it; it has the name of the Kubernetes node.
#[derive(CustomResource, JsonSchema, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "fleet.tautochrone.dev",
    version = "v1alpha1",
    kind = "JudgeNode",
    namespaced,
    status = "JudgeNodeStatus",
    derive = "PartialEq",
    shortname = "jn",
    category = "tautochrone",
    doc = "A machine that judges, or is to judge, for a pool. The operator makes it; it has the name of the Kubernetes node.",
    printcolumn(name = "Pool", type_ = "string", json_path = ".spec.pool"),
    printcolumn(name = "State", type_ = "string", json_path = ".status.state"),
    printcolumn(
        name = "Calibrated",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Calibrated\")].status"
    ),
    printcolumn(name = "Jobs", type_ = "integer", json_path = ".status.jobs"),
    printcolumn(
        name = "Reference",
        type_ = "string",
        json_path = ".status.calibration.reference",
        description = "CPU time of the reference program"
    ),
    printcolumn(
        name = "Lost",
        type_ = "string",
        json_path = ".status.calibration.lost",
        description = "What other work takes from the worst timed CPU"
    ),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.reason"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JudgeNodeSpec {
    /// The pool that it judges for.
    pub pool: String,
    /// Takes no more submissions, ends its work, and stays out of the pool until this is false again.
    #[serde(default)]
    pub drain: bool,
    /// Raise it to calibrate the machine again; this also lets one back in that was taken out.
    #[serde(default)]
    pub calibrate: u32,
}

/// What a machine is and does.
#[derive(JsonSchema, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JudgeNodeStatus {
    pub state: NodeState,
    /// Why it is in that state.
    pub reason: String,
    /// The name of its judgehost on the contest server.
    pub judgehost: String,
    /// Submissions that it judges.
    pub jobs: u32,
    /// `spec.calibrate` when it was taken out: a higher one lets it back in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_at_calibrate: Option<u32>,
    /// The hash of the image and settings that its pool had when it was taken out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_with: Option<String>,
    /// What its last calibration showed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    pub conditions: Vec<Condition>,
}

/// What a machine's calibration showed.
#[derive(JsonSchema, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Calibration {
    /// CPU time of the reference program, such as `11.40 ms`.
    pub reference: String,
    /// What other work takes from the worst timed CPU, such as `0.31 %`.
    pub lost: String,
    /// The lines that decide about the pool: processor, cores, caches, memory, kernel, settings.
    pub identity: Vec<String>,
    /// Timed CPUs.
    pub places: Vec<String>,
    /// Settings of the machine that do not pass, by id.
    pub settings: BTreeMap<String, String>,
}

/// What a machine does.
#[derive(JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NodeState {
    /// Its pod does not run yet.
    #[default]
    Pending,
    /// Its judgehost has not registered yet.
    Starting,
    /// Its judgehost is there, and waits to be let in.
    Calibrating,
    /// It judges.
    Ready,
    /// The contest server does not hear of it.
    Away,
    /// It ends its work.
    Draining,
    /// It has ended its work, and is not to judge.
    Drained,
    /// It was taken out, for the reason that is shown.
    Out,
    /// Its Kubernetes node is not ready, or gone.
    Lost,
}

impl NodeState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Starting => "Starting",
            Self::Calibrating => "Calibrating",
            Self::Ready => "Ready",
            Self::Away => "Away",
            Self::Draining => "Draining",
            Self::Drained => "Drained",
            Self::Out => "Out",
            Self::Lost => "Lost",
        }
    }

    /// Returns whether it counts for its pool's size: others take the places of those that do not.
    pub fn counts(self) -> bool {
        match self {
            Self::Pending | Self::Starting | Self::Calibrating | Self::Ready => true,
            Self::Away | Self::Draining | Self::Drained | Self::Out | Self::Lost => false,
        }
    }
}
