//! Takes from the API server's answers what decisions depend on.

use k8s_openapi::api::core::v1::{ContainerStatus, Node, Pod};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::ResourceExt;
use pools::{HASH_LABEL, Machine, NODE_LABEL, PodSeen};

/// The longest text of a failed container that is shown.
const PROBLEM_LETTERS_MAX: usize = 300;
/// Taints with these effects keep a new pod off.
const KEEPING_OFF: [&str; 2] = ["NoSchedule", "NoExecute"];
/// The control plane sets these for what `is_ready` and `is_cordoned` say already.
const KNOWN_OTHERWISE: [&str; 3] =
    ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/unschedulable"];

/// What a kubelet says in place of a container's last words if the log is gone.
const NO_LAST_WORDS: &str = "Error on reading termination message from logs";

/// Drops what makes most of a node's size and is never looked at.
pub fn lighten_node(node: &mut Node) {
    node.annotations_mut().clear();
    if let Some(status) = &mut node.status {
        status.images = None;
        status.addresses = None;
        status.node_info = None;
        status.capacity = None;
    }
}

/// The same for a pod.
pub fn lighten_pod(pod: &mut Pod) {
    if let Some(spec) = &mut pod.spec {
        spec.volumes = None;
        spec.containers.clear();
        spec.affinity = None;
        spec.tolerations = None;
    }
}

/// Reads a node.
pub fn machine(node: &Node) -> Machine {
    let status = node.status.as_ref();
    let conditions = status.and_then(|status| status.conditions.as_deref()).unwrap_or_default();
    let allocatable = |name: &str| status.and_then(|status| status.allocatable.as_ref()?.get(name));
    let spec = node.spec.as_ref();
    let taints = spec.and_then(|spec| spec.taints.as_deref()).unwrap_or_default();
    let keeps_off = taints
        .iter()
        .filter(|taint| KEEPING_OFF.contains(&&*taint.effect) && !KNOWN_OTHERWISE.contains(&&*taint.key));
    Machine {
        labels: node.labels().clone(),
        taints: keeps_off.map(|taint| taint.key.clone()).collect(),
        is_ready: conditions.iter().any(|one| one.type_ == "Ready" && one.status == "True"),
        is_cordoned: spec.and_then(|spec| spec.unschedulable).unwrap_or_default(),
        cpu_milli: allocatable("cpu").map_or(0, milli),
        memory_bytes: allocatable("memory").map_or(0, |quantity| milli(quantity) / 1000),
    }
}

/// Returns a quantity in thousandths; 0 if it is none.
fn milli(quantity: &Quantity) -> u64 {
    let text = &quantity.0;
    if let Some(milli) = text.strip_suffix('m') {
        return milli.parse().unwrap_or(0);
    }
    pools::bytes(text).map_or(0, |whole| whole.saturating_mul(1000))
}

/// Reads a judgehost's pod.
pub fn pod(pod: &Pod) -> PodSeen {
    let status = pod.status.as_ref();
    let phase = status.and_then(|status| status.phase.as_deref()).unwrap_or_default();
    let containers = status.and_then(|status| status.container_statuses.as_deref()).unwrap_or_default();
    let is_running = |one: &ContainerStatus| one.state.as_ref().is_some_and(|state| state.running.is_some());
    PodSeen {
        name: pod.name_any(),
        judge_node: pod.annotations().get(NODE_LABEL).cloned().unwrap_or_default(),
        hash: pod.labels().get(HASH_LABEL).cloned().unwrap_or_default(),
        is_running: phase == "Running" && containers.iter().any(is_running),
        has_ended: matches!(phase, "Failed" | "Succeeded"),
        is_ending: pod.metadata.deletion_timestamp.is_some(),
        restarts: containers.iter().map(|one| u32::try_from(one.restart_count).unwrap_or(0)).sum(),
        problem: problem(pod, containers),
    }
}

/// Says why a pod does not run, or what its container said when it failed last.
fn problem(pod: &Pod, containers: &[ContainerStatus]) -> Option<String> {
    let waiting = containers.iter().find_map(|one| {
        let waiting = one.state.as_ref()?.waiting.as_ref()?;
        let reason = waiting.reason.clone().unwrap_or_default();
        // It is what a container does first.
        if reason == "ContainerCreating" {
            return None;
        }
        // A container that failed again and again is more than its waiting.
        let said = last_words(one);
        Some(said.unwrap_or_else(|| format!("{reason} {}", waiting.message.clone().unwrap_or_default())))
    });
    let unscheduled = || {
        let conditions = pod.status.as_ref()?.conditions.as_ref()?;
        let scheduled = conditions.iter().find(|one| one.type_ == "PodScheduled" && one.status == "False")?;
        scheduled.message.clone()
    };
    let of_pod = || {
        let status = pod.status.as_ref()?;
        let reason = status.reason.clone()?;
        Some(format!("{reason} {}", status.message.clone().unwrap_or_default()))
    };
    let failed = || containers.iter().find_map(last_words);
    let text = waiting.or_else(unscheduled).or_else(of_pod).or_else(failed)?;
    let text = text.trim();
    let letters = text.chars().count();
    let kept: String = text.chars().skip(letters.saturating_sub(PROBLEM_LETTERS_MAX)).collect();
    Some(kept).filter(|text| !text.is_empty())
}

/// Returns the last lines of a container that failed.
fn last_words(container: &ContainerStatus) -> Option<String> {
    let of = |state: Option<&k8s_openapi::api::core::v1::ContainerState>| {
        let ended = state?.terminated.clone()?;
        let said =
            ended.message.as_deref().filter(|text| !text.starts_with(NO_LAST_WORDS)).and_then(|text| {
                // A command prints its error before a hint.
                let error =
                    text.lines().rev().find_map(|line| line.strip_prefix("error: ")).map(str::to_owned);
                error.or_else(|| text.trim().lines().last().map(said_in))
            });
        let code = format!("exit code {}", ended.exit_code);
        (ended.exit_code != 0).then(|| said.map_or(code.clone(), |said| format!("{said} ({code})")))
    };
    of(container.state.as_ref()).or_else(|| of(container.last_state.as_ref()))
}

/// Returns a line of a log; of JSON the message.
fn said_in(line: &str) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(line).ok();
    let field = |value: &serde_json::Value, names: &[&str]| {
        names.iter().find_map(|name| value.get(*name)?.as_str().map(str::to_owned))
    };
    value.and_then(|value| field(&value, &["message", "error", "reason"])).unwrap_or_else(|| line.to_owned())
}
