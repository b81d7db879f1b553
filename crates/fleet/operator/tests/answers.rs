//! What is read from answers of an API server: recorded from Kubernetes 1.36 with containerd 2.2, of a judgehost that runs and of
//! pods that do not.

#![allow(clippy::unwrap_used, reason = "a test fails where it is")]

use k8s_openapi::List;
use k8s_openapi::api::core::v1::{Node, Pod};
use pools::{HARDWARE_LABEL, PodSeen};

const PODS: &str = include_str!("recorded/pods.json");

fn pods() -> List<Pod> {
    serde_json::from_str(PODS).unwrap()
}

fn seen(name: &str) -> PodSeen {
    let pods = pods();
    let pod = pods.items.iter().find(|pod| pod.metadata.name.as_deref().unwrap().starts_with(name));
    operator::pod(pod.unwrap())
}

#[test]
fn a_node_is_what_its_kubelet_says() {
    let mut node: Node = serde_json::from_str(include_str!("recorded/node.json")).unwrap();
    let machine = operator::machine(&node);
    assert_eq!((machine.cpu_milli, machine.memory_bytes), (1_000, 24_581_696 << 10));
    assert_eq!(machine.labels[HARDWARE_LABEL], "this-machine");
    assert!(machine.is_ready && !machine.is_cordoned && machine.taints.is_empty());
    // As `kubectl cordon` leaves it: the taint says nothing new.
    node.spec = serde_json::from_str(
        r#"{"unschedulable": true, "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"},
            {"key": "mine", "effect": "NoSchedule"}, {"key": "soft", "effect": "PreferNoSchedule"}]}"#,
    )
    .unwrap();
    let machine = operator::machine(&node);
    assert!(machine.is_cordoned);
    assert_eq!(machine.taints, ["mine"]);
}

#[test]
fn a_judgehost_that_runs_has_no_problem() {
    let pod = seen("judgehost-");
    assert_eq!(pod.judge_node, "vm0");
    assert_eq!(pod.hash.len(), 8);
    assert!(pod.is_running && !pod.has_ended && !pod.is_ending);
    assert_eq!((pod.restarts, pod.problem), (0, None));
}

#[test]
fn a_pod_that_does_not_run_says_why() {
    let usage = seen("usage");
    assert!(!usage.is_running && usage.restarts == 3);
    let said =
        "the following required arguments were not provided: --server <URL> --token <FILE> (exit code 2)";
    assert_eq!(usage.problem.as_deref(), Some(said), "the error of its last words, without the hint");
    // Its log was gone when the kubelet looked for its last words.
    assert_eq!(seen("crash").problem.as_deref(), Some("exit code 2"));
    let reason = "CreateContainerConfigError secret \"nothere\" not found";
    assert_eq!(seen("nosecret").problem.as_deref(), Some(reason));
    let unscheduled = seen("unschedulable").problem.unwrap();
    assert!(unscheduled.contains("2 Insufficient cpu"), "{unscheduled}");
    let image = seen("wrongdigest");
    assert!(image.problem.as_deref().unwrap().ends_with(": not found"), "{:?}", image.problem);
    assert!(!image.is_running && !image.has_ended);
}
