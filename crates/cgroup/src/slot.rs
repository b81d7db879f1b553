//! One slot's groups in all hierarchies, reused from run to run.

use crate::files::{self, OpenFile};
use crate::memory::{MemoryV1, page_cache};
use crate::{CgroupError, Controller, Home, Layout, OUR_GROUP};
use model::{Bytes, CpuSet, Nanos, Reading};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long processes that were killed may take to leave a group.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(5);

/// What the groups of one run enforce.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupLimits {
    /// Memory of the run, page cache not counted.
    pub memory: Option<Bytes>,
    /// Processes and threads at once.
    pub processes: Option<u32>,
    /// CPUs to run on; enforced here where version 2 has the cpuset controller.
    pub cpus: Option<CpuSet>,
}

/// What a run used, by its groups' counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupUse {
    /// User and system time.
    pub cpu_time: Nanos,
    /// The user part.
    pub user_time: Nanos,
    /// The system part.
    pub system_time: Nanos,
    /// The most memory held at once, without page cache.
    pub memory_peak: Reading<Bytes>,
    /// Processes that the memory limit killed.
    pub oom_kills: u64,
    /// Time for which a CPU quota stopped the run.
    pub throttled: Reading<Nanos>,
    /// Time for which some task was ready and had no CPU.
    pub cpu_pressure: Reading<Nanos>,
}

/// One slot's groups.
///
/// Version 1 groups are pooled: the slot's launcher sits in them for good, since
/// entering one costs milliseconds on a busy machine, and what it uses itself is
/// subtracted. The version 2 group is entered by `clone3`; it is pooled where it
/// only counts CPU time and fresh for every run where it limits memory, because
/// `memory.peak` cannot be reset before Linux 6.12.
#[derive(Debug)]
pub struct SlotGroups {
    name: String,
    unified: Option<Unified>,
    v1: BTreeMap<Controller, PathBuf>,
    memory_v1: Option<MemoryV1>,
    cpuacct_v1: Option<OpenFile>,
    /// Version 1: what the launcher held before the first run.
    launcher_memory: Option<Bytes>,
    baseline: Baseline,
}

#[derive(Debug)]
struct Unified {
    parent: PathBuf,
    controllers: Vec<Controller>,
    serial: u64,
    leaf: Option<Leaf>,
}

/// The version 2 group that the next or present run is cloned into.
#[derive(Debug)]
struct Leaf {
    path: PathBuf,
    directory: File,
    cpu_stat: OpenFile,
    cpu_pressure: Option<OpenFile>,
    /// Once a group was killed as a whole, some kernels (seen on 6.18) kill at once whatever is cloned
    /// into it: fork compares the group's count of kills with that of the parent's group.
    killed: AtomicBool,
}

#[derive(Clone, Debug, Default)]
struct Baseline {
    cpu_time: Nanos,
    user_time: Nanos,
    system_time: Nanos,
    throttled: Nanos,
    cpu_pressure: Option<Nanos>,
    oom_kills: u64,
    /// Version 1: what the launcher itself holds, page cache not counted.
    memory_held: Bytes,
    memory_limit: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, Default)]
struct CpuClock {
    total: Nanos,
    user: Nanos,
    system: Nanos,
    throttled: Nanos,
}

impl SlotGroups {
    /// Makes the groups called `name` below [`OUR_GROUP`], after removing what an earlier owner left.
    ///
    /// # Errors
    /// When the memory or pids controller is missing or the tree cannot be written.
    pub fn create(layout: &Layout, name: &str) -> Result<Self, CgroupError> {
        let mut v1 = BTreeMap::new();
        let mut v2_controllers = Vec::new();
        for controller in [Controller::Memory, Controller::Pids] {
            match layout.home(controller) {
                Some(Home::V2(_)) => v2_controllers.push(controller),
                Some(Home::V1(root)) => {
                    v1.insert(controller, make_v1(&root, name)?);
                }
                None => return Err(CgroupError::NoController(controller)),
            }
        }
        if layout.unified.is_none() {
            let Some(Home::V1(root)) = layout.home(Controller::CpuAcct) else {
                return Err(CgroupError::NoController(Controller::CpuAcct));
            };
            v1.insert(Controller::CpuAcct, make_v1(&root, name)?);
        }
        for controller in [Controller::Cpu, Controller::CpuSet] {
            if let Some(Home::V2(_)) = layout.home(controller) {
                v2_controllers.push(controller);
            }
        }
        let unified = match &layout.unified {
            Some((root, _)) => Some(Unified::create(root, name, v2_controllers)?),
            None => None,
        };
        let memory_v1 = v1.get(&Controller::Memory).map(|path| MemoryV1::open(path)).transpose()?;
        let cpuacct_v1 = v1
            .get(&Controller::CpuAcct)
            .map(|path| OpenFile::open(path.join("cpuacct.usage")))
            .transpose()?;
        let name = name.to_owned();
        let baseline = Baseline::default();
        Ok(Self { name, unified, v1, memory_v1, cpuacct_v1, launcher_memory: None, baseline })
    }

