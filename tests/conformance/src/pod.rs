//! A judgehost's place in a pod, on control groups of version 2: a group of its own with the CPUs of a core, a namespace in which that
//! group looks like the root, the host's tree at `/sys/fs/cgroup`, and seven capabilities.

use crate::core_suite::run_in_pod as run_cases;
use crate::own_cpus::own_core;
use crate::table::{Row, check};
use anyhow::{Context, Result, ensure};
use cgroup::{Controller, Home, Layout};
use model::CpuSet;
use nix::sched::{CloneFlags, unshare};
use rustix::thread::{CapabilitySet, CapabilitySets};
use sandbox::{RootView, Slot, SlotOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// As the kubelet names them.
const OUTER: &str = "kubepods";
const POD: &str = "kubepods/pod7";
const CONTAINER: &str = "kubepods/pod7/judgehost";

/// What the chart gives a judgehost's container.
const CAPABILITIES: CapabilitySet = CapabilitySet::SYS_ADMIN
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::CHOWN)
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETPCAP);

/// Runs some cases in a pod, while another process of the machine has a slot; nothing where there is no version 2.
pub fn run(programs: &Path) -> Result<Vec<Row>> {
    let Some(Home::V2(root)) = Layout::detect()?.home(Controller::CpuSet) else { return Ok(Vec::new()) };
    let cpus = last_core()?;
    let before = groups(&root)?;
    for group in [OUTER, POD, CONTAINER] {
        fs::create_dir(root.join(group)).with_context(|| format!("cannot make the group {group}"))?;
    }
    for group in ["", OUTER, POD] {
        fs::write(root.join(group).join("cgroup.subtree_control"), "+cpuset +cpu +memory +pids")?;
    }
    fs::write(root.join(POD).join("cpuset.cpus"), &cpus)?;
    fs::write(root.join(POD).join("memory.max"), "256M")?;
    let table = tempfile::NamedTempFile::new()?;
    let outside = Slot::open(SlotOptions::new(RootView::Host { extra: Vec::new() }))?;
    let status = Command::new("/proc/self/exe")
        .arg("run-in-pod")
        .arg(programs)
        .arg(root.join(CONTAINER))
        .arg(&cpus)
        .arg("--json")
        .arg(table.path())
        .status()?;
    drop(outside);
    let rows = serde_json::from_slice(&fs::read(table.path())?);
    let mut rows: Vec<Row> =
        rows.with_context(|| format!("no table of the pod, which ended with {status}"))?;
    for group in [CONTAINER, POD, OUTER] {
        fs::remove_dir(root.join(group)).with_context(|| format!("cannot remove the group {group}"))?;
    }
    let after = groups(&root)?;
    rows.push(check("pod-leaves-nothing", (before != after).then(|| format!("{before:?}, then {after:?}"))));
    Ok(rows)
}

/// Becomes the process of a judgehost's container, and runs the cases.
pub fn run_inside(programs: &Path, group: &Path, cpus: &CpuSet) -> Result<Vec<Row>> {
    fs::write(group.join("cgroup.procs"), "0").context("cannot join the pod's group")?;
    unshare(CloneFlags::CLONE_NEWCGROUP)?;
    let own = fs::read_to_string("/proc/self/cgroup")?;
    ensure!(own.contains("0::/\n"), "the namespace shows {own:?}");
    keep(CAPABILITIES)?;
    let mut rows = run_cases(programs)?;
    let (_lease, own) = own_core()?;
    let others = !own.cpus.is_subset(cpus);
    rows.push(check("pod-has-its-cpus-alone", others.then(|| format!("{} and not {cpus}", own.cpus))));
    Ok(rows)
}

/// Gives up all other capabilities, and the way to them.
fn keep(kept: CapabilitySet) -> Result<()> {
    for one in CapabilitySet::all().difference(kept).iter() {
        // The kernel has fewer than there are names for.
        let _ = rustix::thread::remove_capability_from_bounding_set(one);
    }
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    rustix::thread::set_capabilities(None, sets).context("cannot give up capabilities")
}

/// Returns the CPUs of the last core: a core that is timed needs all of its threads.
fn last_core() -> Result<String> {
    let cpus = Path::new("/sys/devices/system/cpu");
    let online = fs::read_to_string(cpus.join("online"))?;
    let last = online.trim().rsplit([',', '-']).next().unwrap_or_default();
    let siblings = fs::read_to_string(cpus.join(format!("cpu{last}/topology/thread_siblings_list")))?;
    Ok(siblings.trim().to_owned())
}

/// Returns the groups below the root.
fn groups(root: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(root)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let mut groups: Vec<PathBuf> = entries.into_iter().filter(|path| path.is_dir()).collect();
    groups.sort();
    Ok(groups)
}
