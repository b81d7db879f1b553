//! Which controller is mounted where.

mod controller;
use crate::{CgroupError, Hierarchy, Version, files};
pub use controller::Controller;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Prefix of the names of tauto's groups at each hierarchy's root; the slot's number follows.
pub const GROUP_PREFIX: &str = "tauto-slot-";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Home {
    V2(PathBuf),
    V1(PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Where the version 2 tree is mounted and which controllers it has.
    pub unified: Option<(PathBuf, Vec<Controller>)>,
    pub v1: BTreeMap<Controller, PathBuf>,
}

impl Layout {
    pub fn detect() -> Result<Self, CgroupError> {
        let path = Path::new("/proc/self/mountinfo");
        let mountinfo = files::read_at_once(path)
            .map_err(|source| CgroupError::ReadMounts { path: path.to_owned(), source })?;
        let mut layout = Self::from_mountinfo(&mountinfo);
        if let Some((root, controllers)) = &mut layout.unified {
            let file = root.join("cgroup.controllers");
            let content =
                fs::read_to_string(&file).map_err(|source| CgroupError::Read { path: file, source })?;
            *controllers = content.split_whitespace().filter_map(Controller::from_name).collect();
        }
        Ok(layout)
    }

    /// Reads the layout from the text of `/proc/PID/mountinfo`; version 2 controllers stay empty.
    pub fn from_mountinfo(mountinfo: &str) -> Self {
        let mut layout = Self { unified: None, v1: BTreeMap::new() };
        for Hierarchy { version, point, controllers } in Hierarchy::in_mountinfo(mountinfo) {
            match version {
                Version::V2 => {
                    layout.unified.get_or_insert((point, Vec::new()));
                }
                Version::V1 => {
                    for controller in controllers.iter().filter_map(|name| Controller::from_name(name)) {
                        layout.v1.entry(controller).or_insert_with(|| point.clone());
                    }
                }
            }
        }
        layout
    }

    pub fn home(&self, controller: Controller) -> Option<Home> {
        if let Some((root, controllers)) = &self.unified
            && (controllers.contains(&controller) || controller == Controller::CpuAcct)
        {
            return Some(Home::V2(root.clone()));
        }
        self.v1.get(&controller).cloned().map(Home::V1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "\
30 23 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
31 30 0:27 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
32 30 0:28 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
33 30 0:29 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
34 30 0:30 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";

    #[test]
    fn a_hybrid_machine_keeps_memory_in_v1() {
        let layout = Layout::from_mountinfo(HYBRID);
        assert_eq!(layout.home(Controller::Memory), Some(Home::V1("/sys/fs/cgroup/memory".into())));
        assert_eq!(layout.home(Controller::CpuAcct), Some(Home::V2("/sys/fs/cgroup/unified".into())));
        assert_eq!(layout.home(Controller::CpuSet), None);
    }

    #[test]
    fn joined_v1_controllers_share_a_mount() {
        let layout = Layout::from_mountinfo(
            "35 30 0:31 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n",
        );
        assert_eq!(layout.v1[&Controller::Cpu], layout.v1[&Controller::CpuAcct]);
    }

    #[test]
    fn a_pure_v2_machine_has_one_tree() {
        let mut layout = Layout::from_mountinfo("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
        layout.unified.as_mut().unwrap().1 = vec![Controller::Memory];
        assert_eq!(layout.home(Controller::Memory), Some(Home::V2("/sys/fs/cgroup".into())));
    }
}
