//! How much memory this process's own groups have.

use crate::hierarchy::{Hierarchy, Version};
use model::Bytes;
use std::fs;
use std::path::Path;

/// Returns the lowest limit on memory of the groups in which this process is, as far as it sees them; `None` if it sees none.
pub fn own_memory_limit() -> Option<Bytes> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    lowest(&mounts, &groups, |path| fs::read_to_string(path).ok())
}

fn lowest(mounts: &str, groups: &str, read: impl Fn(&Path) -> Option<String>) -> Option<Bytes> {
    let limits = Hierarchy::in_mountinfo(mounts).flat_map(|hierarchy| {
        let file = match hierarchy.version {
            Version::V1 => "memory.limit_in_bytes",
            Version::V2 => "memory.max",
        };
        let group = hierarchy.own_group(groups).unwrap_or("/").trim_start_matches('/');
        let group = hierarchy.point.join(group);
        let all: Vec<_> = group.ancestors().take_while(|path| path.starts_with(&hierarchy.point)).collect();
        // Those without a limit say 'max', or have no such file.
        let limits = all.into_iter().filter_map(|path| read(&path.join(file))?.trim().parse().ok());
        limits.collect::<Vec<u64>>()
    });
    limits.min().map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_limit_on_the_way_counts() {
        let mounts = "31 30 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n34 30 0:30 / /cg/unified rw - cgroup2 cgroup2 rw\n";
        let files = [
            ("/cg/memory/a/b/memory.limit_in_bytes", "900\n"),
            ("/cg/memory/a/memory.limit_in_bytes", "700\n"),
            ("/cg/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/cg/memory/other/memory.limit_in_bytes", "1\n"),
            ("/cg/unified/c/memory.max", "max\n"),
        ];
        let read = |path: &Path| {
            files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned())
        };
        assert_eq!(lowest(mounts, "4:memory:/a/b\n0::/c\n", read), Some(Bytes(700)));
        assert_eq!(lowest(mounts, "4:memory:/\n0::/c\n", read), Some(Bytes(9_223_372_036_854_771_712)));
        assert_eq!(lowest("", "0::/c\n", read), None);
    }
}
