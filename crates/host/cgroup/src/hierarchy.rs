//! The hierarchies of control groups, as the kernel lists them.

use std::fmt;
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Version 1: a hierarchy for each controller or a few of them.
    V1,
    V2,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    pub version: Version,
    /// The mount point as the kernel names it.
    pub point: PathBuf,
    /// Version 1: its controllers by the kernel's names. In version 2 a file lists them.
    pub controllers: Vec<String>,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::V1 => "version 1",
            Self::V2 => "version 2",
        })
    }
}

impl Hierarchy {
    /// Parses the text of `/proc/PID/mountinfo`.
    pub fn in_mountinfo(text: &str) -> impl Iterator<Item = Self> {
        text.lines().filter_map(|line| {
            // proc_pid_mountinfo(5): the fields after " - " are type, source and super options.
            let (mount, kind) = line.split_once(" - ")?;
            let mut kind = kind.split(' ');
            Self::of(mount.split(' ').nth(4)?, kind.next()?, kind.nth(1).unwrap_or(""))
        })
    }

    /// Parses the text of `/proc/mounts`, which recordings of older machines have instead.
    pub fn in_mounts(text: &str) -> impl Iterator<Item = Self> {
        text.lines().filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            Self::of(fields.next()?, fields.next()?, fields.next()?)
        })
    }

    fn of(point: &str, file_system: &str, options: &str) -> Option<Self> {
        let point = PathBuf::from(unescaped(point));
        let is_controller = |option: &&str| {
            !matches!(*option, "rw" | "ro" | "xattr" | "noprefix" | "clone_children")
                && !option.starts_with("release_agent=")
        };
        match file_system {
            "cgroup2" => Some(Self { version: Version::V2, point, controllers: Vec::new() }),
            "cgroup" => Some(Self {
                version: Version::V1,
                point,
                controllers: options.split(',').filter(is_controller).map(str::to_owned).collect(),
            }),
            _ => None,
        }
    }

    /// Returns the path of a process's group in this hierarchy, from the text of its `/proc/PID/cgroup`.
    pub fn own_group<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, group) = (fields.next()?, fields.next()?);
            let is_here = match self.version {
                Version::V2 => controllers.is_empty(),
                Version::V1 => {
                    controllers.split(',').any(|name| self.controllers.iter().any(|own| own == name))
                }
            };
            is_here.then_some(group)
        })
    }
}

/// Returns the mount point in a line of `/proc/PID/mountinfo`: the fifth field, see proc_pid_mountinfo(5).
pub fn mount_point(line: &str) -> Option<PathBuf> {
    line.split(' ').nth(4).map(|field| PathBuf::from(unescaped(field)))
}

/// Decodes the kernel's octal escapes in a mount point.
fn unescaped(field: &str) -> String {
    field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mountinfo_and_mounts_give_the_same_hierarchies() {
        let mountinfo = "\
30 23 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
31 30 0:27 / /a\\040b/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,xattr,cpu,cpuacct
34 30 0:30 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";
        let mounts = "\
tmpfs /sys/fs/cgroup tmpfs rw,mode=755 0 0
cgroup /a\\040b/cpu,cpuacct cgroup rw,xattr,cpu,cpuacct 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
";
        let found: Vec<_> = Hierarchy::in_mountinfo(mountinfo).collect();
        assert_eq!(found, Hierarchy::in_mounts(mounts).collect::<Vec<_>>());
        assert_eq!(found[0].point, PathBuf::from("/a b/cpu,cpuacct"));
        assert_eq!(found[0].controllers, ["cpu", "cpuacct"]);
        let own = "4:memory:/jobs/7\n1:cpu,cpuacct:/a:b\n0::/c\n";
        assert_eq!(
            found.iter().map(|one| one.own_group(own)).collect::<Vec<_>>(),
            [Some("/a:b"), Some("/c")]
        );
        assert_eq!(found[1].own_group("1:cpu:/\n"), None);
    }
}
