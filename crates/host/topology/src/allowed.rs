//! CPUs and memory that this process may use: its cpuset, in either version of control groups or the older file system,
//! and its affinity.

use super::memory::node_set;
use super::reader::Reader;
use cgroup::{Hierarchy, Version};
use model::{CpuSet, NumaNode};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Names of the two files below a group, in the order of preference.
type Names = &'static [&'static str];

/// A hierarchy with cpusets, and this process's group in it.
struct CpusetMount {
    mount: String,
    group: String,
    cpus: Names,
    nodes: Names,
}

const V2: (Names, Names) = (&["cpuset.cpus.effective"], &["cpuset.mems.effective"]);
const V1: (Names, Names) =
    (&["cpuset.effective_cpus", "cpuset.cpus", "cpus"], &["cpuset.effective_mems", "cpuset.mems", "mems"]);

/// Returns the CPUs and the NUMA nodes that this process may use; all if nothing limits it.
///
/// A file that allows nothing contradicts the fact that this process runs.
pub(super) fn read(reader: &Reader<'_>, online: &CpuSet, nodes: &[NumaNode]) -> (CpuSet, BTreeSet<u32>) {
    let mut cpus = online.clone();
    let mut memory: BTreeSet<u32> = nodes.iter().map(|node| node.os_id).collect();
    let mut limit_cpus = |path: &str, text: &str| match text.parse::<CpuSet>() {
        Ok(set) if cpus.meets(&set) => cpus = cpus.intersection(&set),
        Ok(set) => reader.leave_out(path, &format!("allows only the CPUs '{set}', of which none is online")),
        Err(_) => reader.wrong(path, text, "a list of CPUs such as 0-3,8"),
    };
    let mut limit_memory = |path: &str, text: &str| match node_set(text) {
        Some(set) if !memory.is_disjoint(&set) => memory.retain(|node| set.contains(node)),
        Some(_) => {
            reader.leave_out(path, &format!("allows only the NUMA nodes '{text}', of which none is there"))
        }
        None => reader.wrong(path, text, "a list of NUMA nodes such as 0-1"),
    };
    if let Some(place) = place(reader) {
        if let Some((path, text)) = place.find(reader, place.cpus) {
            limit_cpus(&path, &text);
        }
        if let Some((path, text)) = place.find(reader, place.nodes) {
            limit_memory(&path, &text);
        }
    }
    const STATUS: &str = "proc/self/status";
    let status = reader.text(STATUS).unwrap_or_default();
    let field = |name| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    if let Some(affinity) = field("Cpus_allowed_list:") {
        limit_cpus(STATUS, affinity);
    }
    if let Some(nodes) = field("Mems_allowed_list:") {
        limit_memory(STATUS, nodes);
    }
    (cpus, memory)
}

/// Finds this process's cpuset: in version 1 if that is mounted, since the controller is then there.
fn place(reader: &Reader<'_>) -> Option<CpusetMount> {
    let groups = reader.text("proc/self/cgroup").unwrap_or_default();
    let mounts = reader.text("proc/mounts").or_else(|| reader.text("proc/self/mounts"))?;
    let hierarchies: Vec<Hierarchy> = Hierarchy::in_mounts(&mounts).collect();
    let own_cpuset = || reader.text("proc/self/cpuset");
    let cpuset =
        Hierarchy { version: Version::V1, point: PathBuf::new(), controllers: vec!["cpuset".to_owned()] };
    let v1_group = || cpuset.own_group(&groups).map(str::to_owned).or_else(own_cpuset);
    // Before control groups there was a file system of this name.
    let old = mounts.lines().find(|line| line.split(' ').nth(2) == Some("cpuset"));
    let v1 = hierarchies
        .iter()
        .find(|found| found.controllers.contains(&cpuset.controllers[0]))
        .map(|found| found.point.clone())
        .or_else(|| old.and_then(|line| line.split(' ').nth(1)).map(PathBuf::from));
    if let (Some(mount), Some(group)) = (v1, v1_group()) {
        return Some(CpusetMount { mount: relative(&mount), group, cpus: V1.0, nodes: V1.1 });
    }
    let v2 = hierarchies.iter().find(|found| found.version == Version::V2)?;
    let group = v2.own_group(&groups).map(str::to_owned).or_else(own_cpuset)?;
    Some(CpusetMount { mount: relative(&v2.point), group, cpus: V2.0, nodes: V2.1 })
}

impl CpusetMount {
    /// Reads a file of the group, or of the nearest group above that has it.
    ///
    /// Groups above matter because a container sees its group with a path that starts outside of the mount, and because
    /// in version 2 a group has the file only if the controller is enabled for it.
    fn find(&self, reader: &Reader<'_>, names: Names) -> Option<(String, String)> {
        let parts: Vec<_> = self.group.split('/').filter(|part| !part.is_empty()).collect();
        // A group outside of the mount has a path with `..`, which does not exist here.
        let parts = if parts.contains(&"..") { &[][..] } else { &parts };
        (0..=parts.len()).rev().find_map(|depth| {
            let folder = [&[self.mount.as_str()], &parts[..depth]].concat().join("/");
            names.iter().find_map(|name| {
                let path = format!("{folder}/{name}");
                let text = reader.text(&path).filter(|text| !text.is_empty())?;
                Some((path, text))
            })
        })
    }
}

fn relative(mount: &Path) -> String {
    mount.to_string_lossy().trim_start_matches('/').to_owned()
}
