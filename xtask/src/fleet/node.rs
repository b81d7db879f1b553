//! Real nodes, by containerd and kubelet, and made-up ones by KWOK.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::control::{Control, NODE_ADDRESS};
use super::images::Registry;
use crate::process;

/// A node is ready after some seconds.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// Addresses of all pods.
const PODS: &str = "10.244.0.0/16";
/// Sockets and states of containerd.
pub(super) const RUN: &str = "/run/tauto-fleet";
const GROUP_PREFIX: &str = "tauto-fleet-";
/// What a container runs that only holds a pod's namespaces.
pub const PAUSE: &str = "fleet/pause:1";

/// A real node: several can be on one machine, each with CPUs of its own.
#[derive(Clone, Debug)]
pub struct Node {
    pub name: &'static str,
    /// From 0: it makes ports and addresses differ.
    pub number: u16,
    /// CPUs for all that is not a pod with whole CPUs.
    pub reserved: String,
    /// What gives pods whole CPUs.
    pub cores: Cores,
}

/// What gives pods whole CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// The kubelet's CPU manager.
    Kubelet,
    /// A plugin of containerd.
    Plugin,
}

impl Node {
    /// The first two nodes: where there are two CPUs, each has one for pods.
    pub fn both(cpus: u32) -> [Self; 2] {
        let rest = |from: u32, to: u32| if from == to { from.to_string() } else { format!("{from}-{to}") };
        let half = (cpus / 2).max(1);
        [
            Self { name: "vm0", number: 0, reserved: rest(0, half - 1), cores: Cores::Kubelet },
            Self {
                name: "vm1",
                number: 1,
                reserved: rest(half.min(cpus - 1), cpus - 1),
                cores: Cores::Kubelet,
            },
        ]
    }

    fn daemon(&self, of: &str) -> String {
        format!("{of}-{}", self.name)
    }

    fn run(&self) -> PathBuf {
        PathBuf::from(RUN).join(self.name)
    }

    fn folder(&self, control: &Control) -> PathBuf {
        control.folder.join(self.name)
    }

    /// Where plugins of containerd register.
    pub fn plugins_socket(&self) -> PathBuf {
        self.run().join("nri.sock")
    }

    /// The kubelet's folder.
    pub fn kubelet_root(&self, control: &Control) -> PathBuf {
        self.folder(control).join("kubelet")
    }

    fn socket(&self) -> String {
        self.run().join("containerd.sock").display().to_string()
    }

