//! Warns of unexpected files that a program can reach through the mounted folders.

use cgroup::mount_point;
use sandbox::{Mount, RunPlan};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use terminal::visible;

/// In larger folders sockets are not searched: that would take time from every run.
const ENTRIES_MAX: usize = 4096;
/// More names in one warning would not be read.
const NAMES_MAX: usize = 5;
/// Write permission for others.
const OTHERS_WRITE: u32 = 0o002;

/// Returns warnings about what is visible, and about what is not.
pub fn warnings(plan: &RunPlan) -> Vec<String> {
    let mounted = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mount_points: Vec<PathBuf> = mounted.lines().filter_map(mount_point).collect();
    let folders = plan.mounts.iter().filter(|mount| mount.source.is_dir());
    folders
        .flat_map(|mount| {
            [whole_system(mount), left_out(mount, &mount_points), reachable(mount)].into_iter().flatten()
        })
        .collect()
}

fn whole_system(mount: &Mount) -> Option<String> {
    (mount.source == Path::new("/")).then(|| {
        format!(
            "{} shows the whole root file system, as far as it is readable for everybody; run it from another folder",
            mount.target
        )
    })
}

/// Returns what is mounted below a folder and left out. Below the root these are the system's own mounts, which no one
/// needs.
fn left_out(mount: &Mount, mount_points: &[PathBuf]) -> Option<String> {
    let is_below = |point: &&PathBuf| point.starts_with(&mount.source) && **point != mount.source;
    let below: Vec<_> =
        mount_points.iter().filter(is_below).map(|point| point.display().to_string()).collect();
    if below.is_empty() || mount.source == Path::new("/") {
        return None;
    }
    let names = listed(&below);
    Some(format!("not shown, since mounted below {}: {names}; --mount shows one", mount.source.display()))
}

/// Returns which sockets and pipes lead out: a read-only file system does not prevent their use.
fn reachable(mount: &Mount) -> Option<String> {
    let is_open = |entry: &fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_socket() || kind.is_fifo())
            && entry.metadata().is_ok_and(|data| data.mode() & OTHERS_WRITE != 0)
    };
    let entries = fs::read_dir(&mount.source).ok()?.take(ENTRIES_MAX).flatten();
    let mut names: Vec<_> = entries
        .filter(is_open)
        .map(|entry| format!("{}/{}", mount.target, entry.file_name().display()))
        .collect();
    names.sort();
    (!names.is_empty()).then(|| {
        format!(
            "the program can reach programs of the host by {}: writable for everybody; chmod o-w, or run it \
             from another folder",
            listed(&names)
        )
    })
}

fn listed(names: &[String]) -> String {
    let more = match names.len().saturating_sub(NAMES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown: Vec<_> = names.iter().take(NAMES_MAX).map(|name| visible(name)).collect();
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    fn mount_of(source: &Path) -> Mount {
        Mount { source: source.to_owned(), target: "/program".to_owned(), writable: false }
    }

    #[test]
    fn what_is_mounted_below_a_folder_is_named() {
        let line = r"36 35 98:0 / /home/me/a\040b rw,noatime - ext4 /dev/sda rw";
        let point = mount_point(line).unwrap();
        assert_eq!(point, Path::new("/home/me/a b"));
        let points = [point, "/home/me".into(), "/home/mean".into()];
        assert_eq!(
            left_out(&mount_of(Path::new("/home/me")), &points).unwrap(),
            "not shown, since mounted below /home/me: /home/me/a b; --mount shows one"
        );
        assert_eq!(left_out(&mount_of(Path::new("/home/me/src")), &points), None);
    }

    #[test]
    fn only_sockets_that_all_users_may_write_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        for (name, mode) in [("open", 0o777), ("closed", 0o755)] {
            let path = folder.path().join(name);
            let _listener = UnixListener::bind(&path).unwrap();
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        }
        fs::write(folder.path().join("file"), "").unwrap();
        let reported = reachable(&mount_of(folder.path())).unwrap();
        assert!(reported.contains("by /program/open: writable for everybody"), "{reported}");
    }
}
