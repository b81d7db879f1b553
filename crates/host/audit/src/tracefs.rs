//! A private tracing instance: the kernel's events, in buffers that no other process reads.
//!
//! An instance does not affect others. The tracing file system is mounted without a path: the mount is only a
//! descriptor, and disappears with it. The instance itself belongs to the kernel and would stay, so it is removed when
//! its owner is dropped, or by the next start if its owner was killed.

use super::tasks;
use model::{CpuId, CpuSet};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use system::Roots;

/// Names of tauto's instances: `tauto-PID-START-PURPOSE`.
const NAME_PREFIX: &str = "tauto-";
/// A process watches a few sets of CPUs at once; more instances than this are a leak.
const INSTANCES_MAX: u32 = 64;
/// The text of a buffer is about four times its size; a longer one is not from this module.
const TEXT_BYTES_MAX: u64 = 256 << 20;

#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error("the kernel's tracing file system cannot be mounted: {0}")]
    Mount(#[source] io::Error),
    #[error("cannot {what} {} of the kernel's tracing: {source}", path.display())]
    File { what: &'static str, path: PathBuf, source: io::Error },
    #[error("the kernel has no event {0}")]
    NoEvent(&'static str),
    #[error(
        "the kernel's events number tasks as the host does, and this process is in a container with numbers of its own"
    )]
    OtherNumbers,
    #[error("this process has {INSTANCES_MAX} tracing instances already")]
    TooMany,
}

/// The tracing file system, mounted without a path.
#[derive(Debug)]
pub struct TraceFs {
    root: PathBuf,
    _mount: OwnedFd,
}

#[derive(Debug)]
pub struct Instance {
    path: PathBuf,
    /// Open files prevent others from removing it.
    switch: File,
    filesystem: TraceFs,
    /// The kernel counts the lost events of each CPU from the start.
    lost_before: BTreeMap<PathBuf, u64>,
}

impl TraceFs {
    pub fn open(roots: &Roots) -> Result<Self, TraceError> {
        if !tasks::host_numbers(roots) {
            return Err(TraceError::OtherNumbers);
        }
        let mount = || -> rustix::io::Result<OwnedFd> {
            let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
            fsconfig_create(&context)?;
            fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())
        };
        let mount = mount().map_err(|error| TraceError::Mount(error.into()))?;
        let root = PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()));
        Ok(Self { root, _mount: mount })
    }

    /// Makes an instance that does not record yet, with all events off.
    pub fn instance(self, roots: &Roots, purpose: &str) -> Result<Instance, TraceError> {
        let instances = self.root.join("instances");
        remove_stale(roots, &instances);
        let owner = tasks::start_of(roots, std::process::id()).unwrap_or_default();
        let mut number = 0;
        let path = loop {
            let name = format!("{NAME_PREFIX}{}-{owner}-{purpose}{number}", std::process::id());
            let path = instances.join(name);
            match fs::create_dir(&path) {
                Ok(()) => break path,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(source) => return Err(self.failed("make", &path)(source)),
            }
            if number >= INSTANCES_MAX {
                return Err(TraceError::TooMany);
            }
        };
        let switch = File::options().write(true).open(path.join("tracing_on")).map_err(|source| {
            // If it stays, the next start removes it.
            let _ = fs::remove_dir(&path);
            self.failed("open", &path)(source)
        })?;
        let instance = Instance { path, switch, filesystem: self, lost_before: BTreeMap::new() };
        instance.record(false)?;
        // The clock of `CLOCK_MONOTONIC`, so that events can be compared with begin and end.
        instance.write("trace_clock", "mono")?;
        // If the buffer is full, later events are lost, but not the first ones with the run's forks.
        instance.write("options/overwrite", "0")?;
        Ok(instance)
    }

    fn failed(&self, what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> TraceError {
        let path = path.strip_prefix(&self.root).unwrap_or(path).to_owned();
        move |source| TraceError::File { what, path, source }
    }
}

impl Instance {
    /// Uses another of the kernel's clocks than that of `CLOCK_MONOTONIC`.
    pub fn clock(&self, name: &str) -> Result<(), TraceError> {
        self.write("trace_clock", name)
    }

    /// Limits it to these CPUs, with a buffer of this size for each.
    pub fn watch(&self, cpus: &CpuSet, buffer_bytes: u64) -> Result<(), TraceError> {
        /// The kernel rounds smaller sizes up to one page.
        const SMALLEST_KB: &str = "1";
        self.write("tracing_cpumask", &system::mask::write(cpus))?;
        self.write("buffer_size_kb", SMALLEST_KB)?;
        let size = (buffer_bytes >> 10).to_string();
        cpus.iter().try_for_each(|cpu| self.write(&format!("per_cpu/cpu{cpu}/buffer_size_kb"), &size))
    }

    pub fn watch_all(&self, buffer_bytes: u64) -> Result<(), TraceError> {
        self.write("buffer_size_kb", &(buffer_bytes >> 10).to_string())
    }

