//! The read-only root that every run of a slot sees.

use crate::plan::{BOX, PROGRAM};
use crate::protocol::RootEntry;
use rustix::fs::{Mode, OFlags, ResolveFlags};
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootView {
    /// The host's toolchains by an allowlist, and these paths.
    Host {
        /// Further files and folders that some language needs; missing ones are skipped.
        extra: Vec<PathBuf>,
    },
    /// The top-level folders of a root file system tree.
    Tree(PathBuf),
}

/// Folders of programs and libraries; on a merged-/usr system all but the first are links.
const TOOLCHAINS: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// The files in /etc that toolchains need. No passwords, keys, host names or addresses.
const ETC: [&str; 6] = [
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/locale.alias",
];

/// Device nodes without state, and their minor numbers among the memory devices (mem(4): major 1).
pub(crate) const DEVICES: [(&str, u32); 5] =
    [("null", 3), ("zero", 5), ("full", 7), ("random", 8), ("urandom", 9)];

/// Names that the container makes itself and that a tree must not contain.
const OWN_NAMES: [&str; 6] = ["box", "program", "proc", "dev", "tmp", "sys"];

impl RootView {
    /// Returns whether a root of the host's toolchains shows what is at this path, apart from its `extra` paths.
    pub fn is_toolchain(path: &Path) -> bool {
        TOOLCHAINS.iter().chain(&ETC).any(|known| path.starts_with(known))
    }

    /// Returns whether a program with this root finds something at a path.
    pub fn has(&self, path: &Path) -> bool {
        match self {
            Self::Host { .. } => path.exists(),
            Self::Tree(tree) => {
                let flags = OFlags::PATH | OFlags::CLOEXEC;
                let found =
                    rustix::fs::open(tree, flags | OFlags::DIRECTORY, Mode::empty()).and_then(|tree| {
                        // Links of the tree lead to its own files.
                        rustix::fs::openat2(&tree, path, flags, Mode::empty(), ResolveFlags::IN_ROOT)
                    });
                found.is_ok()
            }
        }
    }

    pub(crate) fn entries(&self) -> std::io::Result<Vec<RootEntry>> {
        let mut entries = Vec::new();
        match self {
            Self::Host { extra } => {
                for path in TOOLCHAINS {
                    host_path(Path::new(path), &mut entries);
                }
                directory("/etc", &mut entries);
                for path in ETC {
                    host_path(Path::new(path), &mut entries);
                }
                for path in extra {
                    if !Self::is_toolchain(path) {
                        parents(path, &mut entries);
                        if is_device(path) {
                            let path = path.to_string_lossy().into_owned();
                            entries.push(RootEntry::Device { source: path.clone(), path });
                        } else {
                            host_path(path, &mut entries);
                        }
                    }
                }
                etc_of_our_own(&mut entries);
            }
            Self::Tree(tree) => {
                // The process that mounts it may have another working directory.
                let tree = tree.canonicalize()?;
                for entry in fs::read_dir(tree)? {
                    let entry = entry?;
                    let name = entry.file_name().to_string_lossy().into_owned();
                    if OWN_NAMES.contains(&name.as_str()) {
                        continue;
                    }
                    seen_at(&entry.path(), format!("/{name}"), &mut entries);
                }
            }
        }
        for path in ["/proc", "/dev", BOX, PROGRAM] {
            directory(path, &mut entries);
        }
        for (device, _) in DEVICES {
            let path = format!("/dev/{device}");
            entries.push(RootEntry::Device { source: path.clone(), path });
        }
        for (path, to) in [
            ("/tmp", "box/tmp"),
            ("/dev/shm", "/box/shm"),
            ("/dev/fd", "/proc/self/fd"),
            ("/dev/stdin", "/proc/self/fd/0"),
            ("/dev/stdout", "/proc/self/fd/1"),
            ("/dev/stderr", "/proc/self/fd/2"),
        ] {
            entries.push(RootEntry::Link { path: path.to_owned(), to: to.to_owned() });
        }
        Ok(entries)
    }
}

fn directory(path: &str, entries: &mut Vec<RootEntry>) {
    let entry = RootEntry::Directory { path: path.to_owned() };
    if !entries.contains(&entry) {
        entries.push(entry);
    }
}

fn parents(path: &Path, entries: &mut Vec<RootEntry>) {
    let mut above: Vec<_> = path.ancestors().skip(1).filter(|parent| *parent != Path::new("/")).collect();
    above.reverse();
    for parent in above {
        directory(&parent.to_string_lossy(), entries);
    }
}

fn is_device(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.file_type().is_char_device())
}

fn host_path(path: &Path, entries: &mut Vec<RootEntry>) {
    seen_at(path, path.to_string_lossy().into_owned(), entries);
}

/// Adds the file at `source` as `path`: a link stays a link, a missing file is skipped.
fn seen_at(source: &Path, path: String, entries: &mut Vec<RootEntry>) {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let Ok(found) = source.symlink_metadata() else { return };
    let entry = if found.is_symlink() {
        let Ok(to) = fs::read_link(source) else { return };
        RootEntry::Link { path, to: text(&to) }
    } else if found.is_dir() {
        RootEntry::BindDirectory { source: text(source), path }
    } else {
        RootEntry::BindFile { source: text(source), path }
    };
    entries.push(entry);
}

/// Small files that every root has, with the same content on every machine.
pub const COMMON_FILES: [(&str, &str); 4] = [
    ("/etc/passwd", "runner:x:1000:1000:runner:/box/home:/bin/sh\n"),
    ("/etc/group", "runner:x:1000:\n"),
    ("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"),
    ("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
];

fn etc_of_our_own(entries: &mut Vec<RootEntry>) {
    for (path, content) in COMMON_FILES {
        entries.push(RootEntry::File { path: path.to_owned(), content: content.to_owned() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_shows_only_the_allowlist() {
        let entries = RootView::Host { extra: vec!["/var/lib/no-such-toolchain".into()] }.entries().unwrap();
        for entry in &entries {
            if let RootEntry::BindDirectory { source, .. } | RootEntry::BindFile { source, .. } = entry {
                assert!(
                    TOOLCHAINS.iter().chain(&ETC).any(|known| source.starts_with(known)),
                    "{source} is not on the allowlist"
                );
            }
        }
        assert!(entries.contains(&RootEntry::Directory { path: "/var/lib".into() }));
    }

    #[test]
    fn a_tree_brings_its_own_folders_but_not_ours() {
        let tree = tempfile::tempdir().unwrap();
        for name in ["usr", "etc", "proc", "dev"] {
            fs::create_dir(tree.path().join(name)).unwrap();
        }
        std::os::unix::fs::symlink("usr/bin", tree.path().join("bin")).unwrap();
        let entries = RootView::Tree(tree.path().to_owned()).entries().unwrap();
        assert!(entries.contains(&RootEntry::Link { path: "/bin".into(), to: "usr/bin".into() }));
        let bound = |path: &str| {
            entries
                .iter()
                .any(|entry| matches!(entry, RootEntry::BindDirectory { path: at, .. } if at == path))
        };
        assert!(bound("/usr") && bound("/etc") && !bound("/proc") && !bound("/dev"));
    }
}
