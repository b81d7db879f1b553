//! What this process may use: its cpuset, in either version of control groups or the older file system, and
//! its affinity.

use super::memory::node_set;
use super::{Source, TopologyError};
use model::{CpuSet, NumaNode};
use std::collections::BTreeSet;

/// Names of the two files below a group, in the order of preference.
type Names = &'static [&'static str];

/// A hierarchy in which cpusets are, and this process's group in it.
struct Place {
    mount: String,
    group: String,
    cpus: Names,
    nodes: Names,
}

const V2: (Names, Names) = (&["cpuset.cpus.effective"], &["cpuset.mems.effective"]);
const V1: (Names, Names) =
    (&["cpuset.effective_cpus", "cpuset.cpus", "cpus"], &["cpuset.effective_mems", "cpuset.mems", "mems"]);

/// Gives the CPUs and the NUMA nodes that this process may use; all where nothing limits it.
pub(super) fn read(
    source: &Source,
    online: &CpuSet,
    nodes: &[NumaNode],
) -> Result<(CpuSet, BTreeSet<u32>), TopologyError> {
    let mut cpus = online.clone();
    let mut memory: BTreeSet<u32> = nodes.iter().map(|node| node.os_id).collect();
    if let Some(place) = place(source) {
        if let Some((path, text)) = place.find(source, place.cpus) {
            let set = text.parse().map_err(|_| source.wrong(&path, &text, "a list of CPUs such as 0-3,8"))?;
            cpus = cpus.intersection(&set);
        }
        if let Some((path, text)) = place.find(source, place.nodes) {
            let set = node_set(&text)
                .ok_or_else(|| source.wrong(&path, &text, "a list of NUMA nodes such as 0-1"))?;
            memory = memory.intersection(&set).copied().collect();
        }
    }
    let status = source.text("proc/self/status").unwrap_or_default();
    let field = |name| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    if let Some(affinity) = field("Cpus_allowed_list:") {
        let set = affinity.parse().map_err(|_| {
            source.wrong("proc/self/status", affinity, "a list of CPUs after Cpus_allowed_list")
        })?;
        cpus = cpus.intersection(&set);
    }
    if let Some(set) = field("Mems_allowed_list:").and_then(node_set) {
        memory = memory.intersection(&set).copied().collect();
    }
    Ok((cpus, memory))
}

/// Finds where this process's cpuset is: version 1 where it is mounted, since the controller is then there.
fn place(source: &Source) -> Option<Place> {
    let groups = source.text("proc/self/cgroup").unwrap_or_default();
    let v1_group = || {
        let line = groups.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, group) = (parts.next()?, parts.next()?);
            controllers.split(',').any(|name| name == "cpuset").then(|| group.to_owned())
        });
        line.or_else(|| source.text("proc/self/cpuset"))
    };
    let v2_group = || {
        let own = groups.lines().find_map(|line| line.strip_prefix("0::"));
        own.map(str::to_owned).or_else(|| source.text("proc/self/cpuset"))
    };
    let mounts = source.text("proc/mounts").or_else(|| source.text("proc/self/mounts"))?;
    let mounts: Vec<(&str, &str, &str)> = mounts
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            Some((fields.next()?, fields.next()?, fields.next()?))
        })
        .collect();
    let v1 = mounts.iter().find(|(_, kind, options)| {
        *kind == "cpuset" || *kind == "cgroup" && options.split(',').any(|option| option == "cpuset")
    });
    if let (Some((mount, ..)), Some(group)) = (v1, v1_group()) {
        return Some(Place { mount: relative(mount), group, cpus: V1.0, nodes: V1.1 });
    }
    let (mount, ..) = mounts.iter().find(|(_, kind, _)| *kind == "cgroup2")?;
    Some(Place { mount: relative(mount), group: v2_group()?, cpus: V2.0, nodes: V2.1 })
}

impl Place {
    /// Reads a file of the group, or of the nearest group above that has it.
    ///
    /// Above: a container sees its group by a path that starts outside of what is mounted, and in version 2 a
    /// group has the file only where the controller is handed down to it.
    fn find(&self, source: &Source, names: Names) -> Option<(String, String)> {
        let parts: Vec<_> = self.group.split('/').filter(|part| !part.is_empty()).collect();
        // A group outside of the mounted part is shown by a path with `..`, which leads nowhere here.
        let parts = if parts.contains(&"..") { &[][..] } else { &parts };
        (0..=parts.len()).rev().find_map(|depth| {
            let folder = [&[self.mount.as_str()], &parts[..depth]].concat().join("/");
            names.iter().find_map(|name| {
                let path = format!("{folder}/{name}");
                let text = source.text(&path).filter(|text| !text.is_empty())?;
                Some((path, text))
            })
        })
    }
}

/// Undoes the kernel's octal escapes, and gives the path from the root directory.
fn relative(mount: &str) -> String {
    let mount = mount.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    mount.trim_start_matches('/').to_owned()
}
