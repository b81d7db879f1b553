//! Which CPUs of the lease registry are held, and by whom, without touching a lock.
//!
//! Trying a lock would tell as well, and make a lease fail that is taken at that moment.

use model::{CpuId, CpuSet};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A process and the CPUs that it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its number; 0 if it is not visible from here.
    pub pid: u32,
    /// The CPUs.
    pub cpus: CpuSet,
}

/// Why it is not known who holds what.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}")]
pub struct HeldError {
    path: PathBuf,
    source: io::Error,
}

/// Lists who holds CPUs in a registry; nobody does where there is none.
///
/// # Errors
/// When the registry or the kernel's list of locks cannot be read.
pub fn holders(registry: &Path) -> Result<Vec<Holder>, HeldError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| HeldError { path, source }
    };
    let entries = match fs::read_dir(registry) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(registry)(error)),
    };
    let mut files: BTreeMap<u64, CpuId> = BTreeMap::new();
    for entry in entries {
        let entry = entry.map_err(failed(registry))?;
        let name = entry.file_name();
        let number =
            name.to_str().and_then(|name| name.strip_prefix("cpu-")?.strip_suffix(".lock")?.parse().ok());
        // A file that has just gone is held by nobody.
        if let (Some(number), Ok(metadata)) = (number, entry.metadata()) {
            files.insert(metadata.ino(), CpuId(number));
        }
    }
    let locks = Path::new("/proc/locks");
    let device = fs::metadata(registry).map_err(failed(registry))?.dev();
    let text = fs::read_to_string(locks).map_err(failed(locks))?;
    Ok(parse(&text, device, &files))
}

/// Reads the lines of `/proc/locks`: `1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF`.
fn parse(text: &str, device: u64, files: &BTreeMap<u64, CpuId>) -> Vec<Holder> {
    let device = (rustix::fs::major(device), rustix::fs::minor(device));
    let mut held: BTreeMap<u32, CpuSet> = BTreeMap::new();
    for line in text.lines() {
        // Those who wait for a lock stand below its holder with an arrow, and hold nothing.
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, "FLOCK", _, "WRITE", pid, place, ..] = words.as_slice() else { continue };
        let mut parts = place.split(':');
        let (Some(major), Some(minor), Some(inode)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let (Ok(major), Ok(minor)) = (u32::from_str_radix(major, 16), u32::from_str_radix(minor, 16)) else {
            continue;
        };
        let cpu = inode.parse().ok().and_then(|inode: u64| files.get(&inode));
        if let Some(cpu) = cpu.filter(|_| (major, minor) == device) {
            held.entry(pid.parse().unwrap_or(0)).or_default().insert(*cpu);
        }
    }
    held.into_iter().map(|(pid, cpus)| Holder { pid, cpus }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CpuLease;

    #[test]
    fn a_lease_is_seen_while_it_lasts() {
        let registry = tempfile::tempdir().unwrap();
        assert_eq!(holders(&registry.path().join("none")).unwrap(), []);
        let lease = CpuLease::take(registry.path(), &"0-3".parse().unwrap(), 2).unwrap();
        let held = Holder { pid: std::process::id(), cpus: "2-3".parse().unwrap() };
        assert_eq!(holders(registry.path()).unwrap(), [held]);
        drop(lease);
        assert_eq!(holders(registry.path()).unwrap(), []);
    }

    #[test]
    fn only_holders_of_our_files_count() {
        let files = [(70, CpuId(5)), (71, CpuId(6))].into();
        let text = "1: FLOCK  ADVISORY  WRITE 12 fe:01:70 0 EOF\n\
                    1: -> FLOCK  ADVISORY  WRITE 13 fe:01:70 0 EOF\n\
                    2: POSIX  ADVISORY  WRITE 14 fe:01:71 0 EOF\n\
                    3: FLOCK  ADVISORY  WRITE 15 fe:02:71 0 EOF\n\
                    4: FLOCK  ADVISORY  READ  16 fe:01:71 0 EOF\n\
                    5: nonsense\n6: FLOCK ADVISORY WRITE 17 fe:01 0 EOF\n";
        let device = rustix::fs::makedev(0xfe, 1);
        assert_eq!(parse(text, device, &files), [Holder { pid: 12, cpus: "5".parse().unwrap() }]);
    }
}