    /// Opens the pooled version 1 groups for a slot's launcher to enter; its children inherit them
    /// for nothing.
    ///
    /// A process of one thread enters by writing `0` itself. Moving another process, or one with
    /// threads, takes a lock that waits for every CPU: 8 to 15 ms instead of some microseconds.
    ///
    /// # Errors
    /// When a group cannot be opened.
    pub fn entrances(&self) -> Result<Vec<File>, CgroupError> {
        let open = |group: &PathBuf| {
            let path = group.join("tasks");
            File::options().write(true).open(&path).map_err(|source| CgroupError::Read { path, source })
        };
        self.v1.values().map(open).collect()
    }

    /// Sets the limits of the next run and takes the counters' starting values. Earlier runs may have
    /// left as much as `retained` in files that still exist.
    ///
    /// # Errors
    /// When a control file cannot be read or written, or memory of an earlier run is still charged;
    /// then [`Self::reclaim`] may help.
    pub fn begin(&mut self, limits: &GroupLimits, retained: Bytes) -> Result<(), CgroupError> {
        self.baseline = Baseline { memory_limit: limits.memory, ..Baseline::default() };
        if let Some(unified) = &mut self.unified {
            unified.begin(limits, &self.name)?;
        }
        if let Some(path) = self.v1.get(&Controller::Pids) {
            let max = match limits.processes {
                // The launcher and the run's own init are in this group too.
                Some(processes) => (u64::from(processes) + 2).to_string(),
                None => "max".to_owned(),
            };
            files::write(&path.join("pids.max"), &max)?;
        }
        if let (Some(memory), Some(path)) = (&self.memory_v1, self.v1.get(&Controller::Memory)) {
            self.baseline.memory_held = memory.held(&mut self.launcher_memory, retained, path)?;
            self.baseline.oom_kills = memory.oom_kills()?;
            memory.forget_events();
            let limit = match limits.memory {
                Some(limit) => limit.0.saturating_add(self.baseline.memory_held.0).to_string(),
                None => "-1".to_owned(),
            };
            files::write(&path.join("memory.limit_in_bytes"), &limit)?;
            files::write(&path.join("memory.max_usage_in_bytes"), "0")?;
        }
        let clock = self.cpu_clock()?;
        self.baseline.cpu_time = clock.total;
        self.baseline.user_time = clock.user;
        self.baseline.system_time = clock.system;
        self.baseline.throttled = clock.throttled;
        self.baseline.cpu_pressure = self.cpu_pressure()?;
        Ok(())
    }

    /// Gives back what the pooled groups hold and need not.
    pub fn reclaim(&self) {
        if let Some(path) = self.v1.get(&Controller::Memory) {
            // It fails where something is in use, and gives back the rest.
            let _ = fs::write(path.join("memory.force_empty"), "0");
        }
    }

