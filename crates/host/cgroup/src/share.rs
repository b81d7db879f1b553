//! A group that limits its processes to a share of the machine's CPU time: a quota in each period, or whole CPUs.

use crate::{CgroupError, Controller, Home, Layout, files, group, unified};
use model::{CpuSet, Nanos};
use std::fs;
use std::path::PathBuf;

/// How often removal is tried: killed processes leave their group a little after their parent is notified.
const REMOVE_TRIES: u32 = 50;

/// The highest weight (`MAX_SHARES` in version 1, `CGROUP_WEIGHT_MAX` in version 2): other processes on the CPUs should
/// take as little of the share as possible, so that the share is what is measured.
const WEIGHT_V1: &str = "262144";
const WEIGHT_V2: &str = "10000";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CpuShare {
    /// On any CPU, up to a quota in each period.
    Quota {
        /// CPU time of all processes together in each period.
        quota: Nanos,
        period: Nanos,
    },
    /// All time of these CPUs, and none of others.
    Cpus(CpuSet),
    /// As much as there is, with priority over other groups.
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Throttling {
    /// Periods in which something ran.
    pub periods: u64,
    pub throttled_periods: u64,
    /// For how long processes were stopped, summed over CPUs.
    pub throttled: Nanos,
}

/// A group with a share of CPU time, and priority over other groups within it. It is removed when this is dropped.
#[derive(Debug)]
pub struct ShareGroup {
    /// One folder for each hierarchy.
    folders: Vec<PathBuf>,
    cpu: PathBuf,
    in_v2: bool,
}

impl ShareGroup {
    /// Makes the group directly below the root of its hierarchies.
    pub fn make(layout: &Layout, name: &str, share: &CpuShare) -> Result<Self, CgroupError> {
        let (cpu, in_v2) = place(layout, Controller::Cpu, name)?;
        let mut group = Self { folders: vec![cpu.clone()], cpu, in_v2 };
        group::make(&group.cpu)?;
        let (file, weight) = if in_v2 { ("cpu.weight", WEIGHT_V2) } else { ("cpu.shares", WEIGHT_V1) };
        files::write(&group.cpu.join(file), weight)?;
        match share {
            CpuShare::Quota { quota, period } => group.set_quota(*quota, *period)?,
            CpuShare::Cpus(cpus) => group.set_cpus(layout, name, cpus)?,
            CpuShare::All => {}
        }
        Ok(group)
    }

    fn set_quota(&self, quota: Nanos, period: Nanos) -> Result<(), CgroupError> {
        let (quota_us, period_us) = (quota.0 / 1000, period.0 / 1000);
        if self.in_v2 {
            return files::write(&self.cpu.join("cpu.max"), &format!("{quota_us} {period_us}"));
        }
        files::write(&self.cpu.join("cpu.cfs_period_us"), &period_us.to_string())?;
        files::write(&self.cpu.join("cpu.cfs_quota_us"), &quota_us.to_string())
    }

    fn set_cpus(&mut self, layout: &Layout, name: &str, cpus: &CpuSet) -> Result<(), CgroupError> {
        let (folder, in_v2) = place(layout, Controller::CpuSet, name)?;
        if !in_v2 {
            group::make(&folder)?;
            self.folders.push(folder.clone());
            // A version 1 group has no memory nodes at first, and accepts no process without them.
            let nodes = folder.parent().map(|root| files::read(&root.join("cpuset.mems"))).transpose()?;
            files::write(&folder.join("cpuset.mems"), nodes.unwrap_or_default().trim())?;
        }
        files::write(&folder.join("cpuset.cpus"), &cpus.to_string()).map_err(|error| match error {
            // Documentation/admin-guide/cgroup-v1/cpusets.rst, 1.4: siblings of an exclusive set may not overlap it.
            CgroupError::Write { source, .. }
                if !in_v2 && source.kind() == std::io::ErrorKind::InvalidInput =>
            {
                CgroupError::CpusTaken { path: folder, cpus: cpus.clone(), source }
            }
            other => other,
        })
    }

    /// Moves a process, with the threads it has, into the group.
    pub fn enter(&self, process: u32) -> Result<(), CgroupError> {
        self.folders
            .iter()
            .try_for_each(|folder| files::write(&folder.join("cgroup.procs"), &process.to_string()))
    }

    pub fn throttling(&self) -> Result<Throttling, CgroupError> {
        let path = self.cpu.join("cpu.stat");
        Ok(throttling_of(&files::read(&path)?))
    }
}

impl Drop for ShareGroup {
    fn drop(&mut self) {
        for folder in &self.folders {
            for _ in 0..REMOVE_TRIES {
                match fs::remove_dir(folder) {
                    Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => {
                        std::thread::sleep(std::time::Duration::from_millis(10));
                    }
                    // A group that stays is removed by the next search for left-overs.
                    _ => break,
                }
            }
        }
    }
}

/// Removes groups called `PREFIX-NUMBER` whose process `NUMBER` is gone because it was killed.
pub fn remove_left_over(layout: &Layout, prefix: &str, is_alive: impl Fn(u32) -> bool) {
    for controller in [Controller::Cpu, Controller::CpuSet] {
        let (Some(Home::V1(root)) | Some(Home::V2(root))) = layout.home(controller) else { continue };
        for entry in fs::read_dir(root).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let owner =
                name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_prefix('-')?.parse().ok());
            if owner.is_some_and(|owner| !is_alive(owner)) {
                // One that still holds processes stays.
                let _ = fs::remove_dir(entry.path());
            }
        }
    }
}