    /// Switches an event on; `false` if the kernel does not have it.
    pub fn enable(&self, event: &str) -> Result<bool, TraceError> {
        let file = format!("events/{event}/enable");
        Ok(self.path.join(&file).exists() && self.write(&file, "1").map(|()| true)?)
    }

    /// Switches on those events of a group that mark a beginning or an end.
    pub fn enable_interrupts(&self, group: &str) -> Result<(), TraceError> {
        // Not every processor has every group.
        let Ok(entries) = fs::read_dir(self.path.join("events").join(group)) else { return Ok(()) };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        for name in names.filter(|name| name.ends_with("_entry") || name.ends_with("_exit")) {
            self.enable(&format!("{group}/{name}"))?;
        }
        Ok(())
    }

    pub fn record(&self, on: bool) -> Result<(), TraceError> {
        let path = self.path.join("tracing_on");
        rustix::io::write(&self.switch, if on { b"1" } else { b"0" })
            .map(drop)
            .map_err(|error| self.filesystem.failed("write", &path)(error.into()))
    }

    /// Takes the events recorded on one CPU, and returns how many were lost.
    pub fn take(&mut self, cpu: CpuId) -> Result<(Vec<u8>, u64), TraceError> {
        let folder = PathBuf::from(format!("per_cpu/cpu{cpu}"));
        Ok((self.text(&folder.join("trace_pipe"))?, self.lost(folder)?))
    }

    /// Takes the events recorded on all CPUs in the order of time, and returns how many were lost.
    pub fn take_all(&mut self) -> Result<(Vec<u8>, u64), TraceError> {
        let text = self.text(Path::new("trace_pipe"))?;
        let folder = self.path.join("per_cpu");
        let cpus = fs::read_dir(&folder).map_err(self.filesystem.failed("list", &folder))?;
        let folders: Vec<_> = cpus.flatten().map(|cpu| Path::new("per_cpu").join(cpu.file_name())).collect();
        let lost = folders.into_iter().map(|folder| self.lost(folder));
        Ok((text, lost.sum::<Result<_, _>>()?))
    }

    /// Reading the pipe empties the buffer, so the next interval need not clear it, which would wait for all CPUs (30
    /// ms on a busy machine).
    fn text(&self, file: &Path) -> Result<Vec<u8>, TraceError> {
        let path = self.path.join(file);
        let mut text = Vec::new();
        let read = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(&path);
        let read = read.and_then(|file| file.take(TEXT_BYTES_MAX).read_to_end(&mut text));
        match read {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(text),
            Err(source) => Err(self.filesystem.failed("read", &path)(source)),
            Ok(_) => Ok(text),
        }
    }

    /// Returns how many events one CPU has lost since the last time.
    fn lost(&mut self, folder: PathBuf) -> Result<u64, TraceError> {
        let path = self.path.join(&folder).join("stats");
        let statistics = fs::read_to_string(&path).map_err(self.filesystem.failed("read", &path))?;
        let counts = ["overrun", "commit overrun", "dropped events"];
        let lost = counts.iter().map(|name| super::parse::statistic(&statistics, name)).sum();
        let before = self.lost_before.insert(folder, lost).unwrap_or(0);
        Ok(lost.saturating_sub(before))
    }

    fn write(&self, file: &str, value: &str) -> Result<(), TraceError> {
        let path = self.path.join(file);
        // Without O_CREAT and O_TRUNC, which mean other things here.
        File::options()
            .write(true)
            .open(&path)
            .and_then(|mut file| io::Write::write_all(&mut file, value.as_bytes()))
            .map_err(self.filesystem.failed("write", &path))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // The kernel refuses to remove an instance while one of its files is open.
        if let Ok(null) = File::open("/dev/null") {
            drop(std::mem::replace(&mut self.switch, null));
        }
        // If it stays, the next start removes it.
        let _ = fs::remove_dir(&self.path);
    }
}

/// Removes instances whose owner is dead; one that cannot be removed is in use.
fn remove_stale(roots: &Roots, instances: &Path) {
    let Ok(entries) = fs::read_dir(instances) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(NAME_PREFIX)).and_then(owner);
        if let Some((process, start)) = owner
            && tasks::start_of(roots, process) != Some(start)
        {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Parses `PID-START-PURPOSE`.
fn owner(name: &str) -> Option<(u32, u64)> {
    let mut parts = name.split('-');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_tree::Tree;

    #[test]
    fn only_instances_of_the_dead_are_removed() {
        let stat = super::super::tasks::tests::stat;
        let tree = Tree::new(&[
            ("proc/7/stat", &stat(7, "tauto", 1, 0, (0, 0), 0)),
            ("tracing/instances/tauto-7-500-cpus0/", ""),
            ("tracing/instances/tauto-7-400-cpus0/", ""),
            ("tracing/instances/tauto-8-1-forks0/", ""),
            ("tracing/instances/tauto-mine/", ""),
            ("tracing/instances/someone/", ""),
        ]);
        let instances = tree.path().join("tracing/instances");
        remove_stale(&Roots::under(tree.path()), &instances);
        let mut left: Vec<_> =
            fs::read_dir(instances).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["someone", "tauto-7-500-cpus0", "tauto-mine"]);
    }
}
