//! The mounted control groups: which version, which controllers, and what tauto may use of them.

use super::Facts;
use crate::{Roots, files};
use cgroup::{GROUP_PREFIX, Hierarchy};
use model::Reading;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use cgroup::{Controller, Version as CgroupVersion};

/// The name of tauto's processes in `/proc/PID/comm`.
const OUR_COMMAND: &str = "tauto";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CgroupMount {
    pub version: CgroupVersion,
    /// The mount point as the kernel names it.
    pub point: PathBuf,
    pub controllers: Vec<String>,
    /// The path of this process's own group in it.
    pub own_group: Option<String>,
    pub writable: bool,
    /// Version 2: whether the root can enable its controllers for its children. Always true for version 1.
    pub hands_down: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControllerPlace {
    /// In this hierarchy, and groups can be made there.
    Usable(CgroupVersion, PathBuf),
    /// In this hierarchy, where this process may not make groups.
    ReadOnly(CgroupVersion, PathBuf),
    /// In this version 2 tree, whose root contains processes and so cannot enable it for its children.
    NotHandedDown(PathBuf),
    Absent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CgroupLayout {
    pub mounts: Reading<Vec<CgroupMount>>,
    /// tauto's groups without processes; empty while another process of tauto's exists.
    pub leftovers: Vec<PathBuf>,
}

impl CgroupLayout {
    pub fn read(roots: &Roots) -> Self {
        let own = files::text(&roots.proc.join("self/cgroup"));
        let own = own.known().map_or("", String::as_str);
        let mounts = files::text(&roots.proc.join("self/mountinfo")).map(|text| {
            Hierarchy::in_mountinfo(&text).map(|found| CgroupMount::of(found, own, roots)).collect::<Vec<_>>()
        });
        let leftovers = mounts.known().map_or_else(Vec::new, |mounts| leftovers(roots, mounts));
        Self { mounts, leftovers }
    }

    /// Returns the layout as a word: `v2`, `hybrid`, `v1` or `none`.
    pub fn kind(&self) -> &'static str {
        let has = |version, named: bool| {
            self.mounts().iter().any(|mount| {
                mount.version == version
                    && (!named || mount.controllers.iter().any(|c| !c.starts_with("name=")))
            })
        };
        match (has(CgroupVersion::V2, false), has(CgroupVersion::V1, true)) {
            (true, false) => "v2",
            (true, true) => "hybrid",
            (false, true) => "v1",
            (false, false) => "none",
        }
    }

    pub fn unified(&self) -> Option<&CgroupMount> {
        self.mounts().iter().find(|mount| mount.version == CgroupVersion::V2)
    }

    /// Returns where a controller can be used; version 2 takes precedence.
    pub fn place(&self, controller: Controller) -> ControllerPlace {
        let counts_cpu_time =
            |mount: &CgroupMount| controller == Controller::CpuAcct && mount.version == CgroupVersion::V2;
        let mut holders: Vec<_> = self
            .mounts()
            .iter()
            .filter(|mount| {
                mount.controllers.iter().any(|name| name == controller.name()) || counts_cpu_time(mount)
            })
            .collect();
        holders.sort_by_key(|mount| mount.version == CgroupVersion::V1);
        match holders.first() {
            None => ControllerPlace::Absent,
            Some(mount) if !mount.writable => ControllerPlace::ReadOnly(mount.version, mount.point.clone()),
            Some(mount) if !mount.hands_down && !counts_cpu_time(mount) => {
                ControllerPlace::NotHandedDown(mount.point.clone())
            }
            Some(mount) => ControllerPlace::Usable(mount.version, mount.point.clone()),
        }
    }

    fn mounts(&self) -> &[CgroupMount] {
        self.mounts.known().map_or(&[], Vec::as_slice)
    }

    pub(super) fn facts(&self, facts: &mut Facts) {
        facts.push(("cgroup layout", Reading::Known(self.kind().to_owned())));
        let list = |mounts: Vec<CgroupMount>| {
            let mounts = mounts.iter().filter(|mount| !mount.controllers.is_empty());
            let texts: Vec<_> = mounts
                .map(|mount| format!("{}: {}", mount.point.display(), mount.controllers.join(" ")))
                .collect();
            if texts.is_empty() { "none".to_owned() } else { texts.join("; ") }
        };
        facts.push(("cgroup controllers", self.mounts.clone().map(list)));
        let own: BTreeSet<_> = self.mounts().iter().filter_map(|mount| mount.own_group.clone()).collect();
        let own = files::known_or((!own.is_empty()).then(|| Vec::from_iter(own).join(" ")), || {
            "/proc/self/cgroup names no group of a mounted hierarchy".to_owned()
        });
        facts.push(("own cgroups", own));
    }
}

impl CgroupMount {
    fn of(found: Hierarchy, own: &str, roots: &Roots) -> Self {
        let own_group = found.own_group(own).map(str::to_owned);
        let Hierarchy { version, point, controllers } = found;
        let folder = roots.resolve(&point);
        let (controllers, hands_down) = match version {
            CgroupVersion::V1 => (controllers, true),
            CgroupVersion::V2 => (words(&folder.join("cgroup.controllers")), hands_down(&folder)),
        };
        let writable = rustix::fs::access(&folder, rustix::fs::Access::WRITE_OK).is_ok();
        Self { version, point, controllers, own_group, writable, hands_down }
    }
}

/// Returns whether a version 2 root can enable controllers for its children.
///
/// The kernel refuses while the group itself contains processes, except in the hierarchy's true root, which is the only
/// group without `cgroup.events`.
fn hands_down(root: &Path) -> bool {
    let available = words(&root.join("cgroup.controllers"));
    let handed_down = words(&root.join("cgroup.subtree_control"));
    !root.join("cgroup.events").exists()
        || available.iter().all(|name| handed_down.contains(name))
        || words(&root.join("cgroup.procs")).is_empty()
}

/// Finds tauto's groups without processes; empty while another process of tauto's exists, since it may own them.
fn leftovers(roots: &Roots, mounts: &[CgroupMount]) -> Vec<PathBuf> {
    if another_of_us_lives(roots) {
        return Vec::new();
    }
    let mut found = BTreeSet::new();
    for mount in mounts {
        let Ok(entries) = std::fs::read_dir(roots.resolve(&mount.point)) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let ours = name.to_str().is_some_and(|name| name.starts_with(GROUP_PREFIX));
            if ours && words(&entry.path().join("cgroup.procs")).is_empty() {
                found.insert(mount.point.join(name));
            }
        }
    }
    found.into_iter().collect()
}

