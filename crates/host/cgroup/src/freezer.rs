//! The freezer of version 1: a process that is frozen by it does not even end when it is killed.

use crate::{Hierarchy, Version, files};
use std::fs;
use std::path::{Path, PathBuf};

const CONTROLLER: &str = "freezer";

/// Moves processes, which were killed, to the root of the freezer's hierarchy, where nothing is frozen, as far as that is
/// possible.
pub fn leave(processes: &[u32]) {
    let Some(root) = root() else { return };
    for process in processes {
        // A process that is gone needs no thawing.
        let groups = fs::read_to_string(format!("/proc/{process}/cgroup")).unwrap_or_default();
        if is_below_root(&groups) {
            let _ = fs::write(root.join("cgroup.procs"), process.to_string());
        }
    }
}

fn root() -> Option<PathBuf> {
    let mounts = files::read_at_once(Path::new("/proc/self/mountinfo")).ok()?;
    Hierarchy::in_mountinfo(&mounts)
        .find(|at| at.version == Version::V1 && at.controllers.iter().any(|name| name == CONTROLLER))
        .map(|hierarchy| hierarchy.point)
}

/// Returns whether a process with this `/proc/PID/cgroup` is in another group of the freezer than its root.
fn is_below_root(groups: &str) -> bool {
    groups.lines().any(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let is_freezer = fields.next().is_some_and(|names| names.split(',').any(|name| name == CONTROLLER));
        is_freezer && fields.next().is_some_and(|path| path != "/")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_processes_in_a_group_of_the_freezer_are_moved() {
        assert!(is_below_root("9:pids:/a\n8:freezer:/docker/b\n0::/\n"));
        assert!(is_below_root("8:cpu,freezer:/b:c\n"));
        assert!(!is_below_root("9:pids:/a\n8:freezer:/\n0::/b\n"));
        assert!(!is_below_root("0::/freezer\n1:name=freezer:/b\n"));
    }
}