    /// Starts containerd, and gives it images from files.
    pub fn start_containerd(&self, control: &mut Control) -> Result<()> {
        let folder = self.folder(control);
        let (here, run) = (folder.display(), self.run());
        let (run, plugins) = (run.display(), self.plugins_socket());
        let plugins = plugins.display();
        let authorities = folder.join("certs.d").join(Registry::address());
        fs::create_dir_all(&authorities)?;
        fs::create_dir_all(folder.join("cni"))?;
        let registry = format!(
            "server = 'https://{}'\nca = '{}'\n",
            Registry::address(),
            control.folder.join("ca.crt").display()
        );
        fs::write(authorities.join("hosts.toml"), registry)?;
        let subnet = format!("10.244.{}.0/24", self.number);
        let network = json!({
            "cniVersion": "1.0.0", "name": format!("pods-{}", self.name),
            "plugins": [{
                "type": "ptp", "mtu": 1400,
                "ipam": {
                    "type": "host-local", "subnet": subnet, "routes": [{"dst": "0.0.0.0/0"}],
                    "dataDir": folder.join("addresses"),
                },
            }],
        });
        fs::write(folder.join("cni/10-pods.conflist"), network.to_string())?;
        let text = format!(
            "version = 3
root = '{here}/containerd'
state = '{run}/containerd'
[grpc]
address = '{run}/containerd.sock'
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = 'docker.io/{PAUSE}'
[plugins.'io.containerd.cri.v1.images'.registry]
config_path = '{here}/certs.d'
[plugins.'io.containerd.cri.v1.runtime']
# Where a machine forbids to lower scores of the out-of-memory killer.
restrict_oom_score_adj = true
[plugins.'io.containerd.nri.v1.nri']
disable = false
socket_path = '{plugins}'
plugin_path = '{here}/nri/plugins'
plugin_config_path = '{here}/nri/conf.d'
[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ['/usr/lib/cni']
conf_dir = '{here}/cni'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
SystemdCgroup = false
"
        );
        fs::write(folder.join("containerd.toml"), text)?;
        let programs = control.programs.display();
        let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
        let mut containerd = control.program("containerd");
        containerd.arg("--config").arg(folder.join("containerd.toml")).env("PATH", path);
        control.daemons.start(&self.daemon("containerd"), &mut containerd)?;
        let socket = self.socket();
        control.daemons.wait_until("containerd answers", READY_WITHIN, || {
            std::os::unix::net::UnixStream::connect(&socket).is_ok()
        })?;
        Ok(())
    }

    /// Gives the node an image from a file.
    pub fn import(&self, control: &Control, archive: &std::path::Path) -> Result<()> {
        let mut ctr = control.program("ctr");
        ctr.args(["--address", &self.socket(), "--namespace", "k8s.io", "images", "import"]).arg(archive);
        process::read(&mut ctr).map(drop)
    }

    pub fn start_kubelet(&self, control: &mut Control) -> Result<()> {
        let folder = self.folder(control);
        let port = 10250 + 10 * self.number;
        let cores = match self.cores {
            Cores::Kubelet => {
                "cpuManagerPolicy: static\ncpuManagerReconcilePeriod: 2s\ntopologyManagerPolicy: single-numa-node"
            }
            Cores::Plugin => "cpuManagerPolicy: none",
        };
        let text = format!(
            "apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /{}
{cores}
reservedSystemCPUs: '{}'
makeIPTablesUtilChains: false
failSwapOn: false
port: {port}
healthzPort: {}
containerRuntimeEndpoint: unix://{}
authentication: {{anonymous: {{enabled: false}}, webhook: {{enabled: true}}, x509: {{clientCAFile: {}}}}}
authorization: {{mode: Webhook}}
nodeStatusUpdateFrequency: 4s
nodeLeaseDurationSeconds: 10
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard: {{memory.available: 100Mi}}
",
            self.group(),
            self.reserved,
            port + 1,
            self.socket(),
            control.folder.join("ca.crt").display()
        );
        self.make_groups()?;
        fs::write(folder.join("kubelet.yaml"), text)?;
        let mut kubelet = control.program("kubelet");
        kubelet.arg("--kubeconfig").arg(control.folder.join(format!("{}.kubeconfig", self.name)));
        kubelet.arg("--config").arg(folder.join("kubelet.yaml")).arg("--cert-dir").arg(folder.join("certs"));
        kubelet.arg("--root-dir").arg(folder.join("kubelet"));
        kubelet.args(["--hostname-override", self.name, "--node-ip", NODE_ADDRESS]);
        control.daemons.start(&self.daemon("kubelet"), &mut kubelet)
    }

    /// Each node has control groups of its own: a kubelet ends what it does not know below its root.
    fn group(&self) -> String {
        format!("{GROUP_PREFIX}{}", self.name)
    }

    fn make_groups(&self) -> Result<()> {
        for root in group_roots()? {
            let group = root.join(self.group());
            fs::create_dir_all(&group).with_context(|| format!("cannot make {}", group.display()))?;
            // A new cpuset of version 1 has none, and takes no processes.
            for file in ["cpuset.cpus", "cpuset.mems"] {
                if let Ok(all) = fs::read_to_string(root.join(file)) {
                    fs::write(group.join(file), all.trim())?;
                }
            }
        }
        Ok(())
    }

    pub fn wait_until_ready(&self, control: &mut Control) -> Result<Duration> {
        let path = "jsonpath={.status.conditions[?(@.type==\"Ready\")].status}";
        let mut ask = control.kubectl(&["get", "node", self.name, "-o", path]);
        control.daemons.wait_until("the node is ready", READY_WITHIN, || {
            process::capture(&mut ask).is_ok_and(|output| output.stdout == b"True")
        })
    }

    /// Kills one of them; pods go on, as on a machine where it is restarted.
    pub fn kill(&self, control: &mut Control, of: &str) {
        control.daemons.kill(&self.daemon(of));
    }

    /// Kills kubelet and containerd, and all that runs in pods: the machine is gone.
    pub fn lose(&self, control: &mut Control) -> Result<()> {
        for of in ["kubelet", "containerd"] {
            self.kill(control, of);
        }
        // Each pod's processes are children of a shim, which names the folder of its containerd.
        let socket = self.socket();
        for entry in fs::read_dir("/proc")? {
            let folder = entry?.path();
            let line = fs::read(folder.join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line);
            if line.contains("containerd-shim") && line.contains(&socket) {
                let id = folder.file_name().and_then(|name| name.to_str()?.parse().ok());
                kill_with_children(id.context("a process without a number")?)?;
            }
        }
        Ok(())
    }
}

/// Returns the roots of control groups: of each controller with version 1, or the only one.
fn group_roots() -> Result<Vec<std::path::PathBuf>> {
    let root = std::path::Path::new("/sys/fs/cgroup");
    if root.join("cgroup.controllers").is_file() {
        return Ok(vec![root.to_owned()]);
    }
    let entries = fs::read_dir(root).context("there are no control groups")?;
    Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect())
}