fn another_of_us_lives(roots: &Roots) -> bool {
    let own_id = std::process::id().to_string();
    let Ok(entries) = std::fs::read_dir(&roots.proc) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let is_process = name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
        is_process
            && name != own_id.as_str()
            && files::text(&entry.path().join("comm")).known().is_some_and(|command| command == OUR_COMMAND)
    })
}

/// Reads a file of words; one that cannot be read counts as empty.
fn words(path: &Path) -> Vec<String> {
    let text = files::text(path);
    text.known().map_or_else(Vec::new, |text| text.split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_tree::Tree;

    const HYBRID: &str = "\
30 23 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
32 30 0:28 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
33 30 0:29 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd
34 30 0:30 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";
    const PURE: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

    fn hybrid_tree() -> Tree {
        Tree::new(&[
            ("proc/self/mountinfo", HYBRID),
            ("proc/self/cgroup", "4:memory:/jobs/7\n1:cpu,cpuacct:/\n0::/\n"),
            ("sys/fs/cgroup/cpu,cpuacct/", ""),
            ("sys/fs/cgroup/memory/", ""),
            ("sys/fs/cgroup/systemd/", ""),
            ("sys/fs/cgroup/unified/cgroup.controllers", "hugetlb\n"),
        ])
    }

    #[test]
    fn hybrid_layout_is_recognised() {
        let layout = CgroupLayout::read(&Roots::under(hybrid_tree().path()));
        assert_eq!(layout.kind(), "hybrid");
        assert_eq!(
            layout.place(Controller::Memory),
            ControllerPlace::Usable(CgroupVersion::V1, "/sys/fs/cgroup/memory".into())
        );
        assert_eq!(
            layout.place(Controller::CpuAcct),
            ControllerPlace::Usable(CgroupVersion::V2, "/sys/fs/cgroup/unified".into())
        );
        assert_eq!(layout.place(Controller::Pids), ControllerPlace::Absent);
        let mounts = layout.mounts.known().unwrap();
        assert_eq!(mounts[1].own_group.as_deref(), Some("/jobs/7"));
        assert_eq!(mounts[2].controllers, ["name=systemd"]);
    }

    #[test]
    fn a_version_2_root_with_processes_hands_nothing_down() {
        let tree = Tree::new(&[
            ("proc/self/mountinfo", PURE),
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/cgroup.controllers", "cpu memory pids\n"),
            ("sys/fs/cgroup/cgroup.subtree_control", "\n"),
            ("sys/fs/cgroup/cgroup.procs", "1\n"),
        ]);
        let place = |tree: &Tree| CgroupLayout::read(&Roots::under(tree.path())).place(Controller::Memory);
        let usable = ControllerPlace::Usable(CgroupVersion::V2, "/sys/fs/cgroup".into());
        assert_eq!(place(&tree), usable, "the true root may");
        tree.write(&[("sys/fs/cgroup/cgroup.events", "populated 1\n")]);
        assert_eq!(place(&tree), ControllerPlace::NotHandedDown("/sys/fs/cgroup".into()));
        tree.write(&[("sys/fs/cgroup/cgroup.subtree_control", "cpu memory pids\n")]);
        assert_eq!(place(&tree), usable);
        assert_eq!(CgroupLayout::read(&Roots::under(tree.path())).kind(), "v2");
    }

    #[test]
    fn groups_without_a_process_are_leftovers_unless_we_live() {
        let tree = hybrid_tree();
        tree.write(&[
            ("sys/fs/cgroup/memory/tauto-slot-0/cgroup.procs", ""),
            ("sys/fs/cgroup/memory/tauto-slot-1/cgroup.procs", "77\n"),
            ("sys/fs/cgroup/memory/tauto/slot-9/cgroup.procs", ""),
            ("proc/77/comm", "sleep\n"),
        ]);
        let leftovers = |tree: &Tree| CgroupLayout::read(&Roots::under(tree.path())).leftovers;
        assert_eq!(leftovers(&tree), [Path::new("/sys/fs/cgroup/memory/tauto-slot-0")]);
        tree.write(&[("proc/78/comm", "tauto\n")]);
        assert_eq!(leftovers(&tree), Vec::<PathBuf>::new());
    }
}
