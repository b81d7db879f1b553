//! Whole cores on a real node of a cluster on this machine: by `tauto-node`, and by the kubelet.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use xtask::fleet::{self, Control, Cores, Node, PAUSE, wait_for};
use xtask::process;

use crate::vm;

/// What gives pods whole cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Way {
    /// tauto-node, a plugin of containerd
    Nri,
    /// The kubelet's CPU manager
    KubeletStatic,
}

#[derive(clap::Args)]
pub struct Options {
    /// By this way alone
    #[arg(long, value_enum, value_name = "WAY", default_value = "nri")]
    way: Way,
}

/// How long a container takes to be where it should be, also after a restart.
const THERE_WITHIN: Duration = Duration::from_secs(60);
/// The argument of each process in the pods, by which they are found.
const MARK: &str = "31536000";

struct Bench<'a> {
    control: Control,
    node: &'a Node,
    begun: Instant,
    /// All CPUs, those that are reserved, and the others.
    cpus: [String; 3],
}

pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let programs = fleet::programs()?;
    ensure!(programs.join("tauto-node").is_file(), "there is no tauto-node: run 'tools/install fleet' first");
    let target = vm::target_directory(root)?;
    fleet::enter_namespaces()?;
    let count = u32::try_from(std::thread::available_parallelism()?.get())?;
    ensure!(count >= 2, "a machine with one CPU has none to give");
    let [node, _] = Node::both(count);
    let cores = match options.way {
        Way::Nri => Cores::Plugin,
        Way::KubeletStatic => Cores::Kubelet,
    };
    let node = Node { reserved: "0".to_owned(), cores, ..node };
    let list =
        |first: u32| if first + 1 == count { first.to_string() } else { format!("{first}-{}", count - 1) };
    let mut bench = Bench {
        control: Control::start(&target.join("fleet/cores"), &programs)?,
        node: &node,
        begun: Instant::now(),
        cpus: [list(0), "0".to_owned(), list(1)],
    };
    bench.start(&target.join("fleet"))?;
    match options.way {
        Way::Nri => bench.by_plugin(count - 1)?,
        Way::KubeletStatic => bench.by_kubelet(count - 1)?,
    }
    bench.said("done");
    Ok(ExitCode::SUCCESS)
}