    /// Gives the version 2 group to clone the run into, where there is one.
    pub fn clone_target(&self) -> Option<BorrowedFd<'_>> {
        self.unified.as_ref()?.leaf.as_ref().map(|leaf| leaf.directory.as_fd())
    }

    /// Reads the CPU time used since [`Self::begin`].
    ///
    /// # Errors
    /// When the counter cannot be read.
    pub fn cpu_time(&self) -> Result<Nanos, CgroupError> {
        Ok(self.cpu_clock()?.total - self.baseline.cpu_time)
    }

    /// Reads how many processes the memory limit has killed since [`Self::begin`].
    ///
    /// # Errors
    /// When the counter cannot be read.
    pub fn oom_kills(&self) -> Result<u64, CgroupError> {
        if let Some(memory) = &self.memory_v1 {
            return Ok(memory.oom_kills()?.saturating_sub(self.baseline.oom_kills));
        }
        let Some(leaf) = self.leaf() else { return Ok(0) };
        let events = files::read(&leaf.path.join("memory.events"))?;
        Ok(files::keyed(&events, &["oom_kill"])[0].unwrap_or(0))
    }

    /// Gives what becomes readable when the run is out of memory and its processes are killed one by
    /// one (version 1); in version 2 the kernel kills them all.
    pub fn out_of_memory_event(&self) -> Option<BorrowedFd<'_>> {
        self.memory_v1.as_ref().map(|memory| memory.oom_event())
    }

    /// Kills every process of the run at once; says whether the kernel could (version 2, Linux 5.14).
    pub fn kill(&self) -> bool {
        self.leaf().is_some_and(Leaf::kill)
    }

    /// Reads what the run used, after its last process was reaped, and gives back what is not pooled.
    ///
    /// # Errors
    /// When a counter cannot be read or a process is left.
    pub fn finish(&mut self) -> Result<GroupUse, CgroupError> {
        let clock = self.cpu_clock()?;
        let pressure = match (self.cpu_pressure()?, self.baseline.cpu_pressure) {
            (Some(end), Some(start)) => Reading::Known(end - start),
            _ => Reading::unavailable("this kernel has no cpu.pressure for groups"),
        };
        let throttled = match &self.unified {
            Some(unified) if unified.controllers.contains(&Controller::Cpu) => {
                Reading::Known(clock.throttled - self.baseline.throttled)
            }
            _ => Reading::unavailable("the cpu controller is not in cgroup v2; no quota of ours is set"),
        };
        let used = GroupUse {
            cpu_time: clock.total - self.baseline.cpu_time,
            user_time: clock.user - self.baseline.user_time,
            system_time: clock.system - self.baseline.system_time,
            memory_peak: self.memory_peak()?,
            oom_kills: self.oom_kills()?,
            throttled,
            cpu_pressure: pressure,
        };
        if let Some(unified) = &mut self.unified {
            unified.finish()?;
        }
        Ok(used)
    }

    /// Removes the groups; the launcher must have ended.
    ///
    /// # Errors
    /// When processes are left in them.
    pub fn remove(&mut self) -> Result<(), CgroupError> {
        if let Some(unified) = &mut self.unified {
            unified.remove_leaf()?;
        }
        for path in self.v1.values() {
            remove_group(path)?;
        }
        self.v1.clear();
        Ok(())
    }

    fn leaf(&self) -> Option<&Leaf> {
        self.unified.as_ref()?.leaf.as_ref()
    }

    fn cpu_clock(&self) -> Result<CpuClock, CgroupError> {
        if let Some(leaf) = self.leaf() {
            let keys = ["usage_usec", "user_usec", "system_usec", "throttled_usec"];
            let values = leaf.cpu_stat.keyed(&keys)?;
            let nanos = |index: usize| Nanos::from_micros(values[index].unwrap_or(0));
            return Ok(CpuClock { total: nanos(0), user: nanos(1), system: nanos(2), throttled: nanos(3) });
        }
        match &self.cpuacct_v1 {
            Some(usage) => Ok(CpuClock { total: Nanos(usage.number()?), ..CpuClock::default() }),
            None => Ok(CpuClock::default()),
        }
    }

    fn cpu_pressure(&self) -> Result<Option<Nanos>, CgroupError> {
        let Some(file) = self.leaf().and_then(|leaf| leaf.cpu_pressure.as_ref()) else { return Ok(None) };
        Ok(parse_pressure(&file.read()?))
    }

    fn memory_peak(&self) -> Result<Reading<Bytes>, CgroupError> {
        // Page cache that a run fills depends on what was cached before, so it is no use of the
        // run's own. Cache only grows below the limit, and what a program reads it reads early.
        let peak = if let Some(memory) = &self.memory_v1 {
            let peak = memory.usage_max()?;
            peak.saturating_sub(self.baseline.memory_held).saturating_sub(memory.page_cache()?)
        } else if let Some(leaf) = self.leaf() {
            let path = leaf.path.join("memory.peak");
            let Ok(content) = fs::read_to_string(&path) else {
                return Ok(Reading::unavailable("memory.peak needs Linux 5.19"));
            };
            let peak = Bytes(files::parse_number(&path, &content)?);
            let stat = files::read(&leaf.path.join("memory.stat"))?;
            peak.saturating_sub(page_cache(&stat, "file", "shmem"))
        } else {
            return Ok(Reading::unavailable("no memory controller"));
        };
        Ok(Reading::Known(self.baseline.memory_limit.map_or(peak, |limit| peak.min(limit))))
    }
}