/// Returns where a group of this name is, and whether that is in version 2.
fn place(layout: &Layout, controller: Controller, name: &str) -> Result<(PathBuf, bool), CgroupError> {
    match layout.home(controller) {
        Some(Home::V1(root)) => Ok((root.join(name), false)),
        Some(Home::V2(root)) => {
            unified::enable(&root, &[controller])?;
            Ok((root.join(name), true))
        }
        None => Err(CgroupError::NoController(controller)),
    }
}

fn throttling_of(text: &str) -> Throttling {
    let keys = ["nr_periods", "nr_throttled", "throttled_time", "throttled_usec"];
    let found = files::keyed(text, &keys);
    let number = |at: usize| found[at].unwrap_or(0);
    Throttling {
        periods: number(0),
        throttled_periods: number(1),
        // Version 1 counts in ns, version 2 in us.
        throttled: found[2].map_or_else(|| Nanos::from_micros(number(3)), Nanos),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn file(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn counters_of_both_versions_are_read() {
        let expected = Throttling { periods: 7, throttled_periods: 3, throttled: Nanos(5_000_000) };
        for text in [
            "nr_periods 7\nnr_throttled 3\nthrottled_time 5000000\nnr_bursts 0\n",
            "usage_usec 9\nnr_periods 7\nnr_throttled 3\nthrottled_usec 5000\n",
        ] {
            assert_eq!(throttling_of(text), expected);
        }
        assert_eq!(throttling_of(""), Throttling::default());
    }

    #[test]
    fn in_version_2_quota_and_cpus_are_in_one_group() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path();
        fs::write(path.join("cgroup.subtree_control"), "cpu cpuset\n").unwrap();
        let controllers = vec![Controller::Cpu, Controller::CpuSet];
        let layout = Layout { unified: Some((path.to_owned(), controllers)), v1: Default::default() };
        let share = CpuShare::Quota { quota: Nanos::from_millis(150), period: Nanos::from_millis(100) };
        let group = ShareGroup::make(&layout, "a", &share).unwrap();
        assert_eq!(file(&path.join("a/cpu.max")), "150000 100000");
        assert_eq!(file(&path.join("a/cpu.weight")), "10000");
        group.enter(17).unwrap();
        assert_eq!(file(&path.join("a/cgroup.procs")), "17");
        let share = CpuShare::Cpus("1-2".parse().unwrap());
        let _group = ShareGroup::make(&layout, "b", &share).unwrap();
        assert_eq!(file(&path.join("b/cpuset.cpus")), "1-2");
    }

    #[test]
    fn in_version_1_a_set_of_cpus_also_has_memory() {
        let root = tempfile::tempdir().unwrap();
        let (cpu, set) = (root.path().join("cpu"), root.path().join("cpuset"));
        fs::create_dir(&cpu).unwrap();
        fs::create_dir(&set).unwrap();
        fs::write(set.join("cpuset.mems"), "0-1\n").unwrap();
        let v1 = [(Controller::Cpu, cpu.clone()), (Controller::CpuSet, set.clone())].into();
        let layout = Layout { unified: None, v1 };
        let group = ShareGroup::make(&layout, "x", &CpuShare::Cpus("3".parse().unwrap())).unwrap();
        assert_eq!(file(&set.join("x/cpuset.mems")), "0-1");
        assert_eq!(file(&set.join("x/cpuset.cpus")), "3");
        group.enter(5).unwrap();
        assert_eq!(
            (file(&cpu.join("x/cgroup.procs")), file(&set.join("x/cgroup.procs"))),
            ("5".into(), "5".into())
        );
        let share = CpuShare::Quota { quota: Nanos::from_millis(50), period: Nanos::from_millis(100) };
        let _quota = ShareGroup::make(&layout, "y", &share).unwrap();
        assert_eq!(file(&cpu.join("y/cpu.cfs_quota_us")), "50000");
        assert_eq!(file(&cpu.join("y/cpu.cfs_period_us")), "100000");
    }

    #[test]
    fn groups_of_dead_owners_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let v1 = [(Controller::Cpu, root.path().to_owned())].into();
        for name in ["ours-1", "ours-2", "ours-x", "others-1"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        remove_left_over(&Layout { unified: None, v1 }, "ours", |process| process == 2);
        let mut left: Vec<_> = fs::read_dir(root.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["others-1", "ours-2", "ours-x"]);
    }

    #[test]
    fn a_missing_controller_is_named() {
        let layout = Layout { unified: None, v1: Default::default() };
        let error = ShareGroup::make(&layout, "x", &CpuShare::Cpus(CpuSet::new())).unwrap_err();
        assert!(matches!(error, CgroupError::NoController(Controller::Cpu)), "{error}");
    }
}