/// Removes all nodes' control groups; returns whether none is left.
pub(super) fn remove_groups() -> bool {
    let mut is_clean = true;
    for root in group_roots().unwrap_or_default() {
        for entry in fs::read_dir(root).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(GROUP_PREFIX) {
                remove_tree(&entry.path());
                is_clean &= !entry.path().exists();
            }
        }
    }
    is_clean
}

/// Removes groups from the innermost outwards.
fn remove_tree(group: &std::path::Path) {
    for entry in fs::read_dir(group).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            remove_tree(&entry.path());
        }
    }
    // A group with processes stays.
    let _ = fs::remove_dir(group);
}

/// Kills a process and all that it began.
fn kill_with_children(id: u32) -> Result<()> {
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    // Its parent first: it would report what ends.
    process::capture(Command::new("kill").args(["-KILL", &id.to_string()]))?;
    for child in children.split_whitespace() {
        kill_with_children(child.parse()?)?;
    }
    Ok(())
}

/// Starts what makes services reachable on the machine.
pub fn start_proxy(control: &mut Control) -> Result<()> {
    let mut proxy = control.program("kube-proxy");
    proxy.args([
        "--kubeconfig",
        "proxy.kubeconfig",
        "--hostname-override",
        "vm0",
        "--proxy-mode",
        "nftables",
    ]);
    proxy.args(["--cluster-cidr", PODS, "--conntrack-max-per-core", "0"]);
    proxy.args(["--conntrack-tcp-timeout-established", "0s", "--conntrack-tcp-timeout-close-wait", "0s"]);
    control.daemons.start("kube-proxy", &mut proxy)
}

/// Starts KWOK and makes nodes that only look like ones: pods on them are said to run.
pub fn fake_nodes(control: &mut Control, count: u32, labels: &Value) -> Result<()> {
    let mut kwok = control.program("kwok");
    kwok.args(["--kubeconfig", "kubeconfig", "--manage-all-nodes=false"]);
    kwok.args(["--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake"]);
    // Leases of a thousand nodes are more than two cores can renew.
    kwok.args(["--node-lease-duration-seconds=0", "--cidr", "10.128.0.0/9"]);
    control.daemons.start("kwok", &mut kwok)?;
    let node = |number: u32| {
        let name = format!("fake-{number:04}");
        let mut all = labels.clone();
        all["kubernetes.io/hostname"] = json!(name);
        all["type"] = json!("kwok");
        json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": all, "annotations": {"kwok.x-k8s.io/node": "fake"}},
            "spec": {"taints": [{"key": "fleet.tautochrone.dev/timing", "effect": "NoSchedule"}]},
            "status": {
                "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
                "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"},
            },
        })
    };
    let nodes: Vec<Value> = (0..count).map(node).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": nodes}).to_string();
    let file = control.folder.join("nodes.json");
    fs::write(&file, list).context("cannot write the nodes")?;
    let name = file.display().to_string();
    process::read(&mut control.kubectl(&["create", "-f", &name])).map(drop)
}