impl Unified {
    fn create(root: &Path, slot: &str, controllers: Vec<Controller>) -> Result<Self, CgroupError> {
        let parent = root.join(OUR_GROUP);
        files::make_group(&parent)?;
        if !controllers.is_empty() {
            enable(root, &controllers)?;
            enable(&parent, &controllers)?;
        }
        remove_leftovers(&parent, slot)?;
        Ok(Self { parent, controllers, serial: 0, leaf: None })
    }

    fn begin(&mut self, limits: &GroupLimits, slot: &str) -> Result<(), CgroupError> {
        let fresh = self.controllers.contains(&Controller::Memory);
        if fresh || self.leaf.as_ref().is_none_or(|leaf| leaf.killed.load(Relaxed)) {
            self.remove_leaf()?;
            self.serial += 1;
            let path = self.parent.join(format!("{slot}.{}", self.serial));
            files::make_group(&path)?;
            let directory =
                File::open(&path).map_err(|source| CgroupError::Read { path: path.clone(), source })?;
            let cpu_stat = OpenFile::open(path.join("cpu.stat"))?;
            let cpu_pressure = OpenFile::open(path.join("cpu.pressure")).ok();
            let killed = AtomicBool::new(false);
            self.leaf = Some(Leaf { path, directory, cpu_stat, cpu_pressure, killed });
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

    fn finish(&mut self) -> Result<(), CgroupError> {
        if let Some(leaf) = &self.leaf {
            leaf.wait_until_empty()?;
        }
        if self.controllers.contains(&Controller::Memory) {
            self.remove_leaf()?;
        }
        Ok(())
    }

    fn remove_leaf(&mut self) -> Result<(), CgroupError> {
        match self.leaf.take() {
            Some(leaf) => remove_group(&leaf.path),
            None => Ok(()),
        }
    }
}

impl Leaf {
    fn kill(&self) -> bool {
        self.killed.store(true, Relaxed);
        fs::write(self.path.join("cgroup.kill"), "1").is_ok()
    }

    /// The kernel counts a group as populated for a moment after its last process was reaped.
    fn wait_until_empty(&self) -> Result<(), CgroupError> {
        let events = self.path.join("cgroup.events");
        let start = Instant::now();
        while files::keyed(&files::read(&events)?, &["populated"])[0] != Some(0) {
            if start.elapsed() > DRAIN_TIME_MAX {
                return Err(CgroupError::StillPopulated { path: self.path.clone() });
            }
            std::thread::yield_now();
        }
        Ok(())
    }
}

/// Reads `some ... total=N` (microseconds) from a pressure file.
fn parse_pressure(content: &str) -> Option<Nanos> {
    let line = content.lines().find(|line| line.starts_with("some "))?;
    let total = line.split_whitespace().find_map(|field| field.strip_prefix("total="))?;
    total.parse().ok().map(Nanos::from_micros)
}

fn make_v1(root: &Path, slot: &str) -> Result<PathBuf, CgroupError> {
    let parent = root.join(OUR_GROUP);
    files::make_group(&parent)?;
    remove_leftovers(&parent, slot)?;
    let path = parent.join(slot);
    files::make_group(&path)?;
    Ok(path)
}

/// Hands `controllers` down to the children of `group`, where that is not done yet.
fn enable(group: &Path, controllers: &[Controller]) -> Result<(), CgroupError> {
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

/// Removes groups of a slot whose owner was killed. The caller holds the slot's lock.
fn remove_leftovers(parent: &Path, slot: &str) -> Result<(), CgroupError> {
    let entries =
        fs::read_dir(parent).map_err(|source| CgroupError::Read { path: parent.to_owned(), source })?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let ours = name.strip_prefix(slot).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if ours && entry.path().is_dir() {
            remove_group(&entry.path())?;
        }
    }
    Ok(())
}

fn remove_group(path: &Path) -> Result<(), CgroupError> {
    let start = Instant::now();
    loop {
        match fs::remove_dir(path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(_) if start.elapsed() < DRAIN_TIME_MAX => kill_all(path),
            Err(_) => return Err(CgroupError::StillPopulated { path: path.to_owned() }),
        }
        std::thread::yield_now();
    }
}

fn kill_all(path: &Path) {
    if fs::write(path.join("cgroup.kill"), "1").is_ok() {
        return;
    }
    let Ok(members) = fs::read_to_string(path.join("cgroup.procs")) else { return };
    for pid in members.lines().filter_map(|line| line.parse().ok()).filter_map(rustix::process::Pid::from_raw)
    {
        // A process that is gone already is what we want.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
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