impl Bench<'_> {
    fn said(&self, text: &str) {
        println!("fleet-cores: {:>5.1} s  {text}", self.begun.elapsed().as_secs_f64());
    }

    fn start(&mut self, work: &Path) -> Result<()> {
        fs::create_dir_all(work)?;
        let pause = work.join("pause.tar");
        fleet::archive(&pause, &["bin"], &[("bin/busybox", Path::new("/bin/busybox"))])?;
        let name = format!("docker.io/{PAUSE}");
        let sleep = ["/bin/busybox", "sleep", "2147483647"];
        let pause = fleet::layout(&work.join("pause"), &name, &pause, &sleep)?;
        self.node.start_containerd(&mut self.control)?;
        self.node.import(&self.control, &pause)?;
        if self.node.cores == Cores::Plugin {
            self.start_plugin()?;
        }
        self.node.start_kubelet(&mut self.control)?;
        self.node.wait_until_ready(&mut self.control)?;
        self.said("a real node is ready");
        Ok(())
    }

    fn start_plugin(&mut self) -> Result<()> {
        let mut plugin = self.control.program("tauto-node");
        plugin
            .args(["run", "--reserved", &self.node.reserved])
            .arg("--socket")
            .arg(self.node.plugins_socket());
        plugin.arg("--kubelet-root").arg(self.node.kubelet_root(&self.control));
        plugin.arg("--table").arg(self.control.folder.join("containers.json"));
        self.control.daemons.start("tauto-node", &mut plugin)
    }

    /// A pinned pod comes, what gives cores is restarted, and the pod goes: all stay where they should be.
    fn by_plugin(&mut self, others: u32) -> Result<()> {
        let [all, reserved, rest] = self.cpus.clone();
        self.create("shared", None, others)?;
        self.expect("shared", &all)?;
        let refused = self.refusal("half", "500m")?;
        self.said(&format!("half a core is refused: {refused}"));
        self.remove("half")?;
        self.create("pinned", Some("whole"), others)?;
        self.expect("pinned", &rest)?;
        self.expect("shared", &reserved)?;
        self.said("a pod has whole cores, and the shared one was moved off them");
        self.control.daemons.kill("tauto-node");
        self.start_plugin()?;
        self.stays("pinned", &rest, "shared", &reserved)?;
        self.said("both are where they were after a restart of the plugin");
        self.node.kill(&mut self.control, "containerd");
        self.node.start_containerd(&mut self.control)?;
        self.stays("pinned", &rest, "shared", &reserved)?;
        // What comes now shows whether the plugin is asked again.
        self.create("late", None, others)?;
        self.expect("late", &reserved)?;
        self.said("both are where they were after a restart of containerd, and a new pod shares");
        self.report()?;
        self.remove("pinned")?;
        self.expect("shared", &all)?;
        self.expect("late", &all)?;
        self.create("pinned", Some("whole"), others)?;
        self.expect("pinned", &rest)?;
        self.expect("shared", &reserved)?;
        self.said("the cores were shared again when the pod had ended, and given again");
        Ok(())
    }

    fn by_kubelet(&mut self, others: u32) -> Result<()> {
        let [_, reserved, rest] = self.cpus.clone();
        self.create("shared", None, others)?;
        self.create("pinned", Some("whole"), others)?;
        self.expect("pinned", &rest)?;
        self.expect("shared", &reserved)?;
        self.said("the kubelet gave a pod whole cores, and moved the shared one off them");
        self.report()
    }

    fn create(&self, name: &str, cores: Option<&str>, cpus: u32) -> Result<()> {
        self.create_with(name, cores, cores.map(|_| cpus.to_string()).as_deref())
    }

    /// Creates a pod with three processes; with CPUs it is Guaranteed.
    fn create_with(&self, name: &str, cores: Option<&str>, cpus: Option<&str>) -> Result<()> {
        let resources = cpus.map_or(json!({}), |cpus| {
            let amounts = json!({"cpu": cpus, "memory": "64Mi"});
            json!({"requests": amounts, "limits": amounts})
        });
        let script =
            format!("/bin/busybox sleep {MARK} & /bin/busybox sleep {MARK} & exec /bin/busybox sleep {MARK}");
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": name, "namespace": "default",
                "annotations": cores.map(|cores| json!({"fleet.tautochrone.dev/cores": cores})),
            },
            "spec": {
                "nodeName": self.node.name, "hostNetwork": true, "automountServiceAccountToken": false,
                "terminationGracePeriodSeconds": 0,
                "containers": [{
                    "name": "main", "image": format!("docker.io/{PAUSE}"), "imagePullPolicy": "Never",
                    "command": ["/bin/busybox", "sh", "-c", script],
                    // A container that chooses its own CPUs by what it says of itself gets none by it.
                    "env": [{"name": "DRA_CPUSET_forged", "value": "0"}],
                    "resources": resources,
                }],
            },
        });
        let create = || self.control.apply(&pod.to_string()).map(Some);
        wait_for(&format!("pod {name} is taken"), THERE_WITHIN, create).map(drop)
    }

    fn remove(&self, name: &str) -> Result<()> {
        process::read(&mut self.control.kubectl(&["delete", "pod", name, "--wait=true"])).map(drop)
    }

    /// Waits until all threads of a pod may run on these CPUs and no others.
    fn expect(&self, pod: &str, cpus: &str) -> Result<()> {
        let there = || {
            let found = self.allowed(pod)?;
            ensure!(found == BTreeSet::from([cpus.to_owned()]), "its threads may run on {found:?}");
            Ok(Some(()))
        };
        wait_for(&format!("pod {pod} is on CPUs {cpus}"), THERE_WITHIN, there)?;
        Ok(())
    }

    /// Looks for some seconds whether two pods stay where they are.
    fn stays(&self, one: &str, its: &str, other: &str, others: &str) -> Result<()> {
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until {
            for (pod, cpus) in [(one, its), (other, others)] {
                let found = self.allowed(pod)?;
                ensure!(
                    found == BTreeSet::from([cpus.to_owned()]),
                    "pod {pod} was on {cpus}, and is on {found:?}"
                );
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    /// Returns on which CPUs the threads of a pod may run, as the kernel says it.
    fn allowed(&self, pod: &str) -> Result<BTreeSet<String>> {
        let found = self.control.get(&["pod", pod, "-n", "default"])?;
        let uid = found["metadata"]["uid"].as_str().context("a pod without a uid")?.to_owned();
        let mut lists = BTreeSet::new();
        for entry in fs::read_dir("/proc")? {
            let folder = entry?.path();
            let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
            if !text("cgroup").contains(&uid) || !text("cmdline").contains(MARK) {
                continue;
            }
            for task in fs::read_dir(folder.join("task")).into_iter().flatten().flatten() {
                let status = fs::read_to_string(task.path().join("status")).unwrap_or_default();
                let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
                lists.extend(list.map(|list| list.trim().to_owned()));
            }
        }
        Ok(lists)
    }

    /// Returns what is said about a pod that cannot have what it asks for.
    fn refusal(&self, name: &str, cpus: &str) -> Result<String> {
        self.create_with(name, Some("whole"), Some(cpus))?;
        let said = || {
            let found = self.control.get(&["pod", name, "-n", "default"])?;
            let waiting = &found["status"]["containerStatuses"][0]["state"]["waiting"]["message"];
            let rejected = &found["status"]["message"];
            let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
            Ok(text(waiting).or_else(|| text(rejected)))
        };
        wait_for(&format!("pod {name} is refused"), THERE_WITHIN, said).map(|(text, _)| text)
    }

    /// Prints what the agent sees.
    fn report(&self) -> Result<()> {
        let mut agent: Command = self.control.program("tauto-node");
        agent.arg("report").arg("--kubelet-root").arg(self.node.kubelet_root(&self.control));
        agent.arg("--table").arg(self.control.folder.join("containers.json"));
        // A container that was just made is not yet in what the plugin wrote down.
        let look = || process::read(&mut agent).map(Some);
        let (printed, _) = wait_for("all is where it should be", THERE_WITHIN, look)?;
        println!("\n$ tauto-node report\n{printed}");
        Ok(())
    }
}
