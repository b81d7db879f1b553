//! The pod of a judgehost: long-lived, Guaranteed, with whole cores.

use crate::names::short_hash;
use crate::{
    HASH_LABEL, JudgeNode, JudgePool, NODE_LABEL, POOL_LABEL, PoolClock, PoolCores, PoolIsolation, Service,
    TIMING_TAINT,
};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::ResourceExt;
use serde_json::{Value, json};

/// What all judgehosts of an installation have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The contest server, as judgehosts reach it.
    pub server: String,
    /// The secret with the judgehosts' token, under the key `token`.
    pub token_secret: String,
    /// The secret for the registry of images, if it needs one.
    pub pull_secret: Option<String>,
    /// The ConfigMap with the authorities that certify registry and server, under the key `ca.crt`; by default public ones.
    pub authorities: Option<String>,
    /// The priority class of judgehosts' pods: a cluster under pressure then evicts others first.
    pub priority_class: Option<String>,
    /// The folder of nodes for what judgehosts keep: packages, and images of toolchains.
    pub cache: String,
}

/// The capabilities of the sandbox (SECURITY.md explains each), and no others.
const CAPABILITIES: [&str; 7] = ["SYS_ADMIN", "SETUID", "SETGID", "CHOWN", "DAC_OVERRIDE", "KILL", "SETPCAP"];
/// Added to a pool's time for draining: for what follows it, and for the pod's own end.
const GRACE_SECONDS: u32 = 30;
/// A pod's annotations by which `tauto-node` gives it cores of its own.
const CORES_ANNOTATION: &str = "fleet.tautochrone.dev/cores";
const SIBLINGS_ANNOTATION: &str = "fleet.tautochrone.dev/siblings";
/// Where a judgehost's metrics are.
pub const METRICS_PORT: u16 = 9281;

/// Returns the bytes of a quantity such as `4Gi`; `None` if it is none.
pub fn bytes(quantity: &str) -> Option<u64> {
    let at = quantity.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(quantity.len());
    let (number, unit) = quantity.split_at(at);
    let factor: u64 = match unit {
        "" => 1,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1 << 40,
        "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// Returns the hash of what a pool's pods are made from.
pub fn template_hash(pool: &JudgePool, settings: &Settings) -> String {
    let spec = spec(pool, "", "", settings);
    match pool.spec.cores {
        PoolCores::KubeletStatic => short_hash(spec.to_string().as_bytes()),
        PoolCores::Nri => short_hash(format!("{spec} nri").as_bytes()),
    }
}

/// Returns the hash of what a judgehost's pod is made from: another one means that the pod has to be replaced.
pub fn pod_hash(template: &str, node: &JudgeNode) -> String {
    short_hash(format!("{template} {}", node.spec.calibrate).as_bytes())
}

/// Returns a judgehost's pod. Its name has the hash, so that one of earlier settings is another pod.
pub fn judgehost_pod(
    pool: &JudgePool,
    node: &JudgeNode,
    host: &str,
    owners: Vec<OwnerReference>,
    settings: &Settings,
) -> Pod {
    let hash = pod_hash(&template_hash(pool, settings), node);
    let mut metadata = json!({
        "name": format!("judgehost-{}-{hash}", short_hash(node.name_any().as_bytes())),
        "namespace": node.namespace(),
        "labels": {
            "app.kubernetes.io/name": "tautochrone",
            "app.kubernetes.io/component": "judgehost",
            POOL_LABEL: pool.name_any(),
            HASH_LABEL: hash,
        },
        // The name of a node may be longer than a label.
        "annotations": {NODE_LABEL: node.name_any()},
    });
    if pool.spec.cores == PoolCores::Nri {
        metadata["annotations"][CORES_ANNOTATION] = json!("whole");
        // The pool counts logical CPUs; which of a core's are timed, the judgehost decides.
        metadata["annotations"][SIBLINGS_ANNOTATION] = json!("used");
    }
    metadata["ownerReferences"] = serde_json::to_value(owners).unwrap_or_default();
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec(pool, &node.name_any(), host, settings)});
    // A value of constants and texts: its shape is that of a pod, which a test checks.
    serde_json::from_value(pod).unwrap_or_default()
}

