//! The mount points of the kernel's file systems.

use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    pub proc: PathBuf,
    pub sys: PathBuf,
    pub dev: PathBuf,
    /// The root directory, for all other paths.
    pub top: PathBuf,
}

impl Roots {
    pub fn host() -> Self {
        Self::under("/")
    }

    /// Returns the roots of a tree below `top` that has a machine's folders.
    pub fn under(top: impl Into<PathBuf>) -> Self {
        let top = top.into();
        Self { proc: top.join("proc"), sys: top.join("sys"), dev: top.join("dev"), top }
    }

    /// Converts a path in the kernel's view, such as a mount point, to the real path.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        for (prefix, root) in [("/proc", &self.proc), ("/sys", &self.sys), ("/dev", &self.dev)] {
            if let Ok(rest) = path.strip_prefix(prefix) {
                return join(root, rest);
            }
        }
        join(&self.top, path.strip_prefix("/").unwrap_or(path))
    }
}

fn join(root: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { root.to_owned() } else { root.join(rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_paths_land_below_their_root() {
        let roots = Roots { sys: "/recorded/sys".into(), ..Roots::host() };
        for (path, found) in [
            ("/sys/fs/cgroup", "/recorded/sys/fs/cgroup"),
            ("/sys", "/recorded/sys"),
            ("/proc/stat", "/proc/stat"),
            ("/tmp", "/tmp"),
            ("/system", "/system"),
        ] {
            assert_eq!(roots.resolve(Path::new(path)), Path::new(found), "{path}");
        }
    }
}
