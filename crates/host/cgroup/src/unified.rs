//! The version 2 group of a slot.

use crate::files::{self, OpenFile};
use crate::{CgroupError, Controller, GroupLimits, group};
use model::Nanos;
use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[derive(Debug)]
pub struct Unified {
    path: PathBuf,
    controllers: Vec<Controller>,
    leaf: Option<Leaf>,
}

/// The group that the next or present run is cloned into.
#[derive(Debug)]
pub struct Leaf {
    path: PathBuf,
    directory: File,
    cpu_stat: OpenFile,
    cpu_pressure: Option<OpenFile>,
    /// Set when the group was killed as a whole. After that, some kernels (seen on 6.18) kill at once whatever is
    /// cloned into it: fork compares the group's count of kills with that of the parent's group.
    killed: AtomicBool,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct CpuClock {
    pub total: Nanos,
    /// User time, where it is counted separately.
    pub user: Option<Nanos>,
    /// How long a quota stopped the group, where it can have one.
    pub throttled: Option<Nanos>,
}

impl Unified {
    /// Ensures that `root` enables `controllers` for its children. Runs get the group `path`; one left by a killed
    /// owner is removed.
    pub fn create(root: &Path, path: PathBuf, controllers: Vec<Controller>) -> Result<Self, CgroupError> {
        if !controllers.is_empty() {
            enable(root, &controllers)?;
        }
        group::remove_left_over(&path)?;
        Ok(Self { path, controllers, leaf: None })
    }

    pub fn has(&self, controller: Controller) -> bool {
        self.controllers.contains(&controller)
    }

    pub fn leaf(&self) -> Option<&Leaf> {
        self.leaf.as_ref()
    }

    /// Sets the limits of the next run, in a new group where that is needed.
    pub fn begin(&mut self, limits: &GroupLimits) -> Result<(), CgroupError> {
        let fresh = self.controllers.contains(&Controller::Memory);
        if fresh || self.leaf.as_ref().is_none_or(|leaf| leaf.killed.load(Relaxed)) {
            self.remove_leaf()?;
            self.leaf = Some(Leaf::make(self.path.clone())?);
        }
        let Some(leaf) = &self.leaf else { return Ok(()) };
        for controller in &self.controllers {
            match (controller, limits) {
                (Controller::Memory, GroupLimits { memory: Some(memory), .. }) => {
                    files::write(&leaf.path.join("memory.max"), &memory.0.to_string())?;
                    files::write(&leaf.path.join("memory.oom.group"), "1")?;
                    // Absent where the kernel has no swap support; then there is nothing to forbid.
                    let swap = leaf.path.join("memory.swap.max");
                    if swap.exists() {
                        files::write(&swap, "0")?;
                    }
                }
                (Controller::Pids, GroupLimits { processes: Some(processes), .. }) => {
                    files::write(&leaf.path.join("pids.max"), &processes.to_string())?;
                }
                (Controller::CpuSet, GroupLimits { cpus: Some(cpus), .. }) => {
                    files::write(&leaf.path.join("cpuset.cpus"), &cpus.to_string())?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns to the machine what is not reused.
    pub fn finish(&mut self) -> Result<(), CgroupError> {
        if let Some(leaf) = &self.leaf {
            group::wait_until_empty(&leaf.path)?;
        }
        if self.controllers.contains(&Controller::Memory) {
            self.remove_leaf()?;
        }
        Ok(())
    }

    pub fn remove_leaf(&mut self) -> Result<(), CgroupError> {
        match self.leaf.take() {
            Some(leaf) => group::remove(&leaf.path),
            None => Ok(()),
        }
    }
}

impl Leaf {
    fn make(path: PathBuf) -> Result<Self, CgroupError> {
        group::make(&path)?;
        let directory =
            File::open(&path).map_err(|source| CgroupError::Read { path: path.clone(), source })?;
        let cpu_stat = OpenFile::open(path.join("cpu.stat"))?;
        let cpu_pressure = OpenFile::open(path.join("cpu.pressure")).ok();
        Ok(Self { path, directory, cpu_stat, cpu_pressure, killed: AtomicBool::new(false) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn folder(&self) -> &File {
        &self.directory
    }

    pub fn clone_target(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    pub fn kill(&self) -> bool {
        self.killed.store(true, Relaxed);
        fs::write(self.path.join("cgroup.kill"), "1").is_ok()
    }

    pub fn kill_each(&self) {
        self.killed.store(true, Relaxed);
        group::kill_all(&self.path);
    }

    pub fn cpu_counter(&self) -> BorrowedFd<'_> {
        self.cpu_stat.as_fd()
    }

    pub fn cpu_clock(&self) -> Result<CpuClock, CgroupError> {
        let content = self.cpu_stat.read()?;
        let [total] = files::required(self.cpu_stat.path(), &content, ["usage_usec"])?;
        let parts = files::keyed(&content, &["user_usec", "throttled_usec"]);
        Ok(CpuClock {
            total: Nanos::from_micros(total),
            user: parts[0].map(Nanos::from_micros),
            throttled: parts[1].map(Nanos::from_micros),
        })
    }

    pub fn cpu_pressure(&self) -> Result<Option<Nanos>, CgroupError> {
        let Some(file) = &self.cpu_pressure else { return Ok(None) };
        Ok(parse_pressure(&file.read()?))
    }
}

/// Reads `some ... total=N` (microseconds) from a pressure file.
fn parse_pressure(content: &str) -> Option<Nanos> {
    let line = content.lines().find(|line| line.starts_with("some "))?;
    let total = line.split_whitespace().find_map(|field| field.strip_prefix("total="))?;
    total.parse().ok().map(Nanos::from_micros)
}

pub fn enable(group: &Path, controllers: &[Controller]) -> Result<(), CgroupError> {
    let path = group.join("cgroup.subtree_control");
    let enabled = files::read(&path)?;
    let missing: Vec<String> = controllers
        .iter()
        .filter(|controller| !enabled.split_whitespace().any(|name| name == controller.name()))
        .map(|controller| format!("+{controller}"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let controllers = missing.join(" ");
    fs::write(&path, &controllers).map_err(|source| CgroupError::Enable { path, controllers, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_counts_microseconds() {
        let content = "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\nfull avg10=0.00 total=7\n";
        assert_eq!(parse_pressure(content), Some(Nanos::from_micros(1234)));
        assert_eq!(parse_pressure("garbage"), None);
    }
}