fn spec(pool: &JudgePool, machine: &str, host: &str, settings: &Settings) -> Value {
    let of = &pool.spec;
    let resources = json!({"cpu": of.cpus().to_string(), "memory": of.memory});
    let on_node = |path: &str, kind: &str| json!({"path": path, "type": kind});
    let cache = &settings.cache;
    let mut volumes = json!([
        {"name": "token", "secret": {"secretName": settings.token_secret, "defaultMode": 0o400, "items": [{"key": "token", "path": "token"}]}},
        {"name": "control-groups", "hostPath": on_node("/sys/fs/cgroup", "Directory")},
        {"name": "claims", "hostPath": on_node("/run/tauto", "DirectoryOrCreate")},
        {"name": "cache", "hostPath": on_node(&format!("{cache}/packages"), "DirectoryOrCreate")},
        {"name": "images", "hostPath": on_node(&format!("{cache}/images"), "DirectoryOrCreate")},
        {"name": "tmp", "emptyDir": {}},
    ]);
    let mut mounts = json!([
        {"name": "token", "mountPath": "/etc/tautochrone", "readOnly": true},
        {"name": "control-groups", "mountPath": "/sys/fs/cgroup"},
        {"name": "claims", "mountPath": "/run/tauto"},
        {"name": "cache", "mountPath": "/var/cache/tautochrone"},
        {"name": "images", "mountPath": "/var/lib/tauto/images"},
        {"name": "tmp", "mountPath": "/tmp"},
    ]);
    if of.isolation == PoolIsolation::Microvm
        && let (Some(volumes), Some(mounts)) = (volumes.as_array_mut(), mounts.as_array_mut())
    {
        volumes.push(json!({"name": "kvm", "hostPath": on_node("/dev/kvm", "")}));
        mounts.push(json!({"name": "kvm", "mountPath": "/dev/kvm"}));
    }
    let mut environment = Vec::new();
    if let Some(map) = &settings.authorities
        && let (Some(volumes), Some(mounts)) = (volumes.as_array_mut(), mounts.as_array_mut())
    {
        volumes.push(json!({"name": "authorities", "configMap": {"name": map}}));
        mounts.push(json!({"name": "authorities", "mountPath": "/etc/ssl/tautochrone", "readOnly": true}));
        environment.push(json!({"name": "SSL_CERT_FILE", "value": "/etc/ssl/tautochrone/ca.crt"}));
    }
    let mut spec = json!({
        "restartPolicy": "Always",
        "nodeName": null,
        "automountServiceAccountToken": false,
        "enableServiceLinks": false,
        "terminationGracePeriodSeconds": of.policy.drain_seconds + GRACE_SECONDS,
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [machine]}]}
        ]}}},
        "tolerations": [{"key": TIMING_TAINT, "operator": "Exists"}],
        "containers": [{
            "name": "judgehost",
            "image": of.image,
            "args": arguments(pool, host, settings),
            "env": environment,
            "ports": [{"name": "metrics", "containerPort": METRICS_PORT}],
            "resources": {"requests": resources, "limits": resources},
            // The last lines of its log are what an operator shows when it fails.
            "terminationMessagePolicy": "FallbackToLogsOnError",
            "securityContext": {
                "runAsUser": 0,
                "readOnlyRootFilesystem": true,
                "allowPrivilegeEscalation": true,
                "capabilities": {"drop": ["ALL"], "add": CAPABILITIES},
                // The usual profiles forbid what sandboxes are made of: pivot_root, and mounts. What is judged has the sandbox's own.
                "seccompProfile": {"type": "Unconfined"},
                "appArmorProfile": {"type": "Unconfined"},
            },
            "volumeMounts": mounts,
        }],
        "volumes": volumes,
    });
    if let Some(secret) = &settings.pull_secret {
        spec["imagePullSecrets"] = json!([{"name": secret}]);
    }
    if let Some(class) = &settings.priority_class {
        spec["priorityClassName"] = json!(class);
    }
    spec
}

fn arguments(pool: &JudgePool, host: &str, settings: &Settings) -> Vec<String> {
    let of = &pool.spec;
    let mut words = vec!["judgehost".to_owned(), "--json".to_owned(), "--await-admission".to_owned()];
    let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
    option("--server", settings.server.clone());
    option("--token", "/etc/tautochrone/token".to_owned());
    option("--id", host.to_owned());
    option("--pool", pool.name_any());
    option("--places", of.places.to_string());
    option("--drain", format!("{}s", of.policy.drain_seconds));
    option("--metrics", format!("0.0.0.0:{METRICS_PORT}"));
    if let Some(image) = &of.toolchains {
        option("--image", image.clone());
    }
    if of.clock == PoolClock::Instructions {
        option("--clock", "instructions".to_owned());
    }
    if of.isolation == PoolIsolation::Microvm {
        option("--isolation", "microvm".to_owned());
    }
    if of.service == Service::Fast {
        words.push("--shared".to_owned());
    }
    words
}
